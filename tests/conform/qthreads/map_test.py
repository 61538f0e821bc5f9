#!/usr/bin/env python3
"""qthread/*.h, the version script, the library and MAP.md agree about what there is; each row of MAP.md names tests that call every function
of the row; and a C program that links the library needs nothing but what libc, libgcc and libweft have. See ../face_map.py.

usage: map_test.py libweft-qthread.so libweft-qthread.a"""

import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import face_map

FOLDER = os.path.join(face_map.TOP, "faces", "qthreads")


class MapTest(face_map.FaceMap, unittest.TestCase):
    FACE = "qthreads"
    HEADERS = tuple(sorted(os.path.relpath(path, FOLDER) for folder in ("", "qthread")
                           for path in glob.glob(os.path.join(FOLDER, "include", folder, "*.h"))))
    DECLARATION = re.compile(
        r"^(?!static|typedef|#|return|else)\w[\w \*]*?\b(q\w+)\((?![^;{]*QTHREAD_IS_ABSENT)[^;{]*\);", re.MULTILINE)
    COUNT = 259
    COLUMNS = 4

    def test_the_version_script_names_what_the_headers_declare(self):
        self.assertEqual(set(re.findall(r"\bq\w+(?=;)", face_map.read(self.path("src", "qthread.map")))), self.declared())

    def test_the_library_exports_nothing_else(self):
        self.assertEqual(self.exports() - self.declared(), set())


if __name__ == "__main__":
    MapTest.ARCHIVE = sys.argv.pop(2)
    MapTest.SHARED = sys.argv.pop(1)
    unittest.main()
