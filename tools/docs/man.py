#!/usr/bin/env python3
"""Makes the man pages of section 3 of the comments in C headers: of include/weft, weft(3), a page for each function that
programs call, and one for each type. It needs Python alone, so that `cmake --install` can run it.

usage: man.py FOLDER INCLUDE-FOLDER     writes FOLDER/*.3 and prints their paths"""

import os
import re
import sys

import declarations
import roff

MOST_REFERENCES = 12


def capital(text, kept=()):
    """A label's text as a sentence. Words in `kept`, such as parameters, stay as they are."""
    first = re.match(r"[a-z]+\b(?![_(])", text)
    if first and first.group(0) not in kept:
        text = text[0].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def inherited(text):
    """The call whose errors an Errors label begins with, or None."""
    match = re.match(r"those of (\w+)", text)
    return match.group(1) if match else None


def own_errors(text):
    """{status: when} of an Errors label, and the sentences behind. When is "" where the label has no more than the name."""
    found = {}
    rest = re.sub(r"^those of \w+[,.]\s*", "", text)
    pattern = re.compile(r"\s*((?:WEFT|THREADS)_[A-Z_]+)(?: (\((?:[^()]|\([^()]*\))*\)))?(,|\.|$)")
    place = 0
    while match := pattern.match(rest, place):
        found[match.group(1)] = (match.group(2) or "()")[1:-1]
        place = match.end()
        if match.group(3) != ",":
            break
    return found, rest[place:].strip()


def parameters(declared):
    return set(re.findall(r"(\w+)(?=[,)])", declared))


def wrapped(declared, width=76):
    """The lines of a declaration, broken between parameters."""
    lines, line = [], ""
    for part in re.split(r"(?<=,) ", declared):
        if line and len(line) + 1 + len(part) > width:
            lines.append(line)
            line = "    " + part
        else:
            line = f"{line} {part}" if line else part
    return lines + [line]


class Pages:
    def __init__(self, folder):
        self.headers = declarations.read_all(folder)
        self.library = os.path.basename(os.path.normpath(folder))  # weft, or weft_threads
        self.umbrella = declarations.umbrella_of(folder)
        self.topics = declarations.topics_of(folder) | {self.umbrella}
        self.wholes = {name: declarations.whole_of(folder, name) for name in self.headers}
        self.meanings = declarations.meaning_of_status(self.headers)
        items = [item for header in self.headers.values() for item in header.items if not item.is_inner()]
        self.functions = {item.name: item for item in items if item.kind == "function"}
        self.types = {item.name: item for item in items if item.kind in ("struct", "enum", "type")}
        self.macros = [item for item in items if item.kind == "macro"]
        self.names = set(self.functions) | set(self.types)

    def all(self):
        """The text of each page, by its file's name."""
        pages = {self.library: self.main_page()}
        pages.update({name: self.function_page(item) for name, item in self.functions.items()})
        pages.update({name: self.type_page(item) for name, item in self.types.items()})
        return {f"{name}.3": "\n".join(page.lines) + "\n" for name, page in pages.items()}

    def page(self, name, summary):
        return roff.Page(name, 3, f"Weft {version()}", summary, self.names)

    def include(self, item):
        return f"#include <{self.library}/{self.wholes[item.header]}>"

    # ---- functions ---------------------------------------------------------------------------------------------------

    def function_page(self, item):
        page = self.page(item.name, item.comment.summary())
        page.synopsis(self.include(item), wrapped(item.text + ";"))
        page.section("DESCRIPTION").blocks(item.comment.blocks + item.comment.after)
        self.add_result(page, item)
        self.add_context(page, item)
        self.add_end(page, item, self.related_to(item))
        return page

    def errors(self, item):
        """{status: when} of a function, with those of the one that it refers to."""
        text = item.comment.labels.get("Errors", "")
        found = dict(self.errors(self.functions[inherited(text)])) if inherited(text) else {}
        for status, when in own_errors(text)[0].items():
            found[status] = "; ".join(each for each in (found.get(status), when) if each)
        return found

    def add_result(self, page, item):
        labels, kept = item.comment.labels, parameters(item.text)
        is_status = item.text.startswith(("weft_status ", "threads_status "))
        if is_status or "Returns" in labels:
            usual = f"{next(iter(self.meanings))} on success, else one of the errors below."
            page.section("RETURN VALUE").text(capital(labels.get("Returns", usual), kept))
        if not is_status:
            return
        page.section("ERRORS")
        for status, when in self.errors(item).items():
            page.term(status, capital(when or self.meanings[status], kept))
        if behind := own_errors(labels["Errors"])[1]:
            page.paragraph(behind)

    def add_context(self, page, item):
        labels = item.comment.labels
        how, _, more = labels["Switches"].rstrip(".").partition("; ")
        page.section("SWITCHING AND CALLERS")
        page.text({"may": "The call may switch: other threads may run on this worker before it returns.", "never": "The call never switches."}[how])
        if more:
            page.text(capital(more))
        page.text("It may be called by " + re.sub(r"^any\b", "ULTs, tasklets and OS threads outside", labels["Callers"]))
        if "Undefined" in labels:
            page.section("UNDEFINED BEHAVIOUR").text(capital(self.undefined(item), parameters(item.text)))

    def undefined(self, item):
        text = item.comment.labels["Undefined"]
        other = re.match(r"what is undefined for (\w+)\.$", text)
        return self.undefined(self.functions[other.group(1)]) if other else text

    def related_to(self, item):
        """Names that the call mentions, then those beside it."""
        mentioned = [name for name in sorted(self.names) if re.search(rf"\b{name}\b", f"{item.text} {item.comment}")]
        beside = [other.name for other in self.headers[item.header].items if other.section == item.section and other.name in self.functions]
        return [name for name in dict.fromkeys(mentioned + beside) if name != item.name]

    def add_end(self, page, item, related):
        """What the head of the header says of all that is in it, and references."""
        header = item.header if self.wholes[item.header] == self.umbrella else self.wholes[item.header]
        blocks = self.headers[header].head.blocks[1:]
        if blocks and header != self.umbrella:
            page.section("NOTES").blocks(blocks)
        page.references([(name, 3) for name in [*related[:MOST_REFERENCES], self.library]])

    # ---- types, and all together ---------------------------------------------------------------------------------------

    def type_page(self, item):
        page = self.page(item.name, item.comment.summary())
        page.synopsis(self.include(item), item.text.split("\n"))
        page.section("DESCRIPTION").blocks(item.comment.blocks + item.comment.after)
        for macro in self.macros:
            if macro.name.startswith(item.name.upper() + "_") and "INIT" in macro.name:
                page.term(macro.name, macro.comment.blocks[0].content)
        self.add_end(page, item, [name for name, function in self.functions.items() if re.search(rf"\b{item.name}\b", function.text)])
        return page

    def main_page(self):
        head = self.headers[self.umbrella].head
        page = self.page(self.library, re.sub(r"^Weft: ", "", head.summary()))
        package = self.library.replace("_", "-")
        page.synopsis(f"#include <{self.library}/{self.umbrella}>", [f"cc program.c $(pkg-config --cflags --libs {package})"])
        page.section("DESCRIPTION").blocks(head.blocks)
        for header in sorted(self.headers.values(), key=lambda one: (one.name not in self.topics, one.name)):
            functions = [item for item in header.items if item.name in self.functions]
            if functions:
                page.section(f"CALLS OF <{self.library}/{header.name}>")
            for item in functions:
                page.term(f"{item.name}(3)", item.comment.summary())
        page.references([("weft", 1), ("weft", 7)])
        return page


def version():
    with open(os.path.join(declarations.TOP, "include", "weft", "version.h"), encoding="utf-8") as file:
        return re.search(r'#define WEFT_VERSION "(.*)"', file.read()).group(1)


def write(folder, include):
    """Writes the pages and yields their paths."""
    os.makedirs(folder, exist_ok=True)
    for name, text in Pages(include).all().items():
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print("\n".join(write(sys.argv[1], sys.argv[2])))
