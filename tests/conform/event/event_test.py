#!/usr/bin/env python3
"""Programs that share libevent's objects: with libweft-event they end; with libevent_pthreads, those whose lock keeps the worker hang.

usage: event_test.py program-with-libweft-event program-with-libevent_pthreads program-without-a-libevent"""

import subprocess
import sys
import unittest

OURS, THEIRS, NONE = sys.argv[1:]
ENDS_S, HANGS_S = 60, 0.5
CASES = ("held", "deleted", "taken", "exclusive", "restarted", "loop", "forked")
HANG = ("held", "deleted", "taken")


class EventTest(unittest.TestCase):
    def test_programs_end_with_weft(self):
        for case in CASES:
            with self.subTest(case):
                done = subprocess.run([OURS, case], capture_output=True, text=True, timeout=ENDS_S, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("passed", done.stdout)

    def test_locks_of_os_threads_keep_the_worker(self):
        """They run at once: each takes all of its time."""
        # pylint: disable-next=consider-using-with
        programs = [subprocess.Popen([THEIRS, case], stdout=subprocess.PIPE, text=True) for case in HANG]
        for case, program in zip(HANG, programs):
            with self.subTest(case), program:
                self.assertEqual(program.stdout.readline(), "waits\n")
                try:
                    self.assertIsNone(program.wait(HANGS_S), "it ended")
                except subprocess.TimeoutExpired:
                    pass
                program.kill()

    def test_other_locks_are_not_replaced(self):
        done = subprocess.run([OURS, "changed"], capture_output=True, text=True, timeout=ENDS_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Can't change lock callbacks", done.stderr)

    def test_a_missing_libevent_is_named(self):
        done = subprocess.run([NONE], capture_output=True, text=True, timeout=ENDS_S, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (0, "libweft-event: the program has no libevent; link it with -levent or -levent_core\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
