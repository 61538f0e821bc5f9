#!/usr/bin/env python3
"""The api tests with the static library run programs that need no libweft.so, those with the shared library programs that do: a test of one
name would pass with the other library, too. Each test of a family has one run for each library. And a program of many tests fails where it
is asked for one that it does not have, or where a test leaves descriptors open.

usage: libraries_test.py build-folder library..."""

import collections
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


def listed(label):
    """The tests with a label that matches."""
    command = ["ctest", "--test-dir", BUILD, "-L", label, "--show-only=json-v1"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["tests"]


class LibrariesTest(unittest.TestCase):
    def test_each_test_runs_the_library_of_its_name(self):
        count = 0
        for test in listed("^api$"):
            library = re.search(r"_(static|shared)$", test["name"])
            if not library or "command" not in test:  # its program was not built: the test itself fails
                continue
            program = next(word for word in test["command"] if re.search(r"/api_\w+_(static|shared)$", word))
            with self.subTest(test=test["name"]):
                self.assertEqual(needs_libweft(program), library.group(1) == "shared")
            count += 1
        self.assertGreater(count, 100)

    def test_each_test_of_a_family_runs_with_each_library(self):
        libraries_of = collections.defaultdict(set)
        for test in listed("_family$"):
            if found := re.fullmatch(r"api\.(.+)_(static|shared)", test["name"]):
                libraries_of[found.group(1)].add(found.group(2))
        self.assertGreater(len(libraries_of), 50)
        self.assertEqual({name: some for name, some in libraries_of.items() if some != set(LIBRARIES)}, {})

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

    def test_a_test_of_a_family_in_c_that_leaves_a_descriptor_open_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            source, names, program = (os.path.join(folder, name) for name in ("tests.c", "tests.inc", "program"))
            for path, text in ((names, "TEST(leaves)\nTEST(closes)\n"),
                               (source, "#include <unistd.h>\nint api_leaves(void) { return dup(0) < 0; }\nint api_closes(void) { return close(dup(0)); }\n")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            family = os.path.join(os.path.dirname(os.path.abspath(__file__)), "family.c")
            subprocess.run(["cc", f'-DFAMILY_TESTS="{names}"', family, source, "-o", program], check=True)
            for name, status, said in (("leaves", 1, "1 descriptors are open that were not when the test began\n"), ("closes", 0, "")):
                done = subprocess.run([program, name], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (status, said))


if __name__ == "__main__":
    BUILD, *LIBRARIES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
