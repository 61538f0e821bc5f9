#!/usr/bin/env python3
"""In the tables of docs/guide/coming-from.md each name of the column "Weft" stands in a header of Weft: in the one that the cell names, if it
names one."""

import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = os.path.join(TOP, "include", "weft")


def text_of(header):
    path = os.path.join(HEADERS, header)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        text = file.read()
    included = re.findall(r'#include <weft/([\w/]+\.h(?:pp)?)>', text) if header == "parallel.hpp" else []
    return text + "".join(text_of(name) or "" for name in included)


def words_of(code):
    """The names in a piece of code: what is called, and classes; not its arguments."""
    name = re.match(r"[\w:]+", code)
    return [word for word in (name.group(0).split("::") if name else []) if word not in ("weft", "asio", "")]


def complaints(page):
    everything = "".join(text_of(name) for name in sorted(os.listdir(HEADERS)) if name.endswith((".h", ".hpp")))
    for row in re.findall(r"(?m)^\| (?!---)(.*) \|$", page):
        theirs, ours, _ = re.split(r" \| ", row, maxsplit=2)
        codes = re.findall(r"`([^`]+)`", ours)
        headers = [code for code in codes if code.endswith((".h", ".hpp"))]
        texts = []
        for header in headers:
            text = text_of(header)
            if text is None:
                yield f"{theirs}: there is no header {header}"
            texts.append(text or "")
        for code in codes:
            for word in [] if code in headers or code.startswith("co_await") else words_of(code):
                if not re.search(rf"\b{word}\b", "".join(texts) or everything):
                    yield f"{theirs}: {word} is not in {', '.join(headers) or 'any header'}"


class ComingFrom(unittest.TestCase):
    def test_names(self):
        with open(os.path.join(TOP, "docs", "guide", "coming-from.md"), encoding="utf-8") as file:
            self.assertEqual(list(complaints(file.read())), [])

    def test_a_wrong_name_and_a_wrong_header_are_told(self):
        page = "| a | b | c |\n|---|---|---|\n| `x` | `threed` (`thread.hpp`) | – |\n| `y` | `thread` (`thraed.hpp`) | – |\n"
        self.assertEqual(list(complaints(page)), ["`x`: threed is not in thread.hpp", "`y`: there is no header thraed.hpp"])


if __name__ == "__main__":
    unittest.main()
