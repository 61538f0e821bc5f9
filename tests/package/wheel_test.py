#!/usr/bin/env python3
"""The wheel weft-threads: made of a build folder, installed in a fresh environment of Python where nothing else is, C and C++ programs
built against it and run, and removed.

usage: wheel_test.py build-folder      the wheel is made of what was built there
       wheel_test.py whole             of what ./dev wheel builds, with the demonstration run by its command"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from outside import CC, CXX, HERE, LIBC, LIBWEFT, SO_VERSION, TOP, VERSION, needed, refused, run

sys.path.insert(0, os.path.join(TOP, "tools", "package"))
import wheel  # noqa: E402 (it is found in the line above)


WHOLE = "whole"


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        said = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False).stdout
        version = re.match(r"pip (\d+)\.(\d+)", said)
        if version is None or tuple(map(int, version.groups())) < (22, 3):
            raise unittest.SkipTest("this Python has no pip of 22.3 or later (Debian's python3-pip)")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = os.path.join(folder.name, "with a space")
        os.mkdir(cls.work)
        cls.file = wheel.main(cls.work) if GIVEN == WHOLE else wheel.wheel_of(GIVEN, cls.work)
        cls.environment = os.path.join(cls.work, "environment")
        run(sys.executable, "-m", "venv", "--without-pip", cls.environment)
        cls.python = os.path.join(cls.environment, "bin", "python")
        cls.before = cls.files()
        cls.pip("install", "--no-index", cls.file)

    @classmethod
    def pip(cls, *words):
        return run(sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "--python", cls.python, *words)

    @classmethod
    def files(cls):
        return {os.path.join(place, name) for place, _, names in os.walk(cls.environment) for name in names}

    def asked(self, option):
        return run(self.python, "-m", "weft_threads", option).removesuffix("\n")

    def check(self, program, library):
        self.assertIn("42", run(program))
        self.assertEqual(needed(program) & {LIBWEFT}, library)

    def test_the_package_says_where_things_are(self):
        for option, name in (("--cmake-dir", "weft-config.cmake"), ("--pkg-config-dir", "weft.pc"), ("--include", "weft/weft.h")):
            self.assertTrue(os.path.exists(os.path.join(self.asked(option), name)), option)
        self.assertIn("one of the arguments", refused(self.python, "-m", "weft_threads"))
        self.assertEqual(run(self.python, "-c", "from importlib.metadata import version, requires as r; print(version('weft-threads'), r('weft-threads'))"),
                         f"{VERSION} None\n")

    def test_the_command(self):
        weft = os.path.join(self.environment, "bin", "weft")
        self.assertIn(VERSION, run(weft, "--version"))
        self.assertIn("workers", run(weft, "info"))
        if GIVEN == WHOLE:
            run(weft, "demo", "--quick", "--dir", os.path.join(TOP, "docs", "guide"))
            inside = os.path.join(os.path.dirname(self.asked("--include")), "bin", "weft")
            self.assertEqual(needed(inside) - LIBC - {"libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}, set())

    def test_find_package(self):
        for language in ("c", "cpp"):
            with self.subTest(language):
                build, source = os.path.join(self.work, f"build-{language}"), os.path.join(HERE, "project", language)
                run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-Dweft_DIR={self.asked('--cmake-dir')}")
                run("cmake", "--build", build)
                self.check(os.path.join(build, "with_weft"), {LIBWEFT})
                self.check(os.path.join(build, "with_weft_static"), set())

    def test_pkg_config(self):
        for language, compiler in (("c", CC), ("cpp", CXX)):
            with self.subTest(language):
                source, program = os.path.join(HERE, "project", language, f"hello.{language}"), os.path.join(self.work, f"hello-{language}")
                line = f'eval {compiler} \'"$1"\' -o \'"$2"\' $(pkg-config --cflags --libs weft)'
                run("sh", "-c", line, "sh", source, program, PKG_CONFIG_PATH=self.asked("--pkg-config-dir"))
                self.check(program, {LIBWEFT})
                if language == "c":
                    self.assertEqual(needed(program) - LIBC, {LIBWEFT})

    def test_each_interface_of_the_wheel_is_found_by_cmake(self):
        source, build = os.path.join(self.work, "components"), os.path.join(self.work, "build-components")
        os.mkdir(source)
        fortran = shutil.which("gfortran") is not None
        with open(os.path.join(source, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(f"cmake_minimum_required(VERSION 3.25)\nproject(components LANGUAGES C {'Fortran' if fortran else ''})\n"
                       f"find_package(weft REQUIRED COMPONENTS abt qthread threads tascell {'fortran' if fortran else ''})\n")
            if fortran:
                file.write(f"add_executable(pi {os.path.join(TOP, 'examples', 'fortran', 'pi.f90')})\ntarget_link_libraries(pi weft::fortran)\n")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-Dweft_DIR={self.asked('--cmake-dir')}", FC="gfortran")
        if fortran:
            run("cmake", "--build", build)
            self.assertIn("pi", run(os.path.join(build, "pi")))

    def test_no_file_is_there_twice_and_none_is_a_link(self):
        with zipfile.ZipFile(self.file) as archive:
            entries = archive.infolist()
        links = [entry.filename for entry in entries if (entry.external_attr >> 16) & 0o170000 == 0o120000]
        self.assertEqual(links, [])
        libraries = [os.path.basename(entry.filename) for entry in entries if ".so." in entry.filename and not entry.filename.endswith(".py")]
        self.assertEqual(len(set(libraries)), len(libraries))
        self.assertTrue(all(name.endswith(f".so.{SO_VERSION}") for name in libraries), libraries)

    def test_libraries_need_the_c_library_and_each_other(self):
        folder = os.path.join(os.path.dirname(self.asked("--include")), "lib")
        for name in os.listdir(folder):
            if re.search(r"\.so\.[\d.]+$", name):
                others = needed(os.path.join(folder, name)) - LIBC - {"libdl.so.2", "libpthread.so.0"}
                self.assertTrue(all(os.path.exists(os.path.join(folder, other)) for other in others), (name, others))

    def test_z_is_removed_without_rest(self):
        self.pip("uninstall", "-y", "weft-threads")
        left = {path for path in self.files() - self.before if "__pycache__" not in path}
        self.assertEqual(left, set())


if __name__ == "__main__":
    GIVEN = sys.argv.pop(1)
    unittest.main(verbosity=2)  # names what is skipped, and why
