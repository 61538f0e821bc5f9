#!/usr/bin/env python3
"""Layers include only what the table in src/README.md allows, and nothing above the public headers includes src/. The libraries beside the
core, net/ and dist/, include what the row in their own README.md allows; what net/frames is made of includes net/frames alone, and
lang/ may include it. In the core, no more than 4 rooms (a header with its source) include each other in a circle,
and a source of more than 60 lines begins with a comment.

usage: layers.py [folder]"""

import re
import sys

import sources

ABOVE = ("faces", "lang", "tools", "bench", "examples", "include")  # these see include/ alone
BESIDE = ("net", "dist")  # these may use some layers, and the ones before them
FRAMES = {"lang": ("net/frames.hpp", "net/frames/")}  # what stands on the messages of net/, which stand on nothing of the core
SOURCE = (".c", ".h", ".cpp", ".hpp", ".S")
FOREIGN = re.compile(r"\b(abt|argobots|qthreads?|chapel|mpi)\b", re.IGNORECASE)
MPI = re.compile(r"(?<![a-z])mpi(?![a-z])", re.IGNORECASE)  # also in names
WITHOUT_MPI = ("src", "dist", "lang", "include")
MODULES = ("net/mpi/load.hpp", "net/mpi/module.h")  # they, too, need nothing of ours
LARGEST_KNOT = 4
LONGEST_WITHOUT_HEAD = 60
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|([^|]*)\|", re.MULTILINE)


def read_table(text):
    """{layer: the layers that it may include}, from the Markdown table."""
    return {layer: set(re.findall(r"`(\w+)`", allowed)) for layer, allowed in ROW.findall(text)}


def includes(text):
    """(line number, path) of every include."""
    text = sources.without_comments(text, keep_literals=True)
    return [(text.count("\n", 0, match.start()) + 1, match.group(2)) for match in INCLUDE.finditer(text)]


def check_table(table):
    problems = []
    seen = set()
    for layer, allowed in table.items():
        problems += [f"src/README.md: {layer} may include {other}, which is not beneath it" for other in sorted(allowed - seen)]
        seen.add(layer)
    return problems


def check_core(top, table):
    problems = []
    for path in sources.files(top, ["src"], SOURCE):
        layer = path.split("/")[1]
        if layer not in table:
            problems.append(f"{path}: {layer} is not in the table of src/README.md")
            continue
        for line, included in includes(sources.read(top, path)):
            other = included.split("/")[0]
            if ".." in included.split("/"):
                problems.append(f"{path}:{line}: includes {included}: write it as layer/file.hpp")
            elif "/" in included and other != layer and (other in BESIDE or (other in table and other not in table[layer])):
                problems.append(f"{path}:{line}: {layer} may not include {included}")
    return problems


def rooms(top):
    """{room: the rooms that it includes}; a room is a header with its source."""
    found = {}
    for path in sources.files(top, ["src"], SOURCE):
        room = path.removeprefix("src/").rsplit(".", 1)[0]
        targets = {included.rsplit(".", 1)[0] for _, included in includes(sources.read(top, path))}
        found.setdefault(room, set()).update(targets - {room})
    return {room: {other for other in others if other in found} for room, others in found.items()}


def reachable(graph, start):
    seen, waiting = set(), [start]
    while waiting:
        for other in graph[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return seen


def knots(graph):
    """The strongly connected components of more than one room, each sorted."""
    reach = {room: reachable(graph, room) for room in graph}
    found = {tuple(sorted(other for other in reach[room] if room in reach[other])) for room in graph if room in reach[room]}
    return sorted(knot for knot in found if len(knot) > 1)


def check_knots(top):
    graph = rooms(top)
    problems = []
    for knot in knots(graph):
        if len(knot) <= LARGEST_KNOT:
            continue
        strings = "; ".join(f"{room} includes {', '.join(sorted(graph[room] & set(knot)))}" for room in knot)
        problems.append(f"src/{knot[0]}: a knot of {len(knot)} rooms, of which at most {LARGEST_KNOT} may include each other: {strings}")
    return problems


def check_heads(top):
    return [
        f"{path}:1: more than {LONGEST_WITHOUT_HEAD} lines, and no comment at the top that says what it is"
        for path in sources.files(top, ["src"], ".cpp")
        if len(lines := sources.read(top, path).split("\n")) > LONGEST_WITHOUT_HEAD + 1 and not lines[0].startswith("//")
    ]


def check_words(top):
    return [
        f"{path}:{number}: the core must not know '{match.group(0)}'"
        for path in sources.files(top, ["src"], "")
        for number, line in enumerate(sources.read(top, path).split("\n"), 1)
        for match in FOREIGN.finditer(line)
    ]


def check_network(top):
    """An MPI is net/'s affair alone, among the libraries."""
    return [
        f"{path}:{number}: only net/ knows '{match.group(0)}'"
        for path in sources.files(top, WITHOUT_MPI, SOURCE)
        for number, line in enumerate(sources.without_comments(sources.read(top, path), keep_literals=True).split("\n"), 1)
        for match in MPI.finditer(line)
    ]


def check_above(top, table):
    problems = []
    for path in sources.files(top, ABOVE, SOURCE):
        for line, included in includes(sources.read(top, path)):
            parts = included.split("/")
            if included.startswith(FRAMES.get(path.split("/")[0], ("\n",))):
                continue
            if "src" in parts or (len(parts) > 1 and (parts[0] in table or parts[0] in BESIDE)):
                problems.append(f"{path}:{line}: includes {included} of the core; only include/ is for it")
    return problems


def row_beside(top, folder):
    """What the folder's own table allows; nothing where there is none."""
    try:
        return read_table(sources.read(top, f"{folder}/README.md")).get(folder)
    except OSError:
        return None


def check_beside(top, table):
    problems = []
    for index, folder in enumerate(BESIDE):
        paths = sources.files(top, [folder], SOURCE)
        allowed = row_beside(top, folder)
        if not paths:
            continue
        if allowed is None:
            problems.append(f"{folder}/README.md: no row for {folder} in a table of layers")
            continue
        known = {*table, *BESIDE[:index]}
        problems += [f"{folder}/README.md: {folder} may include {other}, which is not beneath it" for other in sorted(allowed - known)]
        for path in paths:
            for line, included in includes(sources.read(top, path)):
                parts = included.split("/")
                is_free = included.startswith(FRAMES["lang"]) or included in MODULES
                if path.startswith(FRAMES["lang"]) and not is_free and len(parts) > 1 and parts[0] in known:
                    problems.append(f"{path}:{line}: frames stand on nothing of ours, and this includes {included}")
                is_ours = len(parts) > 1 and (parts[0] in table or parts[0] in BESIDE)
                if "src" in parts or ".." in parts or (is_ours and parts[0] != folder and parts[0] not in allowed):
                    problems.append(f"{path}:{line}: {folder} may not include {included}")
    return problems


def check(top):
    table = read_table(sources.read(top, "src/README.md"))
    if not table:
        return ["src/README.md: no table of layers"]
    return check_table(table) + check_core(top, table) + check_knots(top) + check_heads(top) + check_words(top) + check_network(top) + check_above(top, table) + check_beside(top, table)


if __name__ == "__main__":
    top = sources.top_from_arguments()
    sys.exit(sources.finish("layers", check(top), f"{len(sources.files(top, ['src'], SOURCE))} files of the core"))
