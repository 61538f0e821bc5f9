#!/usr/bin/env python3
"""Installs Weft by Spack from the recipe in packaging/spack, tests what is installed by Spack, has Argobots' interface taken for Argobots
by a site's words, and removes all of it. The Spack that is used is that of PATH, with its own configuration: it says which packages of
the system it takes. Where there is none, this is skipped.

usage: spack_packages.py [BRANCH]   of this clone; default: the branch that is checked out. What is not committed is left out."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from outside import LIBWEFT, LIBWEFT_ABT, TOP, needed, run

BRANCH = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""
SPEC = "weft@git.{}=main+checked+qthreads+argobots_face"


@unittest.skipUnless(shutil.which("spack"), "no spack here")
class SpackPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.scope = folder.name
        with open(os.path.join(cls.scope, "repos.yaml"), "w", encoding="utf-8") as file:
            file.write(f"repos:\n  weft: {TOP}/packaging/spack\n")
        branch = BRANCH or run("git", "-C", TOP, "branch", "--show-current").strip()
        cls.spec = SPEC.format(branch)
        cls.spack("install", "--no-checksum", cls.spec)
        cls.prefix = cls.spack("location", "-i", cls.spec).strip()

    @classmethod
    def spack(cls, *words):
        done = subprocess.run(["spack", "-C", cls.scope, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"spack {' '.join(words)}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
        return done.stdout

    def test_1_spack_s_own_tests(self):
        said = self.spack("test", "run", self.spec)
        self.assertIn("1 passed", said)

    def test_2_a_program_for_argobots(self):
        """As a recipe that finds Weft's folder in the place of Argobots' prefix compiles it."""
        argobots = next(os.path.join(self.prefix, folder, "weft", "argobots") for folder in ("lib", "lib64")
                        if os.path.isdir(os.path.join(self.prefix, folder, "weft", "argobots")))
        program = os.path.join(self.scope, "program")
        run("cc", os.path.join(TOP, "examples", "17_argobots_hello.c"), "-o", program, f"-I{argobots}/include", f"-L{argobots}/lib",
            f"-Wl,-rpath,{argobots}/lib", "-labt")
        self.assertTrue(needed(program) & {LIBWEFT, LIBWEFT_ABT})
        with open(os.path.join(TOP, "tests", "examples", "17_argobots_hello.txt"), encoding="utf-8") as file:
            self.assertEqual(run(program), file.read())

    def test_3_removed_without_rest(self):
        self.spack("uninstall", "-y", self.spec)
        self.assertFalse(os.path.exists(self.prefix))


if __name__ == "__main__":
    unittest.main(verbosity=2)
