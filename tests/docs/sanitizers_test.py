#!/usr/bin/env python3
"""The examples of docs/guide/sanitizers.md say what the page shows: those that a build folder's libweft is meant for. What the page shows of
a report is found in it, line for line and in this order, but for addresses and numbers; `...` stands for more lines.

usage: sanitizers_test.py libweft.a C-compiler sanitizer-or-empty"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY, COMPILER, SANITIZER = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(TOP, "docs", "guide", "sanitizers.md")
BLOCK = re.compile(r"^```(c|sh|text) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = "$(pkg-config --cflags --libs weft)"
TOOLS = {"address,undefined": ["address"], "thread": ["thread"], "": ["undefined", "valgrind"]}


def steady(line):
    """Without what differs from run to run and from compiler to compiler."""
    line = re.sub(r"\S*/(?=\w+\.c:)|0x[0-9a-fA-F]+|(?<=\+)\d+|(?<==)\d+(?==)|(?<=pid=)\d+", "", line)
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
                              timeout=200)
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

    def test_the_page_shows_what_is_said(self):
        for tool in TOOLS[SANITIZER]:
            if tool == "valgrind" and not shutil.which("valgrind"):
                continue
            with self.subTest(tool=tool):
                self.check(tool)

    @unittest.skipIf(SANITIZER, "this libweft tells its sanitizer")
    def test_a_library_that_a_sanitizer_cannot_see_into_says_so(self):
        self.shown["sh", "address"] = self.shown["sh", "address"].replace("address,undefined", "address")
        self.assertRegex(self.run_commands("address"), r"weft: .* checked by AddressSanitizer, .* -DWEFT_SANITIZE=address ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
