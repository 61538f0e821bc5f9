#!/usr/bin/env python3
"""The order of the guide's pages, which docs/guide/README.md gives, and the guide as one text for readers that take one file, such as
language models.

usage: guide.py [FILE]   writes the text to FILE, or to stdout"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GUIDE = os.path.join("docs", "guide")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def groups(index=None):
    """(title, pages) for each heading of the guide's index, in its order."""
    parts = re.split(r"(?m)^## (.+)$", index or read(os.path.join(GUIDE, "README.md")))
    return [(title, re.findall(r"^\| \[[^]]+\]\((\S+\.md)\)", text, re.MULTILINE)) for title, text in zip(parts[1::2], parts[2::2])]


def pages():
    return [page for _, of_group in groups() for page in of_group]


def deeper(text):
    """The page with each heading one step down, so that the whole has one title; blocks of code stay."""
    kept = []
    begin = 0
    for fence in _FENCE.finditer(text):
        kept += [re.sub(r"(?m)^(#+ )", r"#\1", text[begin : fence.start()]), fence.group()]
        begin = fence.end()
    return "".join([*kept, re.sub(r"(?m)^(#+ )", r"#\1", text[begin:])])


def whole():
    version = re.search(r'WEFT_VERSION "(.*)"', read("include/weft/version.h")).group(1)
    texts = [f"# Weft {version}: README and the guide\n\nLinks are relative to the folder of the page whose path stands above it.\n"]
    for path in ("README.md", *(os.path.join(GUIDE, page) for page in pages())):
        texts.append(f"<!-- {path} -->\n\n{deeper(read(path)).strip()}\n")
    return "\n".join(texts)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as made:
            made.write(whole())
    else:
        sys.stdout.write(whole())
