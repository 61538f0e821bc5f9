#!/usr/bin/env python3
"""The examples of docs/guide/sanitizers.md say what the page shows: those that a build folder's libweft is meant for. What the page shows of
a report is found in it, line for line and in this order, but for addresses and numbers; `...` stands for more lines.

usage: sanitizers_test.py libweft.a C-compiler sanitizer-or-valgrind-or-empty
Exit code 77: there is no Valgrind."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
LIBRARY, COMPILER, SANITIZER = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(TOP, "docs", "guide", "sanitizers.md")
BLOCK = re.compile(r"^```(c|sh|text) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = "$(pkg-config --cflags --libs weft)"
TOOLS = {"address,undefined": ["address"], "thread": ["thread"], "": ["undefined"], "valgrind": ["valgrind"]}


def steady(line):
    """Without what differs from run to run and from compiler to compiler."""
    line = re.sub(r"\S*/(?=\w+\.c:)|0x[0-9a-fA-F]+|(?<=\+)\d+|(?<==)\d+(?==)|(?<=pid=)\d+|(?<=^\*\*)\d+(?=\*\*)", "", line,
                  flags=re.MULTILINE)
    return re.sub(r"on worker \d+|\d+ object|offset \d+|(?<=:\d\d):\d+", "", line)


class SanitizersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(PAGE, encoding="utf-8") as page:
            blocks = BLOCK.findall(page.read())
        for language, name, text in blocks:
            if language == "c":
                with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
        self.shown = {(language, name): text for language, name, text in blocks if language != "c"}

    def run_commands(self, tool):
        script = self.shown["sh", tool].replace(FLAGS, f"-I{TOP}/include {LIBRARY} -pthread").replace("cc ", f"{COMPILER} ", 1)
        done = subprocess.run(["sh", "-c", script], cwd=self.folder, capture_output=True, text=True, errors="replace", check=False,
                              timeout=500)
        return done.stdout + done.stderr

    def check(self, tool):
        said = self.run_commands(tool)
        rest = steady(said)
        for line in self.shown["text", tool].splitlines():
            if line == "...":
                continue
            wanted = steady(line).strip()
            self.assertIn(wanted, rest, f"{line}\nis not, or too early, in\n{said}")
            rest = rest[rest.index(wanted) + len(wanted):]
        return said

    def test_the_page_shows_what_is_said(self):
        for tool in TOOLS[SANITIZER]:
            with self.subTest(tool=tool):
                said = self.check(tool)
                if tool == "thread":
                    self.assertLessEqual({"left", "right"}, set(re.findall(r"'weft thread at 0x\w+ \"(\w+)\"'", said)), said)

    @unittest.skipIf(SANITIZER, "this libweft tells its sanitizer")
    def test_a_library_that_a_sanitizer_cannot_see_into_says_so(self):
        self.shown["sh", "address"] = self.shown["sh", "address"].replace("address,undefined", "address")
        self.assertRegex(self.run_commands("address"), r"weft: .* checked by AddressSanitizer, .* -DWEFT_SANITIZE=address ")

    def blamed(self, *arguments, **environment):
        """Under Memcheck, the text of each line of Weft's: what valgrind_target.c does, about itself."""
        program = os.path.join(self.folder, "target")
        source = os.path.join(TOP, "tests", "docs", "valgrind_target.c")
        subprocess.run([COMPILER, "-g", source, "-o", program, f"-I{TOP}/include", LIBRARY, "-pthread"], check=True)
        done = subprocess.run(["valgrind", program, *arguments], env={**os.environ, "WEFT_WORKERS": "1", **environment}, capture_output=True,
                              text=True, check=False, timeout=500)
        self.said = done.stdout + done.stderr
        return re.findall(r"^\*\*\d+\*\* weft: (.*?)(?:; made in .*)?$", self.said, re.MULTILINE)

    @unittest.skipUnless(SANITIZER == "valgrind", "for Valgrind")
    def test_memcheck_s_errors_have_their_threads(self):
        wanted = ['the last error happened in main on worker 0',
                  'the last error happened in thread 2 "yields" (errs_and_yields) on worker 0',
                  'the last 2 errors happened in thread 2 "yields" (errs_and_yields) on worker 0',
                  'the last error happened in thread 3 "waits" (errs_and_sleeps) on worker 0',
                  'the last error happened in thread 4 "own stack" (errs) on worker 0',
                  'the last error happened in thread 5 "users stack" (errs) on worker 0',
                  'the last error happened in thread 6 "users stack" (errs) on worker 0',
                  'the last error happened in tasklet 7 (errs) on worker 0',
                  'the last error happened in main on worker 0']
        self.assertEqual(self.blamed("kinds"), wanted, self.said)

    @unittest.skipUnless(SANITIZER == "valgrind", "for Valgrind")
    def test_memcheck_s_last_errors_before_a_fault(self):
        self.assertEqual(self.blamed("fault"), ['the last 2 errors happened in thread 2 "faults" (errs_and_faults) on worker 0'], self.said)

    @unittest.skipUnless(SANITIZER == "valgrind", "for Valgrind")
    def test_memcheck_s_repeated_errors_are_told_a_hundred_times(self):
        lines = self.blamed("repeats")
        self.assertEqual(set(lines[:100]), {'the last error happened in thread 2 "repeats" (errs_often) on worker 0'}, self.said)
        self.assertEqual(lines[100:], ["no more threads are named: 100 were"])

    @unittest.skipUnless(SANITIZER == "valgrind", "for Valgrind")
    def test_memcheck_s_errors_on_virtual_workers(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                lines = self.blamed("turns", WEFT_SCHEDULE=f"seed:{seed}", WEFT_WORKERS="2")
                self.assertTrue(lines, self.said)
                for line in lines:
                    self.assertRegex(line, r'^the last .* in thread \d+ "guilty" \(errs_at_points\) on worker 1$', self.said)


if __name__ == "__main__":
    if SANITIZER == "valgrind" and shutil.which("valgrind") is None:
        print("no Valgrind here")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
