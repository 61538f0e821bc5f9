"""Names for addresses of a program: file, line and function of an instruction, the tag of the memory order there, and variables."""

import bisect
import functools
import os
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TAG = re.compile(r"//\s*\[([A-Z]\d+)\]")  # where it is explained, not where another names it
WRAPPERS = re.compile(r"/(base/atomic\.hpp|detail/hot_word\.h|c\+\+/|bits/)")  # not the place that asked
LINES_ABOVE = 6  # of a comment that holds a tag
FRAMES_SHOWN = 3


class Place:
    def __init__(self, frames):
        self.frames = frames  # (function, path, line), the innermost first

    def __str__(self):
        return " < ".join(f"{short(path)}:{line} {function}" for function, path, line in self.frames[:FRAMES_SHOWN]) or "?"

    def tag(self):
        for _, path, line in self.frames[:2]:
            if found := tag_at(path, line):
                return found
        return ""

    def text(self):
        """The line of source that asked."""
        return source_lines(self.frames[0][1])[self.frames[0][2] - 1].strip() if self.frames and self.has_source() else ""

    def has_source(self):
        _, path, line = self.frames[0]
        return 0 < line <= len(source_lines(path))


@functools.cache
def in_this_checkout(path):
    """The file, also where a compiler's cache has it from another checkout."""
    parts = os.path.normpath(path).split(os.sep)
    found = (os.path.join(TOP, *parts[first:]) for first in range(1, len(parts)))
    return path if path.startswith(TOP + os.sep) else next(filter(os.path.exists, found), os.path.normpath(path))


def short(path):
    inside = os.path.relpath(path, TOP)
    return inside if not inside.startswith("..") else os.path.join(*path.split(os.sep)[-2:])


_sources = {}


def source_lines(path):
    if path not in _sources:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                _sources[path] = file.read().split("\n")
        except OSError:
            _sources[path] = []
    return _sources[path]


def tag_at(path, line):
    """Of a line of source: on the line itself, or in the comment right above its statement."""
    lines = source_lines(path)
    if not 0 < line <= len(lines):
        return ""
    if found := TAG.search(lines[line - 1]):
        return found.group(1)
    for above in range(line - 2, max(-1, line - 2 - LINES_ABOVE), -1):
        text = lines[above].strip()
        if text.startswith("//"):
            if found := TAG.search(text):
                return found.group(1)
        elif text.endswith((";", "{", "}")):
            break
    return ""


def places_of(program, addresses):
    """A Place for each address that follows a call."""
    addresses = sorted(set(addresses))
    if not addresses:
        return {}
    asked = "".join(f"{address - 1:#x}\n" for address in addresses)
    told = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", program], input=asked, capture_output=True, text=True, check=True).stdout
    places, lines = {}, told.split("\n")
    at = 0
    for address in addresses:
        at += 1  # the address itself
        frames = []
        while at + 1 < len(lines) and not lines[at].startswith("0x"):
            function, where = lines[at], lines[at + 1].split(" (discriminator")[0]
            at += 2
            path, _, line = where.rpartition(":")
            frames.append((function.split("(")[0].removeprefix("weft::sched::").removeprefix("weft::"), in_this_checkout(path), int(line) if line.isdigit() else 0))
        asking = [frame for frame in frames if not WRAPPERS.search(frame[1])]
        places[address] = Place(asking or frames)
    return places


class Variables:
    """The program's own variables, by address."""

    def __init__(self, program):
        told = subprocess.run(["nm", "-C", "-S", "-n", program], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [bBdDrRuvV] (.+)$", told, re.MULTILINE)
        self.all = [(int(begin, 16), int(size, 16), name) for begin, size, name in found]
        self.begins = [begin for begin, _, _ in self.all]

    def on_line(self, address):
        """The names of what lies on the 64 bytes from address on."""
        names = []
        at = bisect.bisect_left(self.begins, address + 64) - 1
        while at >= 0 and len(names) < 4:
            begin, size, name = self.all[at]
            if begin + size <= address:
                break
            names.append(name if begin >= address else f"{name} + {address - begin}")
            at -= 1
        return ", ".join(reversed(names))
