"""Who waits for whom: the threads by what they wait for, who holds it where that is known, and circles."""

import gdb

from . import text
from .layout import Unreadable

UNKNOWN = "; its holder is not known"


class Held:
    """Who holds a mutex or a rwlock: the owner's descriptor if it is a thread; words for people."""

    def __init__(self, unit, words):
        self.unit, self.words = unit, words


def named_owner(snapshot, number):
    """number: a thread's descriptor, or the pthread_t of an OS thread outside; main has that of the one that became it, and so have adopted ones."""
    if snapshot.runtime["has_adopted_caller"] and number == snapshot.runtime["main_caller"]:
        number = snapshot.runtime.address_of("main_unit")
    number = next((unit.address for unit in snapshot.units if unit.os_caller() == number), number)
    if number in snapshot.by_address:
        return Held(number, f", held by {text.by_address(snapshot, number)}")
    try:
        thread = gdb.selected_inferior().thread_from_handle(gdb.Value(number).cast(gdb.lookup_type("unsigned long")))
    except (gdb.error, TypeError, ValueError):
        thread = None
    which = f"OS thread {thread.ptid[1]}" if thread is not None else "an OS thread"
    return Held(None, f", held by {which} outside (pthread_t {number:#x})")


def owner_by_stack(snapshot, number):
    """number: an address in the stack of the owner, unless several threads stand there."""
    on_it = []
    for unit in snapshot.units:
        low, high = text.bounds(snapshot, unit)
        if low <= number < high and not unit.has_ended():
            on_it.append(unit)
    if len(on_it) != 1 or on_it[0].is_lent():
        return Held(None, UNKNOWN)
    if on_it[0].has("main") and any(unit.is_lent() and not snapshot.stack_of(unit) for unit in snapshot.units):
        return Held(None, UNKNOWN)
    return Held(on_it[0].address, f", held by {text.by_address(snapshot, on_it[0].address)}")


def holder(snapshot, what, address):
    layout = snapshot.layout
    try:
        if what == "mutex":
            mutex = layout.copy("mutex", address)
            if not mutex["word_"] & layout.number("mutex.held"):
                return Held(None, ", free at the moment")
            if not mutex["owner_"]:
                return Held(None, UNKNOWN)
            knows_caller = mutex["word_"] & layout.number("mutex.knows_caller")
            return named_owner(snapshot, mutex["owner_"]) if knows_caller else owner_by_stack(snapshot, mutex["owner_"])
        if what.startswith("rwlock"):
            lock = layout.copy("rwlock", address)
            if lock["writer_"]:
                return named_owner(snapshot, lock["writer_"])
            if lock["readers_"]:
                return Held(None, f", held by {lock['readers_']} readers")
            return Held(None, ", held by a writer; who it is, checked builds know" if lock["has_writer_"] else ", free at the moment")
    except Unreadable:
        return Held(None, ", which is not there any more")
    return Held(address if what == "join" else None, "")


def next_of(snapshot, unit):
    """For whom it waits: a descriptor, or None."""
    if unit.wait is not None:
        return holder(snapshot, unit.wait.what, unit.wait.object).unit
    if unit.has_ended() or not unit.is_in("blocked"):
        return None
    borrower = snapshot.borrower_of(unit) if snapshot.lends_to(unit) else None
    return borrower.address if borrower is not None else None


def groups(snapshot):
    """{(what, object): units}, in the order of the snapshot. what is None of those whose waits cannot be read."""
    found = {}
    for unit in snapshot.units:
        if unit.wait is not None:
            found.setdefault((unit.wait.what, unit.wait.object), []).append(unit)
        elif unit.is_wait_lost:
            found.setdefault((None, 0), []).append(unit)
    return found


def group_lines(snapshot, clock):
    for (what, thing), units in groups(snapshot).items():
        if what is None:
            head = "what cannot be read"
        elif what == "join":
            head = f"the end of {text.by_address(snapshot, thing)}"
        else:
            head = f"{what}{f' at {text.place(thing)}' if thing else ''}{holder(snapshot, what, thing).words if thing else ''}"
        yield f"{head}:"
        yield from (f"  {text.identity(unit)}{clock.since(unit.wait.since_ns) if unit.wait else ''}" for unit in units)


def circles(snapshot):
    """Lists of units, each waiting for the next and the last for the first."""
    after = {unit.address: next_of(snapshot, unit) for unit in snapshot.units}
    done = set()
    for start in after:
        path, at = [], start
        while at in after and at not in done and at not in path:
            path.append(at)
            at = after[at]
        if at in path:
            yield [snapshot.by_address[one] for one in path[path.index(at) :]]
        done.update(path)
