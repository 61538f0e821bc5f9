#!/usr/bin/env python3
"""Every API test program under every fault: each call of the fault seam (src/os/fault.hpp) fails in turn, once and for ever, while the
program does what it always does. How the program may end then is said in planned_fault.cpp; what it may not:
die of a signal, hang, leak (in a build with AddressSanitizer), give a wrong answer, end with a fatal error that does not name the call,
or leave a process in which Weft works no longer.

usage: everywhere.py BUILD_FOLDER [--all | --seconds N] [--seed N] [--cap N] [--jobs N] [--only TEXT] [--calls NAME,...] [--fault WISH]

A sample, drawn from the seed, which lasts about --seconds (8), and has programs that take many seconds only from 60 on; or all, for which --cap says how many occurrences of a call are
failed one by one: the first ones, from there on fewer and fewer, and the last. --fault mmap:3:once runs the programs with that fault alone."""

import argparse
import concurrent.futures
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field

import expected

TOLD, NOTICED, LATER = 97, 96, 95  # exit statuses of planned_fault.cpp
LEAK = 94
SECONDS_FOR_SLOW = 60  # of a sample in which they have one fault each
ANY_SANITIZER = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:")
TOLD_LINE = re.compile(r"^planned fault: (.*), noticed by: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    name: str
    command: tuple
    environment: tuple = ()


@dataclass
class Run:
    status: int | None  # None: it was still running at its time limit
    text: str
    seconds: float
    failed: int = 0
    phase: int = 0
    child_signal: int = 0
    seen: dict = field(default_factory=dict)


def programs_of(build):
    """The tests of the API with the static library, as ctest knows them; what only a debugger or a script drives has its own list."""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    found = []
    for test in json.loads(listed.stdout)["tests"]:
        command = test.get("command", [])
        if not test["name"].startswith("api.") or not command or not os.path.basename(command[0]).endswith("_static"):
            continue
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        found.append(Program(test["name"][4:], tuple(command), tuple(properties.get("ENVIRONMENT", ()))))
    target = os.path.join(build, "tests/api/api_trace_target_static")
    if os.path.exists(target):
        for scene in expected.TRACED_SCENES:
            environment = ("WEFT_TRACE=/dev/null", *expected.SCENE_VARIABLES.get(scene, ()))
            found.append(Program(f"trace_target {scene}", (target, scene), environment))
    # One schedule of each program is enough: others differ in the order of the same calls.
    found = [each for each in found if not re.search(r"_seed_(?!1$)", each.name) and not re.fullmatch(expected.WITHOUT_WEFT, each.name)]
    built = [each for each in found if os.path.exists(each.command[0])]
    if len(built) != len(found):
        print(f"{len(found) - len(built)} programs are not built in {build} and left out", flush=True)
    return built


def is_under_asan(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        return re.search(r"^WEFT_SANITIZE:.*=.*address", file.read(), re.MULTILINE) is not None


def read_plan(path, run):
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 24:
        return
    count, names, seen, failed, run.phase, run.child_signal = struct.unpack_from("6I", data)
    run.failed = struct.unpack_from("I", data, failed)[0]
    for index in range(count):
        name = data[names + 16 * index : names + 16 * (index + 1)].rstrip(b"\0").decode()
        run.seen[name] = struct.unpack_from("I", data, seen + 4 * index)[0]


def run_with(program, wish, limit):
    with tempfile.TemporaryDirectory(prefix="weft-fault-") as folder:
        path = os.path.join(folder, "plan")
        environment = dict(os.environ, WEFT_TEST_FAULT=wish, WEFT_TEST_FAULT_FILE=path)
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + f":exitcode={LEAK}"
        environment.update(each.split("=", 1) for each in program.environment)
        started = time.monotonic()
        with open(os.path.join(folder, "output"), "w+b") as output:
            process = subprocess.Popen(program.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
                                       env=environment, start_new_session=True)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            try:  # and the children that it left, whose output file this is
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            output.seek(0)
            text = output.read().decode(errors="replace")
        run = Run(status, text, time.monotonic() - started)
        if os.path.exists(path):
            read_plan(path, run)
        return run


def names_call(text, call):
    fatal = [line for line in text.splitlines() if line.startswith("weft: fatal: ")]
    return bool(fatal) and re.search(expected.FATAL[call], fatal[-1]) is not None if call in expected.FATAL else False


def judge(program, wish, run):
    """(how it ended, None or what is wrong with that)"""
    call = wish.split(":")[0]
    if run.status is None:
        if run.phase != 0 and expected.may_wait_later(program.name, call):
            return "told", None
        if call in expected.WARNING and re.search(expected.WARNING[call], run.text):
            return "warned", None
        return "hang", "hangs" if run.phase == 0 else "hangs in later calls"
    if ANY_SANITIZER.search(run.text):
        return "sanitizer", "a sanitizer complains"
    if run.failed == 0:
        return "not reached", None if expected.is_normal_end(program, run) else f"ends with {run.status} without a fault"
    if expected.is_normal_end(program, run):
        return "as ever", None
    if run.status == TOLD:
        told = TOLD_LINE.findall(run.text)
        bad = [status for status, _ in told if status != "something else" and not expected.is_refusal(status)]
        if bad and not expected.may_notice(program.name, call, told[-1][1]):
            return "told", f"an odd error: {bad[-1]}"
        return "told", None
    if run.status == NOTICED:
        if run.child_signal == signal.SIGABRT and names_call(run.text, call):
            return "named fatal error", None  # of a child that the program looks at
        what = TOLD_LINE.findall(run.text)[-1][1]
        return "noticed", None if expected.may_notice(program.name, call, what) else f"a wrong answer: {what}"
    if run.status == LATER:
        return "later", "later calls do not work"
    if run.status == -signal.SIGABRT and run.phase == 0 and names_call(run.text, call):
        return "named fatal error", None
    return "died", f"ends with {'signal ' + str(-run.status) if run.status < 0 else run.status}"


def chosen_occurrences(count, cap):
    chosen, nth = [], 1
    while nth <= count and len(chosen) < cap:
        chosen.append(nth)
        nth += 1 if nth < max(cap // 2, 1) else 1 + nth // 3
    if cap > 1 and chosen and chosen[-1] != count:
        chosen[cap - 1 :] = [count]
    return chosen


def wishes_of(counted, cap, calls):
    for call, count in counted.seen.items():
        if not calls or call in calls:
            for nth in chosen_occurrences(count, cap):
                yield from (f"{call}:{nth}:once", f"{call}:{nth}:ever")


@dataclass
class Prepared:
    program: Program
    wishes: list  # what is still to be tried
    limit: float


class Campaign:
    def __init__(self, options, seed, under_asan):
        self.options = options
        self.under_asan = under_asan
        self.seed = seed
        self.ends = Counter()
        self.problems = []
        self.programs = self.calls = 0  # run with a fault; failed
        self.until = time.monotonic() + options.seconds if self.is_sample() else float("inf")

    def is_sample(self):
        return not self.options.all and not self.options.fault

    def is_over(self):
        return time.monotonic() >= self.until

    def take(self, program, wish, run):
        how, wrong = judge(program, wish, run)
        self.ends[how] += 1
        self.programs += run.failed != 0
        self.calls += run.failed
        if wrong is None:
            return
        tail = "\n".join("    " + line for line in run.text.strip().splitlines()[-12:])
        self.problems.append(f"{program.name} with {wish}: {wrong}")
        again = " ".join([*program.environment, f"WEFT_TEST_FAULT={wish}", *program.command])
        print(f"{program.name} with {wish}: {wrong}\n{tail}\n  again: {again}", flush=True)

    def cap_of(self, program):
        return 1 if expected.is_slow(program.name) else self.options.cap

    def prepare(self, program):
        """Counts; None: nothing can be said of it, or the time is over."""
        if self.is_over():
            return None
        counted = run_with(program, "count", 600)
        if not expected.is_normal_end(program, counted):
            print(f"{program.name} ends with {counted.status} without a fault:\n{counted.text[-2000:]}", flush=True)
            self.problems.append(f"{program.name} without a fault")
            return None
        wishes = [self.options.fault] if self.options.fault else list(wishes_of(counted, self.cap_of(program), self.options.calls))
        wishes = [each for each in wishes if not expected.is_spared(program.name, each, self.under_asan)]
        if self.is_sample():
            most = 1 if expected.is_slow(program.name) else self.options.each
            wishes = random.Random(f"{self.seed} {program.name}").sample(wishes, min(len(wishes), most))
        return Prepared(program, wishes, 60 + 20 * counted.seconds)

    def fail_next(self, prepared):
        if prepared is None or not prepared.wishes or self.is_over():
            return
        wish = prepared.wishes.pop(0)
        self.take(prepared.program, wish, run_with(prepared.program, wish, prepared.limit))

    def fail_all(self, program):
        prepared = self.prepare(program)
        count = len(prepared.wishes) if prepared else 0
        while prepared and prepared.wishes:
            self.fail_next(prepared)
        print(f"{program.name}: {count} faults", flush=True)

    def fail_first(self, program):
        prepared = self.prepare(program)
        self.fail_next(prepared)
        return prepared

    def sample(self, programs, pool):
        """Every program meets its first fault before any meets its second."""
        there = list(pool.map(self.fail_first, programs))
        while not self.is_over() and (there := [each for each in there if each and each.wishes]):
            list(pool.map(self.fail_next, there))


def of_sample(programs, seconds, seed):
    """In the order of the sample. Slow ones, where there is time for them, begin, so that the run does not wait for them in the end."""
    programs = list(programs)
    random.Random(seed).shuffle(programs)
    slow = [each for each in programs if expected.is_slow(each.name)]
    quick = [each for each in programs if each not in slow]
    return slow + quick if seconds >= SECONDS_FOR_SLOW or not quick else quick


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--all", action="store_true", help="every program, every call")
    parser.add_argument("--seconds", type=float, default=8, help="of a sample")
    parser.add_argument("--seed", type=int, default=None, help="of a sample; printed")
    parser.add_argument("--each", type=int, default=6, help="faults a program, in a sample")
    parser.add_argument("--cap", type=int, default=12, help="occurrences of a call that are failed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="programs whose name matches this regular expression")
    parser.add_argument("--calls", type=lambda text: text.split(","), default=[], help="these calls alone")
    parser.add_argument("--fault", help="this fault alone, such as mmap:3:once")
    return parser.parse_args()


def main():
    options = parse()
    build = os.path.abspath(options.build)
    programs = [each for each in programs_of(build) if re.search(options.only, each.name)]
    if not programs:
        sys.exit(f"everywhere.py: no API test program in {build} matches '{options.only}': build it first (make api)")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f"seed {seed}", flush=True)
    campaign = Campaign(options, seed, is_under_asan(build))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if campaign.is_sample():
            campaign.sample(of_sample(programs, options.seconds, seed), pool)
        else:
            list(pool.map(campaign.fail_all, programs))
    for how, count in campaign.ends.most_common():
        print(f"{how}: {count}")
    print(f"figure: programs run with a fault = {campaign.programs}")
    print(f"figure: calls failed = {campaign.calls}")
    if campaign.problems:
        print(f"{len(campaign.problems)} problems:")
        print("\n".join(campaign.problems))
        sys.exit(1)


if __name__ == "__main__":
    main()
