#!/usr/bin/env python3
"""Runs programs under schedules of their own choices (WEFT_SCHEDULE, docs/guide/replay.md): each run must end with exit status 0.
The first schedule under which a program fails is printed as the command that repeats it; the program is not run again.

usage: schedules.py --schedule TEXT... PROGRAM [ARGUMENT...]     these schedules of one program
       schedules.py --seconds N [--first-seed N] --list FILE     seeds, at random, by priorities and by samples of orders, of the programs that FILE names,
                                                                 a command a line, for so long; each program has the same share of that time"""

import argparse
import concurrent.futures
import itertools
import os
import re
import shlex
import subprocess
import sys
import threading
import time

LIMIT_S = 240  # of a run; a program that waits for ever without a call of Weft is only seen by it


def from_seeds(first):
    """Each seed at random, by priorities, of which the number and the length of the run that they are dealt over vary, and by samples."""
    for seed in itertools.count(first):
        yield f"seed:{seed}"
        yield f"seed:{seed},pct:{2 + seed % 3},length:{10 ** (2 + seed // 3 % 3)}"
        yield f"seed:{seed},sample:pos"


def environment_of(schedule):
    """A schedule's seed is also that of what stress programs do."""
    seed = re.match(r"seed:(\d+)", schedule)
    return {"WEFT_SCHEDULE": schedule, **({"STRESS_SEED": seed.group(1)} if seed else {})}


def run(command, schedule):
    """How the program failed and what it said; None if it did not fail."""
    try:
        done = subprocess.run(command, env={**os.environ, **environment_of(schedule)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as hang:
        return f"has not ended after {LIMIT_S} s", hang.stdout or b""
    return (f"exit status {done.returncode}", done.stdout) if done.returncode != 0 else None


class Rounds:
    """Runs of programs that several OS threads take. The next one is of the program that has taken least time, so that short programs,
    of which a second shows most schedules, run most often."""

    def __init__(self, schedules_of):
        self.schedules_of = schedules_of  # of each program, without an end or not
        self.taken_s = dict.fromkeys(schedules_of, 0.0)
        self.lock = threading.Lock()
        self.count = 0
        self.failed = set()

    def next(self):
        """A program and its schedule; None: there is none left."""
        with self.lock:
            for command in sorted(self.taken_s.keys() - self.failed, key=self.taken_s.get):
                schedule = next(self.schedules_of[command], None)
                if schedule is not None:
                    self.taken_s[command] += 0.001  # while it runs, another OS thread takes another one
                    return command, schedule
            return None

    def take_until(self, end):
        while time.monotonic() < end:
            each = self.next()
            if each is None:
                return
            begin = time.monotonic()
            failure = run(*each)
            with self.lock:
                self.count += 1
                self.taken_s[each[0]] += time.monotonic() - begin
                if failure is not None and each[0] not in self.failed:
                    self.tell(*each, *failure)

    def tell(self, command, schedule, what, output):
        self.failed.add(command)
        variables = " ".join(f"{name}={value}" for name, value in environment_of(schedule).items())
        print(f"{output.decode(errors='replace')}\n{what}; to repeat it:\n  {variables} {shlex.join(command)}", flush=True)


def programs_in(path):
    with open(path, encoding="utf-8") as file:
        return [tuple(shlex.split(line)) for line in file if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", action="append", default=[])
    parser.add_argument("--list")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first-seed", type=int, default=time.time_ns() % 1_000_000_007)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if bool(options.list) == bool(options.program) or bool(options.schedule) != bool(options.program):
        parser.error("want either --list FILE, or --schedule TEXT with a program")
    if options.list:
        programs = programs_in(options.list)
        print(f"first seed: {options.first_seed}", flush=True)
        rounds = Rounds({program: from_seeds(options.first_seed) for program in programs})
        end, jobs = time.monotonic() + options.seconds, options.jobs
    else:
        programs = [tuple(options.program)]
        rounds = Rounds({programs[0]: iter(options.schedule)})
        end, jobs = float("inf"), 1
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for taker in [pool.submit(rounds.take_until, end) for _ in range(jobs)]:
            taker.result()
    print(f"{len(rounds.failed)} of {len(programs)} programs failed\nfigure: schedules run = {rounds.count}")
    return 1 if rounds.failed or rounds.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
