#!/usr/bin/env python3
"""Runs everything that is tested, in the order in which mistakes show soonest, and prints a table with the time that each kind
may take and took, and how much was done. The last line is "N passed, N failed"; the exit status is 0 only when nothing failed."""

import argparse
import os
import sys
from dataclasses import dataclass, field

import halves
import steps

LANGUAGE = ["lang/all"] if os.path.exists(os.path.join(steps.TOP, "lang", "CMakeLists.txt")) else []
FACES = ["faces/all"] if os.path.exists(os.path.join(steps.TOP, "faces", "CMakeLists.txt")) else []


@dataclass
class Plan:
    stress_seconds: int
    steps: list = field(default_factory=list)

    def build(self, preset, budget_s, targets=(), name=None):
        self.steps.append(steps.Build(name or f"build {preset}", budget_s, preset=preset, targets=targets))

    def test(self, name, preset, budget_s, kinds, jobs_a_cpu=1, excluding="^$", without="", environment=None, also_preset=""):
        given = {"STRESS_SECONDS": str(self.stress_seconds)} if "stress" in kinds.split("|") else {}
        self.steps.append(
            steps.Tests(name, budget_s, preset=preset, kinds=kinds, jobs_a_cpu=jobs_a_cpu, environment={**given, **(environment or {})},
                        excluding=excluding, without=without, also_preset=also_preset)
        )

    def command(self, name, preset, budget_s, script, *arguments):
        command = [sys.executable, os.path.join(steps.TOP, script), *arguments]
        self.steps.append(steps.Commands(name, budget_s, preset=preset, commands={os.path.basename(script): command}))


def tests_of(*kinds):
    return tuple(f"tests/{kind}/all" for kind in kinds)


# C++ headers over the calls that the rest of the interface's tests make. What ships, another compiler and another processor see the core
# of those tests (tests/api/CMakeLists.txt); the checked build and the sanitizers see all. make check-deep has all of them everywhere.
CPP_FAMILIES = "^cpp_(futures|loops|channels|coroutines)_family$"


def add_counts(plan):
    """What is counted, not timed: instructions; fences, lines and calls of the kernel on many CPUs in virtual time (tests/many)."""
    plan.test("guard", "release", 30, "guard")
    plan.build("many", 60, ("tests/many/all",))
    plan.test("many CPUs in virtual time", "many", 60, "many")


# One worker has no other to race with, and under a seed one runs at a time. What the compiler of Tascell says and writes has no race
# either; its programs run under TSan. That no thread starves is a matter of turns, which take long there. The checked build runs all of it.
NO_RACES = "_one_worker$|_seeded$|flat_memory|^stress.starvation|^lang.(constructs|diagnostics|guide|operators)$"


def add_sanitizers(plan, half):
    """All tests but for families and faces of which each takes a half, the two different ones: tools/test/halves.py."""
    # The operators' and the guide's programs say what the checked build says; the compiler reads others under ASan, damaged ones, too.
    for preset, excluding, own in (("asan", "_shared$|^lang.(guide|operators)$", half), ("tsan", f"_shared$|{NO_RACES}", 1 - half)):
        targets = ("api_core", *(f"api_cpp_{family}_family_static" for family in halves.FAMILIES[own]))
        targets += (*tests_of("unit", "stress", "lang"), *halves.targets("conform", halves.CONFORM[own]))
        plan.build(preset, 120, targets)
        plan.test(f"{preset}: unit, api, conform, stress, lang", preset, 120, "unit|api|conform|stress|lang", 3,
                  excluding=f"{excluding}|{halves.names('conform', halves.CONFORM[1 - own])}", without=halves.families(halves.FAMILIES[1 - own]))


def add_others(plan, half):
    """Another compiler and another processor: the core of the interface's tests, and each another half of the unit tests. They make no
    difference to how a library is loaded: checked and release load the shared one. A schedule is the same for each compiler, as are the
    seconds after which a standstill is told, and what is made of calls of the interface alone for each processor. make check-deep runs all
    of that, with the faces, Tascell's programs and the ranks."""
    for preset, excluding, own in (
        ("clang", "_shared$|_schedules$|^api.standstill", half),
        ("cross-aarch64", "_shared$|^api.(boost|fibers)", 1 - half),
    ):
        plan.build(preset, 120, ("api_core", "text_fuzz", *halves.targets("unit", halves.UNIT[own])))
        plan.test(f"{preset}: unit, api", preset, 120, "unit|api", 3,
                  excluding=f"{excluding}|{halves.names('unit', halves.UNIT[1 - own])}", without=CPP_FAMILIES)
        if preset == "clang":
            plan.test("tidy", preset, 90, "tidy")


def everything(jobs, stress_seconds=1, half=None):
    """half: 0 or 1, of the tests that run in part; None: by the commit."""
    half = halves.of_commit(steps.TOP) if half is None else half
    plan = Plan(stress_seconds)
    plan.build("checked", 60, ("weft", "weft_static"), name="build libraries")
    plan.test("lint", "checked", 60, "lint")
    plan.build(
        "checked",
        150,
        (*tests_of("unit", "api", "conform", "model", "fault", "stress", "examples", "dist", "lang"), "examples/all"),
    )
    for kind, budget_s, jobs_a_cpu in (
        ("unit", 30, 1),
        ("api", 60, 3),
        ("conform", 30, 2),
        ("model", 120, 1),
        ("fault", 60, 1),
        ("stress", 90, 1),
        ("examples", 30, 1),
        ("dist", 30, 1),
        ("lang", 30, 1),
    ):
        # A face is one code in both of its libraries, and the sanitizers run it with the archive.
        plan.test(kind, "checked", budget_s, kind, jobs_a_cpu, excluding="_static(_adopted|_outside)?$" if kind == "conform" else "^$")
        if kind == "model":
            plan.command("orders mutated", "checked", 100, "tests/model/mutate.py", "--no-partial", "--sample", "6", "--jobs", str(jobs))
    plan.test("package: the library with checks", "checked", 30, "package")
    plan.build(
        "release",
        150,
        ("weft", "weft_static", *FACES, *LANGUAGE, "tools/weft/all", "examples/all", "tests/examples/all", "api_core", "tests/tools/all", "bench/all"),
    )
    # The checked build runs these with the archive and under schedules, too; make check-deep has what ships so.
    plan.test("release: api, examples", "release", 60, "api|examples", 3, excluding="^api[.].*(_static|_schedules)$", without=CPP_FAMILIES)
    # A program does not know whether the shared library that it loads has checks.
    what_ships = {"LD_LIBRARY_PATH": os.path.join(steps.TOP, "build", "release")}
    plan.test("families of C++ on release: api", "checked", 60, CPP_FAMILIES[1:-1], 3, excluding="_static$|_schedules$", environment=what_ships, also_preset="release")
    plan.test("tools", "release", 60, "tools")
    plan.test("package", "release", 60, "package")
    plan.test("docs", "release", 60, "docs")
    add_counts(plan)
    add_sanitizers(plan, half)
    add_others(plan, half)
    return plan.steps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="run the steps of one preset")
    parser.add_argument("--stress-seconds", type=int, default=1, help="what a stress test may take")
    parser.add_argument("--half", type=int, choices=(0, 1), help="of what runs in part (tools/test/halves.py); without it, by the commit")
    arguments = parser.parse_args()
    chosen = everything(arguments.jobs, arguments.stress_seconds, arguments.half)
    if arguments.only:
        chosen = [step for step in chosen if step.preset == arguments.only and not getattr(step, "also_preset", "")]
    if not chosen:
        parser.error(f"no steps for the preset {arguments.only}")
    return steps.run_all(chosen, arguments.jobs, steps.run_tests_beside_builds)


if __name__ == "__main__":
    sys.exit(main())
