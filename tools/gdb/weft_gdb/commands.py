"""The commands. Each begins with a fresh snapshot."""

import re

import gdb

from . import core, frames, ranks, runtime, text, waits
from .layout import Unreadable


def say(words):
    gdb.write(words + "\n")


def counted(number, one, many):
    return f"{number} {one if number == 1 else many}"


def snapshot_and_clock():
    snapshot = runtime.Snapshot()
    return snapshot, text.Clock(snapshot)


def say_problems(snapshot):
    for problem in snapshot.problems:
        say(f"not shown: {problem}")


def one_line(snapshot, unit, clock):
    pointer = snapshot.context_of(unit)
    stack = ""
    if pointer is not None:
        low, high = text.bounds(snapshot, unit)
        is_measured = snapshot.runtime["marks"] != 0 and not unit.has("main") and not unit.has("adopted") and low < high
        stack = text.stack_use(snapshot, unit, pointer, frames.deepest_use(low, high) if is_measured else 0)
    made = text.maker(unit)
    return f"{text.identity(unit)}: {text.state(snapshot, unit, clock)}{stack}{f'; made in {made}' if made else ''}"


class Weft(gdb.Command):
    """Weft's threads: `weft threads`, `weft bt [all|ID]`, `weft waits`, `weft select [ID]`,
`weft core [FILE]`, `weft ranks`.
ID is `main`, an id, an address, or a name, as `weft threads` shows them."""

    def __init__(self):
        super().__init__("weft", gdb.COMMAND_STACK, gdb.COMPLETE_COMMAND, True)


class Threads(gdb.Command):
    """Every thread: id or address, name, entry function, state, worker, what it waits for and since when, stack, where it was made."""

    def __init__(self):
        super().__init__("weft threads", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        snapshot, clock = snapshot_and_clock()
        asleep = sum(1 for worker in snapshot.workers if worker["is_asleep"] in (1, 2))
        ended = ", weft_finalize waits for them" if snapshot.runtime["is_draining"] else ""
        workers = counted(len(snapshot.workers), "worker", "workers")
        say(f"{counted(len(snapshot.units), 'thread', 'threads')}{ended}; {workers} ({asleep} asleep)")
        for unit in snapshot.units:
            say(f"  {one_line(snapshot, unit, clock)}")
        for one in snapshot.outside:
            say(f"  {outside_line(one, clock)}")
        say_problems(snapshot)


def outside_line(one, clock):
    if one["is_blocked"] == 0:
        return f"OS thread {one['id']}: outside Weft"
    try:
        what = runtime.read_text(one["waits_for"])
    except Unreadable:
        what = "something"
    what = "the end of a thread" if what == "join" else what
    return f"OS thread {one['id']}: waits for {what}{clock.since_outside(one['since_ns'])}"


class Backtrace(gdb.Command):
    """weft bt ID: the backtrace of a thread, suspended or running. weft bt, weft bt all: of all threads."""

    def __init__(self):
        super().__init__("weft bt", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        snapshot, clock = snapshot_and_clock()
        wanted = snapshot.units if argument in ("", "all") else [snapshot.find(argument)]
        for unit in wanted:
            say(one_line(snapshot, unit, clock))
            for line in backtrace(snapshot, unit):
                say(line)
            say("")
        say_problems(snapshot)


def backtrace(snapshot, unit):
    pointer = snapshot.context_of(unit)
    if pointer is not None:
        return frames.suspended_lines(snapshot.layout, pointer, unit.has("main"))
    if unit.has_ended():
        return []
    if unit.worker is not None:
        return frames.running_lines(unit.worker["os_thread_id"], unit.has("main"))
    if unit.is_in("blocked"):
        borrower = snapshot.borrower_of(unit)
        return [f"    its frames lie beneath those of {text.identity(borrower) if borrower else 'a thread that it joins'}"]
    return ["    it has no stack yet"] if unit.is_in("ready") else ["    it is between two states; let the program run a moment"]


class Waits(gdb.Command):
    """Who waits for whom: threads by what they wait for, who holds that, and circles of threads that wait for each other."""

    def __init__(self):
        super().__init__("weft waits", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        snapshot, clock = snapshot_and_clock()
        lines = list(waits.group_lines(snapshot, clock))
        for line in lines or ["no thread waits"]:
            say(line)
        for circle in waits.circles(snapshot):
            first, *others = [text.identity(unit) for unit in circle]
            say(f"circle: {first} waits for " + ", who waits for ".join([*others, first]))
        for one in (one for one in snapshot.outside if one["is_blocked"]):
            say(outside_line(one, clock))
        say_problems(snapshot)


class Select(gdb.Command):
    """weft select ID: from now on `backtrace`, `up`, `frame` and `info locals` show that suspended thread, below one frame of the OS
thread, until the program goes on. weft select: back to the OS thread."""

    def __init__(self):
        super().__init__("weft select", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        if not argument:
            frames.unwinder.let_go()
            return
        snapshot, _ = snapshot_and_clock()
        unit = snapshot.find(argument)
        pointer = snapshot.context_of(unit)
        if pointer is None:
            raise gdb.GdbError(f"{text.identity(unit)} is not suspended; `weft bt` shows where it is")
        try:
            context = frames.Context(snapshot.layout, pointer)
        except Unreadable as problem:
            raise gdb.GdbError(f"its stack is not there: {problem}") from None
        frames.unwinder.aim(context)
        frame = frames.first_frame(context)
        if frame is None:
            raise gdb.GdbError("gdb does not follow: is the stack damaged?")
        frame.select()
        gdb.execute("frame")


class Ranks(gdb.Command):
    """The ranks of a job (`weft launch`), from one of them: what each runs, and the threads whose frames left its stack, with what they
wait for."""

    def __init__(self):
        super().__init__("weft ranks", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        try:
            for line in ranks.Job().lines():
                say(line)
        except Unreadable as problem:
            raise gdb.GdbError(str(problem)) from None


class Core(gdb.Command):
    """weft core [FILE]: as generate-core-file, with the stacks of all threads, of which gdb may leave some out."""

    def __init__(self):
        super().__init__("weft core", gdb.COMMAND_STACK, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        snapshot = runtime.Snapshot()
        said = gdb.execute(f"generate-core-file {argument}", to_string=True)
        found = re.search(r"^Saved corefile (.*)$", said, re.MULTILINE)
        if not found:
            raise gdb.GdbError(said)
        try:
            core.complete(found.group(1), snapshot)
        except (OSError, ValueError) as problem:
            raise gdb.GdbError(f"{found.group(1)} lacks stacks: {problem}") from None
        say(f"Saved corefile {found.group(1)}, with the stacks of all threads")


def install():
    for command in (Weft, Threads, Backtrace, Waits, Select, Ranks, Core):
        command()
