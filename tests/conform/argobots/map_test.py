#!/usr/bin/env python3
"""abt.h, the version script, the library and MAP.md agree about what there is; each row of MAP.md names tests that call every function of
the row; and a C program that links the library needs nothing but what libc, libgcc and libweft have.

usage: map_test.py libweft-abt.so libweft-abt.a"""

import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
FACE = os.path.join(TOP, "faces", "argobots")
sys.path.insert(0, os.path.join(TOP, "tools", "lint"))

import sources  # noqa: E402
import symbols  # noqa: E402

FUNCTIONS, VARIABLES = 261, 5


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def declared():
    """Functions and variables of the headers."""
    text = "".join(sources.without_comments(read(FACE, "include", name)) for name in ("abt.h", "weft_abt/types.h"))
    functions = re.findall(r"^(?:int|double) (ABT_\w+)\([^;]*ABT_API_PUBLIC;", text, re.MULTILINE)
    return set(functions), set(re.findall(r"^extern [^;]*?(ABT_\w+) ABT_API_PUBLIC;", text, re.MULTILINE))


def rows():
    """(names, tests) of each row of MAP.md's table."""
    for line in read(FACE, "MAP.md").split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `ABT_") and len(cells) == 4:
            yield re.findall(r"`(ABT_\w+)`", cells[0]), re.findall(r"`([\w/.]+)`", cells[3])


class MapTest(unittest.TestCase):
    def test_the_header_has_all_of_the_interface(self):
        functions, variables = declared()
        self.assertEqual((len(functions), len(variables)), (FUNCTIONS, VARIABLES))

    def test_the_version_script_names_what_the_header_declares(self):
        functions, variables = declared()
        self.assertEqual(set(re.findall(r"\bABT_\w+(?=;)", read(FACE, "src", "abt.map"))), functions | variables)

    def test_the_library_exports_that_alone(self):
        functions, variables = declared()
        exports = {name for name, kind in symbols.nm(SHARED, "-D", "--defined-only").items() if kind != "A"}
        self.assertEqual(exports, functions | variables)

    def test_the_map_has_each_once(self):
        functions, variables = declared()
        mapped = [name for names, _ in rows() for name in names]
        self.assertEqual(sorted(mapped), sorted(functions | variables))

    def test_each_is_called_by_a_test_that_its_row_names(self):
        for names, tests in rows():
            text = "".join(read(TOP, test) if "/" in test else read(HERE, test) for test in tests)
            for name in names:
                with self.subTest(name):
                    self.assertRegex(text, rf"\b{name}\b", f"not in {tests}")

    def test_the_files_that_it_names_are_there(self):
        for name in set(re.findall(r"`(\w+\.[ch]pp)`", read(FACE, "MAP.md"))):
            with self.subTest(name):
                self.assertTrue(os.path.exists(os.path.join(FACE, "src", name)))

    def test_nothing_of_cxx_is_needed(self):
        allowed = symbols.available()
        for path, option in ((SHARED, "-D"), (ARCHIVE, "-g")):
            own = set(symbols.nm(path, option, "--defined-only"))
            needed = {name for name in set(symbols.nm(path, option, "--undefined-only")) - own if not name.startswith("weft_")}
            self.assertEqual(symbols.check_needed(path, needed, allowed), [])


if __name__ == "__main__":
    ARCHIVE = sys.argv.pop(2)
    SHARED = sys.argv.pop(1)
    unittest.main()
