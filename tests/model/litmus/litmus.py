#!/usr/bin/env python3
"""The litmus tests of this folder: C programs in the format of herd7, and what may come out of them.

states.txt says for each program which final states are permitted: what herd7 finds under RC11 (rc11.cat; Lahav, Vafeiadis, Kang, Hur,
Dreyer 2017, doi:10.1145/3062341.3062352), and behind a plus sign what it finds besides when loads may read stores that come later (the
same without the check no-thin-air). A state is the values in the order of the program's `locations`. differs.txt says where the explorer
follows C++20 instead, or is stronger, and why.

generate FILE  writes a model of each program, without and with promises, for the explorer
herd7          asks herd7 whether states.txt is right; exit status 77 where herd7 is not installed. HERD7 names it if it is not on the
               path, with its options
states         prints what herd7 finds, as states.txt has it"""

import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
PROMISES = 2


def programs():
    return sorted(name[: -len(".litmus")] for name in os.listdir(HERE) if name.endswith(".litmus"))


def text_of(name):
    with open(os.path.join(HERE, name + ".litmus"), encoding="utf-8") as file:
        return file.read()


def lines_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def observed(text):
    """What a state consists of: (thread, register) or (None, location)."""
    words = re.search(r"locations \[(.*)\]", text).group(1).split(";")
    return [(int(word.split(":")[0]), word.split(":")[1]) if ":" in word else (None, word) for word in map(str.strip, words) if word]


# ---- what is permitted -----------------------------------------------------------------------------------------------------------


def stated():
    """The states of each program: under RC11, and with load buffering."""
    result = {}
    for line in lines_of("states.txt"):
        name, states = line.split(": ")
        rc11, _, besides = states.partition("+")
        result[name] = (set(rc11.split()), set(rc11.split()) | set(besides.split()))
    return result


def differences():
    """The states of each program that the explorer has besides, and those that it lacks."""
    result = {}
    for line in lines_of("differs.txt"):
        name, states = line.split(": ")
        words = states.partition(" -- ")[0].split()
        result[name] = ({word[1:] for word in words if word[0] == "+"}, {word[1:] for word in words if word[0] == "-"})
    return result


def expected_of_explorer(name, states, differs):
    more, fewer = differs.get(name, (set(), set()))
    return [sorted((each | more) - fewer) for each in states[name]]


# ---- for the explorer ------------------------------------------------------------------------------------------------------------


def function_of(index, body, registers):
    """A thread's body, as C++: its registers are those of the model, so that the outcome can name them."""
    for register in registers:
        body = re.sub(rf"\bint {register}\b", f"p{index}_{register}", body)
        body = re.sub(rf"\b{register}\b", f"p{index}_{register}", body)
    return re.sub(r"\s+", " ", body).strip()


def model_of(number, name, states, differs):
    text = text_of(name)
    bodies = re.findall(r"^P(\d+) \(([^)]*)\) \{\n(.*?)^\}", text, re.M | re.S)
    locations = sorted({word.split("*")[1].strip() for _, parameters, _ in bodies for word in parameters.split(",")})
    registers = {int(index): sorted(set(re.findall(r"\bint (\w+)", body))) for index, _, body in bodies}
    declared = [f"p{index}_{register} = 0" for index, names in registers.items() for register in names]
    threads = ",\n".join(f'          thread{{"P{index}", [&] {{ {function_of(index, body, registers[int(index)])} }}}}' for index, _, body in bodies)
    values = ", ".join(f"p{who}_{what}" if who is not None else f"{what}->load(weft::base::relaxed)" for who, what in observed(text))
    first, second = (" ".join(each) for each in expected_of_explorer(name, states, differs))
    least = len(first.split())
    return "\n".join([
        f"void run_{number}() {{",
        "  atomic_int " + ", ".join(f"{each}_{{0}}" for each in locations) + ";",
        "  atomic_int " + ", ".join(f"*const {each} = &{each}_" for each in locations) + ";",
        *(f'  explorer::name({each}_, "{each}");' for each in locations),
        *(["  int " + ", ".join(declared) + ";"] if declared else []),
        f"  threads({threads.strip()});",
        f"  outcome({values});",
        "}",
        f'const model m{number}{{"{name}", {{.at_least = {least}, .outcomes = "{first}"}}, run_{number}}};',
        f'const model p{number}{{"{name} with promises", {{.at_least = {least}, .quick = {{.promises = {PROMISES}}}, '
        f'.deep = {{.preemptions = 100, .promises = {PROMISES}}}, .outcomes = "{second}"}}, run_{number}}};',
        "",
    ])


def generate(path):
    states, differs = stated(), differences()
    unknown = sorted(set(states) ^ set(programs())) + sorted(set(differs) - set(states))
    if unknown:
        sys.exit(f"states.txt and differs.txt of {HERE} do not fit the programs there: {' '.join(unknown)}")
    head = '// Written by litmus.py from the programs beside it.\n#include "litmus/words.hpp"\n\nnamespace {\n\n'
    models = "\n".join(model_of(number, name, states, differs) for number, name in enumerate(programs()))
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + models + "\n}  // namespace\n")


# ---- herd7 -----------------------------------------------------------------------------------------------------------------------


def herd7():
    words = shlex.split(os.environ.get("HERD7", "herd7"))
    return words if shutil.which(words[0]) else None


def found_by_herd7(options):
    """The states of each program. A value out of thin air is a symbol in herd7's answer; such a state is left out."""
    files = [os.path.join(HERE, name + ".litmus") for name in programs()]
    done = subprocess.run([*herd7(), "-model", "rc11.cat", *options, *files], stdout=subprocess.PIPE, text=True, check=True)
    result = {}
    for block in re.split(r"^Test ", done.stdout, flags=re.M)[1:]:
        name = block.split()[0]
        order = [f"{who}:{what}" if who is not None else f"[{what}]" for who, what in observed(text_of(name))]
        states = [dict(pair.split("=") for pair in re.findall(r"[\w:\[\]]+=\w+", line)) for line in block.splitlines() if line.endswith(";")]
        result[name] = {"".join(state[each] for each in order) for state in states if all(value.isdigit() for value in state.values())}
    return result


def line_of(name, rc11, buffered):
    besides = sorted(buffered - rc11)
    return f"{name}: " + " ".join(sorted(rc11)) + (" + " + " ".join(besides) if besides else "")


def print_states():
    rc11, buffered = found_by_herd7([]), found_by_herd7(["-skipchecks", "no-thin-air"])
    for name in programs():
        print(line_of(name, rc11[name], buffered[name]))


def compare_with_herd7():
    if herd7() is None:
        print("skipped: herd7 is not installed (HERD7 may name it)")
        return SKIPPED
    rc11, buffered, states = found_by_herd7([]), found_by_herd7(["-skipchecks", "no-thin-air"]), stated()
    wrong = [name for name in programs() if (rc11[name], buffered[name]) != states[name]]
    for name in wrong:
        print(f"states.txt: {line_of(name, *states[name])}\nherd7:      {line_of(name, rc11[name], buffered[name])}")
    print(f"figure: litmus tests compared with herd7 = {len(programs())}")
    return 1 if wrong else 0


def main():
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "generate":
        return generate(words[1])
    if words == ["states"]:
        return print_states()
    if words == ["herd7"]:
        return compare_with_herd7()
    sys.exit("usage: litmus.py generate FILE | herd7 | states")


if __name__ == "__main__":
    sys.exit(main())
