#!/usr/bin/env python3
"""Measures one text of parallel algorithms on Weft and on oneDPL over oneTBB, in turn.

    bench/micro/algorithms.py BUILD [--elements 1000000] [--processes 9] [--calls 11] [--workers 2]

BUILD is a build folder with bench/micro/algorithms-weft and algorithms-onedpl in it; the second is built where CMake finds oneDPL and
TBB (preset bench; the Python packages onedpl-devel, tbb and tbb-devel have both). A ratio is Weft's time divided by oneDPL's, in the same
turn; each process tells the median over its calls. Printed: the medians over processes, the ratio and the interval that covers its median
with 95 % by order statistics."""

import argparse
import os
import statistics
import subprocess

from medians import interval

TIME_LIMIT_S = 300


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    for name, usual in (("elements", 1000000), ("processes", 9), ("calls", 11), ("workers", 2)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    return parser.parse_args()


def times(program, arguments):
    command = [program, str(arguments.elements), str(arguments.calls), str(arguments.workers)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=True).stdout
    return {name: float(ns) for name, ns in (line.split() for line in told.splitlines())}


def main():
    arguments = parse()
    programs = [os.path.join(arguments.build, "bench", "micro", f"algorithms-{name}") for name in ("weft", "onedpl")]
    turns = [[times(program, arguments) for program in programs] for _ in range(arguments.processes)]
    print(f"{arguments.elements} elements, {arguments.workers} workers, {arguments.processes} processes each; microseconds")
    for name in turns[0][0]:
        ratios = [weft[name] / other[name] for weft, other in turns]
        low, high = interval(ratios)
        ours, theirs = (statistics.median(turn[side][name] for turn in turns) / 1000 for side in (0, 1))
        print(f"{name:16} {ours:10.1f} {theirs:10.1f}   {statistics.median(ratios):.2f} [{low:.2f}, {high:.2f}]")


if __name__ == "__main__":
    main()
