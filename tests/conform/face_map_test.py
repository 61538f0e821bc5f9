#!/usr/bin/env python3
"""face_map.py finds what it is to find, in a face made up here."""

import os
import re
import subprocess
import tempfile
import unittest
from unittest import mock

import face_map

MAP = """| function | how | tests |
|---|---|---|
| `toy_start`, `_stop` | `start.c` | `life.c` |
| `toy_count` | `count.c` | `count.c` |
"""


class Toy(face_map.FaceMap):
    FACE = "toy"
    HEADERS = ("toy.h",)
    DECLARATION = re.compile(r"^int (toy_\w+)\(", re.MULTILINE)
    COUNT = 3
    COLUMNS = 3


class FaceMapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, there in (("TOP", self.folder), ("HERE", os.path.join(self.folder, "tests"))):
            patched = mock.patch.object(face_map, name, there)
            patched.start()
            self.addCleanup(patched.stop)
        self.plant("faces/toy/toy.h", "int toy_start(void);\nint toy_stop(void);\nint toy_count(void);\n")
        self.plant("faces/toy/MAP.md", MAP)
        for name, text in (("faces/toy/src/start.c", ""), ("faces/toy/src/count.c", ""), ("tests/toy/life.c", "toy_start() + toy_stop();"),
                           ("tests/toy/count.c", "toy_count();")):
            self.plant(name, text)

    def plant(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def failures(self, name):
        """How many checks of one of the tests fail."""
        result = unittest.TestResult()
        type("ToyTest", (Toy, unittest.TestCase), {})(name).run(result)
        self.assertEqual(result.errors, [])
        return len(result.failures)

    def test_a_map_that_is_right_passes(self):
        for name in ("test_the_headers_have_all_of_the_interface", "test_the_map_has_each_once", "test_each_is_called_by_a_test_that_its_row_names",
                     "test_the_files_that_it_names_are_there"):
            self.assertEqual(self.failures(name), 0, name)

    def test_a_function_that_is_missing_or_there_twice_is_found(self):
        for row in ("", "| `toy_count` | `count.c` | `count.c` |\n" * 2):
            self.plant("faces/toy/MAP.md", MAP.replace("| `toy_count` | `count.c` | `count.c` |\n", row))
            self.assertEqual(self.failures("test_the_map_has_each_once"), 1)

    def test_a_function_that_no_header_declares_any_longer_is_found(self):
        self.plant("faces/toy/toy.h", "int toy_start(void);\nint toy_count(void);\n")
        self.assertEqual(self.failures("test_the_headers_have_all_of_the_interface"), 1)
        self.assertEqual(self.failures("test_the_map_has_each_once"), 1)

    def test_a_function_that_the_tests_of_its_row_do_not_call_is_found(self):
        self.plant("tests/toy/life.c", "toy_start() + toy_stopped();")
        self.plant("tests/toy/count.c", "toy_count() + toy_stop();")
        self.assertEqual(self.failures("test_each_is_called_by_a_test_that_its_row_names"), 1)

    def test_a_file_that_is_not_there_is_found(self):
        self.plant("faces/toy/MAP.md", MAP.replace("`start.c`", "`started.c`"))
        self.assertEqual(self.failures("test_the_files_that_it_names_are_there"), 1)

    def build(self, name, text):
        """A shared library and an archive of this C."""
        source, one, shared, archive = (os.path.join(self.folder, f"{name}.{end}") for end in ("c", "o", "so", "a"))
        self.plant(source, text)
        for command in (["cc", "-c", "-fPIC", source, "-o", one], ["cc", "-shared", one, "-o", shared], ["ar", "rc", archive, one]):
            subprocess.run(command, check=True)
        return shared, archive

    def test_a_library_that_needs_the_run_time_of_cxx_is_found(self):
        right = self.build("right", "void weft_yield(void);\nvoid abort(void);\nint toy_count(void) { weft_yield(); abort(); }\n")
        wrong = self.build("wrong", "void __cxa_throw(void);\nint toy_count(void) { __cxa_throw(); return 0; }\n")
        for shared, archive, failures in ((right[0], right[1], 0), (right[0], wrong[1], 1), (wrong[0], right[1], 1)):
            with mock.patch.multiple(Toy, SHARED=shared, ARCHIVE=archive):
                self.assertEqual(self.failures("test_nothing_of_cxx_is_needed"), failures)


if __name__ == "__main__":
    unittest.main()
