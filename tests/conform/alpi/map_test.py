#!/usr/bin/env python3
"""alpi.h, the library and MAP.md agree about what there is; each row of MAP.md names tests that call every function of the row; and a C
program that links the library needs nothing but what libc, libgcc and libweft have. See ../face_map.py.

usage: map_test.py libweft-alpi.so libweft-alpi.a"""

import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import face_map


class MapTest(face_map.FaceMap, unittest.TestCase):
    FACE = "alpi"
    HEADERS = ("include/alpi.h",)
    DECLARATION = re.compile(r"^(?:const char \*|int )(alpi_\w+)\(", re.MULTILINE)
    COUNT = 22
    COLUMNS = 3


if __name__ == "__main__":
    MapTest.ARCHIVE = sys.argv.pop(2)
    MapTest.SHARED = sys.argv.pop(1)
    unittest.main()
