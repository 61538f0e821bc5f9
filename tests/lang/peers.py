"""Peers that bring a node that runs fib into a state and then say what a test wants."""

import os
import signal
import struct

from messages import ASK, BACK, GIVE, HINT, NONE, READY, RESULT, ask, data, end_with, fetch, give, none, result
from scripted import World

GOES, DIES = "goes on", "dies"
FAILED = 70  # the exit status of a run that fails
ANY_TASK = 20, 2584
SIZE = 36  # of what ends soon


def fib(n):
    one, two = 0, 1
    for _ in range(n):
        one, two = two, one + two
    return one


def value_of(size):
    """What the task of this size returns: the second call of fib(size)."""
    return fib(size - 2)


STATES = ("joined", "asking", "told", "running", "parted", "leaving")
STATES_OF_MAIN = ("main runs", "main's part")
ENDLESS = 60  # of years


class GivesNoPart(Exception):
    """All is computed already."""


class Peers(World):
    """Of a node that runs fib: nodes 1 and 3 of node 2, which does not run main, or nodes 2 and 3 of node 1, which does."""

    def __init__(self, examples, state, size=SIZE, workers=1, part_for=3):
        self.state, self.size, self.part, self.part_size = state, size, None, None
        self.is_main = state in STATES_OF_MAIN
        self.part_for = part_for
        if self.is_main:
            super().__init__(os.path.join(examples, "fib"), (str(size),), (), 1, 1, (), workers=workers)
        else:
            super().__init__(os.path.join(examples, "fib"), ("20",), workers=workers)
        getattr(self, {"main runs": "run_main", "main's part": "run_main", "joined": "be_joined"}.get(state, "be_ready"))()

    def be_joined(self):
        pass

    def run_main(self):
        for each in (2, 3):
            self.joined(each)
            self.wait_for(READY, to=each)
        if self.state == "main's part":
            self.take_part()

    def be_ready(self):
        self.say(1, READY)
        self.wait_for(ASK, to=1)
        if self.state == "asking":
            return
        self.say(1, *none())
        if self.state == "told":
            return
        self.say(3, *ask())
        self.wait_for(NONE, to=3)
        self.say(1, *give(1, self.size))
        self.wait_for(HINT, to=3)
        if self.state == "running":
            return
        self.take_part()
        if self.state == "leaving":
            self.process.send_signal(signal.SIGTERM)
            self.say(3, *give(60, 20))  # a node that leaves gives it back at once; one that waits for a part does so soon
            self.wait_for(BACK, to=3)

    def take_part(self):
        while True:
            self.say(self.part_for, *ask())
            found = self.wait_for(GIVE, NONE, RESULT, to=self.part_for)
            if found is None or found[0] == RESULT:
                self.process.kill()
                self.end()
                raise GivesNoPart(f"a node gives no part: {found}")
            if found[0] == GIVE:
                self.part, _, _, _, self.part_size = struct.unpack("<QQIIq", found[2])
                return

    def wait_until_asked(self):
        """Until a worker waits for the part that is out."""
        while (found := self.wait_for(ASK, to=self.part_for)) is not None and struct.unpack_from("<Q", found[2])[0] != self.part:
            pass
        return found

    def probe(self, stamp):
        """All that the door has answered by now, as (to, type, body)."""
        answers = []
        speaker = 2 if self.is_main else 3
        self.say(speaker, *fetch(stamp, 1, 2, 3))
        wanted = (speaker, *data(stamp, 1, 2, 3))
        while (found := self.read()) is not None:
            kind, to, _, body = found
            if (to, kind, body) == wanted:
                return answers
            answers.append((to, kind, body))
        return None


def check_death(table, world, sender, kind, what):
    status, out, err = world.end()
    line = f"node {world.number}: node {sender} sent what cannot be (message {kind})"
    table.expect((status, out, line in err, err.count("\n")) == (FAILED, "", True, 1), f"{what}: {status} {out} {err}")


def check_part(table, world, what, wanted):
    if isinstance(wanted, str):  # the program is at fault, for all that the runtime knows, and is aborted
        status, out, err = world.end()
        wanted_status = FAILED if "sent what cannot be" in wanted else -signal.SIGABRT
        table.expect((status, out, wanted in err.split("\n", maxsplit=1)[0]) == (wanted_status, "", True), f"{what}: {status} {out} {err}")
        return
    if world.is_main:
        found = world.end()
        table.expect(found == (0, f"fib({SIZE}) = {fib(SIZE) + wanted}\n", ""), f"{what}: {found}")
        return
    found = world.wait_for(RESULT, to=1)
    table.expect(found == (RESULT, 1, result(1, value_of(SIZE) + wanted)[1]), f"{what}: {found}")
    world.say(1, *end_with(0))
    found = world.end()
    table.expect(found == (0, "", ""), f"{what}: the end: {found}")


def peers_with_part(examples, state):
    """A node computes SIZE in some 20 ms: on a busy machine that may be over before it is asked for a part, and then it starts anew."""
    for _ in range(9):
        try:
            return Peers(examples, state, SIZE)
        except GivesNoPart:
            pass
    return Peers(examples, state, SIZE)
