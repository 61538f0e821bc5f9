#!/usr/bin/env python3
"""A job of three ranks under every fault of its start, and of its run: each call of the fault seam fails in turn, once and for ever, in
whichever process makes it. The job answers rightly and says nothing but a warning of its trace; or it ends with one line that names the
rank and what failed. It never hangs.

usage: ranks.py DIST_RANDOM [--cap N]     DIST_RANDOM: a program that compares its answer; N (4): how many occurrences of a call fail"""

import argparse
import concurrent.futures
import re
import signal
import sys

from everywhere import Program, run_with, wishes_of

LIMIT_S = 60
RANKS = "3"
# Besides: what fails for ever may also fail the launcher, which writes the trace in the end.
WARNING = re.compile(r"^weft: warning: WEFT_TRACE=[^\n]*: the trace could not be written completely \([^\n]*\)\n", re.MULTILINE)
REFUSAL = re.compile(r"\Aweft: (rank \d of 3 cannot start: [^\n]+|error: WEFT_TRACE=[^\n]*: (cannot be written \([^\n]+|no memory [^\n]+))\n\Z")
ABORT = re.compile(r"\A(weft: fatal: (?:futex wake failed|membarrier failed|rank \d of 3 cannot protect) [^\n]*\n)+weft: rank \d of 3 \(process \d+\) was killed by signal 6 [^\n]*\n\Z")
POLICIES = (("WEFT_DIST_POLICY=optimised",), ("WEFT_DIST_POLICY=child", "WEFT_TRACE=/dev/null"),
            ("WEFT_DIST_POLICY=basic", "WEFT_LAUNCH_LOCK=on"), ("WEFT_DIST_POLICY=iso-address",))


def is_right(run):
    text = WARNING.sub("", run.text)
    if run.status == 0:
        return not text
    if run.status == 128 + signal.SIGABRT:
        return ABORT.match(text) is not None
    return run.status == 1 and REFUSAL.match(text) is not None


def check(command, policy, cap, pool):
    program = Program("ranks", (*command, "3", "1", "plain"), (f"WEFT_LAUNCH_RANKS={RANKS}", "WEFT_LAUNCH_TABLE=off", *policy))
    counted = run_with(program, "count", LIMIT_S)
    if counted.status != 0 or counted.text or counted.seen.get("fork") != int(RANKS):
        sys.exit(f"without a fault it ends with {counted.status}, {counted.text!r}, {counted.seen}")
    wishes = list(wishes_of(counted, cap, None))
    failed = 0
    for wish, run in zip(wishes, pool.map(lambda wish: run_with(program, wish, LIMIT_S), wishes)):
        failed += run.failed != 0
        if not is_right(run):
            again = " ".join((*program.environment, f"WEFT_TEST_FAULT={wish}", *program.command))
            sys.exit(f"{wish}: ended with {run.status}\n{run.text}  again: {again}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--cap", type=int, default=4)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for policy in POLICIES:
            failed = check((options.program,), policy, options.cap, pool)
            print(f"figure: {' '.join(policy)}: {failed} runs with a fault")
            if failed < 40:
                sys.exit("too few faults were reached")


if __name__ == "__main__":
    main()
