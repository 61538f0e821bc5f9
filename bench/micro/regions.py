#!/usr/bin/env python3
"""Measures threads that sleep in the kernel, on Weft and as goroutines, in turn.

    bench/micro/regions.py BUILD [--workers 2] [--threads 1000] [--milliseconds 10] [--processes 9]

BUILD is a build folder with bench/micro/regions in it; the program in Go is built beside it if a `go` is installed. Each process runs ten
rounds, in each of which so many threads sleep so long at a time. A figure is the median over processes: of the first round, in which the OS
threads are made, and of the later ones. Programs take turns. A ratio is Weft's figure divided by Go's of the same turn: its median, and the
interval that covers the median with 95 % by order statistics. Resident is the memory of the process at its end."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys

from medians import interval

FIGURES = ("first wall", "first CPU", "later wall", "later CPU", "resident")
UNITS = ("ms", "ms", "ms", "ms", "KiB")
TIME_LIMIT_S = 120


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    for name, value in (("workers", 2), ("threads", 1000), ("milliseconds", 10), ("processes", 9)):
        parser.add_argument(f"--{name}", type=int, default=value)
    arguments = parser.parse_args()
    if min(arguments.workers, arguments.threads, arguments.milliseconds, arguments.processes) < 1:
        parser.error("workers, threads, milliseconds and processes are at least 1")
    return arguments


def rival(folder):
    """The program in Go, built where that is possible; None: there is none."""
    path = os.path.join(folder, "regions-sleep-go")
    go = shutil.which("go")
    if go is not None:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "regions_sleep.go")
        subprocess.run([go, "build", "-o", path, source], check=True)
    return path if os.access(path, os.X_OK) else None


def measure(command):
    """The figures, in the order of FIGURES."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=TIME_LIMIT_S, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit status {done.returncode}")
    words = done.stdout.split()
    if words[0::3] != ["first", "later", "resident"]:
        sys.exit(f"{command[0]} printed something else than was expected: {done.stdout!r}")
    return [float(words[at]) for at in (1, 2, 4, 5, 7)]


def main():
    arguments = parse()
    folder = os.path.join(arguments.build, "bench", "micro")
    weft = os.path.join(folder, "regions")
    if not os.access(weft, os.X_OK):
        sys.exit(f"{weft} is not there: build it")
    go = rival(folder)
    words = [str(arguments.workers), str(arguments.threads), str(arguments.milliseconds)]
    ours, theirs = [], []
    for _ in range(arguments.processes):
        ours.append(measure([weft, "sleep", *words]))
        if go is not None:
            theirs.append(measure([go, *words]))
    if go is None:
        print("no Go here: nothing to compare with")
    for at, name in enumerate(FIGURES):
        line = f"{name:12} weft {statistics.median(one[at] for one in ours):10.2f} {UNITS[at]}"
        if theirs:
            ratios = [one[at] / other[at] for one, other in zip(ours, theirs)]
            low, high = interval(ratios)
            line += f"   go {statistics.median(one[at] for one in theirs):10.2f} {UNITS[at]}   {statistics.median(ratios):5.2f}  {low:.2f} - {high:.2f}"
        print(line)


if __name__ == "__main__":
    main()
