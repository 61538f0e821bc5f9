#!/usr/bin/env python3
"""abt.h, the version script, the library and MAP.md agree about what there is; each row of MAP.md names tests that call every function of
the row; and a C program that links the library needs nothing but what libc, libgcc and libweft have. See ../face_map.py.

usage: map_test.py libweft-abt.so libweft-abt.a"""

import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import face_map


class MapTest(face_map.FaceMap, unittest.TestCase):
    FACE = "argobots"
    HEADERS = ("include/abt.h", "include/weft_abt/types.h")
    DECLARATION = re.compile(r"^(?:(?:int|double) (?=ABT_\w+\()|extern [^;]*?(?=ABT_\w+ ABT_API_PUBLIC;))(ABT_\w+)[^;]*ABT_API_PUBLIC;", re.MULTILINE)
    COUNT = 261 + 5  # functions and variables
    COLUMNS = 4

    def test_the_version_script_names_what_the_header_declares(self):
        self.assertEqual(set(re.findall(r"\bABT_\w+(?=;)", face_map.read(self.path("src", "abt.map")))), self.declared())

    def test_the_library_exports_nothing_else(self):
        self.assertEqual(self.exports() - self.declared(), set())


if __name__ == "__main__":
    MapTest.ARCHIVE = sys.argv.pop(2)
    MapTest.SHARED = sys.argv.pop(1)
    unittest.main()
