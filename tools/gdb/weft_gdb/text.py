"""How threads, waits and addresses are named; the words are those of docs/guide/reports.md."""

import re
import time

import gdb

from . import names
from .layout import Unreadable, read_word


def symbol(address, exact=False):
    """The name of what lies at an address, such as `dine` or `forks+48`; "" when it has none. exact: without the distance."""
    if not address:
        return ""
    try:
        said = gdb.execute(f"info symbol {address:#x}", to_string=True)
    except gdb.error:
        return ""
    found = re.match(r"(.+?)(?: \+ (\d+))?(?: in section .*| in .*)?$", said.strip().split("\n")[0])
    if not found or said.startswith("No symbol matches"):
        return ""
    return found.group(1) if exact or not found.group(2) else f"{found.group(1)}+{found.group(2)}"


def code(address):
    return symbol(address, exact=True) or (f"{address:#x}" if address else "?")


def place(address):
    """An object of the program: its address, and its name if it is a static one."""
    name = symbol(address)
    return f"{address:#x} <{name}>" if name else f"{address:#x}"


class Clock:
    """What `since` is measured against: the system's clock; of threads that run by a schedule, that of the schedule."""

    def __init__(self, snapshot):
        connection = getattr(gdb.selected_inferior(), "connection", None)
        self.is_exact = connection is not None and connection.type == "native"
        if self.is_exact:
            self.now_ns = time.monotonic_ns()
        else:  # a core file has no clock: what the runtime last saw of it comes before the end
            waits = [unit.wait.since_ns for unit in snapshot.units if unit.wait is not None]
            self.now_ns = max(waits + [worker["coarse_ns"] for worker in snapshot.workers], default=0)
        self.schedule_ns = snapshot.schedule_ns

    def since(self, ns):
        """Of a thread: `, for 1.2 s`; nothing when it is not known."""
        return self.interval(ns, self.schedule_ns, True) if self.schedule_ns else self.since_outside(ns)

    def since_outside(self, ns):
        """Of an OS thread outside."""
        return self.interval(ns, self.now_ns, self.is_exact)

    @staticmethod
    def interval(begin_ns, end_ns, is_exact):
        if begin_ns == 0 or begin_ns > end_ns:
            return ""
        return f", for {(end_ns - begin_ns) / 1e9:.1f} s{'' if is_exact else ' or more'}"


def identity(unit):
    """`main`, or `thread 7 "name" (entry)`; forks and tasklets say so."""
    if unit.has("main"):
        return "main"
    kind = "fork" if unit.has("fork") else "tasklet" if unit.has("tasklet") else "thread"
    name = f' "{unit.name}"' if unit.name else ""
    return f"{kind} {unit.fields['id'] or f'{unit.address:#x}'}{name} ({what_runs(unit)})"


def entry_function(unit):
    """The program's function. A thread that owns a copy of its arguments starts in the library, with a block that begins with it (worker/copied.hpp)."""
    function = unit.fields["function"]
    if "run_copied<" not in symbol(function):
        return function
    try:
        return read_word(unit.fields["argument"])
    except Unreadable:
        return function


def what_runs(unit):
    """As in reports: the place where a C++ thread was made, its callable, or the entry function."""
    if unit.has("adopted"):
        return "adopted OS thread"
    found = names.place(unit.made_at())
    if found and not found.is_in_library():
        return found.file_and_line()
    entry = entry_function(unit)
    function = symbol(entry, exact=True)
    if found := names.callable_of(function):
        return found
    return (names.is_own(function) and symbol(unit.made_at())) or code(entry)


def maker(unit):
    """The user's function that made the thread; "" when it is not known."""
    if unit.has("main"):
        return ""
    found = names.place(unit.made_at())
    if found:
        return "" if found.is_in_library() else f"{found.function_name()} ({found.file_and_line()})"
    name = symbol(unit.made_at())
    line = names.line_of_call(unit.made_at())
    return f"{name} ({line})" if name and line else name


def by_address(snapshot, address):
    """Who has this descriptor."""
    unit = snapshot.by_address.get(address)
    return identity(unit) if unit is not None else f"a thread at {address:#x}"


def wait(snapshot, one, clock):
    if one.what == "join":
        what = f"the end of {by_address(snapshot, one.object)}"
    else:
        what = one.what + (f" at {place(one.object)}" if one.object else "")
    return f"waits for {what}{clock.since(one.since_ns)}"


def state(snapshot, unit, clock):
    if unit.has_ended():
        return "ended, not joined yet"
    if unit.wait is not None:
        return wait(snapshot, unit.wait, clock)
    if unit.is_wait_lost:
        return "blocked; what it waits for cannot be read"
    if snapshot.awaits_turn(unit):
        return f"waits for its turn on worker {unit.worker['index']}"
    if unit.is_in("running"):
        return f"runs on worker {unit.worker['index']}" if unit.worker is not None else "running"
    if unit.is_in("ready"):
        return ("ready" if unit.has_parked() else "ready, not started yet") + queue(unit)
    if unit.is_in("suspended"):
        return "suspended"
    if (child := snapshot.dispatched_by(unit)) is not None:
        return f"runs {identity(child)} as its scheduler"
    borrower = snapshot.borrower_of(unit)
    return f"waits for the end of {identity(borrower) if borrower else 'a thread'}, which runs on its stack"


def queue(unit):
    number = unit.fields["in"]
    if number == unit.layout.number("in.pool"):
        return ", in a pool"
    return f", in the queue of worker {number - 1}" if number else ""


def stack_use(snapshot, unit, pointer, deepest):
    """`stack 1.2 of 59.9 KiB`, and how deep it ever went where that is measured."""
    low, high = bounds(snapshot, unit)
    if pointer is None or not 0 < low <= pointer <= high:
        return ""
    most = f" (at most {(high - deepest) / 1024:.1f})" if deepest else ""
    return f"; stack: {(high - pointer) / 1024:.1f}{most} of {(high - low) / 1024:.1f} KiB"


def bounds(snapshot, unit):
    header = snapshot.stack_of(unit)
    if not header and unit.has("main"):
        low = snapshot.runtime["main_low"]
        return low, low + snapshot.runtime["main_bytes"]
    try:
        stack = snapshot.layout.copy("stack", header) if header else None
    except Unreadable:
        stack = None
    if stack is None:
        return 1, 0
    is_os_threads = stack["origin"] == snapshot.layout.number("origin.os_thread")
    return stack["low"], stack["low"] + stack["total_bytes"] if is_os_threads else header
