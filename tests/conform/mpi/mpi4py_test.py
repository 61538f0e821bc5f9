#!/usr/bin/env python3
"""A Python program over mpi4py, unchanged, with the library between it and its MPI preloaded, and Weft threads beside it. mpi4py is a wheel
that pip installs below a folder, once; where pip cannot, the test is skipped, with the reason.

usage: mpi4py_test.py weft folder MPI=library-with-threads..."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import job

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools"))

import wheels  # noqa: E402

WHEEL = "mpi4py==4.1.2"
WEFT, FOLDER, *PAIRS = sys.argv[1:]
LIBRARIES = dict(pair.split("=", 1) for pair in PAIRS)


def library_of(mpi, path):
    """The MPI that the library with threads is linked with."""
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return re.search(rf"=> (\S+/{'libmpich' if mpi == 'mpich' else 'libmpi'}\.so\S*)", said).group(1)


class Mpi4pyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(FOLDER, exist_ok=True)
        prefix, why = wheels.install(WHEEL, FOLDER)
        if why:
            raise unittest.SkipTest(why)
        cls.path = os.path.dirname(glob.glob(os.path.join(prefix, "**", "mpi4py"), recursive=True)[0])
        cls.python = wheels.pip()[0]

    def test_weft_threads_beside_mpi4py(self):
        program = os.path.join(HERE, "python", "program.py")
        for mpi, library in LIBRARIES.items():
            with self.subTest(mpi), tempfile.TemporaryDirectory() as folder:
                if shutil.which("mpirun." + mpi) is None:
                    self.skipTest(f"no mpirun.{mpi}")
                # mpi4py loads an MPI of MPICH's ABI by the name libmpi.so.12, which Debian's MPICH does not have.
                os.symlink(library_of(mpi, library), os.path.join(folder, "libmpi.so.12"))
                environment = {"PYTHONPATH": self.path, "MPI4PY_MPIABI": mpi, "LD_LIBRARY_PATH": folder if mpi == "mpich" else ""}
                for _ in range(5):
                    status, said = job.launched("mpirun." + mpi, 2, self.python, program, library, before=[WEFT, "mpi", "--"], **environment)
                    self.assertEqual(status, 0, said)
                    self.assertIn("passed", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
