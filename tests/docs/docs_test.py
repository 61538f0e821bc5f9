#!/usr/bin/env python3
"""README.md and the guide's pages on kinds of parallelism, debuggers, reports, schedules, traces, the
library with checks, ranks, the global heap, the threads interface, and programs for Argobots,
Qthreads and Boost.Fiber do what they say. Their blocks are taken in order:

  ```c NAME, ```cpp NAME, ```fortran NAME
                           saved as NAME
  ```sh                    run in a folder with those files, in a shell that has the lines that
                           `make install` ends with; `./dev WORD` is not run, but checked to be a
                           word with its packages and a rule of the Makefile
  ```cmake                 lines of a project whose program fib is built and run
  ```text                  what the commands before it printed

usage: docs_test.py build-folder [DocsTest.test_...]"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_A_USER_S = ("PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH")


def run(command, folder):
    environment = {name: value for name, value in os.environ.items() if name not in NOT_A_USER_S and not name.startswith("WEFT_")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, shell=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def gdb_works():
    line = ["gdb", "-q", "-nx", "-batch", "-ex", "run", "/bin/true"]
    return shutil.which("gdb") is not None and "exited normally" in subprocess.run(line, capture_output=True, text=True).stdout


def has_checks():
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        return re.search(r"(?m)^WEFT_CHECKED:BOOL=ON$", cache.read()) is not None


class DocsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def install(self):
        """Weft in a folder that was moved, and the lines that `make install` ends with for it."""
        first, prefix = os.path.join(self.work, "first"), os.path.join(self.work, "prefix")
        for component in ("--component core", "--component checked") if has_checks() else ("",):
            run(f"cmake --install {BUILD} --prefix {first} {component}", TOP)
        os.rename(first, prefix)
        said = run(f"{sys.executable} {TOP}/tools/setup/prefix.py words {prefix}", TOP)
        return "".join(re.findall(r"^ +(export .*\n)", said, re.MULTILINE))

    def check_word(self, line):
        word, *variables = line.split()[1:]
        with open(os.path.join(TOP, "tools", "setup", "packages.txt"), encoding="utf-8") as table:
            self.assertRegex(table.read(), rf"(?m)^{word}:", f"{line}: the table of packages has no such word")
        run(f"make -n {word} {' '.join(variables)}", TOP)

    def test_readme_does_what_it_says(self):
        self.check_page("README.md")

    def test_the_guide_to_kinds_of_parallelism_does_what_it_says(self):
        self.check_page("docs/guide/which-parallelism.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "dist")), "no libweft-dist here")
    def test_the_page_on_ranks_does_what_it_says(self):
        self.check_page("docs/guide/ranks.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "dist")), "no libweft-dist here")
    def test_the_page_on_the_global_heap_does_what_it_says(self):
        self.check_page("docs/guide/global-heap.md")

    def test_the_page_on_os_threads_does_what_it_says(self):
        def steady(text):
            return re.sub(r"\b0x[0-9a-f]+|\d+(?= ms\b)|(?<=OS thread )\d+|(?<=pipe:\[)\d+", "0", text)

        self.check_page("docs/guide/os-threads.md", steady)

    def test_the_page_on_how_a_thread_runs_does_what_it_says(self):
        self.check_page("docs/guide/how-a-thread-runs.md")

    def test_the_page_on_waiting_does_what_it_says(self):
        self.check_page("docs/guide/waiting.md")

    def test_the_page_on_programs_for_boost_fiber_does_what_it_says(self):
        self.check_page("docs/guide/boost-fiber.md")

    def test_the_page_on_coroutines_does_what_it_says(self):
        self.check_page("docs/guide/coroutines.md")

    @unittest.skipUnless(os.path.exists("/usr/include/boost/asio/version.hpp"), "no Boost here")
    def test_the_page_on_asio_does_what_it_says(self):
        self.check_page("docs/guide/asio.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "faces", "threads")), "no threads interface here")
    def test_the_page_on_the_threads_interface_does_what_it_says(self):
        self.check_page("docs/guide/threads-interface.md")

    @unittest.skipUnless(all(map(shutil.which, ("mpicc", "mpifort", "mpirun"))), "no mpicc, mpifort or mpirun here")
    def test_the_page_on_mpi_and_threads_does_what_it_says(self):
        roots = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"]  # tests may run in a container
        with unittest.mock.patch.dict(os.environ, {each: "1" for each in roots}):
            self.check_page("docs/guide/mpi-threads.md")

    @unittest.skipUnless(shutil.which("gfortran"), "no gfortran here")
    def test_the_page_on_fortran_does_what_it_says(self):
        def steady(text):  # an address, and the lines of gfortran's own below the first one
            return re.sub(r"\(0x[0-9a-f]+\)", "(0x)", text)

        self.check_page("docs/guide/fortran.md", steady)

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "faces", "argobots")), "no Argobots interface here")
    def test_the_page_on_argobots_programs_does_what_it_says(self):
        self.check_page("docs/guide/argobots.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "faces", "qthreads", "install.cmake")), "no Qthreads interface here")
    def test_the_page_on_qthreads_programs_does_what_it_says(self):
        self.check_page("docs/guide/qthreads.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "faces", "alpi")), "no ALPI here")
    def test_the_page_on_task_aware_libraries_does_what_it_says(self):
        self.check_page("docs/guide/alpi.md")

    @unittest.skipUnless(gdb_works(), "no gdb here, or it may not trace")
    def test_the_page_on_debuggers_does_what_it_says(self):
        def steady(text):  # what differs from run to run
            return re.sub(r"\d+\.\d+( s\b| of | KiB)", r"0\1", re.sub(r"0x[0-9a-f]+|(?<=\+)\d+", "0x", text))

        self.check_page("docs/guide/debugger.md", steady)

    def test_the_page_on_schedules_does_what_it_says(self):
        def steady(text):
            return re.sub(r"0x[0-9a-f]+|(?<=\+)\d+", "0x", text)

        self.check_page("docs/guide/replay.md", steady)

    def test_the_page_on_reports_does_what_it_says(self):
        def steady(text):  # the core's own frames, and those of libc, are of this compiler and this libc
            self.assertNotIn("_Z", text)  # readable also in a C program
            text = re.sub(r"(?m)^weft: +#\d+ .*lib(weft|c)\.so.*\n", "", text)
            return re.sub(r"(?<=#)\d+|\d+\.\d(?= s\b)|0x[0-9a-f]+", "0", text)

        self.check_page("docs/guide/reports.md", steady)

    def test_the_page_on_generators_does_what_it_says(self):
        self.check_page("docs/guide/generators.md")

    def test_the_page_on_traces_does_what_it_says(self):
        def steady(text):  # times, and what comes of them
            text = re.sub(r"\d+(\.\d+)? (s|ms|us|ns|%)|(?<=parallelism) +\d+(\.\d+)?", "0", text)
            return re.sub(r" +", " ", re.sub(r"-{20,}", "--", text))

        self.check_page("docs/guide/tracing.md", steady)

    def test_the_page_on_the_library_with_checks_does_what_it_says(self):
        if not has_checks():
            self.skipTest("a build with checks has this library already: it runs this")
        run(f"cmake --build {BUILD} --target weft weft_static weft_checked weft_checked_static", TOP)
        self.check_page("docs/guide/checked.md", lambda text: re.sub(r"0x[0-9a-f]+", "0x", text))

    def check_page(self, path, steady=lambda text: text):
        with open(os.path.join(TOP, path), encoding="utf-8") as page:
            blocks = BLOCK.findall(page.read())
        found = "set -e\n" + self.install()
        printed, programs, outputs = "", 0, 0
        for language, name, text in blocks:
            if language in ("c", "cpp", "fortran"):
                self.assertTrue(name, f"a block of {language} has no file name")
                with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
                    file.write(text)
                programs += language != "fortran"  # which may have a part in C
            elif language == "sh":
                lines = [line for line in text.split("\n") if line.strip()]
                for line in (line for line in lines if line.startswith("./dev")):
                    self.check_word(line)
                printed = run(found + "\n".join(line for line in lines if not line.startswith("./dev")), self.work)
            elif language == "cmake":
                run(found + self.cmake_project(text), self.work)
            elif language == "text":
                self.assertEqual(steady(printed), steady(text))
                outputs += 1
        self.assertGreater(outputs, 0)
        self.assertLessEqual(programs, outputs, "each program shows what it prints")

    def cmake_project(self, lines):
        """What builds and runs fib, a program of the page's, in a project of these lines."""
        with open(os.path.join(self.work, "CMakeLists.txt"), "w", encoding="utf-8") as project:
            project.write(f"cmake_minimum_required(VERSION 3.25)\nproject(fib LANGUAGES CXX)\nadd_executable(fib fib.cpp)\n{lines}")
        return "cmake -S . -B project && cmake --build project && project/fib"


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
