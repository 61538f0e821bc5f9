"""The programs that measure: `weft bench` and weft-bench-RUNTIME for each rival that was installed when they were built. Each says with
--list what it can run, so that nothing about kernels stands here."""

import json
import os
import subprocess

# Rivals that there can be, and what to install so that the build finds them. A runtime that is not here, but whose program is, is
# measured all the same.
RIVALS = {
    "openmp": "a compiler with OpenMP",
    "libomp": "clang and its OpenMP beside another compiler: clang-19 libomp-19-dev",
    "tbb": "oneTBB: libtbb-dev",
    "boost-fiber": "Boost.Fiber: libboost-fiber-dev",
    "argobots": "Argobots, found by pkg-config",
    "argobots-tasklet": "Argobots, found by pkg-config",
    "lace": "Lace 1.4, found by pkg-config",
    "os-threads": "nothing: the preset bench builds it",
    "taskflow": "Taskflow 4, found by CMake",
    "libfork": "libfork 3, found by CMake",
    "qthreads": "Qthreads, found by CMake (CMAKE_PREFIX_PATH)",
    "massivethreads": "MassiveThreads, found by CMake (CMAKE_PREFIX_PATH)",
    "go": "Go 1.19 or later: golang-go",
    "rayon": "cargo and rayon: cargo librust-rayon-dev",
}
NEEDED = ("sequential", "ult", "tasklet", "fork")
OWN = (*NEEDED, "tascell", "tascell-library")
# Measured where they are asked for: the threads interface on Weft and on others; OpenMP's regions, which have loops only.
NOT_USUAL = ("threads-", "openmp-regions-", "libomp-regions-")
IDLE = ("cannot", "not written", "not installed")  # statuses of cells that nothing is expected of
LISTING = "weft-bench-list-1"
LISTING_LIMIT_S = 20


class Problem(Exception):
    """What the user can put right; the message says how."""


class Runtime:
    def __init__(self, name, command, listing, runtime):
        self.name, self.command = name, command
        self.programs = {program["program"]: program for program in listing["programs"]}
        self.children, self.version = runtime["children"], runtime["version"]
        self.runs, self.cannot = runtime["runs"], runtime["cannot"]

    def status_of(self, kernel):
        """(the status of a cell before it is run, and why it will not be)."""
        if kernel in self.runs:
            return "to run", ""
        return ("cannot", self.cannot[kernel]) if kernel in self.cannot else ("not written", "")


def ask(command):
    """The listing of a program, or None when it gives none."""
    try:
        done = subprocess.run([*command, "--list"], capture_output=True, text=True, timeout=LISTING_LIMIT_S, check=False)
        listing = json.loads(done.stdout)
        return listing if listing["format"] == LISTING else None
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
        return None


def candidates(build):
    """(command, the name of its file) of everything there that may measure."""
    yield [os.path.join(build, "tools", "weft", "weft"), "bench"], "weft"
    folder = os.path.join(build, "bench", "runtimes")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        if name.startswith("weft-bench-") and os.path.isfile(path) and os.access(path, os.X_OK):
            yield [path], name


def find(build):
    """Runtimes by their names, and the programs that would not say what they can run."""
    found, silent = {}, {}
    for command, name in candidates(build):
        listing = ask(command)
        if listing is None:
            silent[name.removeprefix("weft-bench-")] = f"{command[0]} --list gives no listing"
            continue
        for runtime in listing["runtimes"]:
            found[runtime["runtime"]] = Runtime(runtime["runtime"], command, listing, runtime)
    if not set(NEEDED) <= set(found):
        raise Problem(f"{build}/tools/weft/weft is not there or does not run: build it (make bench does)")
    return found, silent


def choose(kind, wanted, there):
    """The wanted names, all of which must be there; all that are there when none is wanted."""
    unknown = [name for name in wanted if name not in there]
    if unknown:
        raise Problem(f"there is no {kind} '{unknown[0]}'\n{kind}s: {', '.join(there)}")
    return list(wanted) or list(there)


def is_usual(runtime):
    return not (runtime + "-").startswith(NOT_USUAL)


def libraries(program):
    """The shared libraries that it loads, as far as ldd knows."""
    try:
        told = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=LISTING_LIMIT_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted(word for word in told.split() if word.startswith("/") and os.path.isfile(word))


def stamp(command):
    """Changes when the program is built anew, or a library that it loads."""
    files = map(os.stat, [command[0], *libraries(command[0])])
    return [[status.st_size, status.st_mtime_ns] for status in files]
