#!/usr/bin/env python3
"""weft-bench-threads: every program of the Chapel set, and of the review of lightweight threads, on every implementation of the threads interface that is here."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
SIZES = {"stream": 5000, "stream-ep": 5000, "random-access": 16, "chapel-quicksort-1": 500, "chapel-quicksort-log": 501,
         "chapel-quicksort-10": 502, "chapel-quicksort-all": 503, "chapel-tree": 6}
LWT = {"lwt-create": 20, "lwt-join": 20, "lwt-for": 20, "lwt-for-nested": 2, "lwt-tasks-single": 2, "lwt-tasks-all": 2,
       "lwt-tasks-nested": 2}
JOINED_BY_THEMSELVES = {"lwt-create", "lwt-join"}  # which anonymous tasks are not
OTHERS = ("argobots", "qthreads")


def run(*words, **environment):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=250, check=False,
                          env={**os.environ, **environment})


def bench(kernel, runtime, size, **environment):
    return run(kernel, "--runtime", runtime, "--size", size, "--workers", 2, "--json", "-", **environment)


class ThreadsTest(unittest.TestCase):
    def runtimes(self):
        return {each["runtime"]: each["runs"] for each in json.loads(run("--list").stdout)["runtimes"]}

    def test_each_answers_rightly_with_either_caller(self):
        runtimes = self.runtimes()
        for name in ("weft", "weft-anonymous", "pool", "fifo", "fifo-2011"):
            self.assertLessEqual({f"threads-{name}", f"threads-{name}-outside"}, set(runtimes))
        for runtime, kernels in runtimes.items():
            sizes = {**SIZES, **LWT}
            self.assertEqual(set(kernels), set(sizes) - (JOINED_BY_THEMSELVES if "anonymous" in runtime else set()))
            for kernel in kernels:
                done = bench(kernel, runtime, sizes[kernel])
                if runtime.split("-")[1] in OTHERS and "threads_start" in done.stderr:
                    continue  # some builds of it refuse a caller outside
                self.assertEqual(done.returncode, 0, f"{kernel} on {runtime}: {done.stdout}{done.stderr}")
                self.assertEqual(runtime.endswith("-outside"), "caller outside" in json.loads(done.stdout)["settings"])

    def test_os_threads_that_wait_for_each_other_for_ever_end_the_program(self):
        done = bench("chapel-tree", "threads-fifo", 8, WEFT_THREADS_LIMIT="6")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("deadlock", done.stderr)
        self.assertIn('"correct": true', bench("chapel-tree", "threads-fifo-2011", 8, WEFT_THREADS_LIMIT="6").stdout)


if __name__ == "__main__":
    unittest.main()
