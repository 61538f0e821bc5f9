#!/usr/bin/env python3
"""All cases of the library between programs and MPI at the thread levels below MPI_THREAD_MULTIPLE, and each call of each kind of caller in each
state, for check-deep.

usage: matrix_test.py FOLDER    (with conform_mpi_mpich and so on)"""

import os
import re
import shutil
import sys
import unittest

import job

FOLDER = sys.argv[1]
CASES = "collectives", "statuses", "exchanges", "pairs", "communicators", "windows", "files", "crossing", "errors", "late", "dump", "sessions", "serial"
LEVELS = {"serialized": "3", "funneled": "3"}  # and workers
MPIS = [mpi for mpi in ("mpich", "openmpi") if shutil.which("mpirun." + mpi)]


class MatrixTest(unittest.TestCase):
    def check(self, mpi, ranks, case, program="conform_mpi_", **environment):
        with self.subTest(case, mpi=mpi, ranks=ranks, **environment):
            status, said = job.launched("mpirun." + mpi, ranks, os.path.join(FOLDER, program + mpi), case, **environment)
            self.assertEqual(status, 0, said)
            self.assertIn("passed", said)
        return said

    def test_each_case_at_each_level(self):
        for mpi in MPIS:
            for level, workers in LEVELS.items():
                for case in CASES:
                    number = "1" if case in ("late", "dump", "windows", "communicators") else workers  # these want their threads to wait already
                    said = self.check(mpi, 2, case, WEFT_MPI_LEVEL=level, WEFT_WORKERS=number)
                    if case == "windows":
                        held = "weft-mpi: rank 0: MPI_Win_fence has no nonblocking twin, so no other thread of this rank can call MPI until"
                        self.assertEqual(len(re.findall(held, said)), 1)

    def test_each_call_of_each_caller_in_each_state(self):
        for mpi in MPIS:
            for level in "multiple", "serialized":
                for workers in "1", "3":
                    self.check(mpi, 2, "states", WEFT_MPI_LEVEL=level, WEFT_WORKERS=workers)
                self.check(mpi, 2, "collective_states", WEFT_MPI_LEVEL=level, WEFT_WORKERS="1")
                self.check(mpi, 3, "collective_states", WEFT_MPI_LEVEL=level, WEFT_WORKERS="1")

    def test_requests_in_cpp_at_each_level(self):
        for mpi in MPIS:
            for level, workers in {"multiple": "1", **LEVELS}.items():
                self.check(mpi, 2, "", "conform_mpi_requests_", WEFT_MPI_LEVEL=level, WEFT_WORKERS=workers)

    def test_the_report_names_the_level(self):
        for mpi in MPIS:
            said = self.check(mpi, 2, "serial", WEFT_MPI_LEVEL="serialized", WEFT_MPI_REPORT="on")
            self.assertIn("which provides MPI_THREAD_SERIALIZED to 2 ranks", said)
            self.assertIn("the program is told MPI_THREAD_MULTIPLE: this library makes the MPI calls of all threads one at a time", said)


if __name__ == "__main__":
    if not MPIS:
        print("skipped: no MPI")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
