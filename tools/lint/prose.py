#!/usr/bin/env python3
"""Prose of Markdown files has lines of at most 100 columns. Code, tables and lines of one word (an address) may be longer. Comments
of C and C++ files name what acts: the waker, a thief, another worker, and not who, whoever or nobody. The guide, README.md and CHANGELOG.md
have plain order: what is found is reported, not told, and no sentence begins with "What a ..." or "Of several ...".

usage: prose.py [folder]"""

import re
import sys

import sources

COLUMNS = 100
NAMELESS = re.compile(r"\b(?:who|whom|whoever|somebody|someone|nobody|anybody|anyone)\b", re.IGNORECASE)
NAMING = ["src", "include", "net", "dist", "lang", "faces", "bench", "examples", "tests", "tools"]
ORDERLY = ("README.md", "CHANGELOG.md", "docs/guide/")
DISORDERLY = re.compile(r"\b(?:is|are|was|were|be|been) told\b|(?:^|(?<=[.:] )|(?<=^- ))(?:What (?:an?|the)|Of several) \w+[^?]*$")
FENCE = re.compile(r"^\s*(```|~~~)")


def prose(text):
    """(line number, line) of each line that is neither code nor part of a table."""
    fence, is_after_blank = None, True
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if fence is not None:
            fence = None if mark and mark.group(1) == fence else fence
        elif mark:
            fence = mark.group(1)
        elif line.startswith("    ") and is_after_blank:
            continue  # an indented block goes on until a line that is not indented
        elif not line.startswith("|"):
            yield number, line
        is_after_blank = not line.strip()


def nameless(text):
    """(line number, word) of each comment that names nothing that acts."""
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"(?://|/\*|^ \*)(.*)", line)
        if comment and (word := NAMELESS.search(re.sub(r"\S+\.md", "", comment.group(1)))):
            yield number, word.group()


def check(top):
    problems = []
    for path in sources.files(top, NAMING, (".h", ".hpp", ".c", ".cpp")):
        problems += [f"{path}:{number}: name what acts instead of \"{word}\"" for number, word in nameless(sources.read(top, path))]
    paths = [path for path in sources.files(top, ["."], (".md",))]
    for path in paths:
        for number, line in prose(sources.read(top, path)):
            if len(line) > COLUMNS and len(line.split()) > 1:
                problems.append(f"{path}:{number}: {len(line)} columns; wrap prose at {COLUMNS}")
            if path.startswith(ORDERLY) and (words := DISORDERLY.search(line)):
                problems.append(f"{path}:{number}: \"{words.group().strip()[:30]}\": say it in plain order, and \"reported\" of what is found")
    return problems, len(paths)


if __name__ == "__main__":
    found, count = check(sources.top_from_arguments())
    sys.exit(sources.finish("prose", found, f"{count} files"))
