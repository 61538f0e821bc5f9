"""The table weft_debug_layout (weft/debug.h) of the selected inferior, and copies of structs read by it."""

import re
import struct

import gdb

VERSION = 1
TABLE = struct.Struct("<8sIIQQQ")
FACT = struct.Struct("<32sII")
MOST_FACTS = 10000


class Unreadable(Exception):
    """Memory that the process does not have, or that the core file lacks."""


def read_bytes(address, count):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, count))
    except (gdb.error, OverflowError) as problem:
        raise Unreadable(f"cannot read {count} bytes at {address:#x}") from problem


def read_word(address):
    return int.from_bytes(read_bytes(address, 8), "little")


def read_text(address, most=100):
    """A text that ends with 0, read in small pieces since what follows it may not be there."""
    found = b""
    while len(found) < most and b"\0" not in found:
        try:
            found += read_bytes(address + len(found), 8)
        except Unreadable:
            found += read_bytes(address + len(found), 1)
    return found.split(b"\0")[0].decode("utf-8", "replace")


class Layout:
    """Where fields lie: places["unit.state"] is (offset, bytes); numbers["state.ready"] a value."""

    def __init__(self, address):
        magic, version, fact_bytes, count, facts, roots = TABLE.unpack(read_bytes(address, TABLE.size))
        if magic != b"weftdbg\0":
            raise gdb.GdbError("weft_debug_layout is damaged, or the core file was written by another build of the program or library")
        if version != VERSION or fact_bytes < FACT.size or not 0 < count < MOST_FACTS:
            raise gdb.GdbError(f"this libweft describes itself in version {version}; this script knows version {VERSION}")
        self.places, self.numbers, self.sizes = {}, {}, {}
        data = read_bytes(facts, fact_bytes * count)
        for index in range(count):
            name, value, size = FACT.unpack_from(data, index * fact_bytes)
            self._add(name.split(b"\0")[0].decode("ascii", "replace"), value, size)
        self.runtime_root, self.outside_root = read_word(roots), read_word(roots + 8)

    def _add(self, name, value, size):
        if size == 0:
            self.numbers[name] = value
            return
        self.places[name] = (value, size)
        kind = name.split(".")[0]
        self.sizes[kind] = max(self.sizes.get(kind, 0), value + size)

    def number(self, name):
        try:
            return self.numbers[name]
        except KeyError:
            raise gdb.GdbError(f"this libweft does not tell {name}; use the weft-gdb.py that came with it") from None

    def offset(self, name):
        try:
            return self.places[name][0]
        except KeyError:
            raise gdb.GdbError(f"this libweft does not tell {name}; use the weft-gdb.py that came with it") from None

    def copy(self, kind, address, data=None):
        return Copy(self, kind, address, read_bytes(address, self.sizes.get(kind, 0)) if data is None else data)


class Copy:
    """A copy of a struct: copy["state"] is a number."""

    def __init__(self, layout, kind, address, data):
        self.layout, self.kind, self.address, self.data = layout, kind, address, data

    def __getitem__(self, field):
        name = f"{self.kind}.{field}"
        at = self.layout.offset(name)
        return int.from_bytes(self.data[at : at + self.layout.places[name][1]], "little")

    def address_of(self, field):
        return self.address + self.layout.offset(f"{self.kind}.{field}")


def find(name="weft_debug_layout", what="Weft"):
    """The layout of the selected inferior, or an error that the user understands. what: of which it is."""
    if not gdb.selected_inferior().threads():
        raise gdb.GdbError("the program is not running: start it, attach to it, or load a core file")
    try:
        # Not an expression: those depend on the language of the program.
        said = gdb.execute(f"info address {name}", to_string=True)
    except gdb.error:
        said = ""
    found = re.search(r" (?:is at|at address) (0x[0-9a-f]+)", said)
    if not found:
        raise gdb.GdbError(f"there is no {what} in this program, or its symbols are not there (a stripped program, a missing libweft.so)")
    try:
        return Layout(int(found.group(1), 16))
    except Unreadable as problem:
        raise gdb.GdbError(f"Weft's own description: {problem}") from None
