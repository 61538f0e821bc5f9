#!/usr/bin/env python3
"""The installed library with checks: programs that are linked with it have their misuse named, by
find_package and by pkg-config, with the shared and the static library; others run with it when the
loader is told to look there first.

usage: checked_test.py build-folder
The build has the checks (WEFT_CHECKED), so that these libraries are made of objects that it has."""

import os
import subprocess
import sys
import tempfile
import unittest

from outside import CC, HERE, LIBWEFT, bare, needed, run

SOURCES = os.path.join(HERE, "project", "checked")


class CheckedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work, cls.prefix = folder.name, os.path.join(folder.name, "prefix")
        run("cmake", "--build", BUILD, "--target", "weft", "weft_static", "weft_checked", "weft_checked_static")
        first = os.path.join(folder.name, "first")
        for component in ("core", "checked"):
            run("cmake", "--install", BUILD, "--prefix", first, "--component", component)
        os.rename(first, cls.prefix)
        pc_file = next(os.path.join(folder, "weft-checked.pc") for folder, _, names in os.walk(cls.prefix) if "weft-checked.pc" in names)
        cls.flags = {"PKG_CONFIG_PATH": os.path.dirname(pc_file)}
        cls.checked = os.path.realpath(run("pkg-config", "--variable=libdir", "weft-checked", **cls.flags).strip())

    def check_named(self, program, **environment):
        done = subprocess.run([program], env=bare(**environment), capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr, r"^weft: fatal: weft_thread_join of thread 0x[0-9a-f]+, which was joined or detached before\n", done.stdout)

    def library_of(self, program, **environment):
        """The folder of the libweft that the loader takes."""
        line = next(line for line in run("ldd", program, **environment).splitlines() if LIBWEFT in line)
        return os.path.dirname(os.path.realpath(line.split()[2]))

    def test_find_package(self):
        build = os.path.join(self.work, "cmake")
        run("cmake", "-G", "Ninja", "-S", SOURCES, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        shared, static = (os.path.join(build, f"with_{library}") for library in ("weft_checked", "weft_checked_static"))
        self.assertEqual(self.library_of(shared), self.checked)
        self.assertNotIn(LIBWEFT, needed(static))
        self.check_named(shared)
        self.check_named(static)

    def by_pkg_config(self, package, *options):
        program = os.path.join(self.work, "-".join((package, *options)))
        flags = run("pkg-config", *options, "--cflags", "--libs", package, **self.flags).split()
        run(CC, os.path.join(SOURCES, "twice.c"), "-o", program, *(["-static"] if options else []), *flags)
        return program

    def test_pkg_config(self):
        program = self.by_pkg_config("weft-checked")
        self.assertEqual(self.library_of(program), self.checked)
        self.check_named(program)
        self.check_named(self.by_pkg_config("weft-checked", "--static"))

    def test_a_program_that_is_linked_already(self):
        program = self.by_pkg_config("weft")
        self.assertEqual(self.library_of(program), os.path.dirname(os.path.dirname(self.checked)))
        self.assertEqual(self.library_of(program, LD_LIBRARY_PATH=self.checked), self.checked)
        self.check_named(program, LD_LIBRARY_PATH=self.checked)

    def test_gdb_s_script_lies_beside_it(self):
        library = os.path.basename(os.path.realpath(os.path.join(self.checked, LIBWEFT)))
        with open(os.path.join(self.checked, f"{library}-gdb.py"), encoding="utf-8") as script:
            folder = next(line for line in script if "sys.path.insert" in line).split('"')[1]
        self.assertTrue(os.path.isfile(os.path.join(self.checked, folder, "weft_gdb", "__init__.py")))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
