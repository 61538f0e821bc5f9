#!/usr/bin/env python3
"""bench/published's `chapel` with a stand-in for weft-bench-threads: what is compared with what, and at which sizes."""

import json
import sys
import unittest

from published_test import OWN, PublishedCase

import chapel

SLOW = {"threads-weft": 1, "threads-weft-outside": 4, "threads-fifo-2011": 2, "threads-fifo-2011-outside": 5, "threads-fifo": 3}


def listing(runtimes, kernels):
    programs = [{"program": name, "title": name, "unit": "value", "size_word": "n", "default_size": 1, "quick_size": 1, "max_size": 1 << 60}
                for name in kernels]
    return json.dumps({"format": "weft-bench-list-1", "programs": programs, "runtimes": [
        {"runtime": name, "title": name, "children": "thread", "version": "1", "runs": list(kernels), "cannot": {}} for name in runtimes]})


def answer(seconds="$slow", metrics="{}"):
    record = {"format": "weft-bench-1", "workers": 2, "answer": 1, "expected": 1, "correct": True, "units": 1000,
              "cpu_seconds": {"median": 1}, "peak_resident_bytes": 1 << 20, "runtime_version": "1", "settings": "", "note": "",
              "machine": {"compiler": "cc"}}
    return f"""echo '{json.dumps(record)[:-1]}, "seconds": {{"median": '{seconds}'}}, "metrics": {metrics}}}'"""


class FakeRuntime:
    command = ["program"]

    def status_of(self, _):
        return "to run", ""


class FakeContext:
    def __init__(self, is_full=False, is_largest=False):
        self.is_full, self.is_largest, self.usable_cpus = is_full, is_largest, [0, 1, 2]

    def runtimes(self):
        return {name: FakeRuntime() for name in [*SLOW, "sequential"]}, {}


class ChapelTest(PublishedCase):
    def interface(self, script, kernels=("random-access",)):
        self.kernels("tools/weft/weft", listing([name for name, _ in OWN], kernels), answer("9"))
        cases = "\n".join(f"    {name}) slow={slow} ;;" for name, slow in SLOW.items())
        self.kernels("bench/runtimes/weft-bench-threads", listing(SLOW, kernels), f"case $runtime in\n{cases}\nesac\n{script}")

    def chapel(self, status=0):
        return self.published("chapel", "--repetitions", 1, status=status).stdout

    def line(self, shown, group, variant):
        table = next(part for part in shown.split("\n\n") if part.startswith(group + ", "))
        return next(line for line in table.splitlines() if line.split()[:1] == [variant])

    def test_the_layers_are_compared_with_the_same_caller(self):
        kernels = {"chapel-quicksort-10": "1.71 to 2.82", "chapel-tree": "1.5 to 1.8", "stream": "1.25", "stream-ep": "1.45",
                   "random-access": "1.15"}
        self.interface(answer(), kernels)
        shown = self.chapel()
        for kernel, published in kernels.items():
            line = self.line(shown, kernel, "threads-weft")
            self.assertRegex(line, rf"2\.00 \[2\.00, 2\.00\] +3\.00 \[3\.00, 3\.00\]  {published}$")
            self.assertIn("1.25 [1.25, 1.25]", self.line(shown, kernel, "threads-weft-outside"))
            self.assertNotIn("[", self.line(shown, kernel, "threads-fifo-2011"))
        self.assertIn("threads-qthreads, threads-qthreads-outside (Qthreads, found by CMake", shown)

    def test_the_best_trial_counts_and_lost_updates_are_shown(self):
        self.interface(answer(metrics='{"best_trial_seconds": 0.25, "wrong_words": 7}'), ("stream", "random-access"))
        shown = self.chapel()
        self.assertIn("250 ms", self.line(shown, "stream", "threads-weft"))
        self.assertRegex(self.line(shown, "random-access", "threads-weft"), r" 7  ")

    def test_a_layer_that_fails_is_a_result_and_weft_must_not(self):
        stuck = "echo 'deadlock: nobody is left' >&2; exit 1"
        self.interface(f"case $runtime in threads-fifo*) {stuck} ;; *) {answer()} ;; esac")
        self.assertIn("threads-fifo-2011-outside: failed: deadlock: nobody is left", self.chapel())
        self.interface(stuck)
        self.chapel(status=1)

    def test_a_plan_without_the_largest_sizes_does_not_get_them_later(self):
        self.interface(answer())
        self.chapel()
        self.assertIn("published sizes", self.published("chapel", "--resume", "--largest", status=2).stderr)


class PlanTest(unittest.TestCase):
    def sizes(self, kernel, **context):
        cells = [cell for cell in chapel.plan(FakeContext(**context)) if cell["variant"] == "threads-weft" and kernel in cell["command"]]
        return [int(cell["command"][cell["command"].index("--size") + 1]) for cell in cells]

    def test_sizes(self):
        self.assertEqual(self.sizes("chapel-quicksort-1"), [1 << 18])
        self.assertEqual(self.sizes("stream", is_full=True), [1 << 20, 1 << 22, 1 << 24, 1 << 26])
        self.assertEqual(self.sizes("chapel-tree", is_full=True), [20, 22, 24, 26])
        self.assertEqual(self.sizes("random-access", is_full=True, is_largest=True), [28])

    def test_all_cpus_work_but_for_plain_calls(self):
        workers = {cell["variant"]: cell["workers"] for cell in chapel.plan(FakeContext())}
        self.assertEqual((workers["threads-weft"], workers["sequential"]), (3, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
