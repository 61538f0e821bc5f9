#!/usr/bin/env python3
"""Compares what the Tascell compiler makes of the programs here with golden files.

diagnostics/NAME.tc has NAME.txt: what `weft tascell` says of it. constructs/NAME.tc has
NAME.lowered: the C that is made of its own lines, and NAME.txt: what the program prints, whatever the number of
workers and however often they ask each other for work. The formats in that C must be at their lines. examples/tascell/NAME.txt is what an example
prints, which CMake has built.

programs/NAME.tc has NAME.txt alone: programs that mix constructs with the rest of C.

checks/NAME.tc is wrong, and NAME.txt is what the check mode says of it: a line, before the program is aborted.

refused/NAME.tc compiles, and NAME.txt is the line with which its run ends, before the program is aborted. Its
plain form says so, too.

docs/guide/tascell.md holds programs, each with what it prints.

usage: compiler_test.py WEFT PART [--write] [--cc-options OPTIONS] [PROGRAM...]
PART: diagnostics, constructs, programs, checks, refused, guide, or examples, which takes programs"""

import argparse
import concurrent.futures
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

SHORT_EXAMPLES = ("mixed",)  # run in every mode
GUIDE = re.compile(r"^```c (\S+\.tc)\n(.*?)^```\n.*?^```text ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINES = r"((?:(?!```).*\n)*)```\n"
WITH_CPP = re.compile(r"^```c (\S+\.tc)\n" + LINES + r"\n```cpp (\S+\.cpp)\n" + LINES + r"\n```text\n" + LINES, re.MULTILINE)
MARKER = re.compile(r'# (\d+) "(.*?)"')
FORMAT = re.compile(r'"[^"]*%[^"]*"')
NOT_PLAIN = ("catch_in_task", "clauses", "control", "results", "throw_catch")  # programs that need the runtime
HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = (
    {"WEFT_WORKERS": "1"},
    {"WEFT_WORKERS": "2"},
    {"WEFT_WORKERS": "4"},
    {"WEFT_WORKERS": "2", "WEFT_TASCELL_STORM": "1", "WEFT_TASCELL_CHECK": "on"},
    {"WEFT_WORKERS": "2", "WEFT_TASCELL_STORM": "3", "WEFT_TASCELL_SHIP": "on"},
)


def run(words, folder, **environment):
    done = subprocess.run(words, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=250)
    return done.returncode, done.stdout, done.stderr


def own_lines(text, name):
    """The lines of the C text that come from the program itself. The program's number follows from all of the text, also the headers'."""
    text = re.sub(r"(weft_kinds_here = \{weft_kinds, \d+, )\d+ULL", r"\1NUMBER", text)
    kept, is_own = [], False
    for line in text.splitlines():
        if line.startswith("# "):
            was_own, is_own = is_own, f'"{name}"' in line
            if not is_own or was_own or line.startswith("# 1 "):
                continue
            kept.append("")
        elif is_own and line.strip():
            kept.append(line.rstrip())
    return "\n".join(kept).strip() + "\n"


def check_lines(text, path):
    """Formats of printf stand in the C text as if at their lines of the program, for debuggers and messages."""
    with open(path, encoding="utf-8") as file:
        source = file.read().splitlines()
    problems, file_name, line = [], "", 0
    for each in text.splitlines():
        if marker := MARKER.match(each):
            line, file_name = int(marker[1]), marker[2]
            continue
        if file_name == os.path.basename(path):
            there = source[line - 1] if line <= len(source) else ""
            problems += [f"{path}:{line} has no {literal}" for literal in FORMAT.findall(each) if literal not in there]
        line += 1
    return problems


def compare(path, found, writes):
    if writes:
        with open(path, "w", encoding="utf-8") as file:
            file.write(found)
        return []
    try:
        with open(path, encoding="utf-8") as file:
            wanted = file.read()
    except OSError:
        return [f"{path} is missing; compare by hand and write it with --write:\n{found}"]
    return [] if wanted == found else [f"{path} has\n{wanted}but it is now\n{found}"]


def check_diagnostics(arguments, folder, name, scratch):
    status, _, told = run([*arguments.weft, "tascell", "--emit-c", "-o", os.path.join(scratch, name + ".c"), name + ".tc"], folder)
    problems = compare(os.path.join(folder, name + ".txt"), told, arguments.write)
    if status != (0 if name.startswith("W") else 1):
        problems.append(f"{name}.tc: exit status {status}")
    if name.split("_")[0] not in told:
        problems.append(f"{name}.tc: no message {name.split('_')[0]}")
    return problems


def check_construct(arguments, folder, name, scratch):
    c_file = os.path.join(scratch, name + ".c")
    status, _, told = run([*arguments.weft, "tascell", "--emit-c", "-o", c_file, name + ".tc"], folder)
    if status or told:
        return [f"{name}.tc: exit status {status}\n{told}"]
    with open(c_file, encoding="utf-8") as file:
        text = file.read()
    problems = compare(os.path.join(folder, name + ".lowered"), own_lines(text, name + ".tc"), arguments.write)
    problems += check_lines(text, os.path.join(folder, name + ".tc"))
    return [*problems, *check_program(arguments, folder, name, scratch)]


def check_program(arguments, folder, name, scratch):
    problems, program = [], os.path.join(scratch, name)
    options = shlex.split(arguments.cc_options)
    status, _, told = run([*arguments.weft, "tascell", name + ".tc", "-o", program, "-Wall", "-Wextra", "-Werror", "-O2", *options], folder)
    if status or told:
        return [*problems, f"{name}.tc: exit status {status}\n{told}"]
    for environment in RUNS:
        status, printed, told = run([*arguments.emulator, program], folder, **environment)
        problems += compare(os.path.join(folder, name + ".txt"), printed, arguments.write)
        if status or told:
            problems.append(f"{name} with {environment}: exit status {status}\n{told}")
    return problems + check_plain(arguments, folder, name, program)


def check_plain(arguments, folder, name, program):
    """Without its constructs the program prints the same, or is refused for a throw."""
    words = [*arguments.weft, "tascell", "--plain", name + ".tc", "-o", program, "-O2", "-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-parameter", "-Werror",
             *shlex.split(arguments.cc_options)]
    status, _, told = run(words, folder)
    if name in NOT_PLAIN:
        return [] if status == 1 and "E143" in told else [f"{name}.tc --plain: exit status {status}, not E143\n{told}"]
    if status or told:
        return [f"{name}.tc --plain: exit status {status}\n{told}"]
    status, printed, told = run([*arguments.emulator, program], folder)
    problems = compare(os.path.join(folder, name + ".txt"), printed, False)
    return problems + ([f"{name} --plain: exit status {status}\n{told}"] if status or told else [])


def check_check(arguments, folder, name, scratch):
    program = os.path.join(scratch, name)
    options = shlex.split(arguments.cc_options)
    status, _, told = run([*arguments.weft, "tascell", name + ".tc", "-o", program, "-Wall", "-Wextra", "-Werror", *options], folder)
    if status or told:
        return [f"{name}.tc: exit status {status}\n{told}"]
    mode = {"WEFT_WORKERS": "1"}
    status, _, told = run([*arguments.emulator, program], folder, **mode, WEFT_TASCELL_CHECK="on")
    problems = compare(os.path.join(folder, name + ".txt"), told.split("\n", maxsplit=1)[0] + "\n", arguments.write)
    if status != -signal.SIGABRT:
        problems.append(f"{name}: exit status {status}, and not SIGABRT")
    is_of_wind = "undo and redo" in told
    status, _, told = run([*arguments.emulator, program], folder, **mode, WEFT_TASCELL_CHECK="winds")
    if (status != 0) != is_of_wind:
        problems.append(f"{name} with winds alone: exit status {status}\n{told}")
    return problems


def check_refused(arguments, folder, name, scratch):
    problems, program = [], os.path.join(scratch, name)
    for options, prefix in ([], "weft: tascell: "), (["--plain"], ""):
        words = [*arguments.weft, "tascell", *options, name + ".tc", "-o", program, *shlex.split(arguments.cc_options)]
        status, _, told = run(words, folder)
        if status or told:
            return [f"{name}.tc {options}: exit status {status}\n{told}"]
        status, _, told = run([*arguments.emulator, program], folder, WEFT_WORKERS="2")
        line = told.split("\n", maxsplit=1)[0] + "\n"
        problems += compare(os.path.join(folder, name + ".txt"), line.removeprefix(prefix), arguments.write and not options)
        if status != -signal.SIGABRT or not line.startswith(prefix):
            problems.append(f"{name} {options}: exit status {status}\n{told}")
    return problems


def check_page(arguments, name, text, mode, wanted, scratch):
    path, program = os.path.join(scratch, name), os.path.join(scratch, name[:-3])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, _, told = run([*arguments.weft, "tascell", name, "-o", program, "-O2", *shlex.split(arguments.cc_options)], scratch)
    if status or told:
        return [f"{name} of the guide: exit status {status}\n{told}"]
    problems = []
    if mode:  # the run ends with this line on stderr
        status, _, told = run([*arguments.emulator, program], scratch, WEFT_WORKERS="1", **dict(each.split("=") for each in mode.split(",")))
        is_right = status == -signal.SIGABRT and told.startswith(wanted)
        return [] if is_right else [f"{name} of the guide with {mode}: exit status {status}\n{told}"]
    for environment in RUNS:
        status, printed, told = run([*arguments.emulator, program], scratch, **environment)
        if status or told or printed != wanted:
            problems.append(f"{name} of the guide with {environment}: exit status {status}\n{told}it prints\n{printed}")
    return problems


def check_pair(arguments, match, scratch):
    """A program of both languages. Its C++ is linked with what the build made."""
    name, text, cpp_name, cpp, wanted = match
    for path, lines in (name, text), (cpp_name, cpp):
        with open(os.path.join(scratch, path), "w", encoding="utf-8") as file:
            file.write(lines)
    options, program = shlex.split(arguments.cc_options), os.path.join(scratch, cpp_name[:-4])
    status, _, told = run([*arguments.weft, "tascell", "-c", name, "-o", name + ".o", *options], scratch)
    if not status and not told:
        include = os.path.join(HERE, "..", "..", "include")
        words = [*arguments.cxx.split(";"), "-std=c++20", "-I" + include, cpp_name, name + ".o", *arguments.libraries.split(";"), "-pthread", "-ldl", "-o", program]
        status, _, told = run([*words, *options], scratch)
    if status or told:
        return [f"{cpp_name} of the guide: exit status {status}\n{told}"]
    problems = []
    for environment in RUNS:
        status, printed, told = run([*arguments.emulator, program], scratch, **environment)
        if status or told or printed != wanted:
            problems.append(f"{cpp_name} of the guide with {environment}: exit status {status}\n{told}it prints\n{printed}")
    return problems


def check_guide(arguments, pool, scratch):
    with open(os.path.join(HERE, "..", "..", "docs", "guide", "tascell.md"), encoding="utf-8") as file:
        page = file.read()
    pairs = WITH_CPP.findall(page) if arguments.cxx else []
    names = GUIDE.findall(WITH_CPP.sub("", page))
    found = list(pool.map(lambda each: check_page(arguments, *each, scratch), names))
    return [*names, *pairs], found + [check_pair(arguments, each, scratch) for each in pairs]


def check_example(arguments, program):
    name = os.path.basename(program)
    problems = []
    for environment in RUNS if name in SHORT_EXAMPLES else RUNS[1:2]:
        status, printed, told = run([*arguments.emulator, program], os.path.dirname(program), **environment)
        problems += compare(os.path.join(HERE, "..", "..", "examples", "tascell", name + ".txt"), printed, False)
        if status or told:
            problems.append(f"{name} with {environment}: exit status {status}\n{told}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("part", choices=("diagnostics", "constructs", "programs", "checks", "refused", "guide", "examples"))
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cc-options", default="")
    parser.add_argument("--emulator", default="", help="what runs programs of another processor")
    parser.add_argument("--cxx", default="", help="the compiler of C++; without it, the guide's programs with C++ are left out")
    parser.add_argument("--libraries", default="", help="with which these are linked")
    arguments = parser.parse_intermixed_args()
    arguments.emulator = shlex.split(arguments.emulator)
    arguments.weft = [*arguments.emulator, os.path.abspath(arguments.weft)]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        if arguments.part == "examples":
            names = arguments.programs
            found = list(pool.map(lambda each: check_example(arguments, each), names))
        elif arguments.part == "guide":
            names, found = check_guide(arguments, pool, scratch)
        else:
            folder = os.path.join(HERE, arguments.part)
            check = {"diagnostics": check_diagnostics, "constructs": check_construct, "programs": check_program,
                     "checks": check_check, "refused": check_refused}[arguments.part]
            names = sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".tc"))
            found = list(pool.map(lambda name: check(arguments, folder, name, scratch), names))
    problems = [problem for each in found for problem in each]
    for problem in problems:
        print(problem)
    print(f"figure: golden programs = {len(names)}")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
