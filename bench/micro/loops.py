#!/usr/bin/env python3
"""Measures short parallel loops on Weft, OpenMP and oneTBB, in turn, beside plain calls, and how long each takes to start.

    bench/micro/loops.py BUILD [--workers 2] [--processes 9] [--loops 2x1 16x1 ...] [--quick]

BUILD is a build folder with bench/micro/loops-weft in it; those of the others are there where they are installed (preset bench). STEPSxUS is a
loop of so many steps of about so many microseconds; each step may go to another worker. A step is a fixed number of dependent multiplications,
found once, so all do the same work. A figure is the median over processes, of which each tells the median over 200 batches of loops back to
back. Programs take turns. A ratio is the time divided by that of plain calls in the same turn: its median, and the interval that covers the
median with 95 % by order statistics. On 2 workers 0.50 is the best ratio that there can be.

--quick: two loops, three processes; the figures are rough."""

import argparse
import os
import re
import statistics
import subprocess
import sys

from medians import interval

LOOPS = ("2x0", "2x0.5", "2x1", "2x2", "2x5", "2x10", "2x20", "2x50", "2x300", "16x1", "64x1", "1000x1")
RUNTIMES = ("weft", "openmp", "tbb", "os-threads")
TIME_LIMIT_S = 60


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--processes", type=int, default=9)
    parser.add_argument("--loops", nargs="+", default=LOOPS, metavar="STEPSxUS")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.loops, arguments.processes = ("2x0", "2x10"), 3
    for loop in arguments.loops:
        if re.fullmatch(r"[1-9]\d*x\d+(\.\d+)?", loop) is None:
            parser.error(f"'{loop}' is no loop; one is STEPSxUS, as 16x1")
    if arguments.workers < 1 or arguments.processes < 1:
        parser.error("workers and processes are at least 1")
    return arguments


class Programs:
    def __init__(self, build):
        self.folder = os.path.join(build, "bench", "micro")
        self.there = [name for name in RUNTIMES if os.access(self.path(name), os.X_OK)]
        for name in ("plain", "weft"):
            if not os.access(self.path(name), os.X_OK):
                sys.exit(f"{self.path(name)} is not there: build it")

    def path(self, name):
        return os.path.join(self.folder, "loops-" + name)

    def ns(self, name, *words):
        command = [self.path(name), *map(str, words)]
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=TIME_LIMIT_S, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
        return float(done.stdout)


def rounds_a_us(programs):
    rounds = 100_000
    return rounds / (min(programs.ns("plain", 1, rounds, 1) for _ in range(5)) / 1000)


def shown_time(ns):
    return f"{ns:8.1f} ns" if ns < 1000 else f"{ns / 1000:8.2f} us"


def show(label, plain, times):
    print(f"{label:10}  {'plain':10} {shown_time(statistics.median(plain))}")
    for name, those in times.items():
        ratios = [one / base for one, base in zip(those, plain)]
        low, high = interval(ratios)
        print(f"{'':10}  {name:10} {shown_time(statistics.median(those))} {statistics.median(ratios):9.2f}  {low:.2f} - {high:.2f}", flush=True)


def measure_loops(programs, arguments):
    a_us = rounds_a_us(programs)
    print(f"{'loop':10}  {'runtime':10} {'a loop':>11} {': plain':>9}  95 %")
    for loop in arguments.loops:
        steps, us = loop.split("x")
        words = (steps, round(float(us) * a_us), arguments.workers)
        plain, times = [], {name: [] for name in programs.there}
        for _ in range(arguments.processes):
            plain.append(programs.ns("plain", *words))
            for name in programs.there:
                times[name].append(programs.ns(name, *words))
        show(loop, plain, times)


def measure_start(programs, arguments):
    print("\nfrom the start of the runtime to the end of its first loop, of empty steps, one a worker:")
    times = {name: [] for name in programs.there}
    for _ in range(arguments.processes * 5):
        for name in programs.there:
            times[name].append(programs.ns(name, "first", arguments.workers))
    for name, those in times.items():
        low, high = interval(those)
        print(f"{name:10}  {statistics.median(those) / 1000:8.1f} us  {low / 1000:.1f} - {high / 1000:.1f}")


def main():
    arguments = parse()
    programs = Programs(arguments.build)
    print(f"{arguments.workers} workers, {arguments.processes} processes each")
    measure_loops(programs, arguments)
    measure_start(programs, arguments)


if __name__ == "__main__":
    main()
