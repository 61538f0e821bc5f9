#!/usr/bin/env python3
"""Fortran programs over the library between programs and MPI, compiled by the MPI's own wrapper as a user compiles them: by mpif.h, by the
module mpi and by mpi_f08. Skipped without a Fortran compiler; a module that the MPI does not have is left out, with a line.

usage: fortran_test.py MPI libthreads.a libweft-mpi-MPI.so libweft.so sanitizer-or-nothing [weft]"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import job

MPI, THREADS, LIBRARY, WEFT, SANITIZER, *COMMAND = sys.argv[1:]
COMPILER, LAUNCHER = "mpifort." + MPI, "mpirun." + MPI
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fortran", "calls.F90")
STYLES = {1: "mpif.h", 2: "mpi", 3: "mpi_f08"}
# Fortran before 2008 has no way to say that a buffer may be of any type.
OPTIONS = ["-O2", "-w", "-frecursive", "-fallow-argument-mismatch"] + [f"-fsanitize={SANITIZER}"] * bool(SANITIZER)


def compiled(folder, *words):
    return subprocess.run([COMPILER, *OPTIONS, *words], cwd=folder, capture_output=True, text=True, check=False)


def has_module(folder, name):
    with open(os.path.join(folder, "empty.f90"), "w", encoding="ascii") as file:
        file.write(f"use {name}\nend\n")
    return compiled(folder, "-c", "empty.f90").returncode == 0


def linked(*libraries):
    """The words that link them, in this order."""
    for path in libraries:
        yield f"-Wl,--no-as-needed,-rpath,{os.path.dirname(path)}"
        yield path


class FortranTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def program(self, style, *libraries):
        done = compiled(self.folder, f"-DSTYLE={style}", SOURCE, THREADS, *linked(*libraries), "-o", f"calls{style}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return os.path.join(self.folder, f"calls{style}")

    def check(self, program, **more):
        status, said = job.launched(LAUNCHER, 2, program, **more)
        self.assertEqual(status, 0, said)
        self.assertIn("passed", said)

    def test_calls_of_each_style_let_other_threads_run(self):
        for style, name in STYLES.items():
            if style > 1 and not has_module(self.folder, name):
                print(f"skipped: {COMPILER} has no module {name}")
                continue
            with self.subTest(name):
                self.check(self.program(style, LIBRARY, WEFT))

    @unittest.skipUnless(COMMAND, "no weft, or a sanitizer")
    def test_an_unchanged_program_gets_the_library_by_preloading(self):
        self.check(self.program(1, WEFT), before=[COMMAND[0], "mpi", "--"])


if __name__ == "__main__":
    for needed in COMPILER, LAUNCHER:
        if shutil.which(needed) is None:
            print(f"skipped: no {needed}")
            sys.exit(77)
    if subprocess.run([COMPILER, "--version"], capture_output=True, check=False).returncode != 0:
        print(f"skipped: {COMPILER} finds no Fortran compiler")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
