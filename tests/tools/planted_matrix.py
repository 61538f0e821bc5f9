"""A comparison as bench/matrix/matrix.py keeps it, made up: what a report has to show, and the ugly cases besides."""

import json
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MATRIX = os.path.join(TOP, "bench", "matrix")
sys.path.insert(0, MATRIX)

REPETITIONS = 5
WORKERS = (1, 2, 4)
# How many times as long as plain calls: neighbours that nearly meet, and four powers of ten.
FACTORS = {"sequential": 1, "ult": 9, "fork": 1.1, "openmp": 55, "tbb": 60, "boost-fiber": 9000, "taskflow": 58, "lace": 1.12,
           "argobots": 40, "argobots-tasklet": 41, "libfork": 3}
CHILDREN = {"sequential": "call", "ult": "thread", "boost-fiber": "thread", "argobots": "thread", "os-threads": "thread"}
REASON = "it says <b>no</b> & leaves"


def new_cell(kernel, runtime, workers, size, **more):
    return {"kernel": kernel, "runtime": runtime, "workers": workers, "size": size, "why": "", "samples": [], "unit": "call",
            "status": "measured", **more}


def measured(kernel, runtime, workers, size, units, seconds, metrics=None):
    samples = [{"seconds": seconds * (1 + 0.02 * turn), "cpu_seconds": seconds, "peak_bytes": 1 << 20, "metrics": metrics or {}}
               for turn in range(REPETITIONS)]
    return new_cell(kernel, runtime, workers, size, samples=samples, units=units, version="1", settings="", compiler="cc -O3")


def of_calls(kernel, size, units):
    """All runtimes of one size; one of them crashes, one cannot, one is missing."""
    for workers in WORKERS:
        for runtime, factor in FACTORS.items():
            shared = 1 if runtime == "sequential" else workers
            yield measured(kernel, runtime, workers, size, units, units * 2e-9 * factor / shared)
        yield new_cell(kernel, "os-threads", workers, size, status="crashed", why="SIGSEGV")
        yield new_cell(kernel, "rayon", workers, size, status="cannot", why=REASON)
        yield new_cell(kernel, "qthreads", workers, size, status="not installed", why="Qthreads")


def of_blocked(size):
    for workers in WORKERS:
        for runtime, bytes_each in (("ult", 4361), ("boost-fiber", 15004), ("argobots", 4511)):
            yield measured("blocked", runtime, workers, size, size, size * bytes_each * 1e-10, {"bytes_per_thread": bytes_each})


def make():
    cells = [*of_calls("fib", 10, 177), *of_calls("fib", 20, 21_891), *of_calls("fib-cutoff", 30, 2_000_000), *of_calls("quicksort", 1 << 20, 9000),
             *of_blocked(1000), *of_blocked(10_000)]
    runtimes = {cell["runtime"] for cell in cells}
    return {"format": "weft-matrix-1", "cells": cells,
            "plan": {"repetitions": REPETITIONS, "time_limit_s": 60, "workers": list(WORKERS), "sizes": {}},
            "machine": {"processor": "A processor", "system": "Linux 6", "usable_cpus": [0, 1, 2, 3], "memory_bytes": 8 << 30},
            "programs": {"children": {name: CHILDREN.get(name, "task") for name in runtimes}, "stamps": {}},
            "calibration": [{"cpus": [0], "seconds": 1.0}] * 20}


def write(folder, state=None):
    """The path of its JSON file."""
    path = os.path.join(folder, "planted.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(make() if state is None else state, file)
    return path
