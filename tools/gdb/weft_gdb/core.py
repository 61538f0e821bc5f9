"""Core files with all stacks. gdb's own generate-core-file reads memory in large pieces and gives a mapping up at the first page that it
cannot read (at least until gdb 16). A guard marker within a mapping of stacks (Linux 6.13, docs/guide/reports.md) is such a page, so most
stacks would be missing. The kernel's own core files are complete."""

import struct

from .layout import Unreadable, read_bytes

HEADER = struct.Struct("<4s12xHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
LOAD = 1
PAGE = 4096
MOST_STACK_BYTES = 1 << 30


def segments(file):
    """(address, bytes in the file, offset) of what was loaded."""
    fields = HEADER.unpack(file.read(HEADER.size))
    magic, offset, entry_bytes, count = fields[0], fields[5], fields[9], fields[10]
    if magic != b"\x7fELF" or entry_bytes != SEGMENT.size:
        raise ValueError("gdb wrote a core file of a kind that this script does not know")
    file.seek(offset)
    for _ in range(count):
        kind, _flags, at, address, _physical, in_file, _size, _align = SEGMENT.unpack(file.read(SEGMENT.size))
        if kind == LOAD and in_file:
            yield address, in_file, at


def stacks(snapshot):
    """(low, end) of every stack in use, headers included."""
    headers = {snapshot.stack_of(unit) for unit in snapshot.units if not unit.has_ended()} | {one["standing"] for one in snapshot.workers}
    for header in sorted(headers - {0}):
        try:
            stack = snapshot.layout.copy("stack", header)
        except Unreadable:
            continue
        if stack["origin"] == snapshot.layout.number("origin.os_thread"):  # without a guard; gdb writes it
            continue
        low = stack["low"]
        if 0 < header - low < MOST_STACK_BYTES:
            yield low, header + snapshot.layout.number("stack.bytes")


def complete(path, snapshot):
    """Writes all stacks into a core file that lacks some. How many bytes."""
    written = 0
    with open(path, "r+b") as file:
        loaded = list(segments(file))
        for low, end in stacks(snapshot):
            for address, size, at in loaded:
                for page in range(max(low & -PAGE, address), min(end, address + size), PAGE):
                    written += copy_page(file, page, at + page - address)
    return written


def copy_page(file, address, at):
    try:
        data = read_bytes(address, PAGE)
    except Unreadable:  # a guard
        return 0
    if not any(data):
        return 0
    file.seek(at)
    return file.write(data)
