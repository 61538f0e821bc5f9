#!/usr/bin/env python3
"""Which lines and branches of the core run, by layer and by kind of test, and which none reaches. Builds build/coverage, runs the tests of
each kind with counts of their own, and reads them with gcov. A process that ends by abort or a signal counts, too. Takes half an hour. Models are compiled for
the explorer and are not counted: what they alone reach stands among what nothing reaches. Of a header, what the core itself compiles is
counted, not what a unit test makes of it.

usage: coverage.py [--kinds unit,api,fault,stress,conform,dist,tools,release] [--no-build] [--missing LAYER] [--jobs N]

--missing prints the lines of a layer (or of all: `all`) that no kind reaches; they are written to build/coverage/missing.txt, too, and the
branches of other lines that are never taken to build/coverage/missing_branches.txt."""

import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import steps

BUILD = os.path.join(steps.TOP, "build", "coverage")
SRC = os.path.join(steps.TOP, "src")
COUNTS = os.path.join(BUILD, "counts")  # a folder a kind: what GCOV_PREFIX puts there
KINDS = ("unit", "api", "fault", "stress", "conform", "dist", "tools", "release")
LABEL_OF_RELEASE = "api"  # the tests that run on what ships, too: the kind `release`
GCOV = os.environ.get("GCOV", "gcov-12" if shutil.which("gcov-12") else "gcov")


def build_of(kind):
    return BUILD + "-release" if kind == "release" else BUILD


def run_kind(kind, jobs):
    """The tests may fail: what they reached counts."""
    folder = os.path.join(COUNTS, kind)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    environment = dict(os.environ, GCOV_PREFIX=folder, STRESS_SECONDS="1")
    label = LABEL_OF_RELEASE if kind == "release" else kind
    command = ["ctest", "--test-dir", build_of(kind), "-L", f"^{label}$", "-j", str(jobs), "--timeout", "120", "-Q"]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def notes(build):
    """The .gcno files of the core, and of what other libraries compile of it."""
    for top in ("src", "dist"):
        for folder, _, names in os.walk(os.path.join(build, top)):
            for name in names:
                if name.endswith(".gcno") and (top == "src" or f"{os.sep}src{os.sep}" in folder):
                    yield os.path.join(folder, name)


def gcov(*paths):
    """What gcov says of one object file, from its notes and, if they stand last, its counts: for each file of the core its lines."""
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            os.symlink(path, os.path.join(folder, os.path.basename(path)))
        subprocess.run([GCOV, "--json-format", "--branch-probabilities", os.path.basename(paths[-1])], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        written = [name for name in os.listdir(folder) if name.endswith(".json.gz")]
        with gzip.open(os.path.join(folder, written[0]), "rt", encoding="utf-8") as file:
            return json.load(file)["files"]


def read_counts(kind, note):
    data = os.path.join(COUNTS, kind) + note[: -len(".gcno")] + ".gcda"
    return gcov(note, data) if os.path.exists(data) else []


class Reached:
    """Of lines, and of branches by their number in their line: how often. Inlined copies of a line are one."""

    def __init__(self, kind=""):
        self.build = build_of(kind)
        self.lines = collections.Counter()
        self.branches = collections.Counter()

    def add(self, files):
        for each in files:
            path = os.path.relpath(os.path.realpath(os.path.join(self.build, each["file"])), SRC)
            if path.startswith(".."):
                continue
            for line in each["lines"]:
                key = (path, line["line_number"])
                self.lines[key] += line["count"]
                usual = [branch for branch in line["branches"] if not branch["throw"]]
                for number, branch in enumerate(usual):
                    self.branches[(*key, number)] += branch["count"]


    def keep_branches_like(self, universe):
        """What ships has other branches in some lines than what is checked: only lines with equally many say the same."""
        ours, theirs = (collections.Counter(key[:2] for key in each.branches) for each in (self, universe))
        self.branches = collections.Counter({key: n for key, n in self.branches.items() if ours[key[:2]] == theirs[key[:2]]})


def layer_of(key):
    return key[0].split(os.sep)[0]


def is_left_out(text):
    """Lines that a test must not reach: the end of the process."""
    return re.search(r"\b(panic|check_failed|__builtin_unreachable)\b", text) is not None


def percent(part, whole):
    return f"{100 * part / whole:5.1f}" if whole else "    -"


def table(universe, by_kind):
    """A line a layer: lines and branches, by each kind and by all together."""
    layers = sorted({layer_of(key) for key in universe.lines})
    print(f"{'layer':8} {'lines':>6} " + " ".join(f"{kind:>6}" for kind in by_kind) + f" {'all':>6}   {'branches':>8} "
          + " ".join(f"{kind:>6}" for kind in by_kind) + f" {'all':>6}")
    for layer in [*layers, "core"]:
        row = []
        for what in ("lines", "branches"):
            keys = [key for key in getattr(universe, what) if layer in ("core", layer_of(key))]
            counts = [getattr(reached, what) for reached in by_kind.values()]
            row.append((len(keys), [percent(sum(count[key] > 0 for key in keys), len(keys)) for count in counts],
                        percent(sum(any(count[key] > 0 for count in counts) for key in keys), len(keys))))
        (lines, line_shares, all_lines_share), (branches, branch_shares, all_branches_share) = row
        print(f"{layer:8} {lines:6} " + " ".join(f"{share:>6}" for share in line_shares) + f" {all_lines_share:>6}   {branches:8} "
              + " ".join(f"{share:>6}" for share in branch_shares) + f" {all_branches_share:>6}")


class Texts:
    """The lines of the sources."""

    def __init__(self):
        self.of = {}

    def line(self, path, number):
        if path not in self.of:
            with open(os.path.join(SRC, path), encoding="utf-8") as file:
                self.of[path] = file.read().split("\n")
        return self.of[path][number - 1].strip()


def reaches_any(by_kind, what, key):
    return any(getattr(reached, what)[key] > 0 for reached in by_kind.values())


def missing_lines(universe, by_kind):
    texts = Texts()
    for path, number in sorted(universe.lines):
        text = texts.line(path, number)
        if not reaches_any(by_kind, "lines", (path, number)) and not is_left_out(text):
            yield f"src/{path}:{number}: {text}"


def missing_branches(universe, by_kind):
    """Of lines that are reached: how many of their branches are never taken."""
    texts = Texts()
    untaken = collections.Counter(key[:2] for key in universe.branches if not reaches_any(by_kind, "branches", key))
    all_of = collections.Counter(key[:2] for key in universe.branches)
    for (path, number), count in sorted(untaken.items()):
        text = texts.line(path, number)
        if reaches_any(by_kind, "lines", (path, number)) and not is_left_out(text):
            yield f"src/{path}:{number}: {count} of {all_of[(path, number)]}: {text}"


def write_list(name, lines):
    with open(os.path.join(BUILD, name), "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))


def build_for(kinds, jobs):
    for preset, wanted in (("coverage", [kind for kind in kinds if kind != "release"]),
                           ("coverage-release", [LABEL_OF_RELEASE] if "release" in kinds else [])):
        if wanted and subprocess.run(["cmake", "--preset", preset], cwd=steps.TOP, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            sys.exit(f"coverage: build/{preset} cannot be configured; `cmake --preset {preset}` says why")
        if wanted:
            targets = [f"tests/{kind}/all" for kind in wanted]
            subprocess.run(["cmake", "--build", os.path.join(steps.TOP, "build", preset), "-j", str(jobs), "--target", *targets], check=True)


def measured(kinds, jobs):
    """All lines and branches, and what each kind reaches."""
    by_kind = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        universe = Reached()
        for files in pool.map(gcov, list(notes(BUILD))):
            universe.add(files)
        for kind in kinds:
            run_kind(kind, jobs)
            by_kind[kind] = Reached(kind)
            for files in pool.map(lambda note, kind=kind: read_counts(kind, note), list(notes(build_of(kind)))):
                by_kind[kind].add(files)
        if "release" in by_kind:
            by_kind["release"].keep_branches_like(universe)
    return universe, by_kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--missing", metavar="LAYER")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if not options.no_build:
        build_for(kinds, options.jobs)
    universe, by_kind = measured(kinds, options.jobs)
    table(universe, by_kind)
    missing = list(missing_lines(universe, by_kind))
    write_list("missing.txt", missing)
    write_list("missing_branches.txt", missing_branches(universe, by_kind))
    wanted = options.missing
    print(*(line for line in missing if wanted == "all" or (wanted and line.startswith(f"src/{wanted}/"))), sep="\n")
    print(f"{len(missing)} lines are reached by nothing: build/coverage/missing.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
