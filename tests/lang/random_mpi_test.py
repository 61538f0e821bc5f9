#!/usr/bin/env python3
"""Random Tascell programs against plain C, on nodes that an MPI's launcher starts, over every transport.

usage: random_mpi_test.py WEFT [MPI ...] [--first SEED] [--batches COUNT] [--everywhere]
The MPIs are those for which there is a module (mpich, openmpi). A batch of a hundred programs runs on two nodes with two workers each, for
every MPI; with --everywhere on 1, 2 and 4 nodes with 1 and 2 workers, for one MPI after the other."""

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

import random_programs

LAUNCHERS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi"}
TRANSPORTS = ("mpi-funneled", "mpi-funneled-poster", "mpi-multiple", "mpi-onesided", "mpi-onesided-poster")
QUIET = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_orte_base_help_aggregate": "1"}


def run(weft, program, mpi, transport, nodes, workers, environment):
    """What is wrong, or ""."""
    words = ["launch", "-q", "--mpi", LAUNCHERS[mpi], "-n", nodes, program, "--transport", transport, "--workers", workers, "--nodes", nodes]
    try:
        done = subprocess.run([weft, *map(str, words)], env={**os.environ, **QUIET, **environment}, capture_output=True, text=True, timeout=250,
                              check=False)
    except subprocess.TimeoutExpired:
        return "it hangs"
    return f"exit status {done.returncode}\n{done.stdout}{done.stderr[:3000]}" if done.returncode or done.stdout or done.stderr else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft", type=os.path.abspath)
    parser.add_argument("mpis", nargs="*", choices=tuple(LAUNCHERS))
    parser.add_argument("--first", type=int, default=1, help="seed of the first program")
    parser.add_argument("--batches", type=int, default=1, help=f"of {random_programs.BATCH} programs")
    parser.add_argument("--everywhere", action="store_true")
    arguments = parser.parse_args()
    here = [each for each in arguments.mpis if shutil.which(LAUNCHERS[each])]
    for each in LAUNCHERS:
        if each not in here:
            print(f"skipped: {each}: no {LAUNCHERS[each]}, or no module")
    problems, runs = [], 0
    environments, turns = itertools.cycle(({}, {"WEFT_TASCELL_STORM": "5"})), itertools.cycle(here)
    for first in range(arguments.first, arguments.first + random_programs.BATCH * arguments.batches, random_programs.BATCH):
        with tempfile.TemporaryDirectory() as scratch:
            program, problem = random_programs.compile_batch(arguments.weft, first, scratch)
            if problem:
                problems.append(f"seeds from {first} on: {problem}")
                continue
            mpis, groups = ([next(turns)], random_programs.GROUPS) if arguments.everywhere and here else (here, ((2, 2),))
            for mpi, transport, (nodes, workers) in itertools.product(mpis, TRANSPORTS, groups):
                environment, runs = next(environments), runs + 1
                problem = run(arguments.weft, program, mpi, transport, nodes, workers, environment)
                if problem:
                    what = f"{mpi}, {transport}, {nodes} nodes with {workers} workers and {environment}"
                    problems.append(f"seeds from {first} on over {what}: {problem}")
    for problem in problems:
        print(problem)
    print(f"figure: runs of {random_programs.BATCH} tascell programs over an MPI = {runs}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
