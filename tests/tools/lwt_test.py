#!/usr/bin/env python3
"""bench/published's `lwt` with stand-ins for the programs: what is compared with what, how many rounds are made, what may fail."""

import sys
import unittest

from published_test import OWN, PublishedCase, listing

import lwt


class FakeRuntime:
    command = ["program"]

    def status_of(self, _):
        return "to run", ""


class FakeContext:
    def __init__(self, is_full):
        self.is_full, self.usable_cpus = is_full, [0, 1, 2]

    def runtimes(self):
        return {name: FakeRuntime() for name in lwt.VARIANTS}, {}


class LwtTest(PublishedCase):
    def lwt(self, status=0):
        self.kernels("tools/weft/weft", listing(*OWN, kernels=lwt.KERNELS), "record")
        return self.published("lwt", "--repetitions", 1, status=status).stdout

    def line(self, shown, group, variant):
        table = next(part for part in shown.split("\n\n") if part.startswith(group + ";"))
        return next(line for line in table.splitlines() if line.split()[:1] == [variant])

    def test_loops_are_compared_with_parallel_regions_and_tasks_with_tasks(self):
        runtimes = [(name, "thread") for name in ("threads-weft", "threads-fifo")]
        self.kernels("bench/runtimes/weft-bench-threads", listing(*runtimes, kernels=lwt.KERNELS), "test $runtime = threads-fifo && units=100; record")
        runtimes = [(name, "task") for name in ("openmp", "openmp-regions")]
        self.kernels("bench/runtimes/weft-bench-openmp", listing(*runtimes, kernels=lwt.KERNELS), "units=500; test $runtime = openmp && units=250; record")
        shown = self.lwt()
        for kernel in lwt.KERNELS:
            line = self.line(shown, f"{kernel}, workers: 1", "threads-weft")
            openmp = 2 if kernel in lwt.REGIONS else 4
            self.assertRegex(line, rf" 500\.000 us +0% +{openmp}\.00 \[.*\] +10\.0 \[")
        self.assertRegex(self.line(shown, "lwt-for, workers: 1", "openmp-regions"), "a curve$")
        self.assertIn("threads-qthreads (Qthreads, found by CMake", shown)
        self.assertIn("massivethreads (MassiveThreads, found by CMake", shown)

    def test_weft_must_not_fail_and_others_may(self):
        failing = "case $runtime in %s) echo 'lost a task' >&2; exit 1 ;; *) record ;; esac"
        runtimes = [(name, "thread") for name in ("threads-weft", "threads-fifo")]
        self.kernels("bench/runtimes/weft-bench-threads", listing(*runtimes, kernels=lwt.KERNELS), failing % "threads-fifo")
        self.assertIn("threads-fifo: failed: lost a task", self.lwt())
        self.kernels("bench/runtimes/weft-bench-threads", listing(*runtimes, kernels=lwt.KERNELS), failing % "threads-weft")
        self.lwt(status=1)


class PlanTest(unittest.TestCase):
    def sizes(self, kernel, variant, is_full=False):
        cells = [cell for cell in lwt.plan(FakeContext(is_full)) if cell["variant"] == variant and kernel in cell["command"]]
        return [(cell["workers"], int(cell["command"][cell["command"].index("--size") + 1])) for cell in cells]

    def test_os_threads_do_fewer_rounds_on_each_number_of_workers(self):
        self.assertEqual(self.sizes("lwt-create", "threads-weft"), [(1, 20_000), (2, 20_000), (3, 20_000)])
        self.assertEqual(self.sizes("lwt-create", "threads-fifo"), [(1, 500), (2, 500), (3, 500)])
        self.assertEqual(self.sizes("lwt-for-nested", "threads-weft", is_full=True), [(1, 2000), (2, 2000), (3, 2000)])

    def test_plain_calls_have_one_worker(self):
        self.assertEqual(self.sizes("lwt-for", "sequential"), [(1, 20_000)] * 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
