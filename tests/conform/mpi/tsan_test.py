#!/usr/bin/env python3
"""The library between programs and MPI under ThreadSanitizer, for check-deep. It is built below a folder, with what the preset tsan has.

What an MPI does is not instrumented, so its own order of threads is unknown: what TSan intercepts inside an MPI is ignored, and of MPI's
buffers and requests nothing is reported. What the library's own code shares among threads is seen. UCX would replace the allocator of the
process, which TSan has replaced: its hooks are switched off.

usage: tsan_test.py FOLDER"""

import os
import shutil
import subprocess
import sys
import unittest

import job

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDER = os.path.abspath(sys.argv[1])
MPIS = [mpi for mpi in ("mpich", "openmpi") if shutil.which("mpirun." + mpi)]
CASES = "exchanges", "pairs", "collectives", "statuses", "errors", "dump", "freed_request", "freed_complete"
LEVELS = {"multiple": CASES, "serialized": (*CASES, "serial")}
ONE_RANK = {"freed_request", "freed_complete"}
OPTIONS = "ignore_noninstrumented_modules=1 halt_on_error=0 history_size=4 exitcode=66"
BUILD_S = 1500


def built(mpi):
    program = f"conform_mpi_{mpi}"
    for words in ["cmake", "--preset", "tsan", "-B", FOLDER, "-DWEFT_MPI_UNDER_TSAN=ON"], ["ninja", "-C", FOLDER, program]:
        done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, timeout=BUILD_S, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}\n{done.stdout[-5000:]}{done.stderr[-5000:]}")
    return os.path.join(FOLDER, "tests", "conform", "mpi", program)


class TsanTest(unittest.TestCase):
    def check(self, mpi, program, case, level):
        workers = "1" if case.startswith(("dump", "freed")) else "3"  # these want their threads to wait already
        with self.subTest(case, mpi=mpi, level=level):
            ranks = 1 if case in ONE_RANK else 2
            more = {"TSAN_OPTIONS": OPTIONS, "UCX_MEM_EVENTS": "no", "WEFT_WORKERS": workers, "WEFT_MPI_LEVEL": level}
            status, said = job.launched("mpirun." + mpi, ranks, program, case, **more)
            self.assertNotIn("ThreadSanitizer", said)
            self.assertEqual(status, 0, said)
            self.assertIn("passed", said)

    def test_no_race_is_reported(self):
        for mpi in MPIS:
            program = built(mpi)
            for level, cases in LEVELS.items():
                for case in cases:
                    self.check(mpi, program, case, level)


if __name__ == "__main__":
    if not MPIS:
        print("skipped: no MPI")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
