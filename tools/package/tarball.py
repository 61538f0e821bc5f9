#!/usr/bin/env python3
"""Builds tarballs for machines with glibc 2.28 or later from the sources here: what `make install` installs where no MPI is, to be
unpacked anywhere.

usage: tarball.py FOLDER [--machine x86_64|aarch64]... [--zig ZIG]   builds in build/glibc2.28-MACHINE, and puts the tarballs into FOLDER

The same tree gives the same bytes. What is built is looked into before it is packed: a library or a symbol that such a machine lacks
is an error."""

import argparse
import gzip
import os
import sys
import tarfile
import tempfile

import older_glibc
from common import TOP, compiled, run, version

TARGETS = ("weft", "weft_static", "weft_checked", "weft_checked_static", "net/all", "dist/all", "faces/all", "lang/all", "tools/weft/all")


def build_folder(machine):
    return os.path.join(TOP, "build", f"glibc{older_glibc.GLIBC}-{machine}")


def stage(build, tree):
    """Installs what a build folder has made."""
    for component in ((), ("--component", "checked")):
        run("cmake", "--install", build, "--prefix", tree, *component)
    older_glibc.copy_notices(os.path.join(tree, "share", "doc", "weft"))


def refuse_what_is_missing(word, tree):
    missing = older_glibc.what_is_missing(tree)
    if missing:
        sys.exit("\n".join(f"make {word}: {line}" for line in missing) + f"\nA machine with glibc {older_glibc.GLIBC} lacks it.")


def pack(tree, path):
    """The tree as a file, without what depends on when and as which user it was made."""
    def plain(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as zipped, tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(tree, os.path.basename(tree), recursive=False, filter=plain)
        for folder, folders, names in os.walk(tree):
            folders.sort()
            for name in sorted(folders + names):
                inside = os.path.join(folder, name)
                archive.add(inside, os.path.relpath(inside, os.path.dirname(tree)), recursive=False, filter=plain)


def tarball_of(build, folder, machine):
    name = f"weft-{version()}-linux-{machine}"
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, name)
        stage(build, tree)
        refuse_what_is_missing("tarball", tree)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{name}.tar.gz")
        pack(tree, path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--machine", action="append", choices=older_glibc.MACHINES)
    parser.add_argument("--zig", default="", help="the compiler; without it, the one that is found")
    arguments = parser.parse_args()
    zig = older_glibc.path_of_zig("tarball", arguments.zig)
    for machine in arguments.machine or older_glibc.MACHINES:
        build = build_folder(machine)
        print(f"make tarball: building in {os.path.relpath(build)} (some minutes)", flush=True)
        compiled(build, TARGETS, *older_glibc.settings(build, zig, machine))
        path = tarball_of(build, os.path.abspath(arguments.folder), machine)
        print(f"{path} ({os.path.getsize(path) / 1e6:.2f} MB)", flush=True)
    print(f"To use one, on a machine with glibc {older_glibc.GLIBC} or later: tar -xf FILE, and name the folder to CMake as weft_ROOT, or its\n"
          "lib/pkgconfig to pkg-config.")


if __name__ == "__main__":
    main()
