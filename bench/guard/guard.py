#!/usr/bin/env python3
"""Counts the instructions of hot operations under callgrind, and compares them with those noted in instructions.json.

    bench/guard/guard.py BUILD/bench/guard/guard-weft [--write | --traced] [--counts FILE]

An operation's count is the difference between two runs that differ only in how often they do it, so it depends on nothing but the code and
its compiler: no noise, no start-up, no end. It may grow by 2 %, and by half an instruction, before this fails; growth that is meant is noted
with --write and stands in the commit. --traced counts each also with WEFT_TRACE set (docs/guide/tracing.md), and compares nothing.

Exit status: 0 none grew; 1 one did, or could not be counted; 2 the command line makes no sense; 77 nothing was compared: valgrind is
missing, or no counts are noted for this compiler on this machine."""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys

ROUNDS = (2000, 12000)
MARGIN, MARGIN_INSTRUCTIONS = 1.02, 0.5
HERE = os.path.dirname(os.path.abspath(__file__))


class Problem(Exception):
    pass


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="guard-weft of a release build")
    parser.add_argument("--counts", default=os.path.join(HERE, "instructions.json"), metavar="FILE")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--write", action="store_true", help="note what is counted")
    instead.add_argument("--traced", action="store_true", help="count with and without a trace")
    return parser.parse_args(words)


def output_of(command, **environment):
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}")
    return done.stdout + done.stderr


def instructions(program, operation, rounds, environment):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, operation, str(rounds)]
    said = output_of(command, **environment)
    collected = re.search(r"Collected : (\d+)", said)
    if collected is None:
        raise Problem(f"callgrind says no count:\n{said}")
    return int(collected.group(1))


def count(program, operations, **environment):
    few, many = ROUNDS
    return {
        operation: round((instructions(program, operation, many, environment) - instructions(program, operation, few, environment))
                         / (many - few), 1)
        for operation in operations
    }


def show_traced(program, operations):
    off, on = count(program, operations), count(program, operations, WEFT_TRACE="/dev/null")
    print(f"{'operation':20}{'off':>9}{'on':>9}")
    for operation in operations:
        print(f"{operation:20}{off[operation]:9.1f}{on[operation]:9.1f}")
    return 0


def read(path):
    if not os.path.exists(path):
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except ValueError as error:
        raise Problem(f"{path} is no JSON: {error}") from error


def write(path, everything):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(everything, file, indent=2, sort_keys=True)
        file.write("\n")


def has_grown(now, noted):
    return now > noted * MARGIN and now > noted + MARGIN_INSTRUCTIONS


def verdict(now, noted):
    if noted is None:
        return "not noted: run with --write"
    if has_grown(now, noted):
        return "GREW"
    return "fewer: note it with --write" if has_grown(noted, now) else ""


def compare(now, noted):
    print(f"{'operation':20}{'instructions':>13}{'noted':>9}")
    for operation, found in now.items():
        before = noted.get(operation)
        print(f"{operation:20}{found:13.1f}{'' if before is None else before:>9}  {verdict(found, before)}".rstrip())
    missing = [operation for operation in noted if operation not in now]
    if missing:
        raise Problem(f"noted, but not there any more: {', '.join(missing)}")
    return 1 if any(operation not in noted or has_grown(found, noted[operation]) for operation, found in now.items()) else 0


def run(arguments):
    if not os.access(arguments.program, os.X_OK):
        raise Problem(f"{arguments.program} is no program; make bench-guard builds it")
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: nothing is compared")
        return 77
    compiler, *operations = output_of([arguments.program]).splitlines()
    if arguments.traced:
        return show_traced(arguments.program, operations)
    key = f"{compiler}, {platform.machine()}"
    everything = read(arguments.counts)
    if key not in everything and not arguments.write:
        print(f"no counts are noted for {key}: nothing is compared\nnoted: {'; '.join(everything) or 'none'}")
        return 77
    now = count(arguments.program, operations)
    if arguments.write:
        everything[key] = now
        write(arguments.counts, everything)
    return compare(now, everything[key])


def main():
    try:
        return run(parse(sys.argv[1:]))
    except Problem as problem:
        print(f"guard.py: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
