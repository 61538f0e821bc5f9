#!/usr/bin/env python3
"""Compares Weft with the other runtimes that are installed: each program on each runtime, answers checked.

    bench/matrix/matrix.py BUILD [--kernels NAME ...] [--runtimes NAME ...] [--workers N ...] [--sizes quick|default] [--size NAME=N,... ...]

BUILD is a build folder of the preset `bench` (`make bench` makes and measures one). Each repetition is a process bound to as many CPUs as
it has workers; those that are compared take turns. All that is measured is in the JSON at once: --resume goes on where a run was
interrupted. At the end come tables, a summary, and BUILD/report/report.html with pictures; bench/README.md says how to read them.

Exit status: 0 done, whatever the rivals did; 1 Weft answered wrongly or did not get through; 2 the command line or a file makes no sense."""

import argparse
import itertools
import os
import sys

import machine
import pictures
import report
import runners
import state as states
import summary
from runners import Problem
from sweep import Sweep

# What make bench measures where nothing else is asked for: a fraction of a second a run for most, so that all of it takes minutes.
USUAL_KERNELS = ("fib", "fib-cutoff", "uts-t1", "uts-t3", "queens", "queens-array", "queens-board", "quicksort", "quicksort-every",
                 "mergesort", "tree", "btc", "pentomino", "comp", "stream", "stream-ep", "random-access", "create-flat", "create-nested", "yield", "yield-to",
                 "mutex-handover", "condition-ping-pong", "channel-ping-pong", "blocked")
USUAL_SIZES = {"fib": 27, "fib-cutoff": 34, "uts-t1": 8, "uts-t3": 500, "queens": 11, "queens-array": 10, "queens-board": 10,
               "quicksort": 1 << 21, "quicksort-every": 1 << 18, "mergesort": 1 << 20, "tree": 1 << 18, "matmul": 384, "strassen": 384, "btc": 16,
               "pentomino": 4, "comp": 1024, "stream": 1 << 22, "stream-ep": 1 << 22, "random-access": 20, "create-flat": 50_000,
               "create-nested": 30_000, "yield": 100_000, "yield-to": 50_000, "mutex-handover": 30_000, "condition-ping-pong": 30_000,
               "channel-ping-pong": 30_000, "blocked": 100_000}
USUAL_REPETITIONS, USUAL_TIME_LIMIT_S = 7, 60
# Smaller sizes beside those, for the picture of cost against problem size; together they cost less than a minute.
USUAL_SWEEPS = {"fib": [12, 17, 22], "blocked": [1000, 10_000]}


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("--kernels", nargs="+", default=[], metavar="NAME", help="only these programs, in this order")
    parser.add_argument("--runtimes", nargs="+", default=[], metavar="NAME", help="only these; sequential, ult, tasklet, fork, tascell and tascell-library are Weft's")
    parser.add_argument("--workers", nargs="+", type=int, default=[], metavar="N", help="numbers of workers; usually 1 and all CPUs")
    parser.add_argument("--repetitions", type=int, metavar="N", help=f"usually {USUAL_REPETITIONS}")
    parser.add_argument("--sizes", metavar="WORD", help="usual: seconds a cell; quick: for trying out; default: those of weft bench")
    parser.add_argument("--size", nargs="+", default=[], metavar="NAME=N,...", help="the sizes of one program: each is measured")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help=f"of one process; usually {USUAL_TIME_LIMIT_S}")
    parser.add_argument("--memory-limit", type=int, default=0, metavar="MIB", help="of one process; usually half of the machine's")
    parser.add_argument("--json", metavar="FILE", help="where everything is kept; usually BUILD/matrix.json")
    parser.add_argument("--resume", action="store_true", help="go on with what --json holds; the plan is the one in it")
    parser.add_argument("--report", action="store_true", help="measure nothing, show and draw what --json holds")
    return parser.parse_args(words)


def parse_sizes(words, programs):
    sizes = {}
    for word in words:
        name, _, numbers = word.partition("=")
        runners.choose("kernel", [name], programs)
        for number in numbers.split(","):
            if not number.isdigit() or not 1 <= int(number) <= programs[name]["max_size"]:
                raise Problem(f"--size {word}: {name}'s {programs[name]['size_word']} must be from 1 to {programs[name]['max_size']}; "
                              f"several sizes are written {name}=10,20")
        sizes[name] = sorted(set(map(int, numbers.split(","))))
    return sizes


def choose_sizes(arguments, kernels, programs):
    words = ("usual", "quick", "default")
    wanted = arguments.sizes or words[0]
    if wanted not in words:
        raise Problem(f"there are no sizes '{wanted}'\nsizes: {', '.join(words)}")
    chosen = {name: [programs[name]["quick_size" if wanted == "quick" else "default_size"]] for name in kernels}
    if wanted == "usual":
        chosen |= {name: [USUAL_SIZES[name]] for name in kernels if name in USUAL_SIZES}
    if wanted == "usual" and not arguments.kernels:
        chosen |= {name: smaller + chosen[name] for name, smaller in USUAL_SWEEPS.items() if name in kernels}
    return chosen | {name: size for name, size in parse_sizes(arguments.size, programs).items() if name in kernels}


def choose_workers(wanted, usable):
    workers = wanted or sorted({1, len(usable)})
    for count in workers:
        if not 1 <= count <= len(usable):
            raise Problem(f"--workers {count}: this process may use {len(usable)} CPUs, so from 1 to {len(usable)}")
    return workers


def make_cells(kernels, names, workers, sizes, found, silent):
    cells = []
    for kernel in kernels:
        for size, count, name in itertools.product(sizes[kernel], workers, names):
            status, why = status_of(kernel, name, found, silent)
            cells.append(states.new_cell(kernel, name, count, size, status, why))
    return cells


def status_of(kernel, name, found, silent):
    if name in silent:
        return "failed", silent[name]
    if name not in found:
        return "not installed", runners.RIVALS[name]
    return found[name].status_of(kernel)


def describe_programs(names, found):
    there = [name for name in names if name in found]
    return {"children": {name: found[name].children for name in there}, "stamps": {name: runners.stamp(found[name].command) for name in there}}


def or_usual(given, usual):
    return usual if given is None else given


def make_state(arguments, found, silent):
    programs = {name: program for name, program in found["sequential"].programs.items() if program["size_word"]}
    usual = [name for name in USUAL_KERNELS if name in programs] or list(programs)
    kernels = runners.choose("kernel", arguments.kernels, programs) if arguments.kernels else usual
    known = list(dict.fromkeys([*(name for name in runners.OWN if name in (*runners.NEEDED, *found)), *runners.RIVALS, *found, *silent]))
    names = runners.choose("runtime", arguments.runtimes, known) if arguments.runtimes else list(filter(runners.is_usual, known))
    here = machine.facts()
    workers = choose_workers(arguments.workers, here["usable_cpus"])
    sizes = choose_sizes(arguments, kernels, programs)
    repetitions = or_usual(arguments.repetitions, USUAL_REPETITIONS)
    if repetitions < 1:
        raise Problem("--repetitions must be at least 1")
    cells = make_cells(kernels, names, workers, sizes, found, silent)
    for cell in cells:
        cell["unit"] = programs[cell["kernel"]]["unit"]
    time_limit_s = or_usual(arguments.time_limit, USUAL_TIME_LIMIT_S)
    plan = {"repetitions": repetitions, "time_limit_s": time_limit_s, "workers": workers, "sizes": sizes}
    return {"format": states.FORMAT, "machine": here, "plan": plan, "programs": describe_programs(names, found), "cells": cells,
            "calibration": []}


def go_on(path, arguments, found):
    planned = {name: getattr(arguments, name) for name in ("kernels", "runtimes", "workers", "size", "sizes", "repetitions", "time_limit")}
    given = ["--" + name.replace("_", "-") for name, value in planned.items() if value not in (None, [])]
    if given:
        raise Problem(f"--resume goes on with the plan in the JSON: it takes no {', '.join(given)}")
    state = states.load(path)
    for name, stamp in state["programs"]["stamps"].items():
        if name not in found or runners.stamp(found[name].command) != stamp:
            raise Problem(f"{name} was built anew since {path} was begun: measure anew without --resume")
    return state


def is_weft_well(state):
    return all(cell["status"] in ("measured", "cannot", "not written") for cell in state["cells"] if cell["runtime"] in runners.OWN)


def memory_limit(arguments, here):
    return arguments.memory_limit << 20 if arguments.memory_limit > 0 else here["memory_bytes"] // 2


def folder_for(path, arguments):
    return os.path.join(arguments.build, "report") if arguments.json is None else path.removesuffix(".json") + "-report"


def show(state, path, arguments):
    """Tables, then the summary, so that a terminal ends with it; pictures where they can be drawn."""
    print(report.show(state), end="\n\n")
    print("\n".join(summary.tell(state)))
    try:
        page, *drawn = pictures.draw(path, folder_for(path, arguments))
        print(f"Report: {page}\nPictures: {len(drawn)} SVG files beside it")
    except Problem as problem:
        sys.stderr.write(f"matrix.py: {problem}\n")
    print(f"All samples: {path}")


def work(arguments):
    path = arguments.json or os.path.join(arguments.build, "matrix.json")
    if arguments.report:
        show(states.load(path), path, arguments)
        return 0
    found, silent = runners.find(arguments.build)
    state = go_on(path, arguments, found) if arguments.resume else make_state(arguments, found, silent)
    states.save(path, state)
    try:
        Sweep(state, found, path, memory_limit(arguments, state["machine"])).run()
    except KeyboardInterrupt:
        sys.stderr.write(f"\ninterrupted; to go on: {sys.argv[0]} {arguments.build} --json {path} --resume\n")
        return 130
    show(state, path, arguments)
    return 0 if is_weft_well(state) else 1


def main():
    arguments = parse(sys.argv[1:])
    try:
        return work(arguments)
    except Problem as problem:
        sys.stderr.write(f"matrix.py: {problem}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
