#!/usr/bin/env python3
"""How much stack calls of libraries take, as a table in Markdown: builds the programs of this folder for whose library this machine has
development files, and runs each by `weft stacks`. Each row of a program is a thread function of its own, named for the call.

The exit status is 0 if each program whose library is there was built and ran. Libraries that are not there are named on standard error,
with the Debian package to install."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

FOLDER = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(FOLDER))
OWN_FRAMES = 8 << 10
SIZES = {"16 KiB": 16 << 10, "64 KiB": 64 << 10, "192 KiB": 192 << 10, "1 MiB": 1 << 20, "4 MiB": 4 << 20}
DEFAULT_SIZE = "192 KiB"
LIMIT_S = 300
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
ROW = re.compile(r"^ *([\d,]+) B .* (\w+)$", re.MULTILINE)
VERSION = re.compile(r"^version: (.*)$", re.MULTILINE)


class Problem(Exception):
    pass


@dataclass
class Library:
    title: str
    source: str
    package: str  # of Debian
    pkg_config: str = ""
    compiler: str = ""
    launcher: tuple[str, ...] = ()


LIBRARIES = {
    "libc": Library("glibc", "libc.c", "libc6-dev"),
    "libstdcxx": Library("libstdc++", "libstdcxx.cpp", "g++"),
    "sqlite": Library("SQLite", "sqlite.c", "libsqlite3-dev", "sqlite3"),
    "openssl": Library("OpenSSL", "openssl.c", "libssl-dev", "openssl"),
    "zlib": Library("zlib", "zlib.c", "zlib1g-dev", "zlib"),
    "curl": Library("curl", "curl.c", "libcurl4-openssl-dev", "libcurl"),
    "libxml2": Library("libxml2", "libxml2.c", "libxml2-dev", "libxml-2.0"),
    "lua": Library("Lua", "lua.c", "liblua5.4-dev", "lua5.4"),
    "python": Library("Python", "python.c", "python3-dev", "python3-embed"),
    "openblas": Library("OpenBLAS", "openblas.c", "libopenblas-dev", "openblas"),
    "fftw": Library("FFTW", "fftw.c", "libfftw3-dev", "fftw3"),
    "hdf5": Library("HDF5", "hdf5.c", "libhdf5-dev", "hdf5"),
    "mpich": Library("MPICH", "mpi.c", "mpich libmpich-dev", compiler="mpicc.mpich", launcher=("mpirun.mpich", "-n", "2")),
    "openmpi": Library("Open MPI", "mpi.c", "openmpi-bin libopenmpi-dev", compiler="mpicc.openmpi",
                       launcher=("mpirun.openmpi", "--oversubscribe", "-n", "2")),
}


@dataclass
class Program:
    title: str
    compiler: list[str]
    source: str
    flags: list[str]
    launcher: list[str]


def compiler_of(library):
    if library.compiler:
        return [library.compiler]
    return ["c++", "-std=c++20"] if library.source.endswith(".cpp") else ["cc"]


def flags_of(library):
    """The flags to compile and link with; None if pkg-config does not know the library."""
    if not library.pkg_config:
        return []
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", library.pkg_config], capture_output=True, text=True, check=False)
    return asked.stdout.split() if asked.returncode == 0 else None


def find(library):
    """The program of a library, or a string that says what is missing."""
    compiler = compiler_of(library)
    tools = [compiler[0], *library.launcher[:1], *(["pkg-config"] if library.pkg_config else [])]
    for tool in tools:
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    if (flags := flags_of(library)) is None:
        return f"pkg-config finds no {library.pkg_config}"
    return Program(library.title, compiler, os.path.join(FOLDER, library.source), flags, list(library.launcher))


def run(what, words, folder):
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=LIMIT_S,
                              env={**os.environ, **AS_ROOT}, check=False)
    except subprocess.TimeoutExpired:
        raise Problem(f"{what} has not ended after {LIMIT_S} s: {' '.join(words)}") from None
    if done.returncode != 0:
        raise Problem(f"{what} failed (exit status {done.returncode}): {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(program, build):
    """(version of the library, [(call, bytes)] in the order of the program's source)"""
    with tempfile.TemporaryDirectory(prefix="weft-stacks-") as folder:
        binary = os.path.join(folder, "program")
        weft = os.path.join(build, "tools", "weft", "weft")
        with_weft = ["-I", os.path.join(TOP, "include"), "-L", build, f"-Wl,-rpath,{build}", "-lweft"]
        run(f"{program.title}: the build", [*program.compiler, "-O2", program.source, "-o", binary, *program.flags, *with_weft], folder)
        said = run(f"{program.title}: the run", [*program.launcher, weft, "stacks", "--", binary], folder)
    depths = {}
    for count, call in ROW.findall(said):  # of each rank
        depths[call] = max(int(count.replace(",", "")), depths.get(call, 0))
    version = VERSION.search(said)
    if not depths or version is None:
        raise Problem(f"{program.title}: `weft stacks` printed no rows or no version:\n{said}")
    with open(program.source, encoding="utf-8") as file:
        in_order = list(dict.fromkeys(re.findall(r"\w+", file.read())))
    return version.group(1), sorted(depths.items(), key=lambda row: in_order.index(row[0]))


def smallest(count):
    """The smallest of the sizes that has room for a call and for frames of the program's own."""
    for name, size in SIZES.items():
        if count + OWN_FRAMES <= size:
            return f"{name} (default)" if name == DEFAULT_SIZE else name
    return "larger"


def rows_of(title, version, depths):
    for call, count in depths:
        yield f"| {title} {version} | `{call}` | {count:,} | {smallest(count)} |"


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("build", help="a build folder in which libweft and the weft command are, as build/release")
    reader.add_argument("--only", nargs="+", choices=LIBRARIES, default=LIBRARIES, metavar="LIBRARY", help=f"some of {' '.join(LIBRARIES)}")
    options = reader.parse_args()
    print("| library | call | bytes | fits into |\n|---|---|---|---|")
    failed = False
    for name in options.only:
        library = LIBRARIES[name]
        program = find(library)
        if isinstance(program, str):
            print(f"skipped {name}: {program}; install {library.package}", file=sys.stderr)
            continue
        try:
            for row in rows_of(library.title, *measure(program, os.path.abspath(options.build))):
                print(row, flush=True)
        except Problem as problem:
            failed = True
            print(f"table.py: {problem}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
