"""Names of C++ threads: the places in sources where they were made, and what the functions of Weft's headers run for them."""

import os
import re

import gdb

from .layout import Unreadable, read_bytes, read_text

OWN = ("weft::detail::", "weft::task_group")


class Place:
    """What weft_ext_place (ext.h) holds."""

    def __init__(self, file, function, line):
        self.file, self.function, self.line = file, function, line

    def is_in_library(self):
        return "include/c++/" in self.file

    def file_and_line(self):
        return f"{os.path.basename(self.file)}:{self.line}"

    def function_name(self):
        """What stands between the type in front and the parameters, without template arguments."""
        plain = without_arguments(re.sub(r"\(anonymous namespace\)::|\{anonymous\}::|<unnamed>::", "", self.function))
        return plain.split("(")[0].split(" ")[-1].lstrip("*&")


def is_code(address):
    try:
        return ".text" in gdb.execute(f"info symbol {address:#x}", to_string=True)
    except gdb.error:
        return False


def place(made_at):
    """The record that lies there, or None: it is code."""
    if not made_at or made_at % 8 or is_code(made_at):
        return None
    try:
        record = read_bytes(made_at, 24)
        file, function = (read_text(int.from_bytes(record[at : at + 8], "little"), 400) for at in (0, 8))
    except Unreadable:
        return None
    return Place(file, function, int.from_bytes(record[16:20], "little")) if file.isprintable() and function.isprintable() else None


def line_of_call(return_address):
    """As "main.c:31"; "" without debug information, and in code of Weft's headers, which is part of the user's function."""
    found = gdb.find_pc_line(return_address - 1) if return_address else None
    if found is None or found.symtab is None or not found.line or "/weft/" in found.symtab.filename:
        return ""
    return f"{os.path.basename(found.symtab.filename)}:{found.line}"


def arguments_of(name):
    """The template arguments of the first template in a name."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(name):
        if letter in "<({":
            depth += 1
            if depth == 1:
                begin = at + 1
        elif letter in ">)}" and not name.startswith("->", at - 1):
            depth -= 1
            if depth == 0:
                return found + [name[begin:at].strip()]
        elif letter == "," and depth == 1:
            found.append(name[begin:at].strip())
            begin = at + 1
    return found


def without_arguments(name):
    kept, depth = "", 0
    for letter in name:
        if letter == "<":
            depth += 1
        elif letter == ">":
            depth -= 1
        elif depth == 0:
            kept += letter
    return kept


def is_own(function):
    """Whether a function of Weft's headers runs the user's."""
    return function.removeprefix("void ").startswith(OWN)


def callable_of(function):
    """What the user gave to the C++ headers to run, by the name of the function that runs it; "": it is no such function, or not known."""
    # clang numbers the lambdas of a file from 0.
    name = re.sub(r"\$_(\d+)", lambda found: f"{{lambda#{int(found[1]) + 1}}}", function.removeprefix("void "))
    if not name.startswith(OWN):
        return ""
    while name.startswith(OWN):
        arguments = arguments_of(name)
        if not arguments:
            return ""
        name = arguments[0]
    if "{lambda" not in name and re.search(r"\*\)\(", name):  # to a function
        return ""
    plain = without_arguments(name).replace("(anonymous namespace)::", "")
    return re.sub(r"\{lambda\(.*?\)#", "{lambda#", re.sub(r"(?<=\w)\([^()]*\)(?=::)", "", plain))
