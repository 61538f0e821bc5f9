#!/usr/bin/env python3
"""threads.h and manage.h, the library and MAP.md agree about what there is; each row of MAP.md names tests that call every function of the
row; and a C program that links the library needs nothing but what libc, libgcc and libweft have. See ../face_map.py.

usage: map_test.py libweft-threads.so libweft-threads.a"""

import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import face_map


class MapTest(face_map.FaceMap, unittest.TestCase):
    FACE = "threads"
    HEADERS = ("include/weft_threads/threads.h", "include/weft_threads/manage.h", "include/weft_threads/component.h", "include/weft_threads/lock.h",
               "include/weft_threads/progress.h", "include/weft_threads/tracked.h", "include/weft_threads/guarded.h")
    DECLARATION = re.compile(r"^(?:THREADS_NODISCARD )?THREADS_API [^;()]*?\b(threads_\w+)\(", re.MULTILINE)
    COUNT = 71
    COLUMNS = 6


if __name__ == "__main__":
    MapTest.ARCHIVE = sys.argv.pop(2)
    MapTest.SHARED = sys.argv.pop(1)
    unittest.main()
