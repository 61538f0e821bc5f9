"""A man page, piece by piece, in the macros of man(7)."""

import os
import re

import declarations


def date():
    """The date of the newest version in the changelog, so that pages made of the same sources are the same pages."""
    with open(os.path.join(declarations.TOP, "CHANGELOG.md"), encoding="utf-8") as file:
        found = re.search(r"^## \[\S+\] - (\d{4}-\d\d-\d\d)", file.read(), re.MULTILINE)
    if not found:
        raise ValueError("CHANGELOG.md: no version with a date, as in '## [1.2.3] - 2026-01-31'")
    return found.group(1)


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def safe(line):
    """Of text: no line begins with a control character."""
    return "\\&" + line if line.startswith((".", "'")) else line


class Page:
    def __init__(self, name, number, source, summary, names=()):
        """names: what is set in bold where a text mentions it, besides WEFT_ and THREADS_ names."""
        self.name = name
        self.names = names
        summary = summary.rstrip(".")
        self.lines = [f'.TH {name.upper()} {number} "{date()}" "{source}" "Weft"', ".nh", ".ad l", ".SH NAME"]
        self.lines.append(f"{name} \\- {escaped(summary[0].lower() + summary[1:])}")

    def section(self, title):
        self.lines.append(f'.SH "{title}"')
        return self

    def synopsis(self, first, lines):
        self.section("SYNOPSIS").lines += [".nf", f"\\fB{escaped(first)}\\fP", "", *(f"\\fB{escaped(line)}\\fP" if line else "" for line in lines), ".fi"]
        return self

    def marked(self, text):
        words = re.split(r"(\b(?:weft|threads)_\w+|\b(?:WEFT|THREADS)_\w+)", text)
        is_bold = [word in self.names or word.startswith(("WEFT_", "THREADS_")) for word in words]
        return "".join(f"\\fB{escaped(word)}\\fP" if bold else escaped(word) for word, bold in zip(words, is_bold))

    def text(self, text):
        """A sentence a line, so that roff spaces them."""
        for sentence in re.split(r"(?<=[.!?])(?<!\b[A-Z]\.) +", text):
            self.lines.append(safe(self.marked(sentence)))
        return self

    def paragraph(self, text):
        if not self.lines[-1].startswith(".SH"):
            self.lines.append(".PP")
        return self.text(text)

    def term(self, term, text):
        self.lines += [".TP", f"\\fB{escaped(term)}\\fP"]
        return self.text(text)

    def code(self, lines):
        self.lines += [] if self.lines[-1].startswith(".SH") else [".PP"]
        self.lines += [".in +4n", ".nf", *(safe(escaped(line)) for line in lines), ".fi", ".in"]

    def blocks(self, blocks):
        """Blocks of declarations.py."""
        for block in blocks:
            if block.kind == "text":
                self.paragraph(block.content)
            elif block.kind == "code":
                self.code([line[2:] for line in block.content])
            elif block.kind == "list":
                for each in block.content:
                    self.lines.append(".IP \\(bu 2")
                    self.text(each)
            else:
                for term, text in block.content:
                    self.term(term, text)
        return self

    def references(self, pages):
        """pages: (name, number)."""
        self.section("SEE ALSO")
        self.lines += [f".BR {name} ({number})" + ("," if index + 1 < len(pages) else "") for index, (name, number) in enumerate(pages)]
