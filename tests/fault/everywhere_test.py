#!/usr/bin/env python3
"""everywhere.py tells what may happen under a fault from what may not, and its faults reach the programs.

usage: everywhere_test.py BUILD_FOLDER"""

import argparse
import concurrent.futures
import signal
import sys
import unittest
from unittest import mock

import everywhere
from everywhere import LATER, NOTICED, TOLD, Program, Run

BUILD = sys.argv.pop()
ANY = Program("thread_create_static", ("/bin/true",))


def wrong(wish, status, text="", failed=1, **more):
    return everywhere.judge(ANY, wish, Run(status, text, 0.1, failed, **more))[1]


class Judgement(unittest.TestCase):
    def test_what_is_right(self):
        self.assertIsNone(wrong("mmap:1:once", 0))
        self.assertIsNone(wrong("mmap:9:once", 0, failed=0))
        self.assertIsNone(wrong("mmap:1:once", TOLD, "planned fault: WEFT_NOMEM, noticed by: weft_init(&config)\n"))
        self.assertIsNone(wrong("futex_wake:1:ever", -signal.SIGABRT, "weft: fatal: futex wake failed 100 times\n"))
        child = "weft: fatal: membarrier failed 100 times\nplanned fault: something else, noticed by: end.exit_code == 0\n"
        self.assertIsNone(wrong("membarrier:5:ever", NOTICED, child, child_signal=signal.SIGABRT))

    def test_deaths(self):
        self.assertIn("signal 11", wrong("mmap:1:once", -signal.SIGSEGV))
        self.assertIn("signal 6", wrong("mmap:1:once", -signal.SIGABRT, "weft: fatal: something is wrong\n"))
        self.assertIn("signal 6", wrong("heap:1:once", -signal.SIGABRT, "weft: fatal: futex wake failed 100 times\n"))
        self.assertIn("ends with 1", wrong("heap:1:once", 1))

    def test_hangs(self):
        self.assertEqual("hangs", wrong("mmap:1:once", None))
        self.assertEqual("hangs in later calls", wrong("mmap:1:once", None, phase=1))
        self.assertIn("later", wrong("mmap:1:once", LATER))
        warned = "weft: warning: out of memory for stacks (mmap, or the guard's madvise or mprotect, fails): a thread of worker 0\n"
        self.assertIsNone(wrong("mmap:1:ever", None, warned))
        self.assertEqual("hangs", wrong("heap:1:ever", None, warned))

    def test_wrong_answers(self):
        self.assertIn("count == 8", wrong("mmap:1:once", NOTICED, "planned fault: something else, noticed by: count == 8\n"))
        self.assertIn("WEFT_NOT_OWNER", wrong("heap:1:once", TOLD, "planned fault: WEFT_NOT_OWNER, noticed by: weft_finalize()\n"))

    def test_sanitizers(self):
        self.assertIn("sanitizer", wrong("mmap:1:once", everywhere.LEAK, "==1==ERROR: LeakSanitizer: detected memory leaks\n"))
        self.assertIn("sanitizer", wrong("mmap:1:once", 0, "file.cpp:3:4: runtime error: null pointer\n"))

    def test_a_program_that_fails_by_itself(self):
        self.assertIn("without a fault", wrong("mmap:9:once", 1, failed=0))


class Occurrences(unittest.TestCase):
    def test_first_ones_and_the_last(self):
        self.assertEqual([1, 2, 3], everywhere.chosen_occurrences(3, 12))
        self.assertEqual([], everywhere.chosen_occurrences(0, 12))
        self.assertEqual([1], everywhere.chosen_occurrences(1, 1))
        self.assertEqual([1], everywhere.chosen_occurrences(9, 1))
        for count in (5, 13, 100, 100000):
            chosen = everywhere.chosen_occurrences(count, 6)
            self.assertEqual(sorted(set(chosen)), chosen)
            self.assertEqual((1, count), (chosen[0], chosen[-1]))
            self.assertLessEqual(len(chosen), 6)


class Endings(unittest.TestCase):
    def ending(self, scene, status, text, wish="heap:1:once"):
        program = Program(f"trace_target {scene}", ("none",))
        return everywhere.judge(program, wish, Run(status, text, 0.1, 1))

    def test_a_death_that_is_meant(self):
        self.assertEqual(("as ever", None), self.ending("faulting", -signal.SIGSEGV, "dies now\n"))
        self.assertEqual(("as ever", None), self.ending("aborting", -signal.SIGABRT, "dies now\n"))
        self.assertEqual(("as ever", None), self.ending("leaving", 3, ""))

    def test_one_that_comes_before_it(self):
        self.assertIn("signal 11", self.ending("faulting", -signal.SIGSEGV, "")[1])
        self.assertIn("signal 6", self.ending("aborting", -signal.SIGABRT, "weft: fatal: something is wrong\n")[1])
        self.assertIn("ends with 86", self.ending("deadlocked", 86, "")[1])
        self.assertIn("ends with 0", self.ending("leaving", 0, "")[1])


class Samples(unittest.TestCase):
    """Of programs that are not run: what is run with what, by one job, in a sample whose time ends after so many runs."""

    NAMES = ["first", "second", "third", "idle_cpu_static"]

    def sample(self, seconds, runs=1000, seed=1, under_asan=False):
        options = argparse.Namespace(all=False, fault=None, seconds=seconds, each=3, cap=6, calls=[])
        campaign = everywhere.Campaign(options, seed, under_asan)
        self.run_so_far = []

        def run(program, wish, _limit):
            self.run_so_far.append((program.name, wish))
            return Run(0, "", 0.1, 0 if wish == "count" else 2, seen={"mmap": 9, "thread_stack": 9})

        with mock.patch.object(everywhere, "run_with", run), \
             mock.patch.object(campaign, "is_over", lambda: len(self.run_so_far) >= runs), \
             concurrent.futures.ThreadPoolExecutor(1) as pool:
            programs = [Program(name, ("none",)) for name in self.NAMES]
            campaign.sample(everywhere.of_sample(programs, seconds, seed), pool)
        return campaign

    def faults_of(self, name):
        return [wish for who, wish in self.run_so_far if who == name and wish != "count"]

    def test_the_first_fault_of_each_comes_before_the_second_of_any(self):
        for seed in range(10):
            self.sample(240, seed=seed)
            faulty = [name for name, wish in self.run_so_far if wish != "count"]
            self.assertEqual(sorted(self.NAMES), sorted(faulty[:4]))
            self.assertEqual(["first", "second", "third"], sorted(faulty[4:7]))
            self.assertEqual(10, len(faulty))

    def test_slow_programs_have_one_fault_where_there_is_time_for_them(self):
        self.sample(60)
        self.assertEqual(("idle_cpu_static", "count"), self.run_so_far[0])
        self.assertEqual(1, len(self.faults_of("idle_cpu_static")))
        self.sample(59)
        self.assertNotIn("idle_cpu_static", [name for name, _ in self.run_so_far])
        slow = [Program("idle_cpu_static", ("none",))]
        self.assertEqual(slow, everywhere.of_sample(slow, 8, 1))

    def test_no_fault_comes_twice_and_the_time_ends_it(self):
        self.sample(240)
        for name in self.NAMES[:3]:
            self.assertEqual(3, len(set(self.faults_of(name))))
        self.sample(240, runs=5)
        self.assertEqual(5, len(self.run_so_far))

    def test_a_call_that_asan_makes_itself_is_spared_under_it(self):
        self.sample(seconds=100)
        self.assertIn("thread_stack", " ".join(wish for _, wish in self.run_so_far))
        self.sample(seconds=100, under_asan=True)
        self.assertNotIn("thread_stack", " ".join(wish for _, wish in self.run_so_far))

    def test_programs_and_calls_are_counted_apart(self):
        campaign = self.sample(240)
        self.assertEqual((10, 20), (campaign.programs, campaign.calls))


class Programs(unittest.TestCase):
    def program(self, name):
        return next(each for each in everywhere.programs_of(BUILD) if each.name == name)

    def test_the_fault_reaches_a_program_in_c(self):
        program = self.program("bad_arguments_static")
        counted = everywhere.run_with(program, "count", 100)
        self.assertEqual((0, 0), (counted.status, counted.failed))
        self.assertGreater(counted.seen["mmap"], 3)
        run = everywhere.run_with(program, "mmap:1:once", 100)
        self.assertEqual((TOLD, 1), (run.status, run.failed))
        self.assertIn("planned fault: WEFT_NOMEM, noticed by", run.text)
        self.assertIsNone(everywhere.judge(program, "mmap:1:once", run)[1])

    def test_and_one_in_cpp(self):
        run = everywhere.run_with(self.program("cpp_exceptions_static"), "membarrier:1:ever", 100)
        self.assertEqual(TOLD, run.status)
        self.assertIn("planned fault: WEFT_UNSUPPORTED, noticed by", run.text)

    def test_wishes_that_make_no_sense(self):
        for wish in ("nmap:1:once", "mmap:0:once", "mmap:1:often", "mmap"):
            run = everywhere.run_with(self.program("bad_arguments_static"), wish, 100)
            self.assertEqual(2, run.status)
            self.assertIn(wish, run.text)


if __name__ == "__main__":
    unittest.main()
