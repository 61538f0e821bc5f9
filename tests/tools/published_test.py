#!/usr/bin/env python3
"""bench/published with stand-ins for the programs that measure: what is compared takes turns, counts and answers are checked, what a
rival does wrong is a result, and nothing that the user gets wrong ends in a traceback."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PUBLISHED = os.path.join(TOP, "bench", "published", "published.py")

KERNELS = ("fib-cutoff",)
CALLS = {30: 57_313, 35: 635_621, 40: 7_049_155, 45: 78_176_337}
# Answers like a kernel's program; $size, $runtime and $units are the shell's.
ANSWER = """record() {
  echo '{"format": "weft-bench-1", "size": '$size', "workers": 1, "answer": 1, "expected": 1, "correct": true, "units": '$units',' \\
       '"seconds": {"median": 0.5}, "cpu_seconds": {"median": 0.5}, "peak_resident_bytes": 1048576, "runtime_version": "1",' \\
       '"settings": "", "note": "", "machine": {"compiler": "cc"}}'
}
"""


def listing(*runtimes):
    programs = [{"program": name, "title": name, "unit": "call", "size_word": "n", "default_size": 30, "quick_size": 10, "max_size": 60}
                for name in KERNELS]
    return json.dumps({"format": "weft-bench-list-1", "programs": programs, "runtimes": [
        {"runtime": name, "title": name, "children": children, "version": "1", "runs": list(KERNELS), "cannot": {}}
        for name, children in runtimes]})


class PublishedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = folder.name
        self.kernels("tools/weft/weft", listing(("sequential", "call"), ("ult", "thread"), ("fork", "task")), "record")

    def program(self, path, script):
        path = os.path.join(self.build, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)

    def kernels(self, path, listed, script):
        """A program that lists itself, and otherwise does this: $size and $runtime are its options, $units is right."""
        counts = "\n".join(f"    {size}) units={calls} ;;" for size, calls in CALLS.items())
        self.program(path, f"""{ANSWER}case "$*" in *--list*) echo '{listed}'; exit ;; esac
echo "$@" >> {self.build}/calls
while [ $# -gt 0 ]; do case $1 in --size) size=$2 ;; --runtime) runtime=$2 ;; esac; shift; done
case $size in
{counts}
esac
{script}""")

    def rival(self, name, script):
        self.kernels(f"bench/runtimes/weft-bench-{name}", listing((name, "thread")), script)

    def published(self, *words, status=0):
        done = subprocess.run([sys.executable, PUBLISHED, self.build, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def path(self, name):
        return os.path.join(self.build, f"published-{name}.json")

    def state(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def calls(self):
        with open(os.path.join(self.build, "calls"), encoding="utf-8") as file:
            return file.read().splitlines()

    def fib(self, *words, status=0):
        return self.published("fib-threshold", "--repetitions", 1, *words, status=status).stdout

    def test_published_figures_stand_beside_ours(self):
        self.rival("argobots", "record")
        self.rival("boost-fiber", "kill -SEGV $$")
        shown = self.fib("--full")
        self.assertIn("fib(45), 78,176,337 calls (published: 78,176 K)", shown)
        line = next(line for line in shown.splitlines() if "13.1 s" in line and "argobots" in line and "ns" in line)
        self.assertIn("500 ms", line)
        self.assertIn("boost-fiber: crashed: SIGSEGV; published: crashed", shown)

    def test_usual_sizes_are_smaller_and_turns_are_taken(self):
        self.fib("--repetitions", 2)
        self.assertNotIn("--size 45", "\n".join(self.calls()))
        turns = [call.split("--runtime ")[1].split()[0] for call in self.calls() if "--size 30" in call]
        self.assertEqual(turns, ["ult", "fork", "sequential", "fork", "sequential", "ult"])

    def test_other_counts_of_calls_are_wrong(self):
        self.rival("argobots", "units=57312; record")
        self.assertIn("argobots: wrong answer: 57312 calls, but 57313 is right", self.fib())
        self.kernels("tools/weft/weft", listing(("sequential", "call"), ("ult", "thread"), ("fork", "task")), "units=1; record")
        self.fib(status=1)

    def test_what_is_not_installed_is_said(self):
        self.assertIn("Not installed: argobots (Argobots, found by pkg-config); boost-fiber (Boost.Fiber: libboost-fiber-dev)", self.fib())

    def test_few_repetitions_are_told(self):
        self.assertIn("Only 1 repetitions of each", self.fib())

    def test_an_interrupted_run_goes_on(self):
        self.fib("--repetitions", 2)
        state = self.state("fib-threshold")
        del state["experiments"]["fib-threshold"][0]["samples"][1:]
        self.write(json.dumps(state))
        before = len(self.calls())
        self.published("fib-threshold", "--resume")
        self.assertEqual(len(self.calls()) - before, 1)
        self.kernels("tools/weft/weft", listing(("sequential", "call"), ("ult", "thread"), ("fork", "task")), "true")
        self.assertIn("built anew", self.published("fib-threshold", "--resume", status=2).stderr)

    def write(self, text):
        with open(self.path("fib-threshold"), "w", encoding="utf-8") as file:
            file.write(text)

    def test_a_report_measures_nothing(self):
        self.fib()
        before = len(self.calls())
        self.assertIn("500 ms", self.published("fib-threshold", "--report").stdout)
        self.assertEqual(len(self.calls()), before)

    def test_damaged_files_are_refused_in_words(self):
        self.assertIn("cannot be read", self.published("fib-threshold", "--report", status=2).stderr)
        self.fib()
        whole = json.dumps(self.state("fib-threshold"))
        for text, message in ((whole[:50], "is not JSON"), ("{}", "is not the JSON of repeated experiments"),
                              (whole.replace('"samples"', '"sample"'), "'samples' is missing"), (whole.replace('"plan"', '"p"'), "'plan'"),
                              (whole.replace('"seconds": 0.5', '"seconds": "x"'), "'seconds'"),
                              (whole.replace('"fib-threshold"', '"fib-treshold"'), "experiments: fib-threshold")):
            self.write(text)
            for word in ("--resume", "--report"):
                self.assertIn(message, self.published("fib-threshold", word, status=2).stderr)

    def test_what_makes_no_sense_gets_the_choices(self):
        self.assertIn("fib-threshold", self.published("fibb", status=2).stderr)
        self.assertIn("all", self.published("fibb", status=2).stderr)
        self.assertIn("at least 1", self.published("fib-threshold", "--repetitions", 0, status=2).stderr)
        self.build = "/no/such/folder"
        self.assertIn("build it", self.published("fib-threshold", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
