#!/usr/bin/env python3
"""Writes C functions for all of an MPI: each calls the function of its name, in a turn of its own where the MPI provides less than
MPI_THREAD_MULTIPLE (src/serial.h). They are weak: the functions in src/ that do more take their place.

usage: wrappers.py OUTPUT COMPILER [option...]    (the options with which mpi.h is found)"""

import re
import subprocess
import sys

# They may be called at any time by any thread, wait for nothing that a lock could keep, or end the job.
LEFT_OUT = {"Abort", "Aint_add", "Aint_diff", "Finalized", "Get_library_version", "Get_version", "Initialized", "Is_thread_main", "Wtick", "Wtime"}
FUNCTION = re.compile(r"(?<!\w)(\w[\w ]*[\w*]\s*[ *])(MPIX?_[A-Z][a-z]\w*|MPI_T_[a-z]\w*)\s*\(")
HEADERS = """#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
"""
HEAD = f"""/* Made by wrappers.py from the MPI's mpi.h. */
{HEADERS}#include "export.h"
#include "fortran.h"
#include "report.h"
#include "serial.h"
"""


def balanced(text, begin):
    """The text in the parenthesis that opens at `begin`, and the place behind it."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin + 1 : at], at + 1
    raise SystemExit("wrappers.py: mpi.h has a parenthesis without end")


def without_attributes(text):
    while match := re.search(r"\b__attribute__\s*\(", text):
        text = text[: match.start()] + text[balanced(text, match.end() - 1)[1] :]
    return text


def parameter_name(parameter):
    """The last word in front of brackets, or in those of a pointer to a function."""
    match = re.search(r"\(\s*\*\s*(\w+)\s*\)", parameter) or re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", parameter)
    if match is None or match.group(1) in {"int", "void", "char"} or len(re.findall(r"\w+", parameter)) < 2:
        return None
    return match.group(1)


def split(parameters):
    parts, depth = [""], 0
    for letter in parameters:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def functions(text):
    """{name: (returned type, parameters)} of what the header declares."""
    found = {}
    for statement in without_attributes(re.sub(r"^#.*$", "", text, flags=re.M)).split(";"):
        statement = " ".join(statement.rsplit("}", 1)[-1].split())
        match = FUNCTION.search(statement)
        if match is None or statement.startswith("typedef"):
            continue
        parameters, behind = balanced(statement, match.end() - 1)
        if statement[behind:].strip() == "":
            found[match.group(2)] = (re.sub(r"\b(extern|static)\b", "", match.group(1)).strip(), parameters)
    return found


def wrapper(name, returned, parameters):
    """None where it cannot be made: of open lists of arguments."""
    names = [] if parameters.strip() in {"", "void"} else [parameter_name(each) for each in split(parameters)]
    if "..." in parameters:
        return None
    if None in names:
        raise SystemExit(f"wrappers.py: {name} has a parameter without a name: {parameters}")
    given = ", ".join(names)
    turn = "take_turn();"
    if name == "MPI_Request_get_status":  # the condition of weft::mpi::wait, asked by a worker that must not wait: not complete yet
        turn = f"if (!try_turn()) return *{names[1]} = 0, MPI_SUCCESS;"
    weak = "__attribute__((weak)) EXPORT"
    return f"""
#undef {name}
#undef P{name}
{weak} {returned} {name}({parameters}) {{
  if (!is_serial()) return BEHIND({name})({given});
  {turn}
  {returned} const result_ = BEHIND({name})({given});
  end_turn();
  return result_;
}}
{weak} {returned} P{name}({parameters}) {{
  if (!is_serial() || !is_in_fortran_library(__builtin_return_address(0))) return BEHIND(P{name})({given});
  return {name}({given});
}}
"""


def main(output, *command):
    noted = ["-MD", "-MF", f"{output}.d", "-MT", output]  # the build makes the file anew if one of these headers changes
    done = subprocess.run([*command, "-E", *noted, "-x", "c", "-"], input=HEADERS, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"wrappers.py: {' '.join(command)} cannot read mpi.h:\n{done.stderr}")
    found = functions(done.stdout)
    declared = set(re.findall(r"\bPMPIX?_\w+(?=\s*\()", done.stdout))
    made = [
        wrapper(name, *found[name])
        for name in sorted(found)
        if name.split("_", 1)[1] not in LEFT_OUT and "P" + name in declared
    ]
    made = [each for each in made if each is not None]
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(made) + f"\nunsigned mpi_functions(void) {{ return {len(made)}; }}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
