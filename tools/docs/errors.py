#!/usr/bin/env python3
"""What each C function of a folder of public headers fails with, as its Errors say: one entry for each cause. The tests of weft_last_error() are
made of it (tests/api/last_errors_test.py).

usage: errors.py [folder]    prints function, status and cause, a line each; a status without a reason has an empty cause"""

import os
import re
import sys

import declarations

_NULLS = re.compile(r"^((?!in |for )[^:]*?) is null(.*)$")
_PART = re.compile(r"(?:and )?((?:WEFT|THREADS)_\w+)(?: \((.*)\))?$", re.DOTALL)
_THOSE = re.compile(r"those of (\w+)")
_STATUSES = ("weft_status ", "threads_status ")


def split(text, separator):
    """At the separators that stand in no brackets."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _first_sentence(text):
    return split(text, ".")[0] if text else ""


def _causes(reason):
    """Of what stands in brackets: one for each null argument, and one between semicolons."""
    for clause in split(reason, ";"):
        clause = re.sub(r"^or ", "", clause)
        nulls = _NULLS.match(clause)
        if nulls is None or nulls.group(2).startswith(", and "):
            yield clause
            continue
        for argument in re.split(r", or |, | or ", nulls.group(1)):
            yield f"{argument} is null"
        if nulls.group(2):
            yield re.sub(r"^,? or |^, ", "", nulls.group(2))


def of_function(functions, name):
    """[(status, cause)] of a function, without repetitions."""
    found = []
    for part in split(_first_sentence(functions[name].comment.labels.get("Errors", "")), ","):
        inherited, own = _THOSE.match(part), _PART.match(part)
        if inherited:
            found += of_function(functions, inherited.group(1))
        elif own:
            found += [(own.group(1), cause) for cause in _causes(own.group(2))] if own.group(2) else [(own.group(1), "")]
    return list(dict.fromkeys(found))


def functions_of(folder):
    headers = declarations.read_all(folder)
    return {item.name: item for header in headers.values() for item in header.items if item.kind == "function"}


def of_folder(folder):
    """{function: [(status, cause)]} of those that return a status."""
    functions = functions_of(folder)
    return {name: of_function(functions, name) for name, item in functions.items() if item.text.startswith(_STATUSES)}


if __name__ == "__main__":
    for function, causes in of_folder(sys.argv[1] if len(sys.argv) > 1 else os.path.join(declarations.TOP, "include", "weft")).items():
        for status, cause in causes:
            print(function, status, cause, sep="\t")
