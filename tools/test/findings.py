#!/usr/bin/env python3
"""Runs the findings: programs that show what other software does, without Weft (findings/README.md says in which form). Each is copied into
an empty folder and runs there, so that it needs nothing of this project. Ends with a table of which held and which changed. The exit
status is 0 if all held."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(TOP, "findings")
LIMIT_S = 600
HELD, CHANGED, BROKEN = "held", "changed", "broken"
FIELDS = ("Version", "Seen", "Needs")  # of the head
SEEN = re.compile(r"^seen: (.*)$", re.MULTILINE)
COMMENT = re.compile(r"^# ?(.*)$")


@dataclass
class Outcome:
    name: str
    what: str
    took_s: float
    words: str
    output: str


def names_in(folder):
    return sorted(name for name in os.listdir(folder) if not name.endswith((".md", "~")) and not name.startswith("."))


def head_of(text):
    """{field: its text} of the comment at the top; "": what stands before the fields."""
    found, field = {"": ""}, ""
    for line in text.splitlines()[1:]:
        if not (comment := COMMENT.match(line)):
            break
        if named := re.match(rf"({'|'.join(FIELDS)}): *(.*)", comment.group(1)):
            field, words = named.groups()
        else:
            words = comment.group(1)
        found[field] = f"{found.get(field, '')} {words}".strip()
    return found


def problems_of(folder, name):
    """What does not fit the form, as far as a program can see."""
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    head = head_of(text)
    checks = (
        (text.startswith("#!"), "its first line names no interpreter"),
        (os.access(path, os.X_OK), "it is not executable"),
        (head[""], "its head does not say what happens"),
        *((head.get(field), f"its head has no '{field}:'") for field in FIELDS),
        ("seen: " in text, "it prints no line 'seen: ...'"),
        (not re.search(r"mktemp(?! -d)", text), "it makes a file outside of a folder of its own"),
        (not text.startswith("#!/bin/sh") or "\nset -e" in text, "it goes on after a command that fails: no set -e"),
        ("mktemp -d" not in text or re.search(r"^trap .*\bEXIT\b", text, re.MULTILINE), "its folder stays: no trap ... EXIT"),
        ("weft" not in text.lower(), "it names Weft, without which it is to run"),
    )
    return [f"{name}: {problem}" for is_right, problem in checks if not is_right]


def end_group(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def call(program, folder, limit_s):
    """(exit status, None for one that has not ended; output). What the program started ends with it."""
    with open(os.path.join(folder, "output"), "w+", encoding="utf-8", errors="replace") as written:
        environment = dict(os.environ, TMPDIR=os.path.join(folder, "temporary"), LC_ALL="C.UTF-8")
        child = subprocess.Popen([program], cwd=os.path.join(folder, "here"), env=environment, stdin=subprocess.DEVNULL, stdout=written,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_group(child)
            child.wait()
        written.seek(0)
        return status, written.read()


def judge(status, output, noted, left, limit_s):
    """(held, changed or broken, and the words for the table)."""
    seen = SEEN.findall(output)
    if status is None:
        return BROKEN, f"has not ended after {limit_s:g} s"
    if len(seen) != 1:
        last = (output.strip().splitlines() or ["no output"])[-1]
        return BROKEN, f"{len(seen)} lines 'seen: ...', exit status {status}: {last}"
    if left:
        return BROKEN, f"leaves behind: {' '.join(left)}"
    if status == 0 and seen[0] == noted:
        return HELD, seen[0]
    if seen[0] == noted:
        return BROKEN, f"exit status {status}, though it saw what its head says: {seen[0]}"
    return CHANGED, f"{seen[0]} (before: {noted})"


def run_one(folder, name, limit_s):
    begin = time.monotonic()
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        noted = head_of(file.read()).get("Seen", "")
    with tempfile.TemporaryDirectory(prefix="finding-") as own:
        places = [os.path.join(own, place) for place in ("program", "here", "temporary")]
        for place in places:
            os.mkdir(place)
        program = shutil.copy(os.path.join(folder, name), places[0])
        try:
            status, output = call(program, own, limit_s)
        except OSError as error:
            status, output = 127, str(error)
        what, words = judge(status, output, noted, sorted(entry for place in places[1:] for entry in os.listdir(place)), limit_s)
    return Outcome(name, what, time.monotonic() - begin, words, output)


def report(outcomes):
    for outcome in outcomes:
        if outcome.what != HELD:
            print(f"\n{outcome.name}: {outcome.what}; its output:\n{outcome.output}", end="" if outcome.output.endswith("\n") else "\n")
    width = max(len("finding"), *(len(outcome.name) for outcome in outcomes))
    print(f"\n{'finding':{width}}  {'what':8}{'took s':>8}  seen")
    for outcome in outcomes:
        print(f"{outcome.name:{width}}  {outcome.what:8}{outcome.took_s:8.1f}  {outcome.words}")
    counts = [sum(outcome.what == what for outcome in outcomes) for what in (HELD, CHANGED, BROKEN)]
    print("{} held, {} changed, {} broken".format(*counts))
    return 0 if counts[0] == len(outcomes) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="files of the folder; else all")
    parser.add_argument("--folder", default=FOLDER)
    parser.add_argument("--form", action="store_true", help="runs nothing: checks that each fits the form")
    parser.add_argument("--limit-s", type=float, default=LIMIT_S, help="what one may take")
    arguments = parser.parse_args()
    there = names_in(arguments.folder)
    if unknown := sorted(set(arguments.names) - set(there)):
        parser.error(f"there is no {unknown[0]} in {arguments.folder}, but: {' '.join(there)}")
    chosen = arguments.names or there
    problems = [problem for name in chosen for problem in problems_of(arguments.folder, name)]
    for problem in problems:
        print(problem)
    if problems or arguments.form or not chosen:
        print(f"{len(chosen)} findings, {len(problems)} problems of form")
        return 1 if problems else 0
    outcomes = []
    for name in chosen:
        print(f"{name} ...", flush=True)
        outcomes.append(run_one(arguments.folder, name, arguments.limit_s))
    return report(outcomes)


if __name__ == "__main__":
    sys.exit(main())
