#!/usr/bin/env python3
"""The table of `./dev stacks`: the rows of the library that each machine has, one that is missing, and the table of the guide's page."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv[2]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(TOP, "tools", "stacks")
HEAD = "| library | call | bytes | fits into |\n|---|---|---|---|\n"
ROW = re.compile(r"^\| (.+) \| `(\w+)` \| ([\d,]+) \| (.+) \|$", re.MULTILINE)
sys.path.insert(0, FOLDER)

import table


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def make_table(*words, **environment):
    return subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "table.py"), BUILD, *words], capture_output=True, text=True, check=False,
                          timeout=250, env={**os.environ, **environment})


def calls_of(source):
    """The thread functions of a program, in the order of its text."""
    return re.findall(r"^(?:static )?void (\w+)\(void ?\*(?:unused)?\)", read("tools", "stacks", source), re.MULTILINE)


class StacksTableTest(unittest.TestCase):
    def test_a_row_for_each_call(self):
        done = make_table("--only", "libc")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(HEAD), done.stdout)
        rows = ROW.findall(done.stdout)
        self.assertEqual([call for _, call, _, _ in rows], calls_of("libc.c"))
        self.assertEqual(len(rows), done.stdout.count("\n") - HEAD.count("\n"))
        depths = {call: int(count.replace(",", "")) for _, call, count, _ in rows}
        for title, call, _, fits in rows:
            with self.subTest(call=call):
                self.assertRegex(title, r"^glibc \d+\.\d+$")
                self.assertTrue(200 < depths[call] < 64 << 10, depths)
                self.assertEqual(fits, table.smallest(depths[call]))
        self.assertGreater(depths["fprintf_stderr"], 4000)  # it has a buffer of 8 KiB
        self.assertGreater(depths["regcomp_regexec"], depths["localtime_strftime"])

    def test_a_library_that_is_missing_is_named(self):
        done = make_table("--only", "zlib", PKG_CONFIG_LIBDIR="/nonexistent", PKG_CONFIG_PATH="")
        self.assertEqual((done.returncode, done.stdout), (0, HEAD))
        self.assertRegex(done.stderr, r"^skipped zlib: .*pkg-config.*; install zlib1g-dev\n$")

    def test_a_library_that_it_does_not_know(self):
        done = make_table("--only", "libnothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'libnothing'", done.stderr)

    def test_a_build_that_fails(self):
        done = make_table("--only", "libc", "zlib", PATH=self.with_broken_compiler(), PKG_CONFIG_LIBDIR="/nonexistent", PKG_CONFIG_PATH="")
        self.assertEqual((done.returncode, done.stdout), (1, HEAD))
        self.assertIn("table.py: glibc: the build failed (exit status 7)", done.stderr)
        self.assertIn("skipped zlib: ", done.stderr)  # goes on with the others

    def with_broken_compiler(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "cc")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 7\n")
        os.chmod(path, 0o755)
        return f"{folder.name}:{os.environ['PATH']}"

    def test_the_stack_that_a_call_fits_into(self):
        kib = 1 << 10
        for count, size in ((0, "16 KiB"), (8 * kib, "16 KiB"), (8 * kib + 1, "64 KiB"), (56 * kib + 1, "192 KiB (default)"),
                            (184 * kib + 1, "1 MiB"), (1016 * kib + 1, "4 MiB"), (4088 * kib, "4 MiB"), (4088 * kib + 1, "larger")):
            with self.subTest(count=count):
                self.assertEqual(table.smallest(count), size)

    def test_the_default_size_is_the_librarys(self):
        self.assertIn(f"| `WEFT_STACK_SIZE` | bytes | 16K to 1G | `{table.DEFAULT_SIZE.replace(' KiB', 'K')}` |", read("docs", "guide", "environment.md"))

    def test_the_page_has_each_call_and_the_stack_that_it_fits_into(self):
        rows = ROW.findall(read("docs", "guide", "libraries.md"))
        shown = {library.title: [call for title, call, _, _ in rows if title.startswith(f"{library.title} ")] for library in table.LIBRARIES.values()}
        self.assertEqual(shown, {library.title: calls_of(library.source) for library in table.LIBRARIES.values()})
        self.assertEqual([row for row in rows if table.smallest(int(row[2].replace(",", ""))) != row[3]], [])

    def test_the_word_installs_what_the_programs_need(self):
        entries = re.search(r"^stacks: (.*)$", read("tools", "setup", "packages.txt"), re.MULTILINE).group(1).split()
        entries += re.search(r"^build: (.*)$", read("tools", "setup", "packages.txt"), re.MULTILINE).group(1).split()
        packages = {entry.split("=")[0] for entry in entries}
        needed = {package for library in table.LIBRARIES.values() for package in library.package.split()}
        self.assertEqual(needed - packages, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
