#!/usr/bin/env python3
"""What run.py does in bounded form, in depth: the models with their deep bounds, each memory order weakened, stress for long, schedules
from many seeds, stress and faults under the sanitizers, link-time optimisation. Takes about an hour on two cores. Prints a table with how
much was done; the last line is "N passed, N failed"; the exit status is 0 only when nothing failed."""

import argparse
import os
import shlex
import sys

import steps

TESTS = os.path.join(steps.TOP, "build", "checked", "tests")
FLAT_MEMORY = os.path.join(steps.TOP, "build", "release", "tests", "stress", "stress_flat_memory")
WEFT = os.path.join(steps.TOP, "build", "checked", "tools", "weft", "weft")
LTO_COMMAND = os.path.join(steps.TOP, "build", "lto", "tools", "weft", "weft")


def tests_of(*kinds):
    return tuple(f"tests/{kind}/all" for kind in kinds)


MOST_EXECUTIONS = 300_000  # of one model: with all of them, as `make model` has them, the deep bounds take many hours


class Models(steps.Commands):
    """Each program of tests/model with its deep bounds, cut; which there are is known once they are built."""

    def run(self, jobs):
        folder = os.path.join(TESTS, "model")
        programs = sorted(name for name in os.listdir(folder) if name.startswith("model_")) if os.path.isdir(folder) else []
        bounds = ["--deep", "--executions", str(MOST_EXECUTIONS)]
        self.commands = {name: [os.path.join(folder, name), *bounds] for name in programs}
        super().run(jobs)


def python(script, arguments=""):
    return [sys.executable, os.path.join(steps.TOP, script), *shlex.split(arguments)]


def stress(name, preset, seconds, budget_s, jobs_a_cpu=1):
    return steps.Tests(name, budget_s, preset=preset, kinds="stress", jobs_a_cpu=jobs_a_cpu, environment={"STRESS_SECONDS": str(seconds)})


def launch(script, target="target", *options):
    return [sys.executable, os.path.join(steps.TOP, "tests", "tools", f"{script}.py"), WEFT, os.path.join(TESTS, "tools", f"tools_launch_{target}"),
            *options]


def deaths():
    return {f"launch_deaths.py, {target}": launch("launch_deaths", target, "--kills", "200") for target in ("target", "forks_dist")}


# 10,000 programs of tests/dist: on few and many ranks, with pools that run dry, and with a move at every fork.
RANDOM_PROGRAMS = (
    ("on 2 ranks", 2, 3000, {}),
    ("on 4 ranks", 4, 3000, {}),
    ("on 4 ranks, pools of 2", 4, 2000, {"WEFT_DIST_POOL": "2"}),
    ("on 3 ranks, all move", 3, 2000, {"WEFT_DIST_CHECK": "all"}),
)


def random_programs():
    program = os.path.join(TESTS, "dist", "dist_random")
    commands = {}
    for number, (name, ranks, count, more) in enumerate(RANDOM_PROGRAMS):
        variables = {"WEFT_LAUNCH_RANKS": str(ranks), "WEFT_LAUNCH_TABLE": "off", **more}
        words = [f"{key}={value}" for key, value in variables.items()]
        commands[f"random programs {name}"] = ["env", *words, program, str(count), str(1 + number * 100000)]
    return commands


def tascell_programs():
    """Of the library and, beyond the hundred that the tests have, of the language."""
    program = os.path.join(TESTS, "lang", "lang_runtime")
    compiled = "tests/lang/random_programs.py"
    return {
        "lang_runtime": ["env", "TASCELL_PROGRAMS=9700", program, "--test-case=random*"],
        "random_programs.py": python(compiled, f"{WEFT} --seed 101 --batches 79"),
        "random_programs.py -O1": python(compiled, f"{WEFT} --seed 8001 --batches 20 --cc-options=-O1"),
    }


def fuzz(seconds):
    return {"lang_fuzz": [os.path.join(TESTS, "lang", "lang_fuzz"), str(seconds), os.path.join(steps.TOP, "tests", "lang")]}


def everything(scale, jobs):
    """What lasts as long as it is told is told to last `scale` times the usual."""

    def lasting(seconds):
        return max(1, round(scale * seconds))

    def faults_everywhere(name, preset, seconds):
        command = python("tests/fault/everywhere.py", f"build/{preset} --seconds {seconds} --jobs {jobs}")
        return steps.Commands(name, seconds + 60, commands={"everywhere.py": command})

    schedules_s = lasting(300)
    return [
        steps.Build("build checked", 240, preset="checked", targets=tests_of("model", "api", "stress", "fault")),
        Models("models in depth", 600),
        steps.Commands("orders mutated", 760, commands={"mutate.py": python("tests/model/mutate.py")}),
        steps.Build("build ranks", 60, preset="checked", targets=("weft_command", "tools_launch_target", "tools_launch_forks_dist")),
        steps.Commands("ranks killed", 180, commands=deaths()),
        steps.Commands("ranks started", 60, commands={"launch_test.py": launch("launch_test")}, environment={"WEFT_TEST_STARTS": "100"}),
        steps.Build("build random programs", 60, preset="checked", targets=("dist_random",)),
        steps.Commands("random programs on ranks", 120, commands=random_programs()),
        steps.Build("build tascell programs", 60, preset="checked", targets=("lang_runtime", "lang_fuzz", "weft_command")),
        steps.Commands("random tascell programs", 900, commands=tascell_programs()),
        steps.Commands("tascell compiler fuzzed", lasting(300) + 30, commands=fuzz(lasting(300))),
        steps.Tests("faults injected", 60, preset="checked", kinds="fault"),
        faults_everywhere("faults everywhere", "checked", lasting(240)),
        stress("stress for long", "checked", lasting(5), lasting(5) * 30, 0),
        steps.Commands("soak", lasting(900) + 60, commands={"soak.py": python("tests/stress/soak.py", f"build/checked --seconds {lasting(900)}")}),
        steps.Build("build release", 240, preset="release", targets=("stress_flat_memory",)),
        steps.Commands("flat memory", 240, commands={"flat_memory": [FLAT_MEMORY, "1000000000", "100000000"]}),
        steps.Build("build lto", 240, preset="lto", targets=("weft_command",)),
        steps.Commands("link-time optimisation", 60, commands={"demonstration": [LTO_COMMAND, "demo", "--quick"]}),
        steps.Commands(
            "schedules from seeds", schedules_s + 60,
            commands={"schedules.py": python("tools/test/schedules.py", f"--seconds {schedules_s} --list {TESTS}/scheduled.txt")},
            environment={"STRESS_SECONDS": "0"}),
        steps.Build("build asan", 240, preset="asan", targets=tests_of("stress", "api")),
        stress("stress under asan, ubsan", "asan", lasting(8), lasting(8) * 20),
        faults_everywhere("faults under asan, ubsan", "asan", lasting(90)),
        steps.Build("build tsan", 120, preset="tsan", targets=tests_of("stress")),
        stress("stress under tsan", "tsan", lasting(8), lasting(8) * 20),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="the steps whose name contains this")
    parser.add_argument("--scale", type=float, default=1.0, help="how many times as long as usual stress and schedules last")
    arguments = parser.parse_args()
    chosen = [step for step in everything(arguments.scale, arguments.jobs) if (arguments.only or "") in step.name]
    if not chosen:
        parser.error(f"no step's name contains {arguments.only}")
    return steps.run_all(chosen, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
