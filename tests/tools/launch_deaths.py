#!/usr/bin/env python3
"""Kills ranks of a launched job, and its launcher, at random moments: each time the job must end within ten times the 2 s that it may take,
with one line that names rank and signal, and no process and no memory of it may stay. Prints the longest time as a figure.

usage: launch_deaths.py WEFT TARGET [--kills N] [--seed N]     TARGET: launch_target, launch_forks"""

import argparse
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import time

LIMIT_S = 20
MARK = "WEFT_TEST_DEATHS_OF"
DEATH = re.compile(r"weft: rank (\d+) of (\d+) \(process (\d+)\) was killed by signal 9 \(Killed\)[^;]*?\)"
                   r"(?: while it held ([^;]*))?; the other ranks were ended\n\Z")


def fail(text):
    sys.exit(f"launch_deaths: {text}")


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # the process has ended, or is another user's
        return b""


def processes_with(mark):
    """Of a job, by its environment. A process that has ended and was not waited for has none."""
    return [name for name in os.listdir("/proc") if name.isdigit() and mark.encode() in read(f"/proc/{name}/environ")]


def wait_until_gone(mark):
    until = time.monotonic() + LIMIT_S
    while left := processes_with(mark):
        if time.monotonic() > until:
            fail(f"processes stay: {left}")
        time.sleep(0.005)


class Job:
    def __init__(self, weft, target, ranks):
        self.mark = f"{MARK}={secrets.token_hex(8)}"
        name, value = self.mark.split("=")
        # pylint: disable-next=consider-using-with
        self.launcher = subprocess.Popen([weft, "launch", "-n", str(ranks), target, "claims"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         text=True, env={**os.environ, name: value})
        lines = [self.launcher.stdout.readline().split() for _ in range(ranks)]
        self.processes = {int(words[1]): int(words[2]) for words in lines if len(words) == 3}
        if len(self.processes) != ranks:
            fail(f"the job did not start: {self.launcher.communicate()[1]}")

    def end(self):
        try:
            return self.launcher.communicate(timeout=LIMIT_S)[1]
        except subprocess.TimeoutExpired:
            self.launcher.kill()
            return fail("the job does not end")


def kill_rank(weft, target, ranks, at):
    """(seconds until the end, whether the rank held something)"""
    job = Job(weft, target, ranks)
    time.sleep(at.random() * 0.03)
    victim = at.randrange(ranks)
    start = time.monotonic()
    os.kill(job.processes[victim], signal.SIGKILL)
    told = job.end()
    took = time.monotonic() - start
    wait_until_gone(job.mark)
    match = DEATH.match(told)
    if match is None or (int(match[1]), int(match[2]), int(match[3])) != (victim, ranks, job.processes[victim]):
        fail(f"rank {victim} of {ranks} was killed, and the job said: {told!r}")
    if job.launcher.returncode != 128 + signal.SIGKILL:
        fail(f"exit status {job.launcher.returncode} after a death by signal 9")
    return took, "claim" in (match[4] or "")


def kill_launcher(weft, target, ranks, how):
    job = Job(weft, target, ranks)
    os.kill(job.launcher.pid, how)
    told = job.end()
    wait_until_gone(job.mark)
    if told or job.launcher.returncode != (-how if how == signal.SIGKILL else 128 + how):
        fail(f"the launcher got signal {how}: exit status {job.launcher.returncode}, {told!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weft")
    parser.add_argument("target")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"launch_deaths: --seed {options.seed}", flush=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and what they start
    at = random.Random(options.seed)
    ends = [kill_rank(options.weft, options.target, at.choice((1, 2, 3, 4, 7)), at) for _ in range(options.kills)]
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        for _ in range(max(1, options.kills // 20)):
            kill_launcher(options.weft, options.target, 3, how)
    print(f"figure: ranks killed = {len(ends)}")
    print(f"figure: ranks killed inside a claim = {sum(held for _, held in ends)}")
    print(f"figure: longest end of a job in ms = {1000 * max(took for took, _ in ends):.0f}")


if __name__ == "__main__":
    main()
