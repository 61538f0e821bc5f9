#!/usr/bin/env python3
"""Installs Weft from a build folder into a temporary prefix and builds outside C and C++ programs against it: by find_package and
by pkg-config, with the shared and with the static library. The C programs must need libc alone.

usage: package_test.py build-folder"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
LIBC = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def run(*command, **environment):
    done = subprocess.run(command, env=dict(os.environ, **environment), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path)))


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = folder.name
        cls.prefix = os.path.join(cls.work, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libraries = os.path.dirname(cls.find("libweft.so"))
        cls.flags = {"PKG_CONFIG_PATH": os.path.join(cls.libraries, "pkgconfig")}

    @classmethod
    def find(cls, name):
        found = [os.path.join(folder, name) for folder, _, names in os.walk(cls.prefix) if name in names]
        if not found:
            raise AssertionError(f"{name} was not installed")
        return found[0]

    def check_program(self, path, libraries):
        self.assertIn("42", run(path, LD_LIBRARY_PATH=self.libraries))
        if libraries is not None:
            self.assertEqual(needed(path) - LIBC, libraries, "what the program needs besides libc")

    def test_what_is_installed(self):
        for name in ("weft.h", "ext.h", "debug.h", "version.h", "libweft.so.0", "libweft.a", "weft.pc", "weft-config.cmake", "LICENSE"):
            self.find(name)
        self.assertEqual(needed(self.find("libweft.so")) - LIBC, set())
        self.assertIn("libweft.so.0", run("readelf", "-d", self.find("libweft.so")))

    def by_find_package(self, language):
        build = os.path.join(self.work, "cmake-" + language)
        run("cmake", "-G", "Ninja", "-S", os.path.join(HERE, "project", language), "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        return [os.path.join(build, name) for name in ("with_weft", "with_weft_static")]

    def test_find_package_from_c(self):
        shared, static = self.by_find_package("c")
        self.check_program(shared, {"libweft.so.0"})
        self.check_program(static, set())

    def test_find_package_from_cxx(self):
        shared, static = self.by_find_package("cpp")
        self.assertIn("libweft.so.0", needed(shared))
        self.assertNotIn("libweft.so.0", needed(static))
        self.check_program(shared, None)
        self.check_program(static, None)

    def by_pkg_config(self, compiler, language, *options):
        program = os.path.join(self.work, f"pc-{language}{''.join(options)}")
        source = os.path.join(HERE, "project", language, "hello." + language)
        static = ["--static"] if options else []
        flags = run("pkg-config", *static, "--cflags", "--libs", "weft", **self.flags).split()
        run(compiler, *options, source, "-o", program, *flags)
        return program

    def test_pkg_config(self):
        self.check_program(self.by_pkg_config(CC, "c"), {"libweft.so.0"})
        self.check_program(self.by_pkg_config(CXX, "cpp"), None)

    def test_pkg_config_fully_static(self):
        self.check_program(self.by_pkg_config(CC, "c", "-static"), set())
        self.check_program(self.by_pkg_config(CXX, "cpp", "-static"), None)

    def has_threads(self):
        return os.path.exists(os.path.join(self.prefix, "include", "weft_threads", "threads.h"))

    def check_threads(self, path, implementation):
        self.assertEqual(run(path, LD_LIBRARY_PATH=self.libraries), f"{implementation}: 42\n")
        self.assertEqual(needed(path) - LIBC - {"libweft-threads.so.0", "libweft.so.0"}, set())

    def test_threads_interface_by_find_package(self):
        if not self.has_threads():
            self.skipTest("no threads interface here")
        build = os.path.join(self.work, "cmake-threads")
        source = os.path.join(HERE, "project", "threads")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        for target, implementation in (("threads", "weft"), ("threads_static", "weft"), ("threads_weft", "weft"), ("threads_fifo", "fifo")):
            with self.subTest(target):
                self.check_threads(os.path.join(build, f"with_{target}"), implementation)

    def test_threads_interface_by_pkg_config(self):
        if not self.has_threads():
            self.skipTest("no threads interface here")
        source = os.path.join(HERE, "project", "threads", "hello.c")
        for package, implementation in (("weft-threads", "weft"), ("weft-threads-weft", "weft"), ("weft-threads-pool", "pool")):
            with self.subTest(package):
                program = os.path.join(self.work, f"pc-{package}")
                run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", package, **self.flags).split())
                self.check_threads(program, implementation)

    def argobots_prefix(self):
        folder = os.path.join(self.libraries, "weft", "argobots")
        if not os.path.isdir(folder):
            self.skipTest("no Argobots interface here")
        return folder

    def check_argobots(self, path, libraries, *folders):
        self.assertRegex(run(path, LD_LIBRARY_PATH=":".join(folders)), r"^Argobots 1\.\d+: 42\n$")
        self.assertEqual(needed(path) - LIBC - {"libweft.so.0"}, libraries, "what the program needs besides libc")

    def test_argobots_is_not_found_unasked(self):
        self.argobots_prefix()
        environment = dict(os.environ, **self.flags, PKG_CONFIG_LIBDIR="")
        self.assertNotEqual(subprocess.run(["pkg-config", "--exists", "argobots"], env=environment, check=False).returncode, 0)
        beside = {name for folder in (self.libraries, os.path.join(self.prefix, "include")) for name in os.listdir(folder)}
        self.assertEqual({name for name in beside if name.startswith(("abt", "libabt"))}, set())

    def test_argobots_by_find_package(self):
        prefix = self.argobots_prefix()
        build, source = os.path.join(self.work, "cmake-argobots"), os.path.join(HERE, "project", "argobots")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix};{self.prefix}")
        run("cmake", "--build", build)
        for target in ("argobots_argobots", "weft_abt", "weft_abt_static"):
            with self.subTest(target):
                libraries = set() if "static" in target else {"libweft-abt.so.0"}
                self.check_argobots(os.path.join(build, f"with_{target}"), libraries, self.libraries)

    def test_argobots_by_pkg_config(self):
        prefix = self.argobots_prefix()
        source = os.path.join(HERE, "project", "argobots", "hello.c")
        flags = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
        program = os.path.join(self.work, "pc-argobots")
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "argobots >= 1.2", **flags).split())
        self.check_argobots(program, {"libweft-abt.so.0"}, os.path.join(prefix, "lib"))
        run(CC, "-static", source, "-o", program, *run("pkg-config", "--static", "--cflags", "--libs", "argobots", **flags).split())
        self.check_argobots(program, set())
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-abt", **self.flags).split())
        self.check_argobots(program, {"libweft-abt.so.0"}, self.libraries)

    def test_argobots_header_is_one_file(self):
        """There are builds that link to abt.h, and to nothing beside it."""
        prefix, alone = self.argobots_prefix(), os.path.join(self.work, "abt-alone")
        os.mkdir(alone)
        os.symlink(os.path.join(prefix, "include", "abt.h"), os.path.join(alone, "abt.h"))
        source = os.path.join(HERE, "project", "argobots", "hello.c")
        run(CC, "-std=c99", "-Wall", "-Werror", "-D_POSIX_C_SOURCE=200809L", "-I", alone, "-c", source, "-o", os.path.join(alone, "hello.o"))

    def test_argobots_by_its_prefix(self):
        prefix = self.argobots_prefix()
        program, source = os.path.join(self.work, "prefix-argobots"), os.path.join(HERE, "project", "argobots", "hello.c")
        run(CC, source, "-o", program, f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-labt")
        self.check_argobots(program, {"libweft-abt.so.0"})

    @unittest.skipUnless(shutil.which("gdb"), "no gdb here")
    def test_gdb_s_script(self):
        version = run("pkg-config", "--modversion", "weft", **self.flags).strip()
        for script in (run("pkg-config", "--variable=gdb_script", "weft", **self.flags).strip(), self.find(f"libweft.so.{version}-gdb.py")):
            with self.subTest(script):
                said = run("gdb", "-q", "-nx", "-batch", "-ex", f"source {script}", "-ex", "help weft threads")
                self.assertIn("Every thread", said)

    def threads_in_gdb(self, program, *settings):
        """What `weft threads` says at weft_finalize, and gdb before it, which nobody told of a script."""
        line = ["gdb", "-q", "-nx", "-batch", *settings, "-iex", "set debuginfod enabled off"]
        commands = ["set startup-with-shell off", "set breakpoint pending on", f"set environment LD_LIBRARY_PATH {self.libraries}", "break weft_finalize",
                    "run", "weft threads", "kill"]
        for command in commands:
            line += ["-ex", command]
        done = subprocess.run([*line, program], capture_output=True, text=True, timeout=100, check=False)
        if re.search(r"ptrace|Cannot trace|Could not trace|not permitted", done.stdout + done.stderr):
            self.skipTest("gdb may not trace here")
        return done.stdout + done.stderr

    @unittest.skipUnless(shutil.which("gdb"), "no gdb here")
    def test_gdb_finds_its_script_with_the_shared_library(self):
        program = self.by_pkg_config(CC, "c")
        said = self.threads_in_gdb(program, "-iex", f"add-auto-load-safe-path {self.prefix}")
        self.assertRegex(said, r"1 thread; \d+ workers? \(\d+ asleep\)\n  main: runs on worker 0")
        declined = self.threads_in_gdb(program)
        self.assertRegex(declined, rf'File "{self.prefix}/.*-gdb.py" auto-loading has been declined')
        self.assertIn(f"add-auto-load-safe-path {self.prefix}", declined)
        self.assertIn('Undefined command: "weft"', declined)

    def test_the_version_is_the_header_s(self):
        with open(self.find("version.h"), encoding="utf-8") as header:
            version = re.search(r'WEFT_VERSION "(.*)"', header.read()).group(1)
        self.assertEqual(run("pkg-config", "--modversion", "weft", **self.flags).strip(), version)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
