"""What the tests of packages share: commands are run as a user runs them who has never heard of a build folder."""

import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
LIBC = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

with open(os.path.join(TOP, "include", "weft", "version.h"), encoding="utf-8") as version_header:
    VERSION = re.search(r'WEFT_VERSION "(.*)"', version_header.read()).group(1)
SO_VERSION = ".".join(VERSION.split(".")[: 2 if VERSION.startswith("0.") else 1])
LIBWEFT, LIBWEFT_ABT = f"libweft.so.{SO_VERSION}", f"libweft-abt.so.{SO_VERSION}"
LIBWEFT_ALPI = f"libweft-alpi.so.{SO_VERSION}"
LIBWEFT_QTHREAD = f"libweft-qthread.so.{SO_VERSION}"
LIBWEFT_DIST = f"libweft-dist.so.{SO_VERSION}"
LIBWEFT_TASCELL = f"libweft-tascell.so.{SO_VERSION}"

# What would help to find a library in a folder that is not the system's.
FINDS = ("PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH", "LD_RUN_PATH", "LIBRARY_PATH", "CPATH", "DESTDIR")


def bare(**environment):
    kept = {name: value for name, value in os.environ.items() if name not in FINDS and not name.startswith(("WEFT_", "CMAKE_BUILD_"))}
    return dict(kept, **environment)


def run(*command, **environment):
    done = subprocess.run(command, env=bare(**environment), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def refused(*command, **environment):
    """What a command says that must fail."""
    done = subprocess.run(command, env=bare(**environment), capture_output=True, text=True, check=False)
    if done.returncode == 0:
        raise AssertionError(f"{' '.join(command)}: succeeded\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path)))


def is_bound_at_start(path):
    """Whether the dynamic linker finds all functions of the program when it starts."""
    return re.search(r"\(FLAGS_1\).*\bNOW\b", run("readelf", "-d", path)) is not None


def compile_lines(build, target):
    """How each source of a target, and of what it is made of, is compiled."""
    lines = run("ninja", "-C", build, "-t", "commands", target).splitlines()
    return [line for line in lines if re.search(r" -c \S+\.(c|cpp|S)$", line)]
