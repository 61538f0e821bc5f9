#!/usr/bin/env python3
"""Threads that wait in the MPI for others of their worker: such programs end with the library between programs and MPI, and hang without.

usage: deadlocks_test.py MPI program-with-the-library program-without-it"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import job

MPI, OURS, ALONE = sys.argv[1:]
LAUNCHER = os.environ.get("WEFT_TEST_MPIRUN") or "mpirun." + MPI
CASES = ("receivers", "held", "fence")
HANGS_S = 1


class DeadlocksTest(unittest.TestCase):
    def test_programs_end_with_the_library(self):
        for case in CASES:
            with self.subTest(case):
                status, said = job.launched(LAUNCHER, 2, OURS, case)
                self.assertEqual(status, 0, said)
                self.assertIn("passed", said)

    def test_programs_hang_without(self):
        """All at once; the time runs once all of them wait."""
        words = [LAUNCHER, *(["--oversubscribe", "--bind-to", "none"] + ["--allow-run-as-root"] * (os.geteuid() == 0)) * (MPI == "openmpi")]
        # pylint: disable-next=consider-using-with
        jobs = [subprocess.Popen([*words, "-n", "2", ALONE, case], env={**os.environ, **job.ENVIRONMENT}, stdout=subprocess.PIPE, text=True,
                                 start_new_session=True) for case in CASES]
        try:
            self.assertEqual([each.stdout.readline() for each in jobs], ["waits\n"] * len(jobs))
            time.sleep(HANGS_S)
            self.assertEqual([each.poll() for each in jobs], [None] * len(jobs), "they ended")
        finally:
            for each in jobs:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(each.pid, signal.SIGTERM)  # the launcher ends its ranks
            for each in jobs:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    each.wait(job.SECONDS)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(each.pid, signal.SIGKILL)
                each.wait()
                each.stdout.close()


if __name__ == "__main__":
    if shutil.which(LAUNCHER) is None:
        print(f"skipped: no {LAUNCHER}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
