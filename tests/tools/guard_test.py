#!/usr/bin/env python3
"""bench/guard/guard.py with stand-ins for the program and for valgrind: growth is noticed, and what goes wrong has a line that says so."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GUARD = os.path.join(TOP, "bench", "guard", "guard.py")
KEY = f"cc 1, {platform.machine()}"


class GuardTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.counts = os.path.join(self.folder, "counts.json")
        self.program = self.script("program", 'if [ $# = 0 ]; then printf "cc 1\\nfork\\n"; fi')
        self.costs(20)

    def script(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def costs(self, instructions, traced=0):
        cost = f"${{WEFT_TRACE:+{traced} + }} {instructions}"
        self.script("valgrind", f'echo "==1== Collected : $((5000 + ({cost}) * $5))"')  # valgrind --tool --out program NAME ROUNDS

    def note(self, counts):
        with open(self.counts, "w", encoding="utf-8") as file:
            file.write(counts if isinstance(counts, str) else json.dumps(counts))

    def guard(self, *words, path=None):
        environment = dict(os.environ, PATH=path or self.folder + os.pathsep + os.environ["PATH"])
        done = subprocess.run([sys.executable, GUARD, self.program, "--counts", self.counts, *words], env=environment, capture_output=True,
                              text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout + done.stderr

    def test_the_same_count_is_fine(self):
        self.note({KEY: {"fork": 20.0}})
        self.assertEqual(self.guard()[0], 0)

    def test_one_instruction_more_is_growth(self):
        self.note({KEY: {"fork": 20.0}})
        self.costs(21)
        status, said = self.guard()
        self.assertEqual(status, 1)
        self.assertIn("GREW", said)

    def test_fewer_are_told(self):
        self.note({KEY: {"fork": 20.0}})
        self.costs(18)
        status, said = self.guard()
        self.assertEqual(status, 0)
        self.assertIn("fewer", said)

    def test_what_is_written_is_compared(self):
        self.assertEqual(self.guard("--write")[0], 0)
        self.assertEqual(self.guard()[0], 0)
        self.costs(30)
        self.assertEqual(self.guard()[0], 1)

    def test_with_and_without_a_trace(self):
        self.costs(20, traced=300)
        status, said = self.guard("--traced")
        self.assertEqual(status, 0)
        self.assertRegex(said, r"fork +20\.0 +320\.0\n")
        self.assertFalse(os.path.exists(self.counts))
        self.assertEqual(self.guard("--traced", "--write")[0], 2)

    def test_a_new_operation_must_be_noted(self):
        self.note({KEY: {}})
        status, said = self.guard()
        self.assertEqual(status, 1)
        self.assertIn("not noted", said)

    def test_an_operation_that_is_gone_is_told(self):
        self.note({KEY: {"fork": 20.0, "join": 9.0}})
        status, said = self.guard()
        self.assertEqual(status, 1)
        self.assertIn("join", said)

    def test_another_compiler_is_not_compared(self):
        self.note({"cc 2, elsewhere": {"fork": 1.0}})
        status, said = self.guard()
        self.assertEqual(status, 77)
        self.assertIn(KEY, said)

    def test_without_valgrind_nothing_is_compared(self):
        self.note({KEY: {"fork": 20.0}})
        self.assertEqual(self.guard(path=os.path.join(self.folder, "none"))[0], 77)

    def test_a_broken_file_is_named(self):
        self.note("{")
        status, said = self.guard()
        self.assertEqual(status, 1)
        self.assertIn(self.counts, said)

    def test_a_program_that_fails_is_named(self):
        self.note({KEY: {"fork": 20.0}})
        self.script("valgrind", "echo broken >&2; exit 3")
        status, said = self.guard()
        self.assertEqual(status, 1)
        self.assertIn("exit status 3", said)

    def test_a_missing_program_is_named(self):
        self.program = os.path.join(self.folder, "nothing")
        status, said = self.guard()
        self.assertEqual(status, 1)
        self.assertIn("nothing", said)


if __name__ == "__main__":
    unittest.main()
