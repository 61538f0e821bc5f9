"""The steps that run.py and deep.py are made of: builds, ctest's tests of some kinds, and commands; and the table about them. Under the
table, what is told of a failed step ends with the line that repeats it in the top folder.

Tests and commands may print lines `figure: NAME = N`: how much they did, such as states explored. The table adds them up. What each
step printed, and ctest's results with the time of each test, are kept in build/test-logs, which compare_runs.py compares with another
run's."""

import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree
from dataclasses import dataclass, field

from progress import Progress, Screen

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOGS = os.path.join(TOP, "build", "test-logs")
FIGURE = re.compile(r"^figure: (.+?) = (\d+)$", re.MULTILINE)
KEPT_OUTPUT_BYTES = 1 << 20  # of a passed test: ctest would cut figures off
SLOW_TESTS_SHOWN = 12
SKIPPED = re.compile(r"^skipped: (.+)|\.\.\. skipped (['\"])(.+)\2$", re.MULTILINE)  # what a test prints, or unittest for a case of it
SLOWER_MACHINE = 3  # a limit must hold on a machine that is as many times as slow as this one
BEHIND_TESTS = ["nice", "-n", "5"]  # a build that runs beside tests takes what time they leave
TESTS_NAMED = 20  # in the line that repeats a step; if more fail, the line runs the whole step
SPECIAL_TO_CMAKE = re.compile(r"[][.^$*+?|()\\]")  # in its regular expressions; re.escape escapes more, which CMake refuses


def reasons_in(output):
    """Why a test, or cases of it, were skipped: each reason once, in their order."""
    return list(dict.fromkeys(own or of_case for own, _, of_case in SKIPPED.findall(output)))


def figures_in(output):
    figures = collections.Counter()
    for name, number in FIGURE.findall(output):
        figures[name] += int(number)
    return figures


def shell_line(command, environment=None):
    """What a shell repeats a command by, with the variables that it needs."""
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in (environment or {}).items()), shlex.join(command)])


def build_line(builds):
    """Configures the preset that the builds have in common, and builds the targets of all of them."""
    preset = builds[0].preset
    targets = [] if any(not build.targets for build in builds) else list(dict.fromkeys(target for build in builds for target in build.targets))
    build = ["cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else [])]
    return f"{shell_line(['cmake', '--preset', preset])} && {shell_line(build)}"


def tests_named(names):
    """A regular expression of CMake for these tests alone."""
    words = [SPECIAL_TO_CMAKE.sub(r"\\\g<0>", name) for name in names]
    return f"^{words[0]}$" if len(words) == 1 else f"^({'|'.join(words)})$"


@dataclass
class Step:
    name: str
    budget_s: int  # what it may take; the rest is given by name
    took_s: float = 0.0
    cpu_s: float = 0.0  # of its processes, user and system
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    failures: dict = field(default_factory=dict)  # what failing tests wrote, by their names
    figures: collections.Counter = field(default_factory=collections.Counter)
    seconds_of: dict = field(default_factory=dict)  # each test's time, by its name
    limits: dict = field(default_factory=dict)  # the seconds after which ctest ends a test, by its name
    skips: dict = field(default_factory=dict)  # why tests, or parts of them, were skipped, by the tests' names
    ended: threading.Event = field(default_factory=threading.Event, repr=False)
    progress: Progress = field(default_factory=Progress, repr=False)

    def run_timed(self, jobs):
        begin = time.monotonic()
        try:
            self.run(jobs)
        except Exception as error:  # a step of the other thread must not be lost with its thread
            self.failed, self.note = self.failed + 1, f"{type(error).__name__}: {error}"
        self.took_s = time.monotonic() - begin
        self.ended.set()

    def lines_to_repeat(self, _):
        """What a shell repeats the failed step by; `_`: the builds of its preset that stand before it."""
        return []

    def log(self):
        os.makedirs(LOGS, exist_ok=True)
        return os.path.join(LOGS, self.name.split(":")[0].replace(" ", "-"))

    def wait(self, child):
        """Waits for a process and adds the CPU time of it and of its descendants to the step's."""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s += usage.ru_utime + usage.ru_stime

    def run_logged(self, command, environment=None):
        """Runs command; its output goes to the step's log and, when it failed, to the terminal too."""
        with open(self.log() + ".log", "ab", buffering=0) as log:
            with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as child:
                for line in child.stdout:
                    log.write(line)
                    self.progress.read(line.decode(errors="replace"), self.counts_tests)
                self.wait(child)
        if child.returncode != 0:
            with open(self.log() + ".log", errors="replace") as written:
                self.progress.write("".join(written.readlines()[-150:]))
        return child.returncode


@dataclass
class Build(Step):
    """The targets of a preset; none: all."""

    preset: str = ""
    targets: tuple = ()
    counts_tests = False

    def lines_to_repeat(self, _):
        return [build_line([self])]

    def run(self, jobs):
        if self.run_logged(["cmake", "--preset", self.preset]) != 0:
            self.failed, self.note = 1, "cannot be configured"
            return
        command = [*BEHIND_TESTS, "cmake", "--build", "--preset", self.preset, "-j", str(jobs)]
        if self.targets:
            command += ["--target", *self.targets]
        command += ["--", "-k", "0"]  # what does not build fails; the rest is still tested
        if self.run_logged(command) != 0:
            self.failed, self.note = 1, "does not build"


@dataclass
class Tests(Step):
    """The tests of a preset with one of the labels that kinds, a regular expression, allows."""

    preset: str = ""
    kinds: str = ""
    jobs_a_cpu: int = 1  # at once: more where tests wait for time to pass rather than compute; 0: one at a time
    environment: dict = field(default_factory=dict)
    excluding: str = "^$"  # a regular expression of names
    without: str = ""  # one of labels
    also_preset: str = ""  # whose build the tests use, too
    counts_tests = True

    def lines_to_repeat(self, builds):
        chosen = ["-R", tests_named(self.failures)] if 0 < len(self.failures) <= TESTS_NAMED else self.choice()
        test = shell_line(["ctest", "--preset", self.preset, *chosen, "--output-on-failure"], self.environment)
        presets = dict.fromkeys(build.preset for build in builds)
        return [" && ".join([*(build_line([build for build in builds if build.preset == each]) for each in presets), test])]

    def choice(self):
        return ["-L", f"^({self.kinds})$", "-E", self.excluding, *(["-LE", self.without] if self.without else [])]

    def run(self, jobs):
        results = self.log() + ".xml"
        if os.path.exists(results):
            os.remove(results)
        status = self.run_logged(
            ["ctest", "--preset", self.preset, *self.choice(), "-j", str(max(1, jobs * self.jobs_a_cpu)),
             "--no-tests=ignore", "--output-junit", results, "--output-on-failure", "--test-output-size-passed", str(KEPT_OUTPUT_BYTES)],
            dict(os.environ, **self.environment),
        )
        if not os.path.exists(results):
            self.failed = 1 if status != 0 else 0
            self.note = "no tests" if status == 0 else "ctest failed"
            return
        self.read(xml.etree.ElementTree.parse(results).getroot())
        self.limits = self.read_limits()
        if status != 0 and self.failed == 0:
            self.failed, self.note = 1, "ctest failed"

    def read_limits(self):
        listed = subprocess.run(["ctest", "--preset", self.preset, "--show-only=json-v1"], cwd=TOP, stdout=subprocess.PIPE, check=True)
        tests = json.loads(listed.stdout)["tests"]
        return {test["name"]: each["value"] for test in tests for each in test["properties"] if each["name"] == "TIMEOUT"}

    def read(self, suite):
        total, self.failed = int(suite.get("tests")), int(suite.get("failures"))
        self.skipped = int(suite.get("skipped")) + int(suite.get("disabled"))
        self.passed = total - self.failed - self.skipped
        for case in suite.iter("testcase"):
            output = case.findtext("system-out") or ""
            self.figures += figures_in(output)
            self.seconds_of[case.get("name")] = float(case.get("time") or 0)
            if case.find("failure") is not None:
                self.failures[case.get("name")] = output
            is_whole = case.find("skipped") is not None
            if reasons := reasons_in(output) or is_whole and (output.split("\n") if output else ["it does not say why"]):
                self.skips[case.get("name")] = ("" if is_whole else "in part: ") + "; ".join(reasons)
        if total == 0:
            self.note = "no tests"


@dataclass
class Commands(Step):
    """Commands by their names, each a test: it passes when its exit status is 0. `at_once` of them run at a time; 0: as many as jobs."""

    commands: dict = field(default_factory=dict)
    at_once: int = 0
    preset: str = ""  # that they belong to, if any
    environment: dict = field(default_factory=dict)
    counts_tests = True

    def lines_to_repeat(self, _):
        return [shell_line(self.commands[name], self.environment) for name in self.failures]

    def run(self, jobs):
        if not self.commands:
            self.failed, self.note = 1, "nothing to run"
            return
        self.progress.expect(len(self.commands), "commands")
        with concurrent.futures.ThreadPoolExecutor(self.at_once or jobs) as pool:
            for name, (status, output) in zip(self.commands, pool.map(self.run_one, self.commands.values())):
                self.count(name, status, output)

    def run_one(self, command):
        status, output = self.call(command)
        self.progress.one_ended(status != 0)
        return status, output

    def call(self, command):
        """A command that takes four times the step's budget hangs."""
        limit_s = 4 * self.budget_s
        try:
            with tempfile.TemporaryFile() as written:
                child = subprocess.Popen(command, cwd=TOP, env=dict(os.environ, **self.environment), stdout=written, stderr=subprocess.STDOUT)
                too_late = threading.Timer(limit_s, child.kill)
                too_late.start()
                self.wait(child)
                is_late = not too_late.is_alive()
                too_late.cancel()
                written.seek(0)
                output = written.read().decode(errors="replace")
        except OSError as error:
            return 1, str(error)
        return (1, f"{output}\nhas not ended after {limit_s} s") if is_late else (child.returncode, output)

    def count(self, name, status, output):
        with open(self.log() + ".log", "a", encoding="utf-8") as log:
            log.write(f"---- {name}: exit status {status}\n{output}")
        self.figures += figures_in(output)
        self.passed += status == 0
        self.failed += status != 0
        if status != 0:
            self.failures[name] = output


def builds_before(steps, place):
    """The builds that stand before a step and that it uses."""
    presets = (steps[place].preset, getattr(steps[place], "also_preset", ""))
    return [step for step in steps[:place] if isinstance(step, Build) and step.preset in presets]


def shortened(lines, head=20, tail=10):
    kept = lines if len(lines) <= head + tail else lines[:head] + ["..."] + lines[-tail:]
    return "\n".join(kept)


def said(figures):
    return ", ".join(f"{number:,} {name}" for name, number in sorted(figures.items()))


def slow_tests(steps):
    tests = ((seconds, step.name, name) for step in steps for name, seconds in step.seconds_of.items())
    return sorted(tests, reverse=True)[:SLOW_TESTS_SHOWN]


def near_limits(steps):
    """Tests that a machine SLOWER_MACHINE times as slow would end before they are done."""
    for step in steps:
        for name, seconds in step.seconds_of.items():
            limit = step.limits.get(name)
            if limit and SLOWER_MACHINE * seconds > limit:
                yield f"{step.name}: {name} took {seconds:.0f} s of {limit:.0f}"


def report_list(title, lines):
    for place, line in enumerate(lines):
        print(f"{title if place == 0 else '':34}{line}")


def report(steps, took_s):
    print(f"\n{'what':34}{'passed':>8}{'failed':>8}{'skipped':>9}{'budget s':>10}{'took s':>9}{'CPU s':>9}  figures")
    for step in steps:
        counts = f"{step.passed:8}" if step.counts_tests else f"{'':8}"
        late = "over budget" if step.took_s > step.budget_s else ""
        notes = ", ".join(filter(None, (said(step.figures), step.note, late)))
        print(f"{step.name:34}{counts}{step.failed:8}{step.skipped:9}{step.budget_s:10}{step.took_s:9.1f}{step.cpu_s:9.1f}  {notes}".rstrip())
    totals = [sum(getattr(step, count) for step in steps) for count in ("passed", "failed", "skipped", "budget_s")]
    cpu_s = sum(step.cpu_s for step in steps)
    figures = sum((step.figures for step in steps), collections.Counter())
    print("{:34}{:8}{:8}{:9}{:10}{:9.1f}{:9.1f}  {}".format("all", *totals, took_s, cpu_s, said(figures)).rstrip())
    for place, (seconds, step_name, name) in enumerate(slow_tests(steps)):
        print(f"{'the slowest tests' if place == 0 else '':34}{seconds:44.1f}  {step_name}: {name}")
    report_list("near their limits", near_limits(steps))
    report_list("skipped", (f"{step.name}: {name}: {why}" for step in steps for name, why in step.skips.items()))
    report_failures(steps)


def report_failures(steps):
    """What is told of each failed step ends with the line that repeats it."""
    for place, step in enumerate(steps):
        if not step.failed:
            continue
        for name, output in step.failures.items():
            print(f"\n{step.name}: {name} failed:\n{shortened(output.splitlines())}\n")
        if not step.failures:
            print(f"\n{step.name}: {step.note}")
        for line in step.lines_to_repeat(builds_before(steps, place)):
            print(f"repeat: {line}")


def run_in_order(steps, jobs):
    for step in steps:
        step.progress.begin()
        step.run_timed(jobs)
        step.progress.end(step.note)


def run_tests_beside_builds(steps, jobs):
    """Builds in their order, and beside them the tests in theirs. A test waits for the builds of its preset that stand before it."""
    builds = [step for step in steps if isinstance(step, Build)]
    builder = threading.Thread(target=run_in_order, args=(builds, jobs))
    builder.start()
    for place, step in enumerate(steps):
        if isinstance(step, Build):
            continue
        for build in builds_before(steps, place):
            build.ended.wait()
        run_in_order([step], jobs)
    builder.join()


def run_all(steps, jobs, run=run_in_order):
    """Runs the steps and prints the table; the last line is "N passed, N failed". What the process's exit status is to be."""
    subprocess.call(["rm", "-rf", LOGS])
    begin = time.monotonic()
    with Screen() as screen:
        for number, step in enumerate(steps, 1):
            step.progress = Progress(screen, f"[{number}/{len(steps)}] {step.name}")
        run(steps, jobs)
    report(steps, time.monotonic() - begin)
    passed, failed = sum(step.passed for step in steps), sum(step.failed for step in steps)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
