#!/usr/bin/env python3
"""The api tests with the static library run programs that need no libweft.so, those with the shared library programs that do: a test of one
name would pass with the other library, too. And a program of many tests fails where it is asked for one that it does not have.

usage: libraries_test.py build-folder"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest


@functools.cache
def needs_libweft(program):
    said = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"\(NEEDED\).*\[libweft\.so", said) is not None


class LibrariesTest(unittest.TestCase):
    def test_each_test_runs_the_library_of_its_name(self):
        said = subprocess.run(["ctest", "--test-dir", BUILD, "-L", "^api$", "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
        count = 0
        for test in json.loads(said)["tests"]:
            library = re.search(r"_(static|shared)$", test["name"])
            if not library or "command" not in test:  # its program was not built: the test itself fails
                continue
            program = next(word for word in test["command"] if re.search(r"/api_\w+_(static|shared)$", word))
            with self.subTest(test=test["name"]):
                self.assertEqual(needs_libweft(program), library.group(1) == "shared")
            count += 1
        self.assertGreater(count, 100)

    def test_programs_take_the_shared_library_that_they_are_told(self):
        """tools/test/run.py runs programs of the checked build on what ships, by LD_LIBRARY_PATH."""
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(BUILD):
                if name.startswith("libweft.so"):
                    shutil.copy(os.path.join(BUILD, name), folder)
            for family in ("cpp_futures", "cpp_loops", "cpp_channels"):
                program = os.path.join(BUILD, "tests", "api", f"api_{family}_family_shared")
                if os.path.exists(program):  # a build of api_core alone has none
                    said = subprocess.run(["ldd", program], env={**os.environ, "LD_LIBRARY_PATH": folder}, capture_output=True, text=True, check=True)
                    self.assertIn(f"=> {folder}/libweft.so", said.stdout)

    def test_a_program_that_has_no_test_of_the_name_fails(self):
        for family, name in (("cpp_threads", "--source-file=*/cpp_missing.cpp"), ("c", "missing")):
            with self.subTest(family=family):
                program = os.path.join(BUILD, "tests", "api", f"api_{family}_family_static")
                self.assertNotEqual(subprocess.run([program, name], capture_output=True, check=False).returncode, 0)


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
