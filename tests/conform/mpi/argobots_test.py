#!/usr/bin/env python3
"""A program on weft.h beside an MPI that starts Argobots, in each order of the two.

usage: argobots_test.py MPI program"""

import os
import shutil
import sys
import unittest

import job

MPI, PROGRAM = sys.argv[1:]
LAUNCHER = os.environ.get("WEFT_TEST_MPIRUN") or "mpirun." + MPI
ORDERS = ("mpi_first", "weft_first", "elsewhere", "same_time")


class ArgobotsTest(unittest.TestCase):
    def test_each_order_ends(self):
        for order in ORDERS:
            with self.subTest(order):
                status, said = job.launched(LAUNCHER, 2, PROGRAM, order)
                self.assertEqual(status, 0, said)
                self.assertIn("passed", said)


if __name__ == "__main__":
    if shutil.which(LAUNCHER) is None:
        print(f"skipped: no {LAUNCHER}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
