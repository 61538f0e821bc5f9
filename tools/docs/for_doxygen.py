#!/usr/bin/env python3
"""Doxygen's input filter: a public header, with its plain comments made those that Doxygen reads. Lines stay where they are, so that Doxygen's
warnings name the right ones. docs/Doxyfile defines the commands that stand for labels.

usage: for_doxygen.py FILE"""

import glob
import os
import re
import sys

import declarations

# What a file's users see of namespace detail: the base that has the calls of mutex and
# recursive_mutex.
SHOWN_OF_DETAIL = ("mutex_base",)
_NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$")
_FUNCTION = re.compile(r"^(?:WEFT|THREADS)_[^;{}=]*?\b((?:weft|threads)_\w+)\(", re.MULTILINE)
_LABEL = re.compile(rf"(^|\. )({'|'.join(declarations.LABELS)}): ")


def code_of(text):
    """The text with comments and literals blanked, except for the marks of what is extern "C"."""
    return _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def lines_in_bodies(text):
    """Numbers, from 0, of the lines that begin inside a function's body or an initialiser."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda match: re.sub(r"[^\n]", " ", match.group(0)), code_of(text), flags=re.MULTILINE)
    inside, depth, open_braces, head, line = set(), 0, [], "", 0
    for mark in code:
        if mark == "\n":
            line += 1
            if depth:
                inside.add(line)
        if mark == "{":
            open_braces.append(not is_scope(head))
            depth += open_braces[-1]
        elif mark == "}" and open_braces:
            depth -= open_braces.pop()
        head = "" if mark in "{};" else head + mark
    return inside


def is_scope(head):
    plain = re.sub(r"\[\[.*?\]\]|alignas\s*\(.*?\)|__attribute__\s*\(\(.*?\)\)", " ", head, flags=re.DOTALL)
    while (without := re.sub(r"<[^<>]*>", " ", plain)) != plain:
        plain = without
    return _SCOPE.search(plain) is not None


def functions_beside(path):
    """Names of the C functions that headers of the same folder declare."""
    names = set()
    for header in glob.glob(os.path.join(os.path.dirname(path), "*.h")):
        with open(header, encoding="utf-8") as file:
            names |= set(_FUNCTION.findall(code_of(file.read())))
    return names


def linked(text, functions):
    """Doxygen makes a link of the name of a function that stands without parentheses only if it is told to."""
    return re.sub(r"(?<![#\w])(?:weft|threads)_\w+(?![\w(*])", lambda match: ("#" if match.group(0) in functions else "") + match.group(0), text)


def labelled(text):
    return _LABEL.sub(lambda match: f"{match.group(1)}@{match.group(2).lower()}_ ", text)


class Prose:
    """Lines of one comment, made Markdown: terms become a list, code is set off."""

    def __init__(self):
        self.kind = "text"  # of the last line that was not empty: text, list or code

    def line(self, text):
        if not text:
            self.kind = "text" if self.kind == "list" else self.kind
            return text
        if not text.startswith("  "):
            self.kind = "list" if text.startswith("- ") else "text"
            return labelled(text)
        term = re.match(r"  (\w+) {2,}(\S.*)$", text)
        if self.kind != "code" and (term or self.kind == "list"):
            self.kind = "list"
            return f"- **{term.group(1)}**: {term.group(2)}" if term else "  " + text.strip()
        self.kind = "code"
        return "    " + text


def is_section(line):
    return re.match(r"\s*(/\*|//) ?----", line) is not None


def convert_c(lines, bodies, functions):
    prose, in_comment, is_first = Prose(), False, True
    for number, line in enumerate(lines):
        begin = re.match(r"( *)/\* (.*)$", line)
        if not in_comment and begin and number not in bodies and not is_section(line):
            prose, in_comment = Prose(), not line.endswith("*/")
            line = f"{begin.group(1)}/** {'@filedoc ' if is_first else ''}{linked(labelled(begin.group(2)), functions)}"
            is_first = False
        elif in_comment and (middle := re.match(r"( *) \*(?: (.*)|/?)$", line)):
            in_comment = not line.endswith("*/")
            line = f"{middle.group(1)} * {linked(prose.line(middle.group(2)), functions)}" if middle.group(2) else line
        elif number not in bodies:
            line = re.sub(r"([;,}]|\w) (\s*)/\* (.*\*/)$", r"\1 \2/**< \3", line)
        yield line


def convert_cpp(lines, bodies):
    prose, was_comment, is_first = Prose(), False, True
    for number, line in enumerate(lines):
        begin = re.match(r"( *)//(?: (.*))?$", line)
        if begin and number not in bodies and not is_section(line):
            prose = prose if was_comment else Prose()
            line = f"{begin.group(1)}/// {'@filedoc ' if is_first else ''}{prose.line(begin.group(2) or '')}".rstrip()
            is_first, was_comment = False, True
            yield line
            continue
        was_comment = False
        if number not in bodies:
            line = re.sub(r"([;,]) (\s*)// (?!namespace)(.*)$", r"\1 \2///< \3", line)
        yield line


def without_detail(text):
    """Doxygen skips what a user does not see: namespace detail, and what specialises templates of std."""

    def hide(match):
        block = match.group(0)
        if any(f"class {name}" in block for name in SHOWN_OF_DETAIL):
            return block
        return block.replace("namespace detail {", "/** @cond */ namespace detail {", 1)[: -len("}  // namespace detail")] + "} /** @endcond */"

    text = re.sub(r"^template <>\nstruct std::.*?(?:^\};|\{\};)$", r"/** @cond */ \g<0> /** @endcond */", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^namespace detail \{$.*?^\}  // namespace detail$", hide, text, flags=re.MULTILINE | re.DOTALL)


def convert(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    bodies = lines_in_bodies(text)
    lines = text.split("\n")
    converted = convert_cpp(lines, bodies) if path.endswith(".hpp") else convert_c(lines, bodies, functions_beside(path))
    return without_detail("\n".join(converted))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(convert(sys.argv[1]))
