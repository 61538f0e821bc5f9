#!/usr/bin/env python3
"""Runs an example and compares what it prints.

A program that is expected to explain itself rather than to end (--report) is killed as soon as its stderr holds all of the given
regular expressions."""

import argparse
import json
import os
import pathlib
import re
import selectors
import signal
import subprocess
import sys
import time


def read_until(process, wanted, deadline):
    """Stderr up to where it matches all of wanted; shorter when the program ends or the time is over."""
    text = ""
    selector = selectors.DefaultSelector()
    selector.register(process.stderr, selectors.EVENT_READ)
    while not all(re.search(each, text, re.DOTALL) for each in wanted):
        left = deadline - time.monotonic()
        if left <= 0 or not selector.select(left):
            break
        read = os.read(process.stderr.fileno(), 65536)
        if not read:
            break
        text += read.decode(errors="replace")
    return text


def check_report(command, environment, wanted, seconds):
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    text = read_until(process, wanted, time.monotonic() + seconds)
    process.kill()
    process.wait()
    sys.stdout.write(text)
    return [f"no report matches {each}" for each in wanted if not re.search(each, text, re.DOTALL)]


def check_output(command, environment, expected, printed, seconds, status, wanted):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
    sys.stdout.write(done.stderr)
    problems = [f"stderr has nothing that matches {each}" for each in wanted if not re.search(each, done.stderr, re.DOTALL)]
    if done.returncode != status:
        problems.append(f"exit status {done.returncode}, not {status}")
    if expected is not None and done.stdout != expected:
        problems.append(f"printed:\n{done.stdout}instead of:\n{expected}")
    problems += [f"stdout has nothing that matches {each}" for each in printed if not re.search(each, done.stdout, re.MULTILINE)]
    if not wanted and done.stderr:
        problems.append("printed on stderr")
    return problems


def check_trace(path):
    """A trace of which the parsers, and what the program did while it was slow, are told."""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    except (OSError, ValueError, KeyError) as problem:
        return [f"{path} holds no trace: {problem!r}"]
    return [] if any("parser" in str(event.get("name")) for event in events) else [f"{path} names no parser"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--expect", help="file with what it prints")
    parser.add_argument("--stdout", action="append", default=[], metavar="REGEX", help="what it prints, where that is not always the same")
    parser.add_argument("--argument", action="append", default=[])
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--stderr", action="append", default=[], metavar="REGEX")
    parser.add_argument("--report", action="store_true", help="kill the program once it has reported")
    parser.add_argument("--signal", help="the signal that ends it")
    parser.add_argument("--status", type=int, default=0, help="its exit status")
    parser.add_argument("--written", metavar="FILE", help="a trace that it writes")
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    environment = dict(os.environ, **dict(each.split("=", 1) for each in arguments.env))
    command = [arguments.program, *arguments.argument]
    if arguments.report:
        problems = check_report(command, environment, arguments.stderr, arguments.seconds)
    else:
        expected = open(arguments.expect, encoding="utf-8").read() if arguments.expect else None
        status = -signal.Signals[arguments.signal] if arguments.signal else arguments.status
        if arguments.written:
            pathlib.Path(arguments.written).unlink(missing_ok=True)
        problems = check_output(command, environment, expected, arguments.stdout, arguments.seconds, status, arguments.stderr)
        if arguments.written:
            problems += check_trace(arguments.written)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
