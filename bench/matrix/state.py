"""What was planned and what was measured so far, in one JSON file that is written anew after every run."""

import json
import os

from runners import Problem

FORMAT = "weft-matrix-1"
FIELDS = {"plan": dict, "machine": dict, "programs": dict, "cells": list, "calibration": list}
PARTS = {
    "plan": {"repetitions": int, "time_limit_s": (int, float)},
    "machine": {"processor": str, "system": str, "usable_cpus": list, "memory_bytes": int},
    "programs": {"children": dict, "stamps": dict},
}
MEASURED_FIELDS = {"units": int, "version": str, "settings": str}
SAMPLE_FIELDS = {"seconds": (int, float), "cpu_seconds": (int, float), "peak_bytes": int}
CALIBRATION_FIELDS = {"cpus": list, "seconds": (int, float)}
CELL_FIELDS = {"kernel": str, "runtime": str, "workers": int, "size": int, "status": str, "why": str, "samples": list}


def new_cell(kernel, runtime, workers, size, status="to run", why=""):
    return {"kernel": kernel, "runtime": runtime, "workers": workers, "size": size, "status": status, "why": why, "samples": []}


def save(path, state):
    """Never leaves half a file, also when it is interrupted."""
    beside = path + ".new"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(state, file, indent=1)
        os.replace(beside, path)
    except OSError as error:
        raise Problem(f"{path} cannot be written: {error.strerror}") from None


def check_fields(path, what, fields):
    for name, kind in fields.items():
        if not isinstance(what, dict) or not isinstance(what.get(name), kind):
            raise Problem(f"{path} is damaged: '{name}' is missing or is not what it should be; measure anew without --resume")


def read(path, format_name, what):
    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Problem(f"{path} is not JSON ({error}); measure anew without --resume") from None
    if not isinstance(state, dict) or state.get("format") != format_name:
        raise Problem(f"{path} is not the JSON of {what} ('format' is not {format_name})")
    return state


def load(path):
    state = read(path, FORMAT, "a comparison")
    check(path, state)
    return state


def check(path, state):
    check_fields(path, state, FIELDS)
    for part, fields in PARTS.items():
        check_fields(path, state[part], fields)
    for each in state["calibration"]:
        check_fields(path, each, CALIBRATION_FIELDS)
    for cell in state["cells"]:
        check_fields(path, cell, CELL_FIELDS)
        for sample in cell["samples"]:
            check_fields(path, sample, SAMPLE_FIELDS)
        if cell["samples"]:
            check_fields(path, cell, MEASURED_FIELDS)
            check_fields(path, state["programs"]["children"], {cell["runtime"]: str})


def is_open(cell, repetitions):
    """Whether runs of it are missing."""
    return cell["status"] in ("to run", "measured") and len(cell["samples"]) < repetitions
