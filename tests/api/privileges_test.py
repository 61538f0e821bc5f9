#!/usr/bin/env python3
"""A program with raised privileges ignores the variables that name files or a signal, and says so once. 77: no program can be given any here.

usage: privileges_test.py privileges-target"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import privileged

TARGET = sys.argv.pop(1)
SKIPPED = 77


class PrivilegesTest(unittest.TestCase):
    def setUp(self):
        self.victim = os.path.join(FOLDER, "victim")
        with open(self.victim, "w", encoding="utf-8") as file:
            file.write("whole")

    def run_target(self, program, **variables):
        return subprocess.run([program], env=variables, capture_output=True, text=True, timeout=250, check=False)

    def run_privileged(self, **variables):
        done = self.run_target(PRIVILEGED, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("privileges: raised", done.stdout)
        return done

    def content(self):
        with open(self.victim, encoding="utf-8") as file:
            return file.read()

    def test_no_file_is_written_and_no_signal_taken(self):
        for variables in ({"WEFT_TRACE": self.victim}, {"WEFT_SCHEDULE": f"record:{self.victim}"}, {"WEFT_DUMP_SIGNAL": "usr1"}):
            with self.subTest(variables=variables):
                done = self.run_privileged(WEFT_WORKERS="2", **variables)
                self.assertEqual(self.content(), "whole")
                self.assertEqual(done.stdout.count("workers: 2, SIGUSR1: default"), 2)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"weft: warning: ignored, because this program has raised privileges (AT_SECURE): {min(variables)};", done.stderr)

    def test_with_nothing_to_ignore_nothing_is_said(self):
        self.assertEqual(self.run_privileged(WEFT_WORKERS="2").stderr, "")

    def test_an_ordinary_program_takes_all_of_them(self):
        done = self.run_target(TARGET, WEFT_TRACE=self.victim, WEFT_DUMP_SIGNAL="usr1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("privileges: ordinary", done.stdout)
        self.assertIn("SIGUSR1: handled", done.stdout)
        self.assertNotEqual(self.content(), "whole")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        PRIVILEGED = privileged.copy_with_privileges(TARGET, FOLDER)
        if PRIVILEGED is None or not privileged.has_privileges(PRIVILEGED):
            print("skipped: no program can be given raised privileges here")
            sys.exit(SKIPPED)
        unittest.main()
