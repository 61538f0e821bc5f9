#!/usr/bin/env python3
"""Layers include only what the table in src/README.md allows, and what lies above the public headers includes of src/ what that table allows
its files, which is nothing for most. The folders of the wings,
net/, dist/, lang/ and faces/, include what the tables in the README.md of the wing allow. In the core and in each wing no more than 4 rooms
(a header with its source) include each other in a circle. In the core, a source of more than 60 lines begins with a comment.

usage: layers.py [folder]"""

import re
import sys

import include_graph
import sources
from include_graph import SOURCE, WINGS, includes

ABOVE = ("tools", "bench", "examples", "include")  # these see include/ alone, but for files with a row
WITHOUT_DOTS = ("net", "dist")  # includes there name the whole path
FOREIGN = re.compile(r"\b(abt|argobots|qthreads?|chapel|mpi)\b", re.IGNORECASE)
MPI = re.compile(r"(?<![a-z])(?<!WEFT_)mpi(?![a-z])", re.IGNORECASE)  # also in names; WEFT_MPI_ begins those of variables
WITHOUT_MPI = ("src", "dist", "lang", "include")
LARGEST_KNOT = 4
LONGEST_WITHOUT_HEAD = 60
TABLE = re.compile(r"^\|\s*(?:layer|folder|file)\s*\|\s*may include\s*\|.*\n\|[-| ]+\n((?:\|.*(?:\n|\Z))*)", re.MULTILINE)
ROW = re.compile(r"^\|\s*`([\w./*-]+)`\s*\|([^|]*)\|", re.MULTILINE)


def read_table(text):
    """{layer, folder or file: what it may include}, from the Markdown tables of which the first columns are these."""
    rows = "\n".join(TABLE.findall(text))
    return {row: set(re.findall(r"`([\w./*-]+)`", allowed)) for row, allowed in ROW.findall(rows)}


def read_table_of(top, folder):
    try:
        return read_table(sources.read(top, f"{folder}/README.md"))
    except OSError:
        return {}


def check_order(readme, table, beneath=()):
    """A row stands under those that it names."""
    problems = []
    seen = set(beneath)
    for row, allowed in table.items():
        problems += [f"{readme}: {row} may include {other}, which is not beneath it" for other in sorted(allowed - seen)]
        seen.add(row)
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
            elif "/" in included and other != layer and (other in WINGS or (other in table and other not in table[layer])):
                problems.append(f"{path}:{line}: {layer} may not include {included}")
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
    """An MPI is the affair of net/ and faces/mpi alone, among the libraries."""
    return [
        f"{path}:{number}: only net/ and faces/mpi know '{match.group(0)}'"
        for path in sources.files(top, WITHOUT_MPI, SOURCE)
        for number, line in enumerate(sources.without_comments(sources.read(top, path), keep_literals=True).split("\n"), 1)
        for match in MPI.finditer(line)
    ]


def check_above(top, table):
    problems = []
    for path in sources.files(top, ABOVE, SOURCE):
        allowed = {layer for row in table if is_row_of(row, path) for layer in table[row]}
        for line, included in includes(sources.read(top, path)):
            parts = included.split("/")
            if "src" in parts or (len(parts) > 1 and (parts[0] in table or parts[0] in WINGS) and parts[0] not in allowed):
                problems.append(f"{path}:{line}: includes {included} of the core; only include/ is for it")
    return problems


def is_row_of(row, path):
    return path.startswith(row[:-1]) if row.endswith(".*") else path == row or path.startswith(f"{row}/")


class Rows:
    """The rows of src/README.md and of all wings; a path belongs to the longest row that names it."""

    def __init__(self, layers, of_wings):
        self.allowed = {**layers, **of_wings}
        self.paths = {**{f"src/{layer}": layer for layer in layers}, **{row: row for row in of_wings}}

    def row_of(self, path):
        rows = [row for row in self.paths if is_row_of(row, path)]
        return self.paths[max(rows, key=len)] if rows else None

    def missing_for(self, path):
        """The folder of a wing that has no row: a folder right in a wing has one of its own."""
        folder = "/".join(path.split("/")[:-1][:2])
        row = self.row_of(path)
        return folder if row is None or row.count("/") < folder.count("/") else None

    def permits(self, row, target):
        other = self.row_of(target)
        return other is not None and (other == row or other in self.allowed[row])


def check_wing_file(tree, rows, path):
    problems = []
    row = rows.row_of(path)
    for line, name, targets in tree.includes(path):
        has_dots = ".." in name.split("/") and path.startswith(tuple(f"{wing}/" for wing in WITHOUT_DOTS))
        if has_dots or not any(rows.permits(row, target) for target in targets):
            problems.append(f"{path}:{line}: {row} may not include {name}")
    return problems


def check_wings(top, tree, table):
    problems, of_wings = [], {}
    for wing in WINGS:
        rows_of_wing = read_table_of(top, wing)
        problems += check_order(f"{wing}/README.md", rows_of_wing, {*table, *of_wings})
        of_wings.update(rows_of_wing)
    rows = Rows(table, of_wings)
    for wing in WINGS:
        missing = sorted({folder for path in tree.paths[wing] if (folder := rows.missing_for(path))})
        problems += [f"{wing}/README.md: no row for {folder} in a table of what its folders may include" for folder in missing]
        for path in tree.paths[wing]:
            if not rows.missing_for(path):
                problems += check_wing_file(tree, rows, path)
    return problems


def printed(room):
    return room.removeprefix("src/")


def describe_knot(graph, knot):
    strings = "; ".join(f"{printed(room)} includes {', '.join(printed(other) for other in sorted(graph[room] & set(knot)))}" for room in knot)
    return f"{knot[0]}: a knot of {len(knot)} rooms, of which at most {LARGEST_KNOT} may include each other: {strings}"


def check_knots(tree):
    graphs = [tree.rooms(root) for root in tree.paths]
    return [describe_knot(graph, knot) for graph in graphs for knot in include_graph.knots(graph) if len(knot) > LARGEST_KNOT]


def check(top):
    table = read_table_of(top, "src")
    if not table:
        return ["src/README.md: no table of layers"]
    tree = include_graph.Tree(top, table)
    problems = check_order("src/README.md", table) + check_core(top, table) + check_heads(top) + check_words(top) + check_network(top) + check_above(top, table)
    return problems + check_wings(top, tree, table) + check_knots(tree)


if __name__ == "__main__":
    top = sources.top_from_arguments()
    counts = [f"{len(sources.files(top, [root], SOURCE))} files of {root}" for root in ("src", *WINGS)]
    sys.exit(sources.finish("layers", check(top), ", ".join(counts)))
