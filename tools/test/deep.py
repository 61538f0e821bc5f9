#!/usr/bin/env python3
"""What run.py does in bounded form, in depth: the models with their deep bounds, each memory order weakened, stress for long, schedules
from many seeds, stress and faults under the sanitizers, link-time optimisation. Takes about two and a half hours on two cores. Prints a table with how
much was done; the last line is "N passed, N failed"; the exit status is 0 only when nothing failed."""

import argparse
import itertools
import os
import shlex
import sys

import steps
from run import NO_RACES

TESTS = os.path.join(steps.TOP, "build", "checked", "tests")
SHIPPED_TESTS = os.path.join(steps.TOP, "build", "release", "tests")
FLAT_MEMORY = os.path.join(SHIPPED_TESTS, "stress", "stress_flat_memory")
WEFT = os.path.join(steps.TOP, "build", "checked", "tools", "weft", "weft")
LTO_COMMAND = os.path.join(steps.TOP, "build", "lto", "tools", "weft", "weft")


def tests_of(*kinds):
    return tuple(f"tests/{kind}/all" for kind in kinds)


MOST_EXECUTIONS = 120_000  # of one model: with all of them, as `make model` has them, the deep bounds take many hours


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


def many_ranks():
    return [sys.executable, os.path.join(steps.TOP, "tests", "tools", "many_ranks.py"), WEFT, os.path.join(TESTS, "dist"), "mpich", "openmpi"]


def deaths():
    return {f"launch_deaths.py, {target}": launch("launch_deaths", target, "--kills", "200") for target in ("target", "forks_dist")}


# 10,000 programs of tests/dist: on few and many ranks, with pools that run dry, and with a move at every fork.
RANDOM_PROGRAMS = (
    ("on 2 ranks", 2, 3000, {}, []),
    ("on 4 ranks", 4, 3000, {}, []),
    ("on 4 ranks, pools of 2", 4, 2000, {"WEFT_DIST_POOL": "2"}, ["plain"]),  # threads that wait for futures need memory
    ("on 3 ranks, all move", 3, 2000, {"WEFT_DIST_CHECK": "all"}, []),
)


EXAMPLES = tuple(f"tascell_{name}" for name in ("comp", "fib", "nq", "pen"))


def random_programs():
    program = os.path.join(TESTS, "dist", "dist_random")
    commands = {}
    for number, (name, ranks, count, more, kind) in enumerate(RANDOM_PROGRAMS):
        variables = {"WEFT_LAUNCH_RANKS": str(ranks), "WEFT_LAUNCH_TABLE": "off", **more}
        words = [f"{key}={value}" for key, value in variables.items()]
        commands[f"random programs {name}"] = ["env", *words, program, str(count), str(1 + number * 100000), *kind]
    return commands


def tascell_programs():
    """Of the library and, beyond the hundred that the tests have, of the language."""
    program = os.path.join(TESTS, "lang", "lang_runtime")
    compiled = "tests/lang/random_programs.py"
    return {
        "lang_runtime": ["env", "TASCELL_PROGRAMS=9700", program, "--test-case=random*"],
        "random_programs.py": python(compiled, f"{WEFT} --seed 101 --batches 19"),
        "random_programs.py -O1": python(compiled, f"{WEFT} --seed 8001 --batches 5 --cc-options=-O1"),
    }


def fuzz(seconds):
    return {
        "lang_fuzz": [os.path.join(TESTS, "lang", "lang_fuzz"), str(seconds), os.path.join(steps.TOP, "tests", "lang")],
        "net_frames_fuzz": [os.path.join(TESTS, "unit", "net", "net_frames_fuzz"), str(seconds)],
    }


TEXTS = 10_000_000


def fuzzed_texts():
    """Two halves, each with seeds of its own, so that both processors are busy."""
    folder = os.path.join(steps.TOP, "build", "asan", "tests", "unit", "fuzz")
    half = str(TEXTS // 2)
    return {
        "text_fuzz, first half": [os.path.join(folder, "text_fuzz"), half, "1"],
        "text_fuzz, second half": [os.path.join(folder, "text_fuzz"), half, str(TEXTS)],
        "trace_fuzz": [os.path.join(folder, "trace_fuzz"), "300000"],
    }


def nodes():
    """Beyond the twenty deaths, the hundred programs and the short stop that the tests have."""
    examples = os.path.join(steps.TOP, "build", "checked", "examples", "tascell")
    return {
        "nodes that die": python("tests/lang/nodes_test.py", f"{WEFT} {examples} deaths --first 11 --seeds 490"),
        "nodes that stop": python("tests/lang/nodes_test.py", f"{WEFT} {examples} leaving --stop 10"),
        "random programs on nodes": python("tests/lang/nodes_test.py", f"{WEFT} {examples} random --first 26 --seeds 1975 --everywhere"),
        "random programs on nodes of an MPI": python("tests/lang/random_mpi_test.py", f"{WEFT} mpich openmpi --first 101 --batches 19 --everywhere"),
    }


def mpi4py():
    folder = os.path.join(TESTS, "conform", "mpi")
    libraries = [f"{mpi}={os.path.join(folder, f'libconform_mpi_beside_{mpi}.so')}" for mpi in ("mpich", "openmpi")]
    wheels = os.path.join(steps.TOP, "build", "wheels")
    return {"mpi4py_test.py": [sys.executable, os.path.join(steps.TOP, "tests", "conform", "mpi", "mpi4py_test.py"), WEFT, wheels, *libraries]}


def mpi_matrix():
    folder = os.path.join(steps.TOP, "tests", "conform", "mpi")
    return {"matrix_test.py": [sys.executable, os.path.join(folder, "matrix_test.py"), os.path.join(TESTS, "conform", "mpi")]}


def mpi_under_tsan():
    program = os.path.join(steps.TOP, "tests", "conform", "mpi", "tsan_test.py")
    return {"tsan_test.py": [sys.executable, program, os.path.join(steps.TOP, "build", "mpi-tsan")]}


def mpi_wheels():
    program = os.path.join(steps.TOP, "tests", "conform", "mpi", "wheels_test.py")
    return {"wheels_test.py": [sys.executable, program, os.path.join(steps.TOP, "build", "wheels")]}


def tables_of_states():
    """So many rounds that each class has been made 100,000 times: what is resident stays flat."""
    program = os.path.join(TESTS, "api", "api_cpp_futures_family_static")
    return {"cpp_states": ["env", "WEFT_TEST_ROUNDS=4000", program, "--source-file=*/cpp_states.cpp"]}


def faults_everywhere(name, preset, seconds, jobs):
    command = python("tests/fault/everywhere.py", f"build/{preset} --seconds {seconds} --jobs {jobs}")
    return steps.Commands(name, seconds + 60, commands={"everywhere.py": command})


def soak(name, preset, seconds):
    return steps.Commands(name, seconds + 60, commands={"soak.py": python("tests/stress/soak.py", f"build/{preset} --seconds {seconds}")})


def schedules(name, preset, seconds):
    listed = os.path.join(steps.TOP, "build", preset, "tests", "scheduled.txt")
    command = python("tools/test/schedules.py", f"--seconds {seconds} --list {listed}")
    return steps.Commands(name, seconds + 60, commands={"schedules.py": command}, environment={"STRESS_SECONDS": "0"})


def what_ships(lasting, jobs):
    """The release configuration, in which forks and unlocks are inlined, under what else runs on the checked one. Under a schedule no fork is
    inlined: each is a point at which the schedule chooses."""
    return [
        steps.Build("build release", 400, preset="release", targets=(*tests_of("stress", "fault", "api"), "lang_runtime")),
        steps.Tests("api, release", 120, preset="release", kinds="api", jobs_a_cpu=3),
        steps.Tests("faults injected, release", 60, preset="release", kinds="fault"),
        faults_everywhere("faults everywhere, release", "release", lasting(60), jobs),
        stress("stress, release", "release", lasting(4), lasting(4) * 30, 0),
        soak("soak, release", "release", lasting(150)),
        schedules("schedules from seeds, release", "release", lasting(120)),
        steps.Commands("flat memory", 240, commands={"flat_memory": [FLAT_MEMORY, "1000000000", "100000000"]}),
        steps.Build("build tools, release", 240, preset="release", targets=("weft_command", "tests/tools/all")),
        steps.Tests("tools: whole matrices", 900, preset="release", kinds="matrices", environment={"WEFT_TEST_MATRICES": "whole"}),
        steps.Build("build asan-release", 240, preset="asan-release", targets=tests_of("stress", "api")),
        stress("stress under asan, ubsan, release", "asan-release", lasting(5), lasting(5) * 20),
        faults_everywhere("faults under asan, ubsan, release", "asan-release", lasting(60), jobs),
    ]


def everything(scale, jobs):
    """What lasts as long as it is told is told to last `scale` times the usual."""

    def lasting(seconds):
        return max(1, round(scale * seconds))

    return [
        steps.Build("build checked", 240, preset="checked", targets=tests_of("model", "api", "stress", "fault")),
        Models("models in depth", 600),
        steps.Commands("orders mutated", 760, commands={"mutate.py": python("tests/model/mutate.py")}),
        steps.Commands("rules of the explorer broken", 400, commands={"mutate_explorer.py": python("tests/model/mutate_explorer.py", f"--jobs {jobs}")}),
        steps.Commands("statements mutated", 1500, commands={"mutate_source.py": python("tools/test/mutate_source.py", f"--sample 15 --jobs {jobs}")}),
        steps.Build("build ranks", 60, preset="checked", targets=("weft_command", "tools_launch_target", "tools_launch_forks_dist")),
        steps.Commands("ranks killed", 180, commands=deaths()),
        steps.Commands("ranks started", 60, commands={"launch_test.py": launch("launch_test")}, environment={"WEFT_TEST_STARTS": "100"}),
        steps.Build("build faults of ranks", 60, preset="checked", targets=("weft_command", "tools_launch_forks_dist_static", "net/all")),
        steps.Commands("ranks with faults", 1500, commands={"rank_faults.py": launch("rank_faults", "forks_dist_static", "--runs", "100", "mpich", "openmpi")}),
        steps.Build("build programs for many ranks", 60, preset="checked", targets=("dist_random", "dist_global", "dist_traced", "dist_space")),
        steps.Commands("many ranks and nodes", 600, commands={"many_ranks.py": many_ranks()}),
        steps.Build("build random programs", 60, preset="checked", targets=("dist_random",)),
        steps.Commands("random programs on ranks", 120, commands=random_programs()),
        steps.Build("build tascell programs", 60, preset="checked", targets=("lang_runtime", "lang_fuzz", "net_frames_fuzz", "weft_command", *EXAMPLES)),
        steps.Commands("random tascell programs", 900, commands=tascell_programs()),
        steps.Commands("tascell on nodes", 1800, commands=nodes()),
        steps.Commands("tascell compiler and frames fuzzed", lasting(300) + 30, commands=fuzz(lasting(300))),
        steps.Build("build programs beside mpi4py", 60, preset="checked", targets=("weft_command", "faces/mpi/all", "tests/conform/mpi/all")),
        steps.Commands("threads beside mpi4py", 240, commands=mpi4py()),
        steps.Commands("MPI below MPI_THREAD_MULTIPLE", 240, commands=mpi_matrix()),
        steps.Commands("MPI and threads under TSan", 400, commands=mpi_under_tsan()),
        steps.Commands("threads beside MPICH 5 and Open MPI 5", 1500, commands=mpi_wheels()),
        steps.Tests("faults injected", 60, preset="checked", kinds="fault"),
        faults_everywhere("faults everywhere", "checked", lasting(90), jobs),
        stress("stress for long", "checked", lasting(5), lasting(5) * 30, 0),
        soak("soak", "checked", lasting(200)),
        steps.Commands("rounds of the states of C++ classes", 300, commands=tables_of_states()),
        *what_ships(lasting, jobs),
        steps.Build("build clang-libcxx", 180, preset="clang-libcxx", targets=tests_of("api")),
        steps.Tests("clang with libc++: api", 60, preset="clang-libcxx", kinds="api"),
        steps.Build("build clang", 400, preset="clang", targets=tests_of("unit", "api", "conform", "stress", "lang")),
        steps.Tests("clang: unit, api, conform, stress, lang", 400, preset="clang", kinds="unit|api|conform|stress|lang"),
        steps.Build("build cross-aarch64", 400, preset="cross-aarch64", targets=tests_of("unit", "api", "conform", "dist", "lang")),
        steps.Tests("aarch64: unit, api, conform, dist, lang", 600, preset="cross-aarch64", kinds="unit|api|conform|dist|lang"),
        steps.Build("build lto", 240, preset="lto", targets=("weft_command",)),
        steps.Commands("debian packages", 900, commands={"debian_packages.py": python("tests/package/debian_packages.py")}),
        steps.Commands("site", 600, commands={"site_test.py": python("tests/docs/site_test.py", "build/site")}),
        steps.Commands("sources of a release", 900, commands={"release_build.py": python("tests/package/release_build.py")}),
        steps.Commands("spack", 1800, commands={"spack_packages.py": python("tests/package/spack_packages.py")}),
        steps.Commands("wheel", 400, commands={"wheel_test.py": python("tests/package/wheel_test.py", "whole")}),
        steps.Commands("tarballs and wheels for glibc 2.28", 2400, commands={"tarball_packages.py": python("tests/package/tarball_packages.py")}),
        steps.Commands("link-time optimisation", 60, commands={"demonstration": [LTO_COMMAND, "demo", "--quick"]}),
        schedules("schedules from seeds", "checked", lasting(200)),
        steps.Build("build asan", 600, preset="asan", targets=(*tests_of("unit", "api", "conform", "stress", "lang"), "text_fuzz", "trace_fuzz")),
        steps.Tests("asan, ubsan: unit, api, conform, lang", 400, preset="asan", kinds="unit|api|conform|lang", jobs_a_cpu=3),
        steps.Commands("texts fuzzed under asan, ubsan", 240, commands=fuzzed_texts()),
        stress("stress under asan, ubsan", "asan", lasting(8), lasting(8) * 20),
        faults_everywhere("faults under asan, ubsan", "asan", lasting(60), jobs),
        steps.Build("build tsan", 400, preset="tsan", targets=tests_of("unit", "api", "conform", "stress", "lang")),
        steps.Tests("tsan: unit, api, conform, lang", 500, preset="tsan", kinds="unit|api|conform|lang", jobs_a_cpu=3, excluding=NO_RACES),
        stress("stress under tsan", "tsan", lasting(8), lasting(8) * 20),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="the steps whose name contains this")
    parser.add_argument("--begin", default="", help="with the first step whose name contains this: goes on after a run that was stopped")
    parser.add_argument("--scale", type=float, default=1.0, help="how many times as long as usual stress and schedules last")
    arguments = parser.parse_args()
    left = itertools.dropwhile(lambda step: arguments.begin not in step.name, everything(arguments.scale, arguments.jobs))
    chosen = [step for step in left if (arguments.only or "") in step.name]
    if not chosen:
        parser.error("no step is left: see --begin and --only")
    return steps.run_all(chosen, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
