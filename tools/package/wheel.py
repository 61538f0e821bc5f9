#!/usr/bin/env python3
"""Builds the wheel weft-threads from the sources here: a Python package that holds what `make install` installs, for C and C++ programs.

usage: wheel.py FOLDER   builds in build/wheel, for machines whose C library is not older than that of this one, and puts the wheel into FOLDER
       wheel.py FOLDER --machine x86_64|aarch64 [--zig ZIG]   for each machine with glibc 2.28 or later, by the compiler zig

A wheel holds no symbolic links. So a shared library has one file, with the name that programs ask for (libweft.so.0.1), and
libweft.so beside it is a line that sends the linker there. Left out are what needs an MPI, the library with checks,
libweft-dist, libweft-alpi, libweft-event, the folders that stand in for an installed Argobots or Qthreads, those that Chapel's
and Open MPI's source trees compile, and the manual's section 3."""

import argparse
import base64
import glob
import hashlib
import os
import re
import shlex
import shutil
import sys
import sysconfig
import tempfile

import archive
import older_glibc
import tarball
from common import TOP, compiled, run, version

HERE = os.path.dirname(os.path.realpath(__file__))
MODULE = "weft_threads"
LIMIT_BYTES = 3_000_000
PARTS = ("faces/argobots", "faces/fortran", "faces/qthreads", "faces/threads", "lang/runtime", "tools/weft")  # folders of a build, beside the core
TARGETS = ("weft", "weft_static", *(f"{part}/all" for part in PARTS))
LEFT_OUT = ("lib/weft/*/lib", "lib/weft/weft-ranks", "share/man/man3", "share/doc")
# The compiler's name in each object, and clang's table of symbols by number, which strip has given other numbers.
ONLY_OF_THE_COMPILER = ("--remove-section=.comment", "--remove-section=.llvm_addrsig")
DESCRIPTION = """Weft is a runtime for lightweight threads in C and C++ on Linux. This package holds its libraries, headers,
what CMake and pkg-config read, the `weft` command and gdb's commands; it needs no other package.

    cmake -S . -B build -Dweft_DIR=$(python -m weft_threads --cmake-dir)
    export PKG_CONFIG_PATH=$(python -m weft_threads --pkg-config-dir)
    cc program.c -o program $(pkg-config --cflags --libs weft)
"""


def without_links(tree):
    """Each shared library gets the name that programs ask for; the linker's name leads there."""
    libraries = os.path.join(tree, "lib")
    renamed = {}
    for link in sorted(glob.glob(os.path.join(glob.escape(libraries), "*.so.*"))):
        if os.path.islink(link):
            renamed[os.path.basename(os.path.realpath(link))] = os.path.basename(link)
    for link in glob.glob(os.path.join(glob.escape(libraries), "*.so*")):
        if os.path.islink(link):
            os.remove(link)
    for whole, name in renamed.items():
        os.rename(os.path.join(libraries, whole), os.path.join(libraries, name))
        with open(os.path.join(libraries, re.sub(r"\.so\..*", ".so", name)), "w", encoding="utf-8") as script:
            script.write(f"/* for the linker: */ INPUT({name})\n")
        loader = os.path.join(libraries, f"{whole}-gdb.py")
        if os.path.exists(loader):
            os.rename(loader, os.path.join(libraries, f"{name}-gdb.py"))
    for path in glob.glob(os.path.join(glob.escape(libraries), "cmake", "weft", "*.cmake")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for whole, name in renamed.items():
            text = text.replace(f"/{whole}\"", f"/{name}\"")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def stage(build, package, machine):
    """Installs what a build folder has made, without debug information, to the folder of a Python package. machine: for which it was
    built for glibc 2.28; then it has no debug information already."""
    for part in ("", *PARTS):
        component = () if part else ("--component", "core")
        run("cmake", "--install", os.path.join(build, part), "--prefix", package, *([] if machine else ["--strip"]), *component)
    run("cmake", "--install", os.path.join(build, "tools", "weft"), "--prefix", package, "--component", "manual")
    for pattern in LEFT_OUT:
        for path in glob.glob(os.path.join(glob.escape(package), pattern)):
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    strip = older_glibc.strip_for(machine or os.uname().machine)
    if strip:
        run(strip, "--strip-unneeded", "--enable-deterministic-archives", *ONLY_OF_THE_COMPILER, *glob.glob(os.path.join(glob.escape(package), "lib", "*.a")))
    older_glibc.copy_notices(os.path.join(package, "share", "doc", "weft"), is_for_here=not machine)
    without_links(package)
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(os.path.join(HERE, MODULE, name), package)


def metadata(tag):
    """The files of the dist-info folder."""
    with open(os.path.join(TOP, "LICENSE"), encoding="utf-8") as file:
        text = file.read()
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: weft-threads\nVersion: {version()}\nSummary: Lightweight threads for C and C++\n"
                    "License: BSD-3-Clause\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n"
                    "Classifier: Operating System :: POSIX :: Linux\nClassifier: Programming Language :: C\n"
                    f"Classifier: Programming Language :: C++\n\n{DESCRIPTION}",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n",
        "entry_points.txt": f"[console_scripts]\nweft = {MODULE}:run_command\n",
        "LICENSE": text,
    }


def pack(tree, folder, tag):
    """The path of a wheel in the folder, made of a tree that holds the package. The same tree gives the same bytes."""
    info = f"{MODULE}-{version()}.dist-info"
    os.makedirs(os.path.join(tree, info))
    for name, text in metadata(tag).items():
        with open(os.path.join(tree, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    paths = sorted(os.path.relpath(os.path.join(place, name), tree) for place, _, names in os.walk(tree) for name in names)
    links = [path for path in paths if os.path.islink(os.path.join(tree, path))]
    if links:
        sys.exit(f"make wheel: a wheel holds no symbolic links: {', '.join(links)}")
    wheel = os.path.join(folder, f"{MODULE}-{version()}-py3-none-{tag}.whl")
    record = ""
    with archive.Zip(wheel) as made:
        for path in paths:
            with open(os.path.join(tree, path), "rb") as file:
                data = file.read()
            made.add(path, data, 0o755 if os.access(os.path.join(tree, path), os.X_OK) else 0o644)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        made.add(f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644)
    return wheel


def wheel_of(build, folder, machine=""):
    """machine: for which the folder was built for glibc 2.28; then it is looked into what such a machine lacks."""
    with tempfile.TemporaryDirectory() as tree:
        stage(build, os.path.join(tree, MODULE), machine)
        if machine:
            tarball.refuse_what_is_missing("wheel", tree)
        os.makedirs(folder, exist_ok=True)
        return pack(tree, folder, older_tag(machine) if machine else machine_tag())


def machine_tag():
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def older_tag(machine):
    return f"manylinux_{older_glibc.GLIBC.replace('.', '_')}_{machine}"


def main(folder, machine="", zig=""):
    if machine:
        build, whose = tarball.build_folder(machine), f"with glibc {older_glibc.GLIBC} or later"
        settings = older_glibc.settings(build, zig, machine)
    else:
        build, whose, settings = os.path.join(TOP, "build", "wheel"), "whose C library is not older than this one's", ()
    print(f"make wheel: building in {os.path.relpath(build)} (some minutes)", flush=True)
    compiled(build, TARGETS, *settings)
    wheel = wheel_of(build, folder, machine)
    size = os.path.getsize(wheel)
    print(f"{wheel} ({size / 1e6:.2f} MB)\nIt is for machines {whose}. To install it in an environment:\n\n"
          f"  python3 -m venv environment\n  environment/bin/pip install {shlex.quote(wheel)}")
    if size > LIMIT_BYTES:
        sys.exit(f"make wheel: the wheel is to have at most {LIMIT_BYTES / 1e6:.0f} MB"
                 + ("" if archive.zopfli else "; it gets smaller where the Python package zopfli is installed"))
    return wheel


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--machine", default="", choices=("", *older_glibc.MACHINES))
    parser.add_argument("--zig", default="")
    given = parser.parse_args()
    main(os.path.abspath(given.folder), given.machine, older_glibc.path_of_zig("wheel", given.zig) if given.machine else "")
