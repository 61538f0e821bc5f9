"""Weft, lightweight threads for C and C++: libraries, headers, what CMake and pkg-config read, the weft command, gdb's commands.

They lie in this package's folder as in a prefix: bin, include, lib, share. `python -m weft_threads` prints where."""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(FOLDER, "include")
CMAKE = os.path.join(FOLDER, "lib", "cmake", "weft")
PKG_CONFIG = os.path.join(FOLDER, "lib", "pkgconfig")


def run_command():
    """The weft command, in this process's place: `weft` in an environment's bin is this function."""
    path = os.path.join(FOLDER, "bin", "weft")
    try:
        os.execv(path, ["weft", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"weft: {path}: {error.strerror}; install weft-threads again")
