#!/usr/bin/env python3
"""What MPI calls of threads cost beside the same MPI without libweft-mpi, which each run measures in turn in the same processes
(calls.c), with two ranks of each MPI for which BUILD has a micro-mpi program.

usage: run.py BUILD [--only CASE ...] [--runs N]"""

import argparse
import glob
import os
import statistics
import subprocess
import sys

CASES = ("pingpong 8", "pingpong 65536", "pingpong 16777216", "pairs 400", "pairs 1000", "pairs 10000", "halo 8", "idle 5", "memory 10000")
SECONDS = 300
# Open MPI 4 and 5 hang by themselves at 450 to 512 outstanding synchronous sends.
LISTS = [word for btl in ("self", "vader", "sm") for word in ("--mca", f"btl_{btl}_free_list_max", "65536")]


def launcher(mpi):
    words = ["mpirun." + mpi, "-n", "2"]
    if mpi == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none", *LISTS] + ["--allow-run-as-root"] * (os.geteuid() == 0)
    return words


def figures(mpi, program, case):
    """What a run printed: {name: (value, unit)}."""
    try:
        done = subprocess.run([*launcher(mpi), program, *case.split()], capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        sys.exit(f"{program} {case}: did not end in {SECONDS} s; OS threads in an MPI that spins need CPUs of their own")
    if done.returncode != 0:
        sys.exit(f"{program} {case}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    rows = [(line[:36].strip(), line[36:].split()) for line in done.stdout.splitlines() if line.strip()]
    return {name: (float(rest[0]), " ".join(rest[1:])) for name, rest in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", nargs="*", default=CASES, help="cases, such as pingpong or 'pairs 400'")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    programs = sorted(glob.glob(os.path.join(options.build, "bench", "mpi", "micro-mpi-*")))
    if not programs:
        sys.exit(f"{options.build} has no bench/mpi/micro-mpi-*: build it with an MPI installed")
    for program in programs:
        mpi = program.rsplit("-", 1)[1]
        for case in (case for case in CASES if any(case.startswith(only) for only in options.only)):
            runs = [figures(mpi, program, case) for _ in range(options.runs)]
            for name, (_, unit) in runs[0].items():
                values = sorted(run[name][0] for run in runs)
                print(f"{mpi:8} {case:15} {name:34} {statistics.median(values):10.4g} [{values[0]:.4g}, {values[-1]:.4g}] {unit}", flush=True)


if __name__ == "__main__":
    main()
