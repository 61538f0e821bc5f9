#!/usr/bin/env python3
"""Which conditions never decided by themselves: modified condition/decision coverage, by clang 19. Of each decision of several conditions, two
evaluations must differ in one condition alone and in the outcome, for each condition (Chilenski, Miller, Applicability of modified
condition/decision coverage to software testing, 1994, doi:10.1049/sej.1994.0025). Builds build/conditions-checked and
build/conditions-release, and runs the tests of some kinds on both: a condition counts that decided on either. What one build knows beforehand
is no condition. Models are compiled for the explorer and are not counted.

usage: conditions.py [--kinds unit,api,fault,stress] [--only TEXT...] [--no-build] [--jobs N]

Conditions with a reason stand in tests/undecided_conditions.txt, a line each: file, the decision, the condition, and why; they are not
printed. --only looks at the files whose path contains one of these, instead of those of the structures between workers: queue, forks, join
words and sync. Exit status 1: a condition without a reason never decided."""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import steps

PRESETS = ("conditions-checked", "conditions-release")
ACCEPTED = os.path.join(steps.TOP, "tests", "undecided_conditions.txt")
KINDS = "unit,api,fault,stress"
WANTED = ("src/queue/", "src/run/fork.", "src/thread/join.", "src/run/end.", "src/unit/unit.hpp", "src/sync/")
KNOWN_TO_A_BUILD = r"!?(config::\w+|Kind [!=]= 0|forks_are_always_closed)"
PLACE = 4  # of a record: the lines and columns of begin and end


def folder_of(preset):
    return os.path.join(steps.TOP, "build", preset)


def build(preset, kinds, jobs):
    if subprocess.run(["cmake", "--preset", preset], cwd=steps.TOP, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(f"conditions: build/{preset} cannot be configured; `cmake --preset {preset}` says why")
    targets = [f"tests/{kind}/all" for kind in kinds]
    subprocess.run(["cmake", "--build", folder_of(preset), "-j", str(jobs), "--target", *targets], check=True)


def run_tests(preset, kinds, jobs):
    """They may fail: what they evaluated counts."""
    counts = os.path.join(folder_of(preset), "counts")
    shutil.rmtree(counts, ignore_errors=True)
    os.makedirs(counts)
    environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.join(counts, "%m_%p.profraw"), STRESS_SECONDS="5")
    command = ["ctest", "--test-dir", folder_of(preset), "-L", f"^({'|'.join(kinds)})$", "-j", str(jobs), "--timeout", "120", "-Q"]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def programs(preset, kinds):
    for kind in kinds:
        for folder, _, names in os.walk(os.path.join(folder_of(preset), "tests", kind)):
            for name in names:
                path = os.path.join(folder, name)
                if name.startswith(kind + "_") and os.access(path, os.X_OK):
                    yield path


def functions(preset, kinds):
    """What clang says of each; counts that a dying program did not write to the end are left out."""
    counts = os.path.join(folder_of(preset), "counts")
    raw = [os.path.join(counts, name) for name in os.listdir(counts) if name.endswith(".profraw")]
    merged = os.path.join(counts, "all.profdata")
    subprocess.run(["llvm-profdata-19", "merge", "--failure-mode=all", "-sparse", *raw, "-o", merged], check=True, stderr=subprocess.DEVNULL)
    objects = [part for path in programs(preset, kinds) for part in ("-object", path)][1:]
    done = subprocess.run(["llvm-cov-19", "export", "-format=text", f"-instr-profile={merged}", *objects], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["data"][0]["functions"]


def add_decisions(of_functions, found):
    """found: by path and place of a decision, for each condition whether it decided in some instance."""
    for function in of_functions:
        for record in function.get("mcdc_records", []):
            key = (os.path.relpath(function["filenames"][0], steps.TOP), *record[:PLACE])
            known = found.setdefault(key, [False] * len(record[-1]))
            found[key] = [one or other for one, other in zip(known, record[-1])]


class Texts:
    def __init__(self):
        self.of = {}

    def decision(self, path, begin, first, end, last):
        if path not in self.of:
            with open(os.path.join(steps.TOP, path), encoding="utf-8") as file:
                self.of[path] = file.read().split("\n")
        lines = self.of[path][begin - 1 : end]
        lines[-1] = lines[-1][: last - 1]
        lines[0] = lines[0][first - 1 :]
        return " ".join(line.strip() for line in lines)


def conditions_of(decision):
    """Their texts, without the parentheses around several."""
    texts = []
    for part in re.split(r" && | \|\| ", decision):
        part = part.lstrip("(") if part.count("(") > part.count(")") and part.startswith("(") else part
        while part.count(")") > part.count("("):
            part = part[: part.rindex(")")]
        texts.append(part)
    return texts


def accepted():
    if not os.path.exists(ACCEPTED):
        return set()
    with open(ACCEPTED, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    parts = [line.split(" | ") for line in lines if not line.startswith("#")]
    return {(part[0], " | ".join(part[1:-2]), part[-2]) for part in parts}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinds", default=KINDS)
    parser.add_argument("--only", nargs="+", default=WANTED)
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    found = {}
    for preset in PRESETS:
        if not options.no_build:
            build(preset, kinds, options.jobs)
        run_tests(preset, kinds, options.jobs)
        add_decisions(functions(preset, kinds), found)
    texts, known, used = Texts(), accepted(), set()
    all_of, decided, argued = collections.Counter(), collections.Counter(), collections.Counter()
    for (path, *where), have_decided in sorted(found.items()):
        if not any(text in path for text in options.only):
            continue
        decision = texts.decision(path, *where)
        if len(conditions_of(decision)) != len(have_decided):
            sys.exit(f"conditions: {path}:{where[0]}: clang sees {len(have_decided)} conditions in: {decision}")
        for condition, has_decided in zip(conditions_of(decision), have_decided):
            if re.fullmatch(KNOWN_TO_A_BUILD, condition):
                continue
            all_of[path] += 1
            decided[path] += has_decided
            if has_decided:
                continue
            if (path, decision, condition) in known:
                argued[path] += 1
                used.add((path, decision, condition))
            else:
                print(f"{path}:{where[0]}: `{condition}` never decided: {decision}")
    for path, decision, condition in sorted(known - used):
        print(f"{path}: `{condition}` has decided, or is gone, and needs no reason any more: {decision}")
    for path in sorted(all_of):
        print(f"{path:30} {decided[path]:4} of {all_of[path]:4} conditions decided, {argued[path]} have a reason")
    total, all_decided, all_argued = (sum(counter.values()) for counter in (all_of, decided, argued))
    print(f"{all_decided} of {total} conditions decided ({100 * all_decided / max(1, total):.1f} %), {all_argued} have a reason")
    return 0 if all_decided + all_argued == total else 1


if __name__ == "__main__":
    sys.exit(main())
