#!/usr/bin/env python3
"""Compares the lists of what `make test` runs in two checkouts, without building either: the tests of each step's preset and kinds, and the
commands. Prints what the second one has lost, what is new, and how many there are. The exit status is 1 if anything was lost. A doctest
program that has fewer test cases is one test all the same: compare_runs.py finds that after a run. What runs take in halves, by the
commit (halves.py), counts with both halves.

usage: compare_lists.py BEFORE AFTER     both: folders, such as one that `git worktree add` has made"""

import argparse
import json
import os
import re
import subprocess
import sys

# Run in a checkout, with its own run.py: the steps that test, and how each chooses among the tests of its preset.
STEPS = """
import json, sys
sys.path.insert(0, "tools/test")
import run, steps
has_halves = "half" in run.everything.__code__.co_varnames
plan = [step for half in (0, 1) for step in (run.everything(2, half=half) if has_halves else run.everything(2))]
print(json.dumps({
    "tests": [(step.preset, step.kinds, step.excluding, getattr(step, "without", "")) for step in plan if isinstance(step, steps.Tests)],
    "commands": [(step.preset, name) for step in plan if isinstance(step, steps.Commands) for name in step.commands]}))
"""


def call(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{folder}: {' '.join(command[:4])} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def tests_of_preset(folder, preset):
    """(name, labels) of every test; nothing is built for it."""
    call(folder, "cmake", "--preset", preset)
    listed = json.loads(call(folder, "ctest", "--preset", preset, "--show-only=json-v1"))
    for test in listed["tests"]:
        labels = [each["value"] for each in test["properties"] if each["name"] == "LABELS"]
        yield test["name"], labels[0] if labels else []


def runs(kinds, excluding, without, name, labels):
    """Whether a step runs a test."""
    is_left_out = re.search(excluding, name) or (without and any(re.search(without, label) for label in labels))
    return not is_left_out and any(re.fullmatch(kinds, label) for label in labels)


def list_of(folder):
    """{(preset, test)} of all that the checkout's `make test` runs."""
    plan = json.loads(call(folder, sys.executable, "-B", "-c", STEPS))
    found = {(preset, f"the command {name}") for preset, name in plan["commands"]}
    for preset in sorted({step[0] for step in plan["tests"]}):
        for name, labels in tests_of_preset(folder, preset):
            if any(of == preset and runs(*choice, name, labels) for of, *choice in plan["tests"]):
                found.add((preset, name))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    arguments = parser.parse_args()
    for folder in (arguments.before, arguments.after):
        if not os.path.exists(os.path.join(folder, "tools", "test", "run.py")):
            parser.error(f"{folder} is not a checkout: it has no tools/test/run.py")
    before, after = list_of(arguments.before), list_of(arguments.after)
    for word, some in (("lost", before - after), ("new", after - before)):
        for preset, name in sorted(some):
            print(f"{word}: {preset}: {name}")
    print(f"{len(before)} before, {len(after)} after, {len(before - after)} lost, {len(after - before)} new")
    return 1 if before - after else 0


if __name__ == "__main__":
    sys.exit(main())
