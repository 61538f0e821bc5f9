#!/usr/bin/env python3
"""everywhere.py tells what may happen under a fault from what may not, and its faults reach the programs.

usage: everywhere_test.py BUILD_FOLDER"""

import signal
import sys
import unittest

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
