#!/usr/bin/env python3
"""weft demo: the table, the picture, the records, and that a wrong answer is an error."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import command

CELLS_MISSING = 20  # of five a program: those whose threads wait for each other have threads alone, hash has no forks
SVG = "{http://www.w3.org/2000/svg}"
NOT_ROOT = 65534
LETTER = 7  # px, on average, of a text of 12 px
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
        self.check_width(result.stdout)
        shown = result.stdout.replace("\n  ", " ")  # notes in one line each
        self.assertIn("blocked at the same time", shown)
        self.assertEqual(["hash"], re.findall("^(.*): .*equal to what sha256sum says", shown, re.M))
        self.assertIn("a speed-up below 1 is expected", shown)
        self.check_progress(result.stderr)
        self.check_picture()
        self.check_records()

    def check_width(self, shown):
        self.assertEqual([line for line in shown.splitlines() if len(line) > 100 and not line.startswith("Picture: ")], [])

    def check_progress(self, shown):
        """No terminal: a line for each run."""
        self.assertNotIn("\033", shown)
        lines = shown.splitlines()
        self.assertEqual(len(lines), 5 * len(PROGRAMS) - CELLS_MISSING)
        self.assertTrue(all("right" in line for line in lines), shown)

    def check_picture(self):
        page = self.picture()
        self.assertEqual(len(page.findall(f".//{SVG}rect")), 5 * len(PROGRAMS) - CELLS_MISSING)
        self.assertEqual(len(page.findall(".//tr")), len(PROGRAMS) + 1)
        self.assertIn("all answers are right", page.findtext(".//h1"))
        self.check_labels(page.find(f".//{SVG}svg"))

    def check_labels(self, chart):
        """Whether what is drawn lies in the picture, if no letter is wider than LETTER; and the legend."""
        width, height = map(float, chart.get("viewBox").split()[2:])
        for text in chart.findall(f"{SVG}text"):
            right = float(text.get("x")) + LETTER * len("".join(text.itertext()))
            self.assertLessEqual(right, width, "".join(text.itertext()))
            self.assertTrue(0 < float(text.get("y")) < height, "".join(text.itertext()))
        for bar in chart.findall(f"{SVG}rect"):
            self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")), width)
        legend = [text.text for text in chart.findall(f"{SVG}text[@class='legend']")]
        self.assertEqual(legend, ["sequential", "threads on 1 worker", "forks on 1 worker", "threads on 2 workers", "forks on 2 workers"])
        colours = [patch.get("class") for patch in chart.findall(f"{SVG}path")]
        self.assertEqual(colours, [f"bar-{place}" for place in range(len(legend))])
        self.assertEqual({bar.get("class") for bar in chart.findall(f"{SVG}rect")}, set(colours))

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
        self.assertIn("1 worker", result.stdout)
        self.assertNotIn("2 workers", result.stdout)
        self.assertIn("With one worker nothing runs at the same time", result.stdout)
        self.check_width(result.stdout)

    def test_what_takes_long_is_repeated_less(self):
        for enough, repetitions in ((1e-9, 1), (0, 3)):
            result = command.run("demo", "queens", "--workers", 1, "--enough", enough, "--out", self.out, "--json", self.json)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual({record["repetitions"] for record in self.records()}, {repetitions})
        self.assertEqual(command.run("demo", "queens", "--enough", -1).returncode, 2)

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

    def test_an_unwritable_file_is_named_before_anything_runs(self):
        for option, file in (("--out", self.path("none", "picture.html")), ("--json", self.path("files"))):
            result = command.run("demo", "queens", "--quick", option, file)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(f"{file}: cannot be written", result.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_where_this_user_may_not_write_the_picture_is_elsewhere_or_left_out(self):
        temporary = self.path("temporary")
        os.mkdir(temporary)
        os.chmod(self.folder, 0o755)
        os.chmod(temporary, 0o777)
        weft = self.path("weft")  # this user may not enter the folder of the build, perhaps
        shutil.copy(command.WEFT, weft)
        as_another = {"user": NOT_ROOT, "group": NOT_ROOT, "extra_groups": [], "cwd": self.folder, "capture_output": True, "text": True, "timeout": 100}
        told = subprocess.run([weft, "demo", "queens", "--quick"], env={**os.environ, "TMPDIR": temporary}, check=False, **as_another)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertTrue(told.stdout.endswith(f"\nPicture: {temporary}/weft-demo.html\n"), told.stdout)
        self.assertTrue(os.path.exists(os.path.join(temporary, "weft-demo.html")))
        none = subprocess.run([weft, "demo", "queens", "--quick"], env={**os.environ, "TMPDIR": self.path("files")}, check=False, **as_another)
        self.assertEqual(none.returncode, 0, none.stderr)
        self.assertIn("All answers are right.", none.stdout)
        self.assertTrue(none.stdout.endswith("name a file by --out\n"), none.stdout)

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
