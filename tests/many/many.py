#!/usr/bin/env python3
"""Runs a program on a machine of many CPUs in virtual time, and says where the time went.

    tests/many/many.py BUILD 'fib 27' --cpus 1 16 64 [--against lace tbb] [--layouts 5] [--picture FILE.svg]

BUILD is the build folder of the preset `many`. A program is a kernel of bench with a size, `fib 27` or `uts-t1 9`, or a loop, `loop STEPS
NANOSECONDS [REPEATS]`. Times are means over layouts: where stacks lie, and when OS threads begin. All is virtual time but the column
"real ms". What the machine shows and what it cannot show: docs/guide/proof.md."""

import argparse
import os
import sys

import machine
import picture
import tables


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("program", metavar="PROGRAM", help="one word of the shell: 'fib 27', 'loop 64 1000'")
    parser.add_argument("--cpus", nargs="+", type=int, default=[16], metavar="N", help="1 to 256")
    parser.add_argument("--against", nargs="*", default=[], metavar="RUNTIME", help="those that were built: lace, tbb")
    parser.add_argument("--layouts", type=int, default=1, metavar="N")
    parser.add_argument("--sockets", default="1", help="how many, or the CPUs of each: 40,24")
    parser.add_argument("--smt", type=int, default=1, help="threads a core: 1 or 2")
    parser.add_argument("--neighbours", type=int, default=0, metavar="N", help="CPUs on which another program computes all the time")
    parser.add_argument("--costs", default=machine.XEON, metavar="FILE")
    parser.add_argument("--cost", nargs="*", default=[], metavar="NAME=NANOSECONDS", help="in the place of the file's")
    parser.add_argument("--set", nargs="*", default=[], metavar="WEFT_X=VALUE", help="variables of the program")
    parser.add_argument("--limit-ms", type=int, default=0, metavar="N", help="virtual time after which a program is ended")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="rows of each table of places; 0: no such tables")
    parser.add_argument("--every-cpu", action="store_true", help="where the time of each CPU went")
    parser.add_argument("--picture", metavar="FILE.svg", help="of Weft on the last number of CPUs")
    return parser.parse_args(words)


def pairs(words):
    for word in words:
        if "=" not in word:
            raise machine.Problem(f"'{word}' must be NAME=VALUE")
    return dict(word.split("=", 1) for word in words)


def settings_of(arguments, cpus, layout, has_picture=False):
    return machine.Settings(
        cpus=cpus, sockets=arguments.sockets if cpus > 1 else "1", threads_a_core=arguments.smt, neighbours=arguments.neighbours, layout=layout,
        costs=arguments.costs, changes=pairs(arguments.cost), limit_ms=arguments.limit_ms, picture=has_picture,
        environment=pairs(arguments.set),
    )


def program_of(arguments, runtime):
    path = os.path.join(arguments.build, "tests", "many", f"many-{runtime}")
    if runtime != "weft" and not os.path.exists(path):
        raise machine.Problem(f"{path} is not there: configure with -DMANY_{runtime.upper()}=FOLDER, where the sources of {runtime} are")
    return path


def run_all(arguments):
    """{(runtime, CPUs): a report for each layout}, and the time of each runtime on one CPU."""
    runs, base = {}, {}
    words = arguments.program.split()
    for runtime in ["weft", *arguments.against]:
        program = program_of(arguments, runtime)
        base[runtime] = machine.run(program, words, settings_of(arguments, 1, 0))["told"]["mean_us"]
        for cpus in arguments.cpus:
            has_picture = arguments.picture is not None and runtime == "weft" and cpus == arguments.cpus[-1]
            runs[runtime, cpus] = [
                machine.run(program, words, settings_of(arguments, cpus, layout, has_picture and layout == 0)) for layout in range(arguments.layouts)
            ]
    return runs, base


def main(words):
    arguments = parse(words)
    try:
        runs, base = run_all(arguments)
    except machine.Problem as problem:
        print(f"many: {problem}", file=sys.stderr)
        return 1
    print(f"{arguments.program}: virtual time; means over {arguments.layouts} layout{'s' if arguments.layouts > 1 else ''}; counts by repeat")
    print("\n".join(tables.scaling_table(runs, base)))
    last = arguments.cpus[-1]
    for runtime in ["weft", *arguments.against]:
        report = runs[runtime, last][0]
        print(f"\n{runtime} on {last} CPUs, layout 0")
        rows = tables.details(report, program_of(arguments, runtime), arguments.top, arguments.every_cpu)
        print("\n".join(rows if arguments.top else tables.time_table(report, arguments.every_cpu)))
    if arguments.picture:
        with open(arguments.picture, "w", encoding="utf-8") as file:
            file.write(picture.svg(runs["weft", last][0], f"{arguments.program} on {last} CPUs"))
        print(f"\npicture: {arguments.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
