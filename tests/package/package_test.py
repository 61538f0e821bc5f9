#!/usr/bin/env python3
"""Installs Weft from a build folder into a temporary prefix, moves that, and builds outside C and
C++ programs against it: by find_package and by pkg-config, with the shared and with the static
library. They find their libraries without LD_LIBRARY_PATH. The C programs must need libc alone.

usage: package_test.py build-folder"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from outside import (CC, CXX, HERE, LIBC, LIBWEFT, LIBWEFT_ABT, LIBWEFT_ALPI, LIBWEFT_DIST, LIBWEFT_QTHREAD, LIBWEFT_TASCELL, SO_VERSION, TOP, VERSION, bare,
                     is_bound_at_start, needed, run)

TOUCHES_EACH_PAGE = "-fstack-clash-protection"  # so that a large frame cannot jump over a guard


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = folder.name
        cls.prefix = os.path.join(cls.work, "prefix")
        first = os.path.join(cls.work, "first")
        run("cmake", "--install", BUILD, "--prefix", first)
        os.rename(first, cls.prefix)
        cls.libraries = os.path.dirname(cls.find("libweft.so"))
        cls.flags = {"PKG_CONFIG_PATH": os.path.join(cls.libraries, "pkgconfig")}

    @classmethod
    def find(cls, name):
        found = [os.path.join(folder, name) for folder, _, names in os.walk(cls.prefix) if name in names]
        if not found:
            raise AssertionError(f"{name} was not installed")
        return found[0]

    def check_program(self, path, libraries):
        self.assertIn("42", run(path))
        if libraries is not None:
            self.assertEqual(needed(path) - LIBC, libraries, "what the program needs besides libc")

    def test_what_is_installed(self):
        for name in ("weft.h", "ext.h", "debug.h", "version.h", "libweft.so", "libweft.a", "weft.pc", "weft-config.cmake", "LICENSE"):
            self.find(name)
        self.assertEqual(needed(self.find("libweft.so")) - LIBC, set())

    def shared_libraries(self):
        """The path of each installed file that is a shared library, with the its dynamic section in words."""
        for folder, _, names in os.walk(self.prefix):
            for path in (os.path.join(folder, name) for name in names if ".so" in name and not name.endswith(".py")):
                if not os.path.islink(path):
                    yield path, run("readelf", "-d", path)

    def test_names_of_libraries_have_the_minor_version_until_1_0(self):
        libraries = [os.path.basename(path) for path, _ in self.shared_libraries()]
        self.assertIn(f"libweft.so.{VERSION}", libraries)
        for path, dynamic in self.shared_libraries():
            name = os.path.basename(path)
            is_of_an_mpi = os.path.basename(os.path.dirname(path)) == "weft"
            if is_of_an_mpi or not name.startswith("lib"):  # a module: it is loaded by its path
                continue
            with self.subTest(name):
                self.assertTrue(name.endswith(".so." + VERSION), name)
                self.assertIn(f"Library soname: [{name.removesuffix(VERSION)}{SO_VERSION}]", dynamic)
        versions = run("readelf", "-V", "-W", self.find("libweft.so"))
        self.assertIn(f"Name: WEFT_{'.'.join(VERSION.split('.')[:2])}\n", versions)

    def test_a_library_finds_its_siblings_wherever_the_tree_lies(self):
        """By its own run path: no part of a path of this machine, and no LD_LIBRARY_PATH."""
        wanting = 0
        for path, dynamic in self.shared_libraries():
            siblings = re.findall(r"\(NEEDED\).*\[(libweft.*)\]", dynamic)
            run_path = re.findall(r"\(RUNPATH\).*\[(.*)\]", dynamic)
            if not siblings:  # a module for another runtime may have that one's folder
                continue
            with self.subTest(os.path.basename(path)):
                self.assertEqual(run_path, ["$ORIGIN"])
                for name in siblings:
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), name)))
                wanting += 1
        if self.has_threads():
            self.assertGreater(wanting, 0)

    def by_find_package(self, language, **environment):
        build = os.path.join(self.work, "cmake-" + language)
        source = os.path.join(HERE, "project", language)
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", **environment)
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
            self.assertIn(TOUCHES_EACH_PAGE, commands.read())
        run("cmake", "--build", build)
        return [os.path.join(build, name) for name in ("with_weft", "with_weft_static")]

    def test_find_package_from_c_without_a_cxx_compiler(self):
        shared, static = self.by_find_package("c", CXX="/no/such/compiler")
        self.check_program(shared, {LIBWEFT})
        self.check_program(static, set())

    def test_find_package_from_cxx(self):
        shared, static = self.by_find_package("cpp")
        self.assertIn(LIBWEFT, needed(shared))
        self.assertNotIn(LIBWEFT, needed(static))
        self.check_program(shared, None)
        self.check_program(static, None)
        for program in (shared, static):  # these need C++20, which the project does not ask for
            self.check_program(os.path.join(os.path.dirname(program), "greeter_" + os.path.basename(program)), None)

    def by_pkg_config(self, compiler, language, *options):
        program = os.path.join(self.work, f"pc-{language}{''.join(options)}")
        source = os.path.join(HERE, "project", language, "hello." + language)
        static = ["--static"] if options else []
        flags = run("pkg-config", *static, "--cflags", "--libs", "weft", **self.flags).split()
        self.assertIn(TOUCHES_EACH_PAGE, flags)
        run(compiler, *options, source, "-o", program, *flags)
        return program

    def test_pkg_config(self):
        self.check_program(self.by_pkg_config(CC, "c"), {LIBWEFT})
        self.check_program(self.by_pkg_config(CXX, "cpp"), None)

    def test_pkg_config_fully_static(self):
        self.check_program(self.by_pkg_config(CC, "c", "-static"), set())
        self.check_program(self.by_pkg_config(CXX, "cpp", "-static"), None)

    def has_threads(self):
        return os.path.exists(os.path.join(self.prefix, "include", "weft_threads", "threads.h"))

    def check_threads(self, path, implementation):
        self.assertEqual(run(path), f"{implementation}: 42\n")
        self.assertEqual(needed(path) - LIBC - {f"libweft-threads.so.{SO_VERSION}", LIBWEFT}, set())

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

    def check_alpi(self, path, libraries):
        self.assertEqual(run(path), "ALPI 1.2: 42\n")
        self.assertEqual(needed(path) - LIBC - {LIBWEFT}, libraries)

    def test_alpi_by_find_package(self):
        self.needs_alpi()
        build = os.path.join(self.work, "cmake-alpi")
        run("cmake", "-G", "Ninja", "-S", os.path.join(HERE, "project", "alpi"), "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.check_alpi(os.path.join(build, "with_alpi"), {LIBWEFT_ALPI})
        self.check_alpi(os.path.join(build, "with_alpi_static"), set())

    def test_alpi_by_pkg_config(self):
        self.needs_alpi()
        source, program = os.path.join(HERE, "project", "alpi", "hello.c"), os.path.join(self.work, "pc-alpi")
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-alpi", **self.flags).split())
        self.check_alpi(program, {LIBWEFT_ALPI})
        run(CC, "-static", source, "-o", program, *run("pkg-config", "--static", "--cflags", "--libs", "weft-alpi", **self.flags).split())
        self.check_alpi(program, set())

    def needs_alpi(self):
        if not os.path.exists(os.path.join(self.libraries, "weft", "alpi")):
            self.skipTest("no ALPI here")

    def has_dist(self):
        return os.path.exists(os.path.join(self.libraries, "libweft-dist.so"))

    def check_dist(self, path, libraries):
        """By the installed command, which finds the note of the library in the program, or in libweft-dist.so."""
        self.assertEqual(run(path), "1 rank: 144\n")
        self.assertEqual(run(self.find("weft"), "launch", "-q", "-n", "3", path), "3 ranks: 144\n")
        self.assertEqual(needed(path) - LIBC, libraries)

    def test_dist_by_find_package(self):
        if not self.has_dist():
            self.skipTest("no libweft-dist here")
        build, source = os.path.join(self.work, "cmake-dist"), os.path.join(HERE, "project", "dist")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.check_dist(os.path.join(build, "with_dist"), {LIBWEFT_DIST})
        self.check_dist(os.path.join(build, "with_dist_static"), set())
        for name in ("with_dist", "with_dist_static"):
            self.assertTrue(is_bound_at_start(os.path.join(build, name)))

    def test_dist_by_pkg_config(self):
        if not self.has_dist():
            self.skipTest("no libweft-dist here")
        source = os.path.join(HERE, "project", "dist", "fib.c")
        for options, libraries in (((), {LIBWEFT_DIST}), (("-static",), set())):
            program = os.path.join(self.work, f"pc-dist{''.join(options)}")
            static = ["--static"] if options else []
            run(CC, *options, source, "-o", program, *run("pkg-config", *static, "--cflags", "--libs", "weft-dist", **self.flags).split())
            self.check_dist(program, libraries)
            self.assertEqual(is_bound_at_start(program), not options)  # a static one has nothing to bind

    def test_event_by_pkg_config(self):
        if "libweft-event.so" not in os.listdir(self.libraries):
            self.skipTest("no libweft-event here")
        source, program = os.path.join(TOP, "tests", "conform", "event", "none.c"), os.path.join(self.work, "pc-event")
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-event", **self.flags).split())
        self.assertIn(f"libweft-event.so.{SO_VERSION}", needed(program))
        run(program)

    def mpis(self):
        """The MPIs for which there is a library between programs and MPI, where their compilers have Debian's names."""
        names = [name for name in sorted(os.listdir(self.libraries)) if re.fullmatch(r"libweft-mpi-\w+\.so", name)]
        families = [name[len("libweft-mpi-") : -len(".so")] for name in names]
        return [family for family in families if shutil.which("mpicc." + family)]

    def check_mpi(self, program, mpi):
        self.assertIn(f"libweft-mpi-{mpi}.so.{SO_VERSION}", needed(program))
        self.assertEqual(run("timeout", "60", program), "42\n")  # one rank needs no launcher

    def test_mpi_by_find_package(self):
        if not self.mpis():
            self.skipTest("no libweft-mpi here")
        source = os.path.join(HERE, "project", "mpi")
        for mpi in self.mpis():
            with self.subTest(mpi):
                build = os.path.join(self.work, "cmake-mpi-" + mpi)
                run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DMPI_C_COMPILER=mpicc.{mpi}")
                run("cmake", "--build", build)
                self.check_mpi(os.path.join(build, "with_mpi"), mpi)

    def test_mpi_by_pkg_config(self):
        if not self.mpis():
            self.skipTest("no libweft-mpi here")
        source = os.path.join(HERE, "project", "mpi", "halves.c")
        for mpi in self.mpis():
            with self.subTest(mpi):
                program = os.path.join(self.work, "pc-mpi-" + mpi)
                run("mpicc." + mpi, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-mpi-" + mpi, **self.flags).split())
                self.check_mpi(program, mpi)

    def test_mpi_from_fortran_by_pkg_config(self):
        """The program calls nothing of the library itself, and the linker leaves out what it need not have."""
        mpis = [mpi for mpi in self.mpis() if shutil.which("mpifort." + mpi) and shutil.which("gfortran")]
        if not mpis:
            self.skipTest("no libweft-mpi here, or no Fortran compiler")
        source = os.path.join(HERE, "project", "mpi")
        for mpi in mpis:
            with self.subTest(mpi):
                program, threads = (os.path.join(self.work, f"pc-fortran-{mpi}{end}") for end in ("", ".o"))
                words = run("pkg-config", "--cflags", "--libs", "weft-mpi-" + mpi, **self.flags).split()
                run(CC, "-c", os.path.join(source, "two_threads.c"), "-o", threads, *words)
                run("mpifort." + mpi, "-w", "-J", self.work, "-Wl,--as-needed", os.path.join(source, "halves.f90"), threads, "-o", program, *words)
                self.check_mpi(program, mpi)

    def has_tascell(self):
        return os.path.exists(os.path.join(self.libraries, "libweft-tascell.so"))

    def test_tascell_by_find_package(self):
        if not self.has_tascell():
            self.skipTest("no libweft-tascell here")
        build, source = os.path.join(self.work, "cmake-tascell"), os.path.join(HERE, "project", "tascell")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertIn("no work to do", run("cmake", "--build", build))
        for name, libraries in (("tascell", {LIBWEFT_TASCELL}), ("tascell_static", set())):
            program = os.path.join(build, f"with_{name}")
            self.assertEqual(run(program), "75025\n")
            # The program itself calls libweft-tascell alone, so linkers differ over libweft.
            self.assertEqual(needed(program) - LIBC - ({LIBWEFT} if libraries else set()), libraries)
        if os.path.exists(os.path.join(self.prefix, "bin", "weft")):
            self.assertEqual(run(os.path.join(build, "compiled")), "75025\n")

    def test_tascell_by_pkg_config(self):
        if not self.has_tascell():
            self.skipTest("no libweft-tascell here")
        source, program = os.path.join(HERE, "project", "tascell", "fib.c"), os.path.join(self.work, "pc-tascell")
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-tascell", **self.flags).split())
        self.assertEqual(run(program), "75025\n")

    def argobots_prefix(self):
        folder = os.path.join(self.libraries, "weft", "argobots")
        if not os.path.isdir(folder):
            self.skipTest("no Argobots interface here")
        return folder

    def check_argobots(self, path, libraries):
        self.assertRegex(run(path), r"^Argobots 1\.\d+: 42\n$")
        self.assertEqual(needed(path) - LIBC - {LIBWEFT}, libraries, "what the program needs besides libc")

    def test_argobots_is_not_found_unasked(self):
        self.argobots_prefix()
        environment = bare(**self.flags, PKG_CONFIG_LIBDIR="")
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
                libraries = set() if "static" in target else {LIBWEFT_ABT}
                self.check_argobots(os.path.join(build, f"with_{target}"), libraries)

    def test_argobots_by_pkg_config(self):
        prefix = self.argobots_prefix()
        source = os.path.join(HERE, "project", "argobots", "hello.c")
        flags = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
        program = os.path.join(self.work, "pc-argobots")
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "argobots >= 1.2", **flags).split())
        self.check_argobots(program, {LIBWEFT_ABT})
        run(CC, "-static", source, "-o", program, *run("pkg-config", "--static", "--cflags", "--libs", "argobots", **flags).split())
        self.check_argobots(program, set())
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-abt", **self.flags).split())
        self.check_argobots(program, {LIBWEFT_ABT})

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
        self.check_argobots(program, {LIBWEFT_ABT})

    def qthreads_prefix(self):
        folder = os.path.join(self.libraries, "weft", "qthreads")
        if not os.path.isdir(folder):
            self.skipTest("no Qthreads interface here")
        return folder

    def check_qthreads(self, path, libraries):
        self.assertEqual(run(path), "Qthreads 1.23: 42\n")
        self.assertEqual(needed(path) - LIBC - {LIBWEFT}, libraries, "what the program needs besides libc")

    def test_the_folders_for_a_chapel_tree_are_where_its_page_says(self):
        folder = os.path.join(self.prefix, "share", "weft", "chapel")
        for path in ("make/tasks/Makefile.weft", "runtime/etc/Makefile.tasks-weft", "runtime/src/tasks/weft/tasks-weft.c",
                     "runtime/include/tasks/weft/chpl-tasks-impl.h"):
            self.assertTrue(os.path.exists(os.path.join(folder, path)), path)

    def test_the_folder_for_an_open_mpi_tree_is_where_its_page_says(self):
        folder = os.path.join(self.prefix, "share", "weft", "openmpi")
        for path in ("README.md", "weft/configure.m4", "weft/Makefile.am", "weft/threads_weft_mutex.h", "weft/threads_weft_component.c"):
            self.assertTrue(os.path.exists(os.path.join(folder, path)), path)

    def test_qthreads_is_not_found_unasked(self):
        self.qthreads_prefix()
        environment = bare(**self.flags, PKG_CONFIG_LIBDIR="")
        self.assertNotEqual(subprocess.run(["pkg-config", "--exists", "qthread"], env=environment, check=False).returncode, 0)
        beside = {name for folder in (self.libraries, os.path.join(self.prefix, "include")) for name in os.listdir(folder)}
        self.assertEqual({name for name in beside if name.startswith(("qthread", "libqthread"))}, set())

    def test_qthreads_by_find_package(self):
        prefix = self.qthreads_prefix()
        build, source = os.path.join(self.work, "cmake-qthreads"), os.path.join(HERE, "project", "qthreads")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix};{self.prefix}")
        run("cmake", "--build", build)
        for target in ("qthread", "weft_qthread", "weft_qthread_static"):
            with self.subTest(target):
                libraries = set() if "static" in target else {LIBWEFT_QTHREAD}
                self.check_qthreads(os.path.join(build, f"with_{target}"), libraries)

    def test_qthreads_by_libtool_archive(self):
        """As Chapel's compiler reads it: what to link is the name of the old library."""
        folder = os.path.join(self.qthreads_prefix(), "lib")
        with open(os.path.join(folder, "libqthread.la"), encoding="utf-8") as archive:
            names = dict(line.strip().split("=", 1) for line in archive if "=" in line)
        library = re.fullmatch(r"'lib(\w+)\.a'", names["old_library"]).group(1)
        program = os.path.join(self.work, "la-qthreads")
        run(CC, os.path.join(HERE, "project", "qthreads", "hello.c"), "-o", program, f"-I{folder}/../include", f"-L{folder}",
            f"-Wl,-rpath,{folder}", f"-l{library}", *names["dependency_libs"].strip("' ").split())
        self.check_qthreads(program, {LIBWEFT_QTHREAD})

    def test_qthreads_by_pkg_config(self):
        prefix = self.qthreads_prefix()
        source = os.path.join(HERE, "project", "qthreads", "hello.c")
        flags = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
        program = os.path.join(self.work, "pc-qthreads")
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "qthread = 1.23", **flags).split())
        self.check_qthreads(program, {LIBWEFT_QTHREAD})
        run(CC, "-static", source, "-o", program, *run("pkg-config", "--static", "--cflags", "--libs", "qthread", **flags).split())
        self.check_qthreads(program, set())
        run(CC, source, "-o", program, *run("pkg-config", "--cflags", "--libs", "weft-qthread", **self.flags).split())
        self.check_qthreads(program, {LIBWEFT_QTHREAD})

    def test_qthreads_by_its_prefix(self):
        prefix = self.qthreads_prefix()
        program, source = os.path.join(self.work, "prefix-qthreads"), os.path.join(HERE, "project", "qthreads", "hello.c")
        run(CC, source, "-o", program, f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lqthread")
        self.check_qthreads(program, {LIBWEFT_QTHREAD})
        archives = [os.path.join(prefix, "lib", name) for name in ("libqthread.a", "libweft.a")]
        run(CC, source, "-o", program, f"-I{prefix}/include", *archives, "-pthread")
        self.check_qthreads(program, set())

    def test_qthreads_headers_stand_alone_in_c_and_cxx(self):
        """Each of them, by the name that programs include it by."""
        include = os.path.join(self.qthreads_prefix(), "include")
        for name in ["qthread.h", "qthread-chapel.h", *sorted(os.path.join("qthread", name) for name in os.listdir(os.path.join(include, "qthread")) if name.endswith(".h"))]:
            for compiler, language in ((CC, ("-xc", "-std=gnu11")), (CXX, ("-xc++", "-std=gnu++17"))):
                with self.subTest(name, language=language[0]):
                    source = os.path.join(self.work, "includes-one.c")
                    with open(source, "w", encoding="utf-8") as file:
                        file.write(f"#include <{name}>\n")
                    run(compiler, *language, "-Wall", "-Werror", "-I", include, "-fsyntax-only", source)

    @unittest.skipUnless(shutil.which("gdb"), "no gdb here")
    def test_gdb_s_script(self):
        version = run("pkg-config", "--modversion", "weft", **self.flags).strip()
        for script in (run("pkg-config", "--variable=gdb_script", "weft", **self.flags).strip(), self.find(f"libweft.so.{version}-gdb.py")):
            with self.subTest(script):
                said = run("gdb", "-q", "-nx", "-batch", "-ex", f"source {script}", "-ex", "help weft threads")
                self.assertIn("Every thread", said)

    def threads_in_gdb(self, program, *settings):
        """What `weft threads` says at weft_finalize, and gdb before it, which was not told of a script."""
        line = ["gdb", "-q", "-nx", "-batch", *settings, "-iex", "set debuginfod enabled off"]
        commands = ["set startup-with-shell off", "set breakpoint pending on", "break weft_finalize",
                    "run", "weft threads", "kill"]
        for command in commands:
            line += ["-ex", command]
        done = subprocess.run([*line, program], env=bare(), capture_output=True, text=True, timeout=250, check=False)
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
        self.assertEqual(run("pkg-config", "--modversion", "weft", **self.flags).strip(), VERSION)

    def words(self):
        """What `make install` says at its end, and the lines of shell in it."""
        said = run(sys.executable, os.path.join(TOP, "tools", "setup", "prefix.py"), "words", self.prefix)
        return said, "".join(re.findall(r"^ +(export .*\n)", said, re.MULTILINE))

    def test_the_first_program_of_readme_as_written(self):
        """After the lines that `make install` ends with, and in a shell that knows nothing else."""
        with open(os.path.join(TOP, "README.md"), encoding="utf-8") as readme:
            program, commands, printed = re.search(r"^```c fib.c\n(.*?)^```$.*?^```sh\n(.*?)^```$.*?^```text\n(.*?)^```$", readme.read(),
                                                   re.MULTILINE | re.DOTALL).groups()
        with open(os.path.join(self.work, "fib.c"), "w", encoding="utf-8") as source:
            source.write(program)
        script = f"set -e; cd {self.work}\n{self.words()[1]}{commands}"
        self.assertEqual(run("env", "-i", f"PATH={os.environ['PATH']}", "sh", "-c", script), printed)

    def test_find_package_after_the_lines_that_install_prints(self):
        build, source = os.path.join(self.work, "cmake-words"), os.path.join(HERE, "project", "c")
        script = f"set -e\n{self.words()[1]}cmake -G Ninja -S {source} -B {build}; grep weft_DIR {build}/CMakeCache.txt"
        self.assertIn(self.prefix, run("env", "-i", f"PATH={os.environ['PATH']}", "sh", "-c", script).splitlines()[-1])

    def test_the_run_path_words_that_install_prints(self):
        flags = re.search(r"(?m)^ +(-I.*-lweft)$", self.words()[0]).group(1).split()
        program = os.path.join(self.work, "by-words")
        run(CC, os.path.join(HERE, "project", "c", "hello.c"), "-o", program, *flags)
        self.check_program(program, {LIBWEFT})

    def installed(self, prefix, ldconfig, destination):
        """weft.pc of a tree that is only packed, on a system whose ldconfig looks into one folder."""
        tools = os.path.join(self.work, "tools")
        os.makedirs(tools, exist_ok=True)
        with open(os.path.join(tools, "ldconfig"), "w", encoding="utf-8") as stand_in:
            stand_in.write(f"#!/bin/sh\n[ $# != 0 ] || touch {tools}/was-run\necho '{ldconfig}: (from nowhere)'\n")
        os.chmod(os.path.join(tools, "ldconfig"), 0o755)
        destination = os.path.join(self.work, destination)
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "core", DESTDIR=destination,
            PATH=os.pathsep.join((tools, os.environ["PATH"])))
        self.assertFalse(os.path.exists(os.path.join(tools, "was-run")), "a packed tree is no business of this system's loader")
        found = [os.path.join(folder, "weft.pc") for folder, _, names in os.walk(destination + prefix) if "weft.pc" in names]
        return run("pkg-config", "--libs", found[0])

    def test_a_run_path_is_noted_where_the_loader_does_not_look(self):
        libraries = os.path.relpath(self.libraries, self.prefix)
        self.assertIn("-Wl,-rpath,", self.installed("/opt/weft", "/opt/other/lib", "packed-apart"))
        self.assertNotIn("rpath", self.installed("/opt/weft", f"/opt/weft/{libraries}", "packed-known"))
        self.assertNotIn("rpath", self.installed("/usr", "/opt/other/lib", "packed-system"))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)  # names what is skipped, and why
