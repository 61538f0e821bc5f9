#!/usr/bin/env python3
"""A node's side of its connection to a server, which a script plays: it lies in the handshake, with a right proof, a wrong one and none, and it sends
frames that no server passes on. Then real nodes, between which a relay delays frames: those of a pair of nodes keep their order, others overtake
each other.

usage: transport_test.py EXAMPLES [server|frames|delays ...]"""

import os
import random
import selectors
import socket
import struct
import subprocess
import sys
import time

from messages import HINT, end_with, result
from peers import FAILED, SIZE, check_part, fib, peers_with_part, value_of
from scripted import KEY, Table, World
from strangers import (BYE, CHALLENGE, HEAD, HELLO, JOINED, LEFT, PROOF, REFUSED, SECONDS, WELCOME, challenge_body, frame, membership_body, welcome_body)

# ---- the server's side --------------------------------------------------------------------------


def changed(at, by):
    return lambda body: body[:at] + by + body[at + len(by):]


def server(examples, table):
    """A server that lies, with a right proof, a wrong one and none; and frames that no transport passes on."""
    program = os.path.join(examples, "fib")

    def challenge(change):
        return {"challenge": lambda body: frame(CHALLENGE, change(body))}

    def welcome(change, kind=WELCOME, **more):
        return {"welcome": lambda body: frame(kind, change(body), **more)}

    same = lambda body: body  # noqa: E731
    lies = (
        ("a challenge a byte shorter", challenge(lambda body: body[:-1]), "not what a server of this version sends"),
        ("a welcome instead of a challenge", {"challenge": lambda body: frame(WELCOME, body)}, "not what a server of this version sends"),
        ("a refusal instead of a challenge", {"challenge": lambda _: frame(REFUSED, b"go away")}, "refuses: go away"),
        ("a challenge of another version", {"challenge": lambda body: frame(CHALLENGE, body, version=2)}, "its version is another one"),
        ("a challenge of another magic", {"challenge": lambda body: frame(CHALLENGE, body, magic=7)}, "the other side is no Weft"),
        ("a challenge beyond all bounds", {"challenge": lambda body: frame(CHALLENGE, body, size=1 << 21)}, "its length is beyond all bounds"),
        ("padding that is not zero", {"challenge": lambda body: frame(CHALLENGE, body + b"\1\1\1")[:-1] + b"\1"}, "its padding is not zero"),
        ("a welcome a byte shorter", welcome(lambda body: body[:15]), "not what a server of this version sends"),
        ("a welcome of fewer nodes than it says", welcome(lambda body: body[:-4]), "welcome has a wrong size"),
        ("a welcome of more nodes than it says", welcome(lambda body: body + b"\0\0\0\5"), "welcome has a wrong size"),
        ("a welcome that says more nodes than can be", welcome(changed(8, struct.pack("<I", 1 << 30))), "welcome has a wrong size"),
        ("a challenge instead of a welcome", welcome(same, CHALLENGE), "not what a server of this version sends"),
        ("a refusal instead of a welcome", welcome(lambda _: b"another program", REFUSED), "refuses: another program"),
        ("a welcome without a number", welcome(changed(0, struct.pack("<I", 0))), "this node has no number"),
        ("a welcome as another node", welcome(changed(0, struct.pack("<I", 3))), "the numbers of the nodes are wrong"),
        ("a welcome with a node of no number", welcome(changed(16, struct.pack("<I", 0))), "the numbers of the nodes are wrong"),
        ("a welcome with a node twice", welcome(changed(16, struct.pack("<I", 3))), "the numbers of the nodes are wrong"),
        ("a welcome without main's node", welcome(changed(4, struct.pack("<I", 9))), "the node that runs main is not there"),
    )
    for key in (None, KEY):
        for name, says, wanted in lies:
            world = World(program, says=says, key=key)
            status, out, err = world.end()
            what = f"{name}{', by a server that knows the key' if key else ''}"
            table.expect((status, out, wanted in err, err.count("\n")) == (FAILED, "", True, 1), f"{what}: {status} {out} {err}")
    zeros = b"\0" * 32
    keys = (
        ("a right proof", KEY, {}, None),
        ("a wrong proof", KEY, challenge(changed(40, b"\1" * 32)), "the server has another key"),
        ("a proof with one wrong bit", KEY, challenge(lambda body: body[:71] + bytes([body[71] ^ 1])), "the server has another key"),
        ("a proof of zeros", KEY, challenge(changed(40, zeros)), "the server has another key"),
        ("another nonce than the proof's", KEY, challenge(changed(8, b"t" * 32)), "the server has another key"),
        ("no key, of one who has none", KEY, challenge(changed(0, struct.pack("<I", 0))), "the server has no key"),
        ("no key, and a node that wants one", "none", challenge(changed(0, struct.pack("<I", 0))), "the server has no key, so it may be another user's"),
        ("a key that is claimed to a node without", "none", challenge(changed(0, struct.pack("<I", 1))), "the server claims a key that it cannot prove"),
        ("a key that is claimed to a node that wants none", None, challenge(changed(0, struct.pack("<I", 1))), "the server claims a key that it cannot prove"),
    )
    for name, key, says, wanted in keys:
        world = World(program, says=says, key=key)
        if wanted is None:
            world.say(1, *end_with(3))
        status, out, err = world.end()
        good = (status, out, err) == (3, "", "") if wanted is None else (status, out, wanted in err, err.count("\n")) == (FAILED, "", True, 1)
        table.expect(good, f"{name}: {status} {out} {err}")


def frames(examples, table):
    """Frames that no server passes on end the group for a node, and only its main goes on."""

    damage = (
        ("a frame for another node", lambda w: w.say(3, HINT, to=5), "it is for another node"),
        ("a frame of no node", lambda w: w.say(8, HINT), "no such node sent it"),
        ("a frame of the node itself", lambda w: w.say(w.number, HINT), "no such node sent it"),
        ("a frame of a node that has gone", lambda w: (w.left(3), w.say(3, HINT)), "no such node sent it"),
        ("a frame twice", lambda w: (w.say(3, HINT), w.say(3, HINT, sequence=w.sent[3])), "a wrong sequence number"),
        ("a frame that overtook another", lambda w: w.say(3, HINT, sequence=w.sent.get(3, 0) + 2), "a wrong sequence number"),
        ("a frame of number 0", lambda w: w.say(3, HINT, sequence=0), "a wrong sequence number"),
        ("another version", lambda w: w.say(3, HINT, version=2), "its version is another one"),
        ("another magic", lambda w: w.say(3, HINT, magic=2), "the other side is no Weft"),
        ("a length beyond all bounds", lambda w: w.say(3, HINT, size=(1 << 40) + 1), "its length is beyond all bounds"),
        ("padding that is not zero", lambda w: w.push(frame(HINT, b"\0", w.number, 3, w.sent.get(3, 0) + 1)[:-1] + b"\1"), "its padding is not zero"),
        *((f"control frame {kind}", lambda w, kind=kind: w.push(frame(kind, b"\0" * 16)), "an unknown type")
          for kind in (0, HELLO, CHALLENGE, PROOF, WELCOME, BYE, 9, 10, 11, 12, 63)),
        ("a refusal", lambda w: w.push(frame(REFUSED, b"x")), "ends this group"),
        *((f"membership {kind} of {size} bytes", lambda w, kind=kind, size=size: w.push(frame(kind, b"\1" * size)), "a wrong size of what joins or leaves")
          for kind in (JOINED, LEFT) for size in (0, 15, 17)),
        *((f"membership {kind} of number {of}", lambda w, kind=kind, of=of: w.push(frame(kind, membership_body(w.number if of is None else of, 1, 1))), "no other node's")
          for kind in (JOINED, LEFT) for of in (0, None)),
        ("the connection closes", lambda w: w.socket.shutdown(socket.SHUT_WR), "closed the connection"),
    )
    for name, act, wanted in damage:
        for state in ("parted", "main's part"):
            world = peers_with_part(examples, state)
            act(world)
            status, out, err = world.end()
            is_good = wanted in err and err.count("\n") == 1 and (f"node {world.number}: the server" in err or "refuses" in err)
            good_end = (0, f"fib({SIZE}) = {fib(SIZE)}\n") if world.is_main else (FAILED, "")
            table.expect(is_good and (status, out) == good_end and world.is_main == ("Main goes on here alone" in err), f"{state}: {name}: {status} {out} {err}")
    harmless = (
        ("a node joins twice", lambda w: (w.joined(7), w.joined(7))),
        ("a node leaves that is unknown", lambda w: w.left(9)),
        ("a node leaves twice", lambda w: (w.joined(7), w.left(7), w.left(7))),
        ("an older number joins late", lambda w: (w.joined(7), w.joined(5))),
    )
    for name, act in harmless:
        world = peers_with_part(examples, "parted")
        act(world)
        world.say(3, *result(world.part, value_of(world.part_size) + 9))
        check_part(table, world, name, 9)


# ---- real nodes, and a relay that delays --------------------------------------------------------


class Relay:
    """The server of real nodes, which keeps each frame back for a while: those of a pair of nodes keep their order, others do not."""

    def __init__(self, seed, longest):
        self.random, self.longest = random.Random(seed), longest
        self.listener = socket.create_server(("localhost", 0))
        self.port = self.listener.getsockname()[1]
        self.by = selectors.DefaultSelector()
        self.by.register(self.listener, selectors.EVENT_READ)
        self.nodes, self.parts, self.last = {}, {}, 0  # number → socket; socket → bytes that came
        self.queued = {}  # (from, to) → [(when, frame)]
        self.overtaken = 0

    def take(self, source):
        try:
            more = source.recv(1 << 20)
        except ConnectionError:
            more = b""
        if not more:
            self.drop(source, 1)
            return
        self.parts[source] = self.parts[source] + more
        while len(self.parts[source]) >= HEAD.size:
            text = self.parts[source]
            _, _, kind, size, to, sender, _ = HEAD.unpack_from(text)
            whole = HEAD.size + (size + 7) // 8 * 8
            if len(text) < whole:
                return
            self.parts[source] = text[whole:]
            self.take_frame(source, kind, to, sender, text[:whole])
            if source not in self.parts:
                return

    def take_frame(self, source, kind, to, sender, whole):
        if kind == HELLO:
            source.sendall(frame(CHALLENGE, challenge_body()))
        elif kind == PROOF:
            self.last += 1
            others = sorted(self.nodes)
            source.sendall(frame(WELCOME, welcome_body(self.last, 1, others)))
            for each in self.nodes.values():
                each.sendall(frame(JOINED, membership_body(self.last)))
            self.nodes[self.last] = source
        elif kind == BYE:
            self.drop(source, 0)
        elif to in self.nodes:
            self.queued.setdefault((sender, to), []).append((time.monotonic() + self.random.random() * self.longest, whole))

    def drop(self, source, is_death):
        gone = [number_ for number_, each in self.nodes.items() if each is source]
        for number_ in gone:
            del self.nodes[number_]
            for pair, frames_ in list(self.queued.items()):
                if pair[0] == number_:  # all its frames come before
                    for _, whole in frames_:
                        self.send(pair[1], whole)
                if number_ in pair:
                    del self.queued[pair]
            for each in list(self.nodes):
                self.send(each, frame(LEFT, membership_body(number_, 1, is_death)))
        self.by.unregister(source)
        del self.parts[source]
        source.close()

    def send(self, to, whole):
        try:
            if to in self.nodes:
                self.nodes[to].sendall(whole)
        except OSError:
            pass

    def deliver(self):
        now = time.monotonic()
        for (_, to), frames_ in list(self.queued.items()):
            while frames_ and frames_[0][0] <= now:
                when, whole = frames_.pop(0)
                self.overtaken += any(frames2 and frames2[0][0] < when for frames2 in self.queued.values())
                self.send(to, whole)

    def serve(self, processes):
        until = time.monotonic() + 10 * SECONDS
        while any(each.poll() is None for each in processes) and time.monotonic() < until:
            for key, _ in self.by.select(0.001):
                if key.fileobj is self.listener:
                    made, _ = self.listener.accept()
                    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.parts[made] = b""
                    self.by.register(made, selectors.EVENT_READ)
                else:
                    self.take(key.fileobj)
            self.deliver()
        self.listener.close()


DELAYED = (("fib", "32"), ("nq", "10"), ("matmul", "200"), ("spanning", "100"), ("pen", "6"), ("fib-throw", "27"), ("lu", "100"))


def delays(examples, table):
    """Two and three nodes answer as one alone does, whatever overtakes what."""
    for seed, (program, size) in enumerate(DELAYED):
        command = [os.path.join(examples, program), "--workers", "1", size]
        if not os.path.exists(command[0]):
            continue
        alone = subprocess.run([command[0], size], capture_output=True, text=True, timeout=SECONDS, check=False)
        for nodes, longest in ((2, 0.02), (3, 0.005)):
            relay = Relay(seed, longest)
            words = ["--server", f"localhost:{relay.port}", "--no-key", "--nodes", str(nodes)]
            all_of = [subprocess.Popen([command[0], *words, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(nodes)]
            relay.serve(all_of)
            ends = []
            for each in all_of:
                each.kill()
                out, err = each.communicate()
                ends.append((each.returncode, out, err))
            wanted = sorted([(alone.returncode, alone.stdout, alone.stderr), *[(alone.returncode, "", "")] * (nodes - 1)])
            table.expect(sorted(ends) == wanted, f"{program} {size} on {nodes} nodes whose frames are late: {ends}, and not {alone.stdout}")


PARTS = {"server": server, "frames": frames, "delays": delays}


def main():
    examples = os.path.abspath(sys.argv[1])
    table = Table()
    for name in sys.argv[2:] or PARTS:
        PARTS[name](examples, table)
    table.finish("rows of a node's transport")


if __name__ == "__main__":
    main()
