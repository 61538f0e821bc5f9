#!/usr/bin/env python3
"""One node of Tascell against scripted peers: in each state of the node each message comes right, from a node that may not send it, without being
asked for, twice, late, a byte longer and a byte shorter. A table says what must happen (docs/protocols/N.md).

usage: protocol_test.py EXAMPLES [rows|parts|elements ...]"""

import os
import struct
import sys

from messages import *  # pylint: disable=wildcard-import,unused-wildcard-import
from peers import ANY_TASK, DIES, ENDLESS, FAILED, GOES, STATES, STATES_OF_MAIN, Peers, check_death, check_part, peers_with_part, value_of
from scripted import Table, World

UNUSED = 79  # a type that no message has
# Sizes of bodies, without what follows them.
BODIES = {ASK: 16, NONE: 16, GIVE: 24, RESULT: 24, CANCEL: 8, BACK: 8, HINT: 0, END: 8, PUBLISH: 16, BROADCAST: 16, HEARD: 8, PUBLISHED: 8, READY: 0, FETCH: 32,
          DATA: 32}
HAVE_MORE = {GIVE, RESULT, PUBLISH, BROADCAST, DATA}


def rows_of_size():
    """A body that is a byte longer or shorter is refused in each state."""
    for kind, size in BODIES.items():
        if kind not in HAVE_MORE:
            yield f"{kind} a byte longer", 1, kind, b"\0" * (size + 1), DIES, ()
        if size != 0:
            yield f"{kind} a byte shorter", 1, kind, b"\0" * (size - 1), DIES, ()


def rows_of_any_node():
    """(name, sender, type, body, what happens, the answers) in each state of a node that does not run main. A row that goes on has no other answers."""
    yield from rows_of_size()
    yield "an unknown type", 3, UNUSED, b"", DIES, ()
    yield "asked for a part of an unknown task", 1, *ask(77, 5), GOES, ((1, *none(77, 0, 5)),)
    yield "asked for a part of another node's task", 3, *ask(1, 2), GOES, ((3, *none(1, 0, 2)),)
    yield "none, not asked for", 3, *none(), GOES, ()
    yield "none to an unknown worker", 3, *none(1, 0, 4000000000), GOES, ()
    yield "a task of an unknown kind", 3, *give(70, 20, kind=4000000), DIES, ()
    yield "a task for an unknown worker", 3, *give(70, 20, asker=64), DIES, ()
    yield "a result, not asked for", 3, *result(900, 5), GOES, ()
    yield "a result for an unknown reason", 3, *result(900, 5, 3), DIES, ()
    yield "a cancellation of an unknown task", 3, *numbered(CANCEL, 900), GOES, ()
    yield "a cancellation of another node's task", 3, *numbered(CANCEL, 1), GOES, ()
    yield "an unknown task comes back", 3, *numbered(BACK, 900), GOES, ()
    yield "a hint, not asked for", 3, HINT, b"", GOES, ()
    yield "elements that are not lent", 3, *fetch(9, 4096, 64, 3), GOES, ((3, *data(9, 4096, 64, 3)),)
    yield "elements beyond the end of memory", 3, *fetch(9, (1 << 64) - 8, 64, 3), GOES, ((3, *data(9, (1 << 64) - 8, 64, 3)),)
    yield "elements, not asked for", 3, *data(9, 4096, 8, 3, b"\1" * 8), GOES, ()
    yield "elements that are fewer than said", 3, *data(9, 4096, 16, 3, b"\1" * 8), DIES, ()
    yield "elements that are more than said", 3, *data(9, 4096, 8, 3, b"\1" * 9), DIES, ()
    yield "elements beyond all bounds", 3, *data(9, (1 << 64) - 4, 8, 3, b"\1" * 8), DIES, ()


def rows_of_other():
    yield from rows_of_any_node()
    yield "the end, by a node that does not run main", 3, *end_with(0), DIES, ()
    yield "ready, by a node that does not run main", 3, READY, b"", DIES, ()
    yield "a publication to a node that does not run main", 3, *publish(1), DIES, ()
    yield "so many were unpacked, to a node that does not run main", 3, *numbered(HEARD, 1), DIES, ()
    yield "published, by a node that does not run main", 3, *numbered(PUBLISHED, 1), DIES, ()
    yield "published, a ticket that was not drawn", 1, *numbered(PUBLISHED, 1), DIES, ()
    yield "published, no ticket", 1, *numbered(PUBLISHED, 0), DIES, ()
    yield "a broadcast by a node that does not run main", 3, *broadcast(1), DIES, ()
    yield "the second broadcast before the first", 1, *broadcast(2), DIES, ()
    yield "a broadcast of an unknown kind", 1, *broadcast(1, 4000000), DIES, ()
    yield "a broadcast a byte longer", 1, BROADCAST, broadcast(1)[1] + b"\0", DIES, ()
    yield "a broadcast a byte shorter", 1, BROADCAST, broadcast(1)[1][:-1], DIES, ()
    yield "a broadcast", 1, *broadcast(1), GOES, ((1, *numbered(HEARD, 1)),)
    yield "an own broadcast", 1, *broadcast(2, 4000000, publisher=2), GOES, ((1, *numbered(HEARD, 2)),)


def rows_of_main():
    yield from rows_of_any_node()
    yield "the end, to the node that runs main", 3, *end_with(0), DIES, ()
    yield "ready, to the node that runs main", 3, READY, b"", DIES, ()
    yield "a broadcast to the node that runs main", 3, *broadcast(1), DIES, ()
    yield "published, to the node that runs main", 3, *numbered(PUBLISHED, 1), DIES, ()
    yield "nothing was broadcast, and it was unpacked", 3, *numbered(HEARD, 1), DIES, ()
    yield "a publication of an unknown kind", 3, *publish(1, 4000000), DIES, ()
    yield "a publication a byte longer", 3, PUBLISH, publish(1)[1] + b"\0", DIES, ()


# ---- rows in states -----------------------------------------------------------------------------


def sender_in(world, sender):
    """A row's sender is 1 or 3; node 1's peers are 2 and 3."""
    return 2 if world.is_main and sender == 1 else sender


def rows(examples, table):
    """Each row that goes on, one after the other, and then work; each row that ends the node, for itself."""
    for state in STATES + STATES_OF_MAIN:
        chosen = list(rows_of_main() if state in STATES_OF_MAIN else rows_of_other())
        world = Peers(examples, state, ENDLESS)
        for stamp, (name, sender, kind, body, outcome, answers) in enumerate(chosen, 1000):
            what = f"{state}: {name}"
            if outcome == DIES:
                dead = Peers(examples, state, ENDLESS)
                dead.say(sender_in(dead, sender), kind, body)
                check_death(table, dead, sender_in(dead, sender), kind, what)
                continue
            world.say(sender_in(world, sender), kind, body)
            got = world.probe(stamp)
            wanted = sorted((sender_in(world, to), *rest) for to, *rest in answers)
            found = None if got is None else sorted(each for each in got if each[1] not in (ASK, HINT, GIVE))
            table.expect(found == wanted, f"{what}: {found}, and not {wanted}")
        finish(table, world, state)


def finish(table, world, state):
    """After all of that the node still does what it is told."""
    what = f"{state}: at the end"
    if world.is_main:
        world.process.kill()
        world.end()
        return
    if world.part is not None:
        world.say(1, *numbered(CANCEL, 1))
        found = world.wait_for(CANCEL, to=3)
        table.expect(found == (CANCEL, 3, struct.pack("<Q", world.part)), f"{what}: the part is cancelled: {found}")
        world.say(3, *result(world.part, reason=CANCELLED))
    elif state == "running":
        world.say(1, *numbered(CANCEL, 1))
    if state in ("running", "parted", "leaving"):
        found = world.wait_for(RESULT, to=1)
        table.expect(found == (RESULT, 1, result(1, reason=CANCELLED)[1]), f"{what}: it is cancelled: {found}")
    if state == "leaving":
        table.expect(world.end() == (0, "", ""), f"{what}: it leaves")
        return
    if state == "joined":
        world.say(1, READY)
        world.wait_for(ASK, to=1)
    world.say(1, *give(99, ANY_TASK[0]))
    found = world.wait_for(RESULT, to=1)
    table.expect(found == (RESULT, 1, result(99, ANY_TASK[1])[1]), f"{what}: it works: {found}")
    world.say(1, *end_with(5))
    ended = world.end()
    table.expect(ended == (5, "", ""), f"{what}: it ends with main's status: {ended}")


def once(examples, table):
    """What may come once, twice; and the end in each state."""
    world = Peers(examples, "asking")
    world.say(1, READY)
    check_death(table, world, 1, READY, "ready, twice")
    world = Peers(examples, "joined")
    world.say(1, *broadcast(1))
    world.say(1, *broadcast(1))
    check_death(table, world, 1, BROADCAST, "a broadcast, twice")
    for state in STATES:
        world = Peers(examples, state, ENDLESS)
        world.say(1, *end_with(9))
        world.say(1, *end_with(4))
        ended = world.end()
        table.expect(ended == (9, "", ""), f"{state}: the end, twice: {ended}")
        for is_death, wanted in ((1, FAILED), (0, 0)):
            world = Peers(examples, state, ENDLESS)
            world.left(1, is_death)
            status, out, err = world.end()
            table.expect((status, out, "node 1, which ran main, died" in err) == (wanted, "", is_death == 1), f"{state}: main's node goes: {status} {err}")


# ---- parts --------------------------------------------------------------------------------------


def parts_table():
    """(name, messages, what the part adds, or how the node ends). A message is (node, type, body), or (node, is_death) of a node that goes. P is the
    part, F the node that has it, O another one."""

    def right(more, **words):
        return lambda w: (w.part_for, *result(w.part, value_of(w.part_size) + more, **words))

    def wrong(more):
        return lambda w: (1 if w.number != 1 and w.part_for != 1 else 2, *result(w.part, value_of(w.part_size) + more))

    def unknown(w):
        return w.part_for, *result(w.part + 1, 5)

    def back(w):
        return w.part_for, *numbered(BACK, w.part)

    def wrong_back(w):
        return 1 if w.number != 1 else 2, *numbered(BACK, w.part)

    def gone(is_death):
        return lambda w: (w.part_for, is_death)

    def sized(change):
        return lambda w: (w.part_for, RESULT, change(result(w.part, 7)[1]))

    yield "a result", (right(1000),), 1000
    yield "a result, twice", (right(1000), right(5000)), 1000
    yield "a result of the wrong node, and the right one", (wrong(5000), right(1000)), 1000
    yield "a result of no task, and the right one", (unknown, right(1000)), 1000
    yield "it comes back", (back,), 0
    yield "it comes back, twice", (back, back), 0
    yield "it comes back from the wrong node", (wrong_back, right(1000)), 1000
    yield "a result after it came back", (back, right(5000)), 0
    yield "it comes back after a result", (right(1000), back), 1000
    yield "its node dies", (gone(1),), 0
    yield "its node leaves", (gone(0),), 0
    yield "its node dies after the result", (right(1000), gone(1)), 1000
    yield "its node dies after it came back", (back, gone(1)), 0
    yield "a result a byte longer", (sized(lambda body: body + b"\0"),), "could not be unpacked"
    yield "a result a byte shorter", (sized(lambda body: body[:-1]),), "could not be unpacked"
    yield "a result without its head", (sized(lambda body: body[:20]),), "sent what cannot be (message 67)"
    yield "a result for an unknown reason", (right(0, reason=7),), "sent what cannot be (message 67)"
    yield "a result that was cancelled by nothing", (lambda w: (w.part_for, *result(w.part, reason=CANCELLED)),), "was cancelled without a reason"


def send_all(world, messages):
    for message in messages:
        whence, *what = message(world)
        if len(what) == 1:
            world.left(whence, what[0])
        else:
            world.say(whence, *what)


def parts(examples, table):
    """A part of what a node runs is out, and early or late something comes that concerns it."""
    for state in ("parted", "main's part"):
        for is_late in (False, True):
            for name, messages, wanted in parts_table():
                world = peers_with_part(examples, state)
                what = f"{state}, {'it waits for it' if is_late else 'it does not wait for it yet'}: {name}"
                if is_late and world.wait_until_asked() is None:
                    table.expect(False, f"{what}: it is not asked for")
                send_all(world, messages)
                check_part(table, world, what, wanted)
    once(examples, table)
    waits(examples, table)
    cancellations(examples, table)
    throws(examples, table)
    unasked(examples, table)
    hints(examples, table)
    broadcasts(examples, table)


def waits(examples, table):
    """A joiner waits for its part: what it takes, asks, passes on."""
    world = peers_with_part(examples, "parted")
    asked = world.wait_until_asked()
    asker = struct.unpack("<QII", asked[2])[1]
    world.say(3, *none(world.part, 1, asker))
    table.expect(world.wait_until_asked() is not None, "a joiner that found nothing asks again")
    world.say(3, *give(9, 20, world.part, asker))
    found = world.wait_for(RESULT, to=3)
    table.expect(found == (RESULT, 3, result(9, ANY_TASK[1])[1]), f"a joiner runs a descendant of its part: {found}")
    world.say(1, *give(10, 20))
    found = world.wait_for(RESULT, BACK, to=1)
    table.expect(found == (BACK, 1, struct.pack("<Q", 10)), f"a joiner runs nothing else: {found}")
    world.say(3, *give(11, 20, world.part + 1, asker))
    found = world.wait_for(RESULT, BACK, to=3)
    table.expect(found == (BACK, 3, struct.pack("<Q", 11)), f"a joiner runs no descendant of another part: {found}")
    for kind, body in (give(12, 20, world.part, asker), (GIVE, give(13, 20, world.part, asker)[1] + b"\0")):
        world.say(3, kind, body)
        found = world.wait_for(RESULT, BACK, to=3)
        wanted = RESULT if len(body) == 32 else BACK
        table.expect(found is not None and found[0] == wanted, f"a task of {len(body)} bytes: {found}")
    world.say(3, *result(world.part, value_of(world.part_size)))
    check_part(table, world, "a joiner that helped", 0)


def cancellations(examples, table):
    """A task is cancelled while it waits for a part, whose own end may cross that."""
    for name, after in (("as cancelled", lambda w: result(w.part, reason=CANCELLED)), ("as returned", lambda w: result(w.part, 5)),
                        ("as thrown", lambda w: result(w.part, reason=THREW, tag=3))):
        world = peers_with_part(examples, "parted")
        world.wait_until_asked()
        world.say(1, *numbered(CANCEL, 1))
        world.say(1, *numbered(CANCEL, 1))
        found = world.wait_for(CANCEL, to=3)
        table.expect(found is not None and found[2] == struct.pack("<Q", world.part), f"a part of a cancelled task is cancelled: {found}")
        world.say(3, *after(world))
        found = world.wait_for(RESULT, to=1)
        # A result that crosses the cancellation is one: the giver does not want it, and drops it.
        is_good = found is not None and struct.unpack_from("<Q", found[2])[0] == 1 and (name != "as cancelled" or found[2] == result(1, reason=CANCELLED)[1])
        table.expect(is_good, f"a cancelled task whose part ends {name}: {found}")
        world.say(1, *numbered(CANCEL, 1))
        answers = world.probe(5)
        table.expect(answers is not None and all(each[1] not in (RESULT, CANCEL) for each in answers), f"a cancellation that comes late: {answers}")
        world.say(1, *end_with(0))
        table.expect(world.end() == (0, "", ""), "the end after a cancellation")


def throws(examples, table):
    """A part throws: so does what waits for it."""
    for state in ("parted", "main's part"):
        world = peers_with_part(examples, state)
        world.say(3, *result(world.part, reason=THREW, tag=7))
        if state == "parted":
            found = world.wait_for(RESULT, to=1)
            table.expect(found == (RESULT, 1, result(1, reason=THREW, tag=7)[1]), f"a throw of a part goes on: {found}")
            world.say(1, *end_with(0))
            world.end()
        else:
            found = world.end()
            table.expect(found[:2] == (FAILED, "") and "throw 7: there is no catch for it" in found[2], f"a throw of a part goes on to main: {found}")


def unasked(examples, table):
    """Tasks that an idle node did not ask for."""
    world = Peers(examples, "asking")
    for each in (21, 22):  # the same task twice is two tasks, and each has its result
        world.say(3, *give(each, 20))
        found = world.wait_for(RESULT, to=3)
        table.expect(found == (RESULT, 3, result(each, ANY_TASK[1])[1]), f"a task that was not asked for runs: {found}")
    world.say(3, *give(23, 20))
    world.say(3, *numbered(CANCEL, 23))
    found = world.wait_for(RESULT, to=3)
    table.expect(found in ((RESULT, 3, result(23, ANY_TASK[1])[1]), (RESULT, 3, result(23, reason=CANCELLED)[1])), f"a task that is cancelled at once: {found}")
    answers = world.probe(6)
    table.expect(answers is not None and all(each[1] != RESULT for each in answers), f"it has one result: {answers}")
    world.say(1, *end_with(0))
    world.end()


def hints(examples, table):
    """A node that found nothing asks the one that tells of work, before it asks the one that said none first."""
    asked = []
    for _ in range(5):  # a slow machine may come too late for the hint, and then it is asked in turn
        world = Peers(examples, "told")
        world.wait_for(ASK, to=3)
        world.say(3, *none())
        world.say(3, HINT)
        found = world.wait_for(ASK)
        asked.append(found and found[1])
        world.say(1, *end_with(0))
        world.end()
        if asked[-1] == 3:
            break
    table.expect(asked[-1] == 3, f"a node that tells of work is asked first: {asked}")


def broadcasts(examples, table):
    """Publications: sent on in order, and told when all that are there have unpacked them."""

    def expect_broadcast(world, to, index, publisher):
        found = world.wait_for(BROADCAST, to=to)
        table.expect(found == (BROADCAST, to, broadcast(index, 0, publisher)[1]), f"broadcast {index} to {to}: {found}")

    def published(answers):
        return [(to, struct.unpack("<Q", body)[0]) for to, kind, body in answers or () if kind == PUBLISHED]

    for goes, wanted in ((None, [(2, 5)]), (1, [(2, 5)]), (0, [(2, 5)])):
        world = Peers(examples, "main runs", ENDLESS)
        world.say(2, *publish(5))
        for to in (2, 3):
            expect_broadcast(world, to, 1, 2)
        world.say(2, *numbered(HEARD, 1))
        table.expect(published(world.probe(1)) == [], "it is not done before all have unpacked it")
        if goes is None:
            world.say(3, *numbered(HEARD, 1))
        else:
            world.left(3, goes)
        found = published([*(world.probe(2) or ()), *(world.probe(3) or ())])
        table.expect(found == wanted, f"it is done when all that are there have unpacked it ({goes}): {found}")
        world.say(2, *publish(6))
        expect_broadcast(world, 2, 2, 2)
        world.joined(4)
        for index in (1, 2):
            expect_broadcast(world, 4, index, 2)
        found = world.wait_for(READY, BROADCAST, to=4)
        table.expect(found is not None and found[0] == READY, f"a node that comes later is ready after all of them: {found}")
        world.say(2, *numbered(HEARD, 2))
        if goes is None:
            world.say(3, *numbered(HEARD, 2))
        world.say(4, *numbered(HEARD, 1))
        table.expect(published(world.probe(4)) == [], "it waits for a node that has come")
        world.say(4, *numbered(HEARD, 2))
        found = published([*(world.probe(5) or ()), *(world.probe(6) or ())])
        table.expect(found == [(2, 6)], f"the second one is done: {found}")
        world.say(4, *numbered(HEARD, 3 if goes else 2))
        check_death(table, world, 4, HEARD, "unpacked what was not sent, or twice")


# ---- elements that are read lazily --------------------------------------------------------------

SIDE = 64
ROW = SIDE * 8


class Home(World):
    """Lends matrices full of ones to a node that runs matmul."""

    A, B = 1 << 28, 1 << 29  # where they lie

    def __init__(self, examples):
        super().__init__(os.path.join(examples, "matmul"), (str(SIDE),))
        self.say(1, READY)
        self.wait_for(ASK, to=1)

    def give_rows(self, number, low, high, stamp=1):
        body = struct.pack("<QQIIiii", number, 0, 0, 0, SIDE, low, high)
        for at in (self.A, self.B):
            body += struct.pack("<qqQQQII", 0, SIDE * SIDE, at, SIDE * ROW, stamp, 1, 0)
        self.say(1, GIVE, body + struct.pack("<qq", low * SIDE, high * SIDE))

    def answer(self, body, value=1.0, sender=1, change=lambda body: body):
        size = struct.unpack_from("<Q", body, 16)[0]
        self.say(sender, DATA, change(body + struct.pack("<d", value) * (size // 8)))


def elements(examples, table):
    """What comes while elements are asked for: only what was asked for, from where it was asked for, once, is read."""

    def stamped(body):
        return struct.pack("<Q", 77) + body[8:]

    cases = (
        ("elements", lambda home, asked: home.answer(asked), True),
        ("elements of the wrong node before", lambda home, asked: (home.answer(asked, 2.0, 3), home.answer(asked)), True),
        ("elements of another construct before", lambda home, asked: (home.answer(asked, 2.0, change=stamped), home.answer(asked)), True),
        ("elements, twice", lambda home, asked: (home.answer(asked), home.answer(asked, 2.0)), True),
        ("elements a byte longer", lambda home, asked: home.answer(asked, change=lambda body: body + b"\0"), False),
        ("elements a byte shorter", lambda home, asked: home.answer(asked, change=lambda body: body[:-1]), False),
        ("a head a byte shorter", lambda home, asked: home.say(1, DATA, asked[:-1]), False),
    )
    for name, act, goes_on in cases:
        home = Home(examples)
        home.give_rows(1, 8, 12)
        found = home.wait_for(FETCH, RESULT)
        table.expect(found is not None and found[0] == FETCH, f"{name}: they are asked for: {found}")
        while found is not None and found[0] == FETCH:
            act(home, found[2])
            found = home.wait_for(FETCH, RESULT)
        if not goes_on:
            check_death(table, home, 1, DATA, name)
            continue
        wanted = result(1)[1] + struct.pack("<d", SIDE) * (SIDE * 4)
        table.expect(found == (RESULT, 1, wanted), f"{name}: {found and found[2][:40]}")
        home.say(1, *end_with(0))
        ended = home.end()
        table.expect(ended == (0, "", ""), f"{name}: the end: {ended}")


PARTS = {"rows": rows, "parts": parts, "elements": elements}


def main():
    examples = os.path.abspath(sys.argv[1])
    table = Table()
    for name in sys.argv[2:] or PARTS:
        PARTS[name](examples, table)
    table.finish("rows of Tascell's protocol")


if __name__ == "__main__":
    main()
