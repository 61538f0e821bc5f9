#!/usr/bin/env python3
"""Repeats published experiments with what is installed here, the published figures beside ours.

    bench/published/published.py BUILD NAME [--full | --largest] [--repetitions N] [--json FILE] [--resume | --report]

BUILD is a build folder of the preset `bench` (`make published` makes one); NAME is an experiment, or `all`. Each repetition is a process
bound to as many CPUs as it has workers; those that are compared take turns. Usual sizes take minutes; --full takes the published ones,
--largest those of them that need hours or most of the memory.
bench/published/README.md says what each experiment is, and what in it cannot be compared.

Exit status: 0 done, whatever the rivals did; 1 Weft answered wrongly or did not get through; 2 the command line or a
file makes no sense."""

import argparse
import os
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("matrix", "guard")]

import call_overhead  # noqa: E402
import chapel  # noqa: E402
import chapel_compiled  # noqa: E402
import creation_cycles  # noqa: E402
import fib_threshold  # noqa: E402
import lwt  # noqa: E402
import machine  # noqa: E402
import pictures  # noqa: E402
import report  # noqa: E402
import rma_mt  # noqa: E402
import runners  # noqa: E402
import smallest_leaf  # noqa: E402
import state as states  # noqa: E402
import tascell  # noqa: E402
import thread_ops  # noqa: E402
import uni_address  # noqa: E402
import uni_nodes  # noqa: E402
from experiment import Context, show_missing, show_settings  # noqa: E402
from runners import Problem  # noqa: E402
from trials import Trials  # noqa: E402

EXPERIMENTS = {
    each.NAME: each
    for each in (fib_threshold, thread_ops, call_overhead, chapel, chapel_compiled, lwt, creation_cycles, uni_address, uni_nodes, smallest_leaf,
                 rma_mt, tascell)
}
FORMAT = "weft-published-1"
FEWEST_REPETITIONS = 7
TEXT_WIDTH = 132
TIME_LIMIT_S, LARGEST_TIME_LIMIT_S = 120, 3600
PLAN_FIELDS = {"build": str, "full": bool, "largest": bool, "repetitions": int, "time_limit_s": (int, float), "memory_limit_bytes": int,
               "stamps": dict}
CELL_FIELDS = {"group": str, "variant": str, "workers": int, "status": str, "why": str, "samples": list, "command": list}


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("name", metavar="NAME", help=", ".join([*EXPERIMENTS, "all"]))
    parser.add_argument("--full", action="store_true", help="the published sizes; usually those that take minutes")
    parser.add_argument("--largest", action="store_true", help="the largest published sizes, which --full leaves out: chapel's 2^28")
    parser.add_argument("--repetitions", type=int, metavar="N", help=f"usually {FEWEST_REPETITIONS}")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS",
                        help=f"of one process; usually {TIME_LIMIT_S}, with --largest {LARGEST_TIME_LIMIT_S}")
    parser.add_argument("--memory-limit", type=int, default=0, metavar="MIB", help="of one process; usually half of the machine's")
    parser.add_argument("--json", metavar="FILE", help="where everything is kept; usually BUILD/published-NAME.json")
    parser.add_argument("--resume", action="store_true", help="go on with what --json holds; the plan is the one in it")
    parser.add_argument("--report", action="store_true", help="measure nothing, show what --json holds")
    return parser.parse_args(words)


def choose(name):
    if name == "all":
        return list(EXPERIMENTS)
    if name == uni_address.NAME:
        return [name, uni_nodes.NAME]  # the same on several nodes
    return runners.choose("experiment", [name], [*EXPERIMENTS, "all"])


def stamps(experiments):
    programs = {cell["command"][0] for cells in experiments.values() for cell in cells if cell["command"]}
    return {path: runners.stamp([path]) for path in sorted(programs)}


def make_state(arguments):
    here = machine.facts()
    if arguments.repetitions is None:
        arguments.repetitions = FEWEST_REPETITIONS
    if arguments.repetitions < 1:
        raise Problem("--repetitions must be at least 1")
    context = Context(arguments.build, arguments.full or arguments.largest, arguments.largest, here["usable_cpus"])
    experiments = {name: EXPERIMENTS[name].plan(context) for name in choose(arguments.name)}
    plan = {"build": arguments.build, "full": context.is_full, "largest": context.is_largest, "repetitions": arguments.repetitions,
            "time_limit_s": arguments.time_limit or (LARGEST_TIME_LIMIT_S if context.is_largest else TIME_LIMIT_S),
            "memory_limit_bytes": arguments.memory_limit << 20 if arguments.memory_limit > 0 else here["memory_bytes"] // 2,
            "stamps": stamps(experiments)}
    return {"format": FORMAT, "machine": here, "plan": plan, "experiments": experiments, "aside": {}, "calibration": []}


def check_cells(path, cells, experiment):
    for cell in cells:
        states.check_fields(path, cell, CELL_FIELDS)
        for sample in cell["samples"]:
            states.check_fields(path, sample, dict.fromkeys(experiment.FIGURES, (int, float)))
        if cell["samples"]:
            states.check_fields(path, cell, {"facts": dict})
            states.check_fields(path, cell["facts"], dict.fromkeys(experiment.FACTS, (int, float, str)))


def load(path, names):
    """What an earlier call left; it must hold these experiments."""
    state = states.read(path, FORMAT, "repeated experiments")
    states.check_fields(path, state, {"machine": dict, "plan": dict, "experiments": dict, "aside": dict, "calibration": list})
    states.check_fields(path, state["plan"], PLAN_FIELDS)
    states.check_fields(path, state["machine"], states.PARTS["machine"])
    for each in state["calibration"]:
        states.check_fields(path, each, states.CALIBRATION_FIELDS)
    for name, cells in state["experiments"].items():
        if name not in EXPERIMENTS:
            raise Problem(f"{path} is damaged: there is no experiment '{name}'\nexperiments: {', '.join(EXPERIMENTS)}")
        check_cells(path, cells, EXPERIMENTS[name])
    missing = [name for name in names if name not in state["experiments"]]
    if missing:
        raise Problem(f"{path} does not hold {', '.join(missing)}, but {', '.join(state['experiments'])}")
    return state


def go_on(path, names, arguments):
    planned = {"--repetitions": arguments.repetitions, "--time-limit": arguments.time_limit, "--memory-limit": arguments.memory_limit or None}
    given = [name for name, value in planned.items() if value is not None]
    if given:
        raise Problem(f"--resume goes on with the plan in the JSON: it takes no {', '.join(given)}")
    state = load(path, names)
    if (arguments.full or arguments.largest, arguments.largest) > (state["plan"]["full"], state["plan"]["largest"]):
        raise Problem(f"--resume goes on with the plan in {path}, which has not the published sizes: measure anew without --resume")
    for program, stamp in state["plan"]["stamps"].items():
        if not os.path.exists(program) or runners.stamp([program]) != stamp:
            raise Problem(f"{program} was built anew since {path} was begun: measure anew without --resume")
    return state


def measure(state, path):
    for name in state["experiments"]:
        experiment = EXPERIMENTS[name]
        Trials(state, name, experiment.read, path).run()
        if name not in state["aside"]:
            state["aside"][name] = experiment.look_aside(state["experiments"][name])
            states.save(path, state)


def show_experiment(name, state):
    experiment = EXPERIMENTS[name]
    cells = state["experiments"][name]
    words = (experiment.SOURCE, "Not comparable: " + experiment.NOT_COMPARABLE)
    parts = [f"== {name}: {experiment.TITLE}", *(textwrap.fill(" ".join(each.split()), TEXT_WIDTH, break_on_hyphens=False) for each in words)]
    parts += [experiment.show(cells, state["aside"].get(name, {})), show_settings(cells), show_missing(cells)]
    return "\n\n".join(filter(None, parts))


def show(state, names):
    parts = [show_experiment(name, state) for name in names]
    repetitions = state["plan"]["repetitions"]
    if repetitions < FEWEST_REPETITIONS:
        parts.append(f"Only {repetitions} repetitions of each: intervals need at least {FEWEST_REPETITIONS}.")
    here = state["machine"]
    parts.append(f"{here['processor']}, {here['system']}, CPUs {', '.join(map(str, here['usable_cpus']))}\n"
                 + report.noise(state["calibration"])[1])
    return "\n\n".join(parts)


def is_weft_well(state):
    return all(cell["status"] in ("measured", *runners.IDLE) or not cell["ours"]
               for cells in state["experiments"].values() for cell in cells)


def draw(names, path):
    """The pictures of those experiments that have one: lines that say where they are, or why they are not there."""
    for name in names:
        script = getattr(EXPERIMENTS[name], "PICTURE", None)
        if script is None:
            continue
        picture = f"{os.path.splitext(path)[0]}-{name}.svg"
        python = pictures.find_python()
        if python is None:
            yield "No picture: matplotlib is not installed; Debian's package is python3-matplotlib"
            continue
        done = subprocess.run([python, os.path.join(HERE, script), path, picture], capture_output=True, text=True, check=False)
        yield f"Picture: {picture}" if done.returncode == 0 else f"No picture: {done.stderr.strip()}"


def work(arguments):
    names = choose(arguments.name)
    path = arguments.json or os.path.join(arguments.build, f"published-{arguments.name}.json")
    if arguments.report:
        print(show(load(path, names), names))
        return 0
    state = go_on(path, names, arguments) if arguments.resume else make_state(arguments)
    states.save(path, state)
    try:
        measure(state, path)
    except KeyboardInterrupt:
        sys.stderr.write(f"\ninterrupted; to go on: {sys.argv[0]} {arguments.build} {arguments.name} --json {path} --resume\n")
        return 130
    print(show(state, names))
    print(f"All samples: {path}", *draw(names, path), sep="\n")
    return 0 if is_weft_well(state) else 1


def main():
    arguments = parse(sys.argv[1:])
    try:
        return work(arguments)
    except Problem as problem:
        sys.stderr.write(f"published.py: {problem}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
