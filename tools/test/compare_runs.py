#!/usr/bin/env python3
"""Compares what two runs of `make test` tested. BEFORE and AFTER are copies of build/test-logs, which each run writes anew: ctest's results
a step. Prints the tests that the second run lost or skipped, those of doctest programs that have fewer test cases, the new tests, and the
time of each step's tests in both. The exit status is 1 if a test or a test case was lost, so that a faster run is known to prove as much.

usage: compare_runs.py BEFORE AFTER"""

import argparse
import os
import re
import sys
import xml.etree.ElementTree
from dataclasses import dataclass

DOCTEST_CASES = re.compile(r"\[doctest\] test cases:\s*(\d+)")


@dataclass
class Test:
    seconds: float
    cases: int  # of a doctest program; 0: of another


def tests_of(folder):
    """{(step, name): Test} of a folder of results, without those that were skipped."""
    found = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".xml"):
            continue
        for case in xml.etree.ElementTree.parse(os.path.join(folder, file)).getroot().iter("testcase"):
            if case.find("skipped") is not None:
                continue
            cases = DOCTEST_CASES.search(case.findtext("system-out") or "")
            found[file[:-4], case.get("name")] = Test(float(case.get("time") or 0), int(cases[1]) if cases else 0)
    return found


def compare(before, after):
    """The lines to print, and whether anything was lost."""
    lost = sorted(before.keys() - after.keys())
    thinner = sorted(key for key in before.keys() & after.keys() if after[key].cases < before[key].cases)
    lines = [f"lost: {step}: {name}" for step, name in lost]
    lines += [f"fewer test cases: {step}: {name}: {before[step, name].cases} before, {after[step, name].cases} after" for step, name in thinner]
    lines += [f"new: {step}: {name}" for step, name in sorted(after.keys() - before.keys())]
    lines += [f"{step:20}{seconds(before, step):9.1f} s before{seconds(after, step):9.1f} s after, all tests one after the other"
              for step in sorted({step for step, _ in before.keys() | after.keys()})]
    lines.append(f"{len(before)} tests before, {len(after)} after, {len(lost)} lost, {len(thinner)} with fewer test cases")
    return lines, bool(lost or thinner)


def seconds(tests, of):
    return sum(test.seconds for (step, _), test in tests.items() if step == of)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    arguments = parser.parse_args()
    both = []
    for folder in (arguments.before, arguments.after):
        if not os.path.isdir(folder):
            parser.error(f"{folder} is not a folder")
        both.append(tests_of(folder))
        if not both[-1]:
            parser.error(f"{folder} holds no results of ctest (*.xml): give a copy of build/test-logs")
    lines, is_less = compare(*both)
    print("\n".join(lines))
    return 1 if is_less else 0


if __name__ == "__main__":
    sys.exit(main())
