#!/usr/bin/env python3
"""Installs Weft from a build folder into a prefix and builds the Fortran examples against it: by pkg-config's words, by find_package, which
compiles the module from the installed source, and, where an MPI has Fortran, with libweft-mpi. What a project without Fortran is told.

usage: fortran_test.py build-folder"""

import glob
import os
import re
import shutil
import sys
import tempfile
import unittest

from outside import HERE, LIBWEFT, TOP, needed, run

EXAMPLES = os.path.join(TOP, "examples")


def expected(name):
    with open(os.path.join(EXAMPLES, "fortran", f"{name}.txt"), encoding="utf-8") as file:
        return file.read()


class FortranTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = folder.name
        cls.prefix = os.path.join(cls.work, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.spaced = os.path.join(cls.work, "with a space")
        os.symlink(cls.prefix, cls.spaced)

    def words(self, *options, package="weft-fortran", prefix=""):
        """What pkg-config says, as words."""
        folder = glob.glob(f"{glob.escape(prefix or self.prefix)}/lib*/**/pkgconfig", recursive=True)[0]
        return [each.replace("\\ ", " ") for each in re.findall(r"(?:\\ |\S)+", run("pkg-config", *options, package, PKG_CONFIG_PATH=folder))]

    def test_by_pkg_config(self):
        source = self.words("--variable=source", prefix=self.spaced)
        self.assertTrue(os.path.exists(source[0]), source)
        program, example = os.path.join(self.work, "pi"), os.path.join(EXAMPLES, "fortran", "pi.f90")
        run("gfortran", "-O2", "-J", self.work, *source, example, "-o", program, *self.words("--cflags", "--libs", prefix=self.spaced))
        self.assertIn(LIBWEFT, needed(program))
        self.assertEqual(run(program), expected("pi"))

    def test_by_find_package(self):
        build = os.path.join(self.work, "project")
        said = run("cmake", "-G", "Ninja", "-S", os.path.join(HERE, "project", "fortran"), "-B", build, f"-DCMAKE_PREFIX_PATH={self.spaced}",
                   f"-DEXAMPLES={EXAMPLES}", FC="gfortran")
        self.assertRegex(said, r"without Fortran: (0|FALSE) component fortran: .*name Fortran among the languages of project\(\) before find_package\(weft\)")
        run("cmake", "--build", build)
        self.assertEqual(run(os.path.join(build, "heat")), expected("heat"))

    def test_with_an_mpi(self):
        mpis = [mpi for mpi in ("mpich", "openmpi") if glob.glob(f"{glob.escape(self.prefix)}/lib*/**/libweft-mpi-{mpi}.so", recursive=True)]
        mpis = [mpi for mpi in mpis if shutil.which(f"mpifort.{mpi}") and shutil.which(f"mpirun.{mpi}")]
        if not mpis:
            self.skipTest("no libweft-mpi here, or no mpifort")
        source = os.path.join(EXAMPLES, "fortran", "ring_mpi.f90")
        for mpi in mpis:
            with self.subTest(mpi):
                program = os.path.join(self.work, f"ring-{mpi}")
                run(f"mpifort.{mpi}", "-O2", "-J", self.work, *self.words("--variable=source"), source, "-o", program, *self.words("--cflags"),
                    *self.words("--libs", package=f"weft-mpi-{mpi}"))
                roots = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
                options = ["--oversubscribe"] if mpi == "openmpi" else []
                self.assertEqual(run(f"mpirun.{mpi}", *options, "-n", "3", program, WEFT_WORKERS="1", **roots), expected("ring_mpi"))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    if not shutil.which("gfortran"):
        print("skipped: no gfortran here")
        sys.exit(77)
    unittest.main(verbosity=2)  # names what is skipped, and why
