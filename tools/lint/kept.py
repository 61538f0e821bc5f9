#!/usr/bin/env python3
"""What C++ defines and assembler refers to is marked gnu::used where it is defined: optimisation at link time sees no other use of it, and
drops or renames it.

usage: kept.py [folder]"""

import re
import sys

import sources

FOLDERS = ["src", "dist", "net", "lang", "include"]
NAME_IN_ASSEMBLER = re.compile(r"\bweft_\w+")
# In the text of an asm statement: by way of the instruction pointer or of the thread pointer.
NAME_IN_ASM_STATEMENT = re.compile(r"\b(weft_\w+)(?=@|\(%%?rip\))|:gottprel(?:_lo12)?:(weft_\w+)")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
COMMENT_OF_ASSEMBLER = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def names_in_assembler(top):
    names = set()
    for path in sources.files(top, FOLDERS, ".S"):
        names.update(NAME_IN_ASSEMBLER.findall(COMMENT_OF_ASSEMBLER.sub("", sources.read(top, path))))
    for path in sources.files(top, FOLDERS, (".h", ".hpp", ".cpp")):
        for literal in LITERAL.findall(sources.read(top, path)):
            names.update(one or other for one, other in NAME_IN_ASM_STATEMENT.findall(literal))
    return names


def is_defined(name, text):
    """As a function with a body, or as a variable with a value, outside of any block."""
    return re.search(rf"\b{name}\([^;{{}}]*\)[^;{{}}]*\{{|^\S.*[ *&]{name}\s*=", text, re.MULTILINE) is not None


def is_kept(name, text):
    return re.search(rf"\[\[[^;{{}}]*\bgnu::used\b[^;{{}}]*\b{name}\b", text) is not None


def check(top):
    names = names_in_assembler(top)
    problems = []
    for path in sources.files(top, FOLDERS, ".cpp"):
        text = sources.without_comments(sources.read(top, path), keep_literals=True)
        problems += [f"{path}: assembler refers to {name}: mark it [[gnu::used]]"
                     for name in sorted(names) if name in text and is_defined(name, text) and not is_kept(name, text)]
    return problems, len(names)


if __name__ == "__main__":
    found, count = check(sources.top_from_arguments())
    sys.exit(sources.finish("kept", found, f"{count} names in assembler"))
