#!/usr/bin/env python3
"""Weft's sources inside another project: how they are compiled there. And what Weft does not run on
is refused in one line, by the build and by the headers.

usage: sources_test.py release-build-folder"""

import os
import re
import sys
import tempfile
import unittest

from outside import CC, CXX, HERE, TOP, compile_lines, refused, run

PLATFORM = os.path.join(TOP, "cmake", "platform.cmake")
ONLY_LINUX, ONLY_CPUS = r"Weft runs on Linux alone, and this", r"Weft runs on x86-64 and aarch64, 64 bits wide, and this"


class SourcesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.build = os.path.join(self.work, "build")

    def configure(self, *options, command=run):
        return command("cmake", "-G", "Ninja", "-S", os.path.join(HERE, "project", "subproject"), "-B", self.build, f"-DWEFT_SOURCES={TOP}",
                       "-DWEFT_FACES=OFF", *options)

    def of_weft(self, target):
        lines = [line for line in compile_lines(self.build, target) if TOP + "/src/" in line]
        self.assertGreater(len(lines), 50)
        return lines

    def test_without_a_build_type_weft_is_optimised_and_nothing_else(self):
        self.configure("-DCMAKE_C_FLAGS=-DFROM_OUTSIDE", "-DCMAKE_CXX_FLAGS=-O2")
        for line in self.of_weft("weft"):
            self.assertRegex(line, r"-O3 .*-DNDEBUG")
            if line.endswith(".cpp"):
                self.assertRegex(line, r"-O3 .*-O2", "what the project asks for comes later")
        others = [line for line in compile_lines(self.build, "with_weft") if TOP + "/src/" not in line]
        self.assertEqual(len(others), 1)
        self.assertNotRegex(others[0], "-O|NDEBUG")

    def test_a_debug_build_without_checks_links(self):
        """Where compilers inline little, many objects have a copy of one function. The linker drops
        all but one copy, and must drop what a copy says to the kernel, too. Built are the objects
        that have such functions: to build all of them takes a minute."""
        self.configure("-DCMAKE_BUILD_TYPE=Debug")
        self.assertNotRegex("\n".join(self.of_weft("weft")), "-O[1-3]|-DWEFT_CHECKED|-DNDEBUG")
        objects = [f"weft/src/{layer}/CMakeFiles/weft_{layer}.dir/{name}.cpp.o" for layer, name in
                   (("sync", "mutex"), ("sync", "condvar"), ("capi", "sync"))]
        run("ninja", "-C", self.build, *objects)
        run(CC, "-r", "-nostdlib", *(os.path.join(self.build, name) for name in objects), "-o", os.path.join(self.work, "linked.o"))

    def test_library_folders_follow_the_prefix(self):
        """On Debian, libraries of /usr lie in a folder of the machine's name, and gdb's scripts in
        one of gdb's own; elsewhere they do not."""
        machine = run(CC, "-print-multiarch").strip() if os.path.exists("/etc/debian_version") else ""
        if not machine:
            self.skipTest("library folders of this system have other names")
        for prefix, libraries, scripts in (("/usr/local", "lib", "lib"), ("/usr", f"lib/{machine}", f"share/gdb/auto-load/usr/lib/{machine}")):
            with self.subTest(prefix):
                self.configure(f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DWEFT_FACES=ON")
                with open(os.path.join(self.build, "weft", "weft.pc"), encoding="utf-8") as package:
                    self.assertIn(f"\nlibdir=${{prefix}}/{libraries}\n", package.read())
                modules = "\n".join(compile_lines(self.build, "weft_threads_objects"))
                self.assertIn(f"{prefix}/{libraries}/weft-threads", modules)
                with open(os.path.join(self.build, "weft", "cmake_install.cmake"), encoding="utf-8") as script:
                    self.assertIn(f'DESTINATION "${{CMAKE_INSTALL_PREFIX}}/{scripts}" TYPE FILE FILES "{self.build}/weft/gdb/', script.read())

    def test_the_library_with_checks_is_built_when_it_is_asked_for(self):
        for target, has_checks in (("weft", False), ("weft_checked", True)):
            lines = [line for line in compile_lines(BUILD, target) if "/src/" in line]
            self.assertGreater(len(lines), 50)
            for line in lines:
                self.assertEqual("-DWEFT_CHECKED" in line, has_checks, line)
        unasked = run("ninja", "-C", BUILD, "-t", "commands", "all")
        self.assertNotIn("weft_checked_objects", unasked)

    def test_a_list_of_faces_builds_these_alone(self):
        self.configure("-DWEFT_FACES=threads;alpi")
        built = run("ninja", "-C", self.build, "-t", "targets", "all")
        for face, path in (("alpi", "weft-alpi"), ("threads", "weft-threads"), ("argobots", "weft-abt"), ("qthreads", "weft-qthread")):
            self.assertEqual(re.search(rf"(?m)^weft/faces/{face}/lib{path}\.so:", built) is not None, face in ("alpi", "threads"), face)
        said = self.configure("-DWEFT_FACES=threads;alpine", command=refused)
        self.assertIn("WEFT_FACES=threads;alpine: there is no face alpine; there are alpi, argobots,", " ".join(said.split()))

    def test_a_build_for_another_system_or_cpu_is_refused(self):
        for system, processor, pointer_bytes, words in (("Darwin", "arm64", 8, ONLY_LINUX), ("FreeBSD", "x86_64", 8, ONLY_LINUX),
                                                        ("Linux", "riscv64", 8, ONLY_CPUS), ("Linux", "ppc64le", 8, ONLY_CPUS),
                                                        ("Linux", "x86_64", 4, ONLY_CPUS),
                                                        ("Linux", "armv7l", 4, ONLY_CPUS)):
            with self.subTest(system=system, processor=processor, pointer_bytes=pointer_bytes):
                said = refused("cmake", f"-DCMAKE_SYSTEM_NAME={system}", f"-DCMAKE_SYSTEM_PROCESSOR={processor}",
                               f"-DCMAKE_SIZEOF_VOID_P={pointer_bytes}", "-P", PLATFORM)
                self.assertRegex(" ".join(said.split()), words)
                self.assertEqual(said.count("CMake Error"), 1)
        said = self.configure("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=riscv64", command=refused)
        self.assertRegex(" ".join(said.split()), ONLY_CPUS)
        self.assertEqual(said.count("CMake Error"), 1)

    def platform_refuses(self, *options):
        """What a build on this platform with other compilers is told, on one line."""
        said = refused("cmake", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=x86_64", "-DCMAKE_SIZEOF_VOID_P=8", *options, "-P", PLATFORM)
        self.assertEqual(said.count("CMake Error"), 1)
        return " ".join(said.split())

    def test_compilers_that_are_too_old_are_refused(self):
        for kind, version, words in (("GNU", "11.4.0", "compiled by g++ 12 or later, and old-compiler is version 11.4.0: name a newer one by"),
                                     ("Clang", "15.0.7", "compiled by clang++ 16 or later, and old-compiler is version 15.0.7")):
            with self.subTest(kind):
                compiler = (f"-DCMAKE_CXX_COMPILER_ID={kind}", f"-DCMAKE_CXX_COMPILER_VERSION={version}", "-DCMAKE_CXX_COMPILER=old-compiler")
                self.assertIn(words, self.platform_refuses(*compiler))

    def test_another_c_library_is_refused(self):
        """A compiler whose features.h says nothing of glibc."""
        compiler = os.path.join(self.work, "cc")
        with open(compiler, "w", encoding="utf-8") as script:
            script.write("#!/bin/sh\necho '#define __linux__ 1'\n")
        os.chmod(compiler, 0o755)
        self.assertIn("needs the C library of GNU (glibc)", self.platform_refuses(f"-DCMAKE_C_COMPILER={compiler}"))
        run("cmake", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=x86_64", "-DCMAKE_SIZEOF_VOID_P=8", f"-DCMAKE_C_COMPILER={CC}", "-P", PLATFORM)

    def test_headers_refuse_a_compiler_for_another_system_or_cpu(self):
        languages = ((CC, "c", ("weft.h", "hot.h", "loops.h", "ext.h", "debug.h")), (CXX, "c++", ("weft.hpp",)))
        for compiler, language, headers in languages:
            for header in headers:
                for option, words in (("-U__linux__", ONLY_LINUX), ("-U__LP64__", ONLY_CPUS)):
                    with self.subTest(header=header, option=option):
                        standard = "-std=c++20" if language == "c++" else "-std=c11"
                        said = refused(compiler, "-x", language, standard, option, f"-I{TOP}/include", "-E", "-o", os.devnull, "-include", f"weft/{header}",
                                       "/dev/null")
                        errors = re.findall(r"(?m)^.*error:.*$", said)
                        self.assertEqual(len(errors), 1, said)
                        self.assertRegex(errors[0], words)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)  # names what is skipped, and why
