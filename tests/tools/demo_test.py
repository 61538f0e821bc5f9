#!/usr/bin/env python3
"""weft demo: the table, the picture, the records, and that a wrong answer is an error."""

import contextlib
import json
import os
import re
import subprocess
import xml.etree.ElementTree

import command

CELLS_MISSING = 20  # of five a program: those whose threads wait for each other have threads alone, hash has no forks
PROGRAMS = ("fib", "fib-cutoff", "uts-t1", "uts-t3", "queens", "queens-array", "quicksort", "quicksort-every", "mergesort", "matmul",
            "strassen", "tree", "stream", "stream-ep", "random-access", "btc", "pentomino", "comp", "create-flat", "create-nested", "yield",
            "yield-to", "mutex-handover", "condition-ping-pong", "channel-ping-pong", "blocked", "hash")


class DemoTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write("files/a", b"a" * 1000)
        self.write("files/b/c", b"c" * 1000000)
        self.out = self.path("picture.html")
        self.json = self.path("records.json")

    def demo(self, *arguments, **environment):
        return command.run("demo", "--quick", "--dir", self.path("files"), "--out", self.out, "--json", self.json, *arguments,
                           **environment)

    def picture(self):
        with open(self.out, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        for outside in ("src=", "href=", "url(", "@import"):
            self.assertNotIn(outside, text, "the picture needs something beside it")
        return xml.etree.ElementTree.fromstring(text.partition("\n")[2])

    def records(self):
        with open(self.json, encoding="utf-8") as file:
            return json.load(file)

    def test_all_programs(self):
        result = self.demo("--workers", 2)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        rows = [line.split() for line in result.stdout.splitlines()]
        for program in PROGRAMS:
            row = next((row for row in rows if row and row[0] == program), None)
            self.assertIsNotNone(row, program)
            self.assertEqual(row[-1], "right", row)
        self.assertIn("All answers are right.", result.stdout)
        self.assertIn("blocked at the same time", result.stdout)
        self.assertEqual(["hash"], re.findall("^(.*): .*equal to what sha256sum says", result.stdout, re.M))
        self.check_progress(result.stderr)
        self.check_picture()
        self.check_records()

    def check_progress(self, shown):
        """No terminal: a line for each run."""
        self.assertNotIn("\033", shown)
        lines = shown.splitlines()
        self.assertEqual(len(lines), 5 * len(PROGRAMS) - CELLS_MISSING)
        self.assertTrue(all("right" in line for line in lines), shown)

    def check_picture(self):
        page = self.picture()
        self.assertEqual(len(page.findall(".//{http://www.w3.org/2000/svg}rect")), 5 * len(PROGRAMS) - CELLS_MISSING)
        self.assertEqual(len(page.findall(".//tr")), len(PROGRAMS) + 1)
        self.assertIn("all answers are right", page.findtext(".//h1"))

    def check_records(self):
        records = self.records()
        self.assertEqual({record["program"] for record in records}, set(PROGRAMS))
        self.assertEqual({record["runtime"] for record in records}, {"sequential", "ult", "fork"})
        self.assertEqual({record["workers"] for record in records}, {1, 2})
        self.assertTrue(all(record["correct"] for record in records))

    def test_some_programs_and_one_worker(self):
        result = self.demo("queens", "tree", "--workers", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([(record["runtime"], record["workers"]) for record in self.records()],
                         [("sequential", 1), ("ult", 1), ("fork", 1)] * 2)
        self.assertIn("forks 1", result.stdout)
        self.assertNotIn("2 workers", result.stdout)

    def test_a_run_that_takes_too_long_is_an_error_and_the_others_go_on(self):
        result = command.run("demo", "uts-t1l", "queens", "--repetitions", 1, "--workers", 1, "--timeout", 1, "--out", self.out)
        self.assertEqual(result.returncode, 1)
        self.assertIn("took longer than 1 s", result.stdout)
        self.assertIn("14200 right", result.stdout)
        self.assertIn("NOT all answers are right.", result.stdout)
        self.assertIn("NOT all answers are right", self.picture().findtext(".//h1"))

    def test_a_runtime_that_cannot_start_is_an_error(self):
        result = self.demo("queens", "--workers", 1, WEFT_STACK_SIZE="nonsense")
        self.assertEqual(result.returncode, 1)
        self.assertIn("FAILED", result.stdout)
        self.assertIn("WEFT_STACK_SIZE", result.stdout)

    def test_unwritable_picture(self):
        result = command.run("demo", "queens", "--quick", "--out", self.path("none", "picture.html"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be written", result.stderr)

    def test_progress_on_a_terminal(self):
        """One line that is written over, and gone at the end."""
        terminal, end = os.openpty()
        arguments = [command.WEFT, "demo", "queens", "--quick", "--out", self.out]
        child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=end, env={**os.environ, "TERM": "xterm"})
        os.close(end)
        shown = b""
        with contextlib.suppress(OSError):  # how the end of a terminal shows
            while piece := os.read(terminal, 4096):
                shown += piece
        os.close(terminal)
        self.assertEqual(child.wait(), 0)
        self.assertIn(b"queens, sequential", shown)
        self.assertNotIn(b"\n", shown)
        self.assertTrue(shown.endswith(b"\r\033[K"), shown)



if __name__ == "__main__":
    command.main()
