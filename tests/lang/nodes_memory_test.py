#!/usr/bin/env python3
"""What a node of a Tascell program takes at most beyond what it takes without large tasks: twice its largest task, and 16 MiB.

usage: nodes_memory_test.py WEFT [MPI ...]
The MPIs are those for which there is a module (mpich, openmpi). The first node runs main and has the data; the second one is measured."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from nodes import Server

LAUNCHERS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi"}
TRANSPORTS = ("mpi-funneled", "mpi-multiple", "mpi-onesided")
QUIET = {**os.environ, "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_orte_base_help_aggregate": "1"}
FEW, MANY = 16384, 4 << 20  # elements of 8 bytes: main's node gives half of them away at once
LARGEST = MANY // 2 * 8
MOST = 2 * LARGEST + (16 << 20)
ROUNDS = {FEW: 100, MANY: 1}  # so that even small tasks keep the nodes there for as long as a few looks take
PRINTED = {FEW: "16384 elements: 668941dd9395e000\n", MANY: "4194304 elements: 7e9da48b95e00000\n"}
MARK = "WEFT_TEST_MARK"


def read(*path):
    try:
        with open(os.path.join("/proc", *path), "rb") as file:
            return file.read()
    except OSError:
        return b""


def nodes_of(mark):
    """Processes of the program with this word in their environment."""
    found = (each for each in os.listdir("/proc") if each.isdigit() and read(each, "comm") == b"large_tasks\n")
    return [each for each in found if f"{MARK}={mark}".encode() in read(each, "environ")]


def peaks(mark, processes):
    """The most memory that each node has had, in bytes, as far as a look every few milliseconds sees it; greatest first. The processes
    that only wait for a node have the least."""
    most, known, look_for_more = {}, [], 0.0
    while any(each.poll() is None for each in processes):
        if time.monotonic() > look_for_more:
            known, look_for_more = nodes_of(mark), time.monotonic() + 0.05
        for each in known:
            for line in read(each, "status").decode().splitlines():
                if line.startswith("VmHWM:"):
                    most[each] = int(line.split()[1]) << 10
        time.sleep(0.004)
    return sorted(most.values(), reverse=True)


def run(commands, elements):
    """Starts the nodes by these commands. The peak of the second one, and what is wrong, or ""."""
    mark = f"{os.getpid()}.{elements}"
    started = [subprocess.Popen([*each, str(elements), str(ROUNDS[elements])], env={**QUIET, MARK: mark}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for each in commands]
    found = peaks(mark, started)
    ends = [(each.returncode, *each.communicate(timeout=250)) for each in started]
    is_good = all(status == 0 and err == "" for status, _, err in ends) and "".join(out for _, out, _ in ends) == PRINTED[elements]
    return (found[1], "" if is_good else str(ends)) if len(found) > 1 else (0, "it ended before a look saw two nodes")


def check(what, commands):
    """What is wrong, or ""."""
    few, problem = run(commands, FEW)
    many, other = run(commands, MANY)
    if problem or other:
        return f"{what}: {problem}{other}"
    more = (many - few) >> 20
    print(f"{what}: {more} MiB for tasks of up to {LARGEST >> 20} MiB")
    is_good = LARGEST >> 20 <= more <= MOST >> 20
    return "" if is_good else f"{what}: a node took {more} MiB for tasks of up to {LARGEST >> 20} MiB; wanted that at least, and {MOST >> 20} MiB at most"


def main():
    weft, here = os.path.abspath(sys.argv[1]), [each for each in sys.argv[2:] if shutil.which(LAUNCHERS[each])]
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "large_tasks")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "large_tasks.tc")
        subprocess.run([weft, "tascell", source, "-o", program, "-O1"], check=True)
        server = Server(weft)
        problems = [check("tcp", [[program, "--server", server.address(), "--workers", "1", "--nodes", "2"]] * 2)]
        server.end()
        for mpi in here:
            for transport in TRANSPORTS:
                words = ["--transport", transport, "--workers", "1", "--nodes", "2"]
                problems.append(check(f"{mpi}, {transport}", [[weft, "launch", "-q", "--mpi", LAUNCHERS[mpi], "-n", "2", program, *words]]))
    for each in LAUNCHERS:
        if each not in here:
            print(f"skipped: {each}: no {LAUNCHERS[each]}, or no module")
    for problem in filter(None, problems):
        print(problem)
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
