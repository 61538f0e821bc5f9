#!/usr/bin/env python3
"""Runs the random stress programs of a build one after the other, for as long as it is told: each run with a fresh seed, any number of
workers up to 32 (on whatever CPUs there are), now and then with WEFT_MIGRATE=1 or under a schedule from a seed. Each program
checks its answers and, where it lasts long enough, that its memory does not grow from life to life. A failure, or a run that hangs, is
shown with the command that repeats it.

usage: soak.py BUILD [--seconds N] [--seed N] [--only NAME]"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time

FIGURE = re.compile(r"^figure: programs soaked = (\d+)$", re.M)
RESIDENT = re.compile(r"^resident: .*$", re.M)
SEEDS = re.compile(r"STRESS_SEED=(\d+)")
HANGS_AFTER_S = 240  # beyond its time: lives are short, even on a busy machine
MOST_SECONDS_A_RUN = 20

# Whether its runs repeat under a schedule, and whether it takes a number of workers and a locality.
PROGRAMS = {
    "programs": {"workers": True, "schedules": True},
    "forks": {"workers": True, "schedules": True, "localities": ("steal", "strict", "domain")},
    "objects": {"workers": True, "schedules": True},
    "builders": {"workers": True, "schedules": True},
    "loops": {"workers": True, "schedules": True},
    "affinity": {"workers": True},
    "regions": {"workers": True},
    "qthreads": {"workers": True, "schedules": True},
    "cpp_mixed": {},
    "wakeups": {},
    "starvation": {},
    "flat_memory": {},
}


class Run:
    """One run of a program, as drawn."""

    def __init__(self, build, name, seconds, dice):
        about = PROGRAMS[name]
        self.name = name
        self.seconds = seconds
        self.settings = {}
        self.words = [os.path.join(build, "tests", "stress", "stress_" + name)]
        if about.get("workers"):
            self.words.append(str(dice.choice((dice.randint(1, 4), dice.randint(1, 32)))))
        if "localities" in about:
            self.words.append(dice.choice(about["localities"]))
        if about.get("schedules") and dice.random() < 0.2:
            self.settings["WEFT_SCHEDULE"] = f"seed:{dice.randrange(1, 1 << 30)}" + dice.choice(("", ",pct:3", ",sample:pos"))
        elif dice.random() < 0.25:
            self.settings["WEFT_MIGRATE"] = "1"
        self.seed = dice.randrange(1, 1000000007)

    def repeat(self, seed):
        settings = {**self.settings, "STRESS_SEED": seed, "STRESS_SECONDS": 0 if "workers" in PROGRAMS[self.name] else self.seconds}
        return " ".join([*(f"{name}={value}" for name, value in settings.items()), *self.words])

    def start(self):
        environment = dict(os.environ, **self.settings, STRESS_SEED=str(self.seed), STRESS_SECONDS=str(self.seconds), STRESS_TELL="1")
        environment.setdefault("WEFT_DEADLOCK", "abort")
        environment.setdefault("WEFT_DUMP_SIGNAL", "quit")
        return subprocess.Popen(self.words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self):
        """(exit status, or None when it hung; what it wrote)"""
        process = self.start()
        try:
            written, _ = process.communicate(timeout=self.seconds + HANGS_AFTER_S)
            return process.returncode, written.decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)  # which thread waits for what
            time.sleep(5)
            process.kill()
            return None, process.communicate()[0].decode(errors="replace")


def tell_failure(run, status, written):
    seeds = SEEDS.findall(written)
    what = "hangs" if status is None else f"ended with status {status}"
    print("\n".join(line for line in written.split("\n")[-200:] if not line.startswith("life: ")))
    print(f"soak: {run.name} {what}\nrepeat: {run.repeat(seeds[-1] if seeds else run.seed)}", flush=True)


def tell_run(run, written):
    about = " ".join([*run.words[1:], *(f"{name}={value}" for name, value in run.settings.items())])
    resident = RESIDENT.search(written)
    print(f"soak: {run.name} {about}" + (f": {resident.group()}" if resident else ""), flush=True)


def soak(build, seconds, dice, names):
    """(programs with right answers, runs that failed)"""
    programs, failures = 0, 0
    deadline = time.monotonic() + seconds
    each_s = max(1, min(MOST_SECONDS_A_RUN, seconds // (2 * len(names))))
    while time.monotonic() < deadline:
        for name in dice.sample(names, len(names)):
            if time.monotonic() >= deadline:
                break
            run = Run(build, name, each_s, dice)
            status, written = run.finish()
            programs += sum(int(each) for each in FIGURE.findall(written))
            if status == 0:
                tell_run(run, written)
            else:
                failures += 1
                tell_failure(run, status, written)
    return programs, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", help="a build folder with stress tests, such as build/checked")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None, help="of what is drawn; time decides how much of it is run")
    parser.add_argument("--only", choices=sorted(PROGRAMS))
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(PROGRAMS)
    missing = [name for name in names if not os.path.exists(os.path.join(arguments.build, "tests", "stress", "stress_" + name))]
    if missing:
        sys.exit(f"soak.py: {arguments.build} has no stress_{missing[0]}: build it with its tests")
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1, 1 << 30)
    print(f"soak: {arguments.seconds} s, --seed {seed}", flush=True)
    programs, failures = soak(arguments.build, arguments.seconds, random.Random(seed), names)
    print(f"figure: programs soaked = {programs}")
    if failures or programs == 0:
        sys.exit(f"soak.py: {failures} runs failed")


if __name__ == "__main__":
    main()
