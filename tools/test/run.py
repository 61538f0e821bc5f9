#!/usr/bin/env python3
"""Runs everything that is tested, in the order in which mistakes show soonest, and prints a table with the time that each kind
may take and took. The last line is "N passed, N failed"; the exit status is 0 only when nothing failed."""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree
from dataclasses import dataclass, field

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FACES = ["faces/all"] if os.path.exists(os.path.join(TOP, "faces", "CMakeLists.txt")) else []
LOGS = os.path.join(TOP, "build", "test-logs")


@dataclass
class Step:
    """Builds of one preset, or the tests of one kind in it."""

    name: str
    preset: str
    budget_s: int
    kinds: str = ""  # labels as a regular expression; empty: build
    targets: tuple = ()
    jobs_a_cpu: int = 1  # at once: more where tests wait for time to pass rather than compute
    took_s: float = 0.0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    failures: dict = field(default_factory=dict)  # what failing tests wrote, by their names


@dataclass
class Plan:
    steps: list = field(default_factory=list)

    def build(self, preset, budget_s, targets=(), name=None):
        self.steps.append(Step(name or f"build {preset}", preset, budget_s, targets=targets))

    def test(self, name, preset, budget_s, kinds, jobs_a_cpu=1):
        self.steps.append(Step(name, preset, budget_s, kinds, jobs_a_cpu=jobs_a_cpu))


def everything():
    plan = Plan()
    plan.build("checked", 60, ("weft", "weft_static"), name="build libraries")
    plan.test("lint", "checked", 60, "lint")
    plan.build(
        "checked",
        150,
        ("tests/unit/all", "tests/api/all", "tests/conform/all", "tests/model/all", "tests/fault/all", "tests/stress/all", "examples/all"),
    )
    for kind, budget_s, jobs_a_cpu in (
        ("unit", 30, 1),
        ("api", 60, 2),
        ("conform", 30, 2),
        ("model", 120, 1),
        ("fault", 60, 1),
        ("stress", 90, 1),
        ("examples", 30, 1),
    ):
        plan.test(kind, "checked", budget_s, kind, jobs_a_cpu)
    plan.build(
        "release",
        150,
        ("weft", "weft_static", *FACES, "tools/weft/all", "examples/all", "tests/api/all", "tests/tools/all", "bench/all"),
    )
    plan.test("release: api, examples", "release", 60, "api|examples", 2)
    plan.test("tools", "release", 60, "tools")
    plan.test("guard", "release", 30, "guard")
    plan.test("package", "release", 60, "package")
    plan.test("docs", "release", 60, "docs")
    for preset, kinds in (
        ("asan", "unit|api|conform|stress"),
        ("tsan", "unit|api|conform|stress"),
        ("clang", "unit|api|conform"),
        ("cross-aarch64", "unit|api|conform"),
    ):
        plan.build(preset, 120, tuple(f"tests/{kind}/all" for kind in kinds.split("|")))
        plan.test(f"{preset}: {kinds.replace('|', ', ')}", preset, 120, kinds, 2)
        if preset == "clang":
            plan.test("tidy", preset, 90, "tidy")
    return plan.steps


def run_logged(step, command, environment=None):
    """Runs command; its output goes to the step's log and, when it failed, to the terminal too."""
    os.makedirs(LOGS, exist_ok=True)
    log = os.path.join(LOGS, step.name.split(":")[0].replace(" ", "-") + ".log")
    with open(log, "ab") as out:
        status = subprocess.call(command, cwd=TOP, stdout=out, stderr=subprocess.STDOUT, env=environment)
    if status != 0:
        with open(log, errors="replace") as written:
            sys.stdout.write("".join(written.readlines()[-150:]))
    return status


def run_build(step, jobs):
    if run_logged(step, ["cmake", "--preset", step.preset]) != 0:
        step.failed, step.note = 1, "cannot be configured"
        return
    command = ["cmake", "--build", "--preset", step.preset, "-j", str(jobs)]
    if step.targets:
        command += ["--target", *step.targets]
    command += ["--", "-k", "0"]  # what does not build fails; the rest is still tested
    if run_logged(step, command) != 0:
        step.failed, step.note = 1, "does not build"


def run_tests(step, jobs, stress_seconds):
    results = os.path.join(LOGS, step.name.split(":")[0] + ".xml")
    if os.path.exists(results):
        os.remove(results)
    environment = dict(os.environ, STRESS_SECONDS=str(stress_seconds))
    status = run_logged(
        step,
        ["ctest", "--preset", step.preset, "-L", f"^({step.kinds})$", "-j", str(jobs * step.jobs_a_cpu), "--no-tests=ignore",
         "--output-junit", results, "--output-on-failure"],
        environment,
    )
    if not os.path.exists(results):
        step.failed = 1 if status != 0 else 0
        step.note = "no tests" if status == 0 else "ctest failed"
        return
    suite = xml.etree.ElementTree.parse(results).getroot()
    total, step.failed = int(suite.get("tests")), int(suite.get("failures"))
    step.skipped = int(suite.get("skipped")) + int(suite.get("disabled"))
    step.passed = total - step.failed - step.skipped
    step.failures = {
        case.get("name"): case.findtext("system-out") or "" for case in suite.iter("testcase") if case.find("failure") is not None
    }
    if total == 0:
        step.note = "no tests"
    if status != 0 and step.failed == 0:
        step.failed, step.note = 1, "ctest failed"


def run(step, jobs, stress_seconds):
    print(f"{step.name} ...", flush=True)
    begin = time.monotonic()
    if step.kinds:
        run_tests(step, jobs, stress_seconds)
    else:
        run_build(step, jobs)
    step.took_s = time.monotonic() - begin


def shortened(lines, head=20, tail=10):
    kept = lines if len(lines) <= head + tail else lines[:head] + ["..."] + lines[-tail:]
    return "\n".join(kept)


def report(steps):
    print(f"\n{'what':34}{'passed':>8}{'failed':>8}{'skipped':>9}{'budget s':>10}{'took s':>9}")
    for step in steps:
        counts = f"{step.passed:8}" if step.kinds else f"{'':8}"
        late = "over budget" if step.took_s > step.budget_s else ""
        notes = ", ".join(filter(None, (step.note, late)))
        print(f"{step.name:34}{counts}{step.failed:8}{step.skipped:9}{step.budget_s:10}{step.took_s:9.1f}  {notes}".rstrip())
    budget_s, took_s = sum(step.budget_s for step in steps), sum(step.took_s for step in steps)
    print(f"{'all':34}{'':8}{'':8}{'':9}{budget_s:10}{took_s:9.1f}")
    for step in steps:
        for name, output in step.failures.items():
            print(f"\n{step.name}: {name} failed:\n{shortened(output.splitlines())}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="run the steps of one preset")
    parser.add_argument("--stress-seconds", type=int, default=2, help="what a stress test may take")
    arguments = parser.parse_args()
    steps = [step for step in everything() if arguments.only in (None, step.preset)]
    if not steps:
        parser.error(f"no steps for the preset {arguments.only}")
    subprocess.call(["rm", "-rf", LOGS])
    for step in steps:
        run(step, arguments.jobs, arguments.stress_seconds)
    report(steps)
    passed, failed = sum(step.passed for step in steps), sum(step.failed for step in steps)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
