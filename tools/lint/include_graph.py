"""Which file an include names, and the graph of rooms that includes make. A room is a header with its source.

A name is looked for next to the file that includes it, then in the public headers, in the layers of src/, and among the files of the
wings. Which of several files a name means, the include path decides: then each of them counts."""

import os
import posixpath
import re

import sources

SOURCE = (".c", ".h", ".cpp", ".hpp", ".S")
WINGS = ("net", "dist", "lang", "faces")  # bottom up: a wing may include the ones before it, as far as its rows say
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def includes_with_marks(text):
    """(line number, quote or bracket, name) of every include."""
    text = sources.without_comments(text, keep_literals=True)
    return [(text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)) for match in INCLUDE.finditer(text)]


def includes(text):
    """(line number, name) of every include."""
    return [(line, name) for line, _, name in includes_with_marks(text)]


class Tree:
    """The files of src/ and of the wings, of which src/ has these layers."""

    def __init__(self, top, layers):
        self.top = top
        self.layers = set(layers)
        self.paths = {root: sources.files(top, [root], SOURCE) for root in ("src", *WINGS)}
        self.known = {path for paths in self.paths.values() for path in paths}
        self.found_by_name = {}
        for path in sorted(self.known):
            self.found_by_name.setdefault(posixpath.basename(path), []).append(path)

    def includes(self, path):
        """(line number, name, the files that it may mean) of every include of ours."""
        found = []
        for line, mark, name in includes_with_marks(sources.read(self.top, path)):
            if targets := self.targets(path, mark, name):
                found.append((line, name, targets))
        return found

    def targets(self, path, mark, name):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if beside in self.known:
            return [beside]
        if os.path.exists(os.path.join(self.top, "include", name)):
            return []
        first = name.split("/")[0]
        if "/" in name and first in self.layers:
            return [f"src/{name}"]  # also if it is not there: the compiler says so
        if name in self.known or (mark == '"' and first in ("src", *WINGS) and "/" in name):
            return [name]
        is_common = mark == "<" and "/" not in name  # such as threads.h, which C has too
        ending = f"/include/{name}" if is_common else f"/{name}"
        return [other for other in self.found_by_name.get(posixpath.basename(name), []) if other.endswith(ending)]

    def rooms(self, root):
        """{room: the rooms of the same root that it includes}."""
        graph = {}
        for path in self.paths[root]:
            others = {room_of(target) for _, _, targets in self.includes(path) for target in targets}
            graph.setdefault(room_of(path), set()).update(others - {room_of(path)})
        return {room: {other for other in others if other in graph} for room, others in graph.items()}


def room_of(path):
    return path.rsplit(".", 1)[0]


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
