#!/usr/bin/env python3
"""Nodes and servers that go, or say nothing, at the worst moment: strangers take their places, or stand between a node and its server.

usage: strange_nodes_test.py WEFT EXAMPLES [--compiles]
With the last word a program is compiled by the C compiler in CC."""

import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from messages import (ASK, BACK, BROADCAST, CANCEL, CANCELLED, DATA, END, FETCH, GIVE, HEARD, HINT, NONE, READY, RESULT, ask, end_with, fetch, give,
                      numbered, result)
from nodes import OF_KEYS, Node, Server
from strangers import HEAD, JOINED, LEFT, PROOF, SECONDS, SILENCE, WELCOME, Stranger, frame, hello, receive

FETCH_BODY = struct.Struct("<QQQQ")  # stamp, low, bytes, users
HERE = os.path.dirname(os.path.abspath(__file__))


class Between:
    """Stands between one node and its server. The first frame of a type that the node is to get is held back, with all behind it. Neither it
    nor another frame of its sender arrives any more."""

    def __init__(self, port, held):
        self.listener = socket.create_server(("localhost", 0))
        self.port, self.to, self.held = self.listener.getsockname()[1], port, held
        self.has_held, self.goes_on = threading.Event(), threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        node, _ = self.listener.accept()
        server = socket.create_connection(("localhost", self.to))
        threading.Thread(target=self.pass_on, args=(node, server), daemon=True).start()
        silent = None
        while (head := receive(server, HEAD.size)) is not None:
            _, _, kind, size, _, sender, _ = HEAD.unpack(head)
            body = receive(server, (size + 7) // 8 * 8)
            if kind == self.held and silent is None:
                silent = sender
                self.has_held.set()
                self.goes_on.wait(SECONDS)
            if sender != silent:
                node.sendall(head + (body or b""))
        try:
            node.shutdown(socket.SHUT_RDWR)  # although the other thread reads
        except OSError:
            pass
        node.close()

    @staticmethod
    def pass_on(node, server):
        try:
            while data := node.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class FalseNode(Stranger):
    """A stranger that is a node and talks to one other node, node 2."""

    def __init__(self, checks, port, program):
        super().__init__(port, SILENCE)
        self.checks, self.sent = checks, 0
        kind, body = self.join(program)
        checks.expect(kind == WELCOME, f"a stranger is not welcome: {body}")
        self.number = struct.unpack_from("<I", body)[0]

    def send(self, kind, body=b""):
        self.sent += 1
        self.socket.sendall(frame(kind, body, 2, self.number, self.sent))

    def give(self, number, size, wanted=0):
        """The task of fib(size)."""
        self.send(*give(number, size, wanted))

    def see_given(self):
        """Waits until the node has what it was given before. What it says of that meanwhile, or None."""
        self.send(*fetch())
        found = self.wait_for(DATA, RESULT, BACK)
        return found if found is None or found[0] != DATA else None

    def wait_until_asked(self, part):
        """Until a worker waits for a part, and asks for parts of that: first it runs the rest of its task, and says nothing."""
        self.socket.settimeout(SECONDS)
        while (found := self.serve(ASK)) is not None and struct.unpack_from("<Q", found[1])[0] != part:
            pass
        self.socket.settimeout(SILENCE)

    def serve(self, *kinds):
        """The next frame of one of these types; answers fetches until it comes, if the node has elements."""
        return self.wait_for(*kinds)

    def cancel(self, number):
        self.send(*numbered(CANCEL, number))

    def take_part(self):
        """Asks until the node gives a part of what it runs: the part's number; None: a result or nothing comes instead."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            self.send(*ask())
            found = self.wait_for(GIVE, NONE, RESULT)
            if found is None or found[0] == RESULT:
                return None
            if found[0] == GIVE:
                return struct.unpack_from("<Q", found[1])[0]
        return None

    def expect_cancel(self, part):
        wanted = numbered(CANCEL, part or 0)
        while (found := self.wait_for(CANCEL)) not in (wanted, None):
            pass  # another part may be cancelled more than once
        self.checks.expect(found == wanted, "a part of a task that is cancelled is cancelled")

    def end_part(self, part):
        """That was cancelled."""
        self.send(*result(part or 0, reason=CANCELLED))

    def expect_cancelled(self, number, what):
        found = self.serve(RESULT)
        self.checks.expect(found == result(number, reason=CANCELLED), f"{what}: {found and found[1][:48]}")


class FalseMain(FalseNode):
    """A stranger that is the node which runs main, and one node of its program."""

    def __init__(self, checks, program="fib", workers=1):
        first = Server(checks.weft)
        real = checks.node(first.address(), program, "--nodes", "2", arguments=("20",))
        first.wait_for_line("runs main")
        self.program = checks.program_of(first)
        real.process.kill()
        real.wait()
        first.end()
        self.server = Server(checks.weft)
        super().__init__(checks, self.server.port, self.program)
        self.node = checks.node(self.server.address(), program, workers=workers)
        self.wait_for(JOINED)

    def begin(self):
        self.send(READY)
        self.checks.expect(self.wait_for(ASK) is not None, "a node asks when it may")

    def give_first(self):
        """A task of years."""
        self.begin()
        self.give(1, 60)


class FalseHome(FalseMain):
    """A false main of matmul, whose matrices are full of ones."""

    SIDE = 256
    ROW = SIDE * 8
    BYTES = SIDE * ROW
    A, B = 1 << 28, 1 << 29  # where they lie

    def __init__(self, checks, workers=1):
        super().__init__(checks, "matmul", workers)
        self.begin()

    def give_rows(self, number, rows, stamp, wanted=0, rows_of_a=SIDE, home=1):
        """The task of these rows of the product, which names so many rows of a."""
        body = struct.pack("<QQIIiii", number, wanted, 0, 0, self.SIDE, *rows)
        for low, named in ((self.A, rows_of_a), (self.B, self.SIDE)):
            body += struct.pack("<qqQQQII", 0, named * self.SIDE, low, named * self.ROW, stamp, home, 0)
        self.send(GIVE, body + struct.pack("<qq", *(row * self.SIDE for row in rows)))

    def answer(self, fetch, is_lent=True):
        """As a node that has the elements, or one of which no task reads them any more."""
        _, _, size, _ = FETCH_BODY.unpack(fetch)
        self.send(DATA, fetch + struct.pack("<d", 1) * (size // 8 if is_lent else 0))

    def serve(self, *kinds):
        while (found := self.wait_for(FETCH, *kinds)) is not None and found[0] == FETCH:
            self.answer(found[1])
        return found

    def areas(self):
        """Of how many constructs the node has elements."""
        folder, count = f"/proc/{self.node.process.pid}/fd", 0
        for each in os.listdir(folder):
            try:
                count += "weft-tascell-lazy" in os.readlink(os.path.join(folder, each))
            except FileNotFoundError:  # it was closed meanwhile
                pass
        return count

    def take_part_of_rows(self):
        """Asks until the node gives a part of what it runs, and answers its fetches meanwhile: the part's number."""
        self.send(*ask())
        while (found := self.serve(GIVE, NONE)) is not None and found[0] == NONE:
            self.send(*ask())
        return struct.unpack_from("<Q", found[1])[0] if found else 0

    def expect_product(self, number, rows, what):
        while (found := self.serve(RESULT)) is not None and struct.unpack_from("<Q", found[1])[0] != number:
            pass
        body = result(number)[1] + struct.pack("<d", self.SIDE) * (self.SIDE * (rows[1] - rows[0]))
        self.checks.expect(found == (RESULT, body), f"{what}: {found and found[1][:48]}")


class Checks:
    def __init__(self, weft, examples):
        self.weft, self.examples, self.problems = weft, examples, []

    def expect(self, is_good, what):
        if not is_good:
            self.problems.append(what)

    def node(self, address, program, *words, arguments=(), workers=1):
        return Node(os.path.join(self.examples, program), address, workers, arguments, None, words)

    def program_of(self, server):
        """The hash of the program that runs at a server, as a refusal tells it."""
        _, body = Stranger(server.port).join()
        return int(re.search(rb"\(([0-9a-f]{16}), and this is", body).group(1), 16)

    def join(self, server, program):
        """A stranger that is a node, and its number."""
        stranger = Stranger(server.port, SILENCE)
        kind, body = stranger.join(program)
        self.expect(kind == WELCOME, f"a stranger is not welcome: {body}")
        return stranger, struct.unpack_from("<I", body)[0]

    def status(self):
        """All nodes end with the status of main."""
        server = Server(self.weft)
        nodes = [self.node(server.address(), "nq", "--nodes", "2", arguments=("0",)) for _ in range(2)]
        ends = [node.wait(SECONDS) for node in nodes]
        self.expect([status for status, _, _ in ends] == [2, 2], f"main's status is 2: {ends}")
        server.end()

    def part_of_a_tree(self):
        """A server of a tree is killed. Main beside the root goes on; main behind it goes on alone, and the other nodes end."""
        for is_main_behind in (False, True):
            root = Server(self.weft)
            child = Server(self.weft, root)
            of_main, of_other = (child, root) if is_main_behind else (root, child)
            words, arguments = ("--nodes", "2"), ("14",)
            main = self.node(of_main.address(), "nq", *words, arguments=arguments)
            of_main.wait_for_line("runs main")
            other = self.node(of_other.address(), "nq", arguments=arguments)
            of_other.wait_for_line("joined")
            child.process.kill()
            what = f"a tree that loses a server, main behind it: {is_main_behind}"
            status, out, err = main.wait(SECONDS)
            self.expect((status, out, "alone" in err) == (0, "14 queens: 365596\n", is_main_behind), f"{what}: {status} {out} {err}")
            end = other.wait(SECONDS)
            word = "which ran main, died" if is_main_behind else "the server"
            self.expect(end[0] == 70 and word in end[2] and end[2].count("\n") == 1, f"{what}: {end}")
            status, err = root.end()
            self.expect(status == 0 and "went away" in err and err.count("\n") == 1, f"{what}: the root: {status} {err}")
            child.end()

    def ask_and_die(self):
        """Nodes that ask and are gone before they get an answer: what was on its way to them runs again."""
        server = Server(self.weft)
        main = self.node(server.address(), "nq", arguments=("14",))
        server.wait_for_line("runs main")
        program, count = self.program_of(server), 0
        while count < 500 and main.process.poll() is None:
            stranger = Stranger(server.port)
            kind, body = stranger.join(program)
            if kind != WELCOME:  # main has ended
                break
            number = struct.unpack_from("<I", body)[0]
            stranger.socket.sendall(b"".join(frame(*ask(), 1, number, i) for i in (1, 2)))
            stranger.socket.close()
            count += 1
        end = main.wait(SECONDS)
        self.expect(end == (0, "14 queens: 365596\n", ""), f"{count} nodes asked and died: {end}")
        server.end()

    def unheard(self):
        """Main waits in a broadcast until every node has unpacked it."""
        with tempfile.TemporaryDirectory() as scratch:
            program = os.path.join(scratch, "broadcast")
            subprocess.run([self.weft, "tascell", os.path.join(HERE, "programs", "broadcast_nodes.tc"), "-o", program, "-O1"], check=True)
            with open(os.path.join(HERE, "programs", "broadcast_nodes.txt"), encoding="utf-8") as file:
                wanted = file.read()
            server = Server(self.weft)
            main = Node(program, server.address(), 1, (), None, ("--nodes", "2"))
            server.wait_for_line("runs main")
            stranger, number = self.join(server, self.program_of(server))
            for index in (1, 2):
                found = stranger.wait_for(BROADCAST, END)
                self.expect(found is not None and found[0] == BROADCAST, f"broadcast {index} does not come: {found}")
                is_early = self.has_of(stranger, (BROADCAST, END), 0.5)
                self.expect(not is_early, f"main goes on before broadcast {index} was unpacked")
                stranger.socket.sendall(frame(*numbered(HEARD, index), 1, number, index))
            end = main.wait(SECONDS)
            self.expect(end == (0, wanted, ""), f"main with broadcasts: {end}")
            stranger.socket.close()
            server.end()

    @staticmethod
    def has_of(stranger, kinds, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([stranger.socket], [], [], left)[0] and (found := stranger.next()) is not None and found[0] in kinds:
                return True
        return False

    def false_main(self):
        """The node of a false main tells of work, gives back what nothing runs, ends what is cancelled, and ends with main's status."""
        main = FalseMain(self)
        main.send(*ask())
        found = main.wait_for(NONE)
        self.expect(found is not None and struct.unpack("<QII", found[1])[1] == 0, f"a node without tasks: {found}")
        main.give_first()
        self.expect(main.wait_for(HINT) is not None, "a node that found nothing is told of work")
        main.give(2, 20)
        found = main.wait_for(BACK, RESULT)
        self.expect(found == numbered(BACK, 2), f"a task that nothing can run comes back: {found}")
        main.cancel(1)
        main.expect_cancelled(1, "a task that is cancelled")
        main.send(*end_with(7))
        self.expect_end(main, 7)

    def gives_while_it_leaves(self):
        """A node that was asked to leave gives parts of what it runs, and leaves when all of it has ended."""
        main = FalseMain(self)
        main.give_first()
        while main.node.processor_seconds() < 0.1:  # it runs the task
            time.sleep(0.01)
        main.node.process.terminate()
        time.sleep(0.5)  # it has seen that
        part = main.take_part()
        self.expect(part is not None, "a node that leaves gives nothing")
        main.cancel(1)
        main.expect_cancel(part)
        main.end_part(part)
        main.expect_cancelled(1, "a task that is cancelled")
        self.expect(main.wait_for(LEFT) is not None, "a node that holds nothing leaves")
        self.expect_end(main, 0)

    def equal_numbers(self):
        """Two nodes give tasks of one number: what one of them cancels ends alone."""
        main = FalseMain(self)
        other = FalseNode(self, main.server.port, main.program)
        main.begin()
        for number in range(1, 6):  # a task that waits for a worker, which goes back where this takes too long
            main.give(number, 60)
            other.give(number, 20)
            found = other.see_given()
            main.cancel(number)
            main.expect_cancelled(number, "a task that is cancelled beside another of its number")
            found = found or other.wait_for(RESULT, BACK)
            wanted = (result(number, 2584), numbered(BACK, number))
            self.expect(found in wanted, f"a task whose number another node cancelled: {found}")
        # A task that runs: its worker waits for a part of main's task, and helps.
        main.give(6, 44)
        part = other.take_part()
        other.wait_until_asked(part)
        other.give(6, 60, part or 0)
        self.expect(other.see_given() is None, "a task for a worker that waits ends")
        main.cancel(6)
        other.expect_cancel(part)
        part_of_other = other.take_part()
        self.expect(part_of_other is not None, "a task ends whose number another node cancelled")
        other.cancel(6)
        other.expect_cancel(part_of_other)
        other.end_part(part_of_other)
        other.expect_cancelled(6, "a task that helps and is cancelled")
        other.end_part(part)
        main.expect_cancelled(6, "a task whose worker helps")
        main.send(*end_with(0))
        self.expect_end(main, 0)

    def second_worker(self):
        """A task that is cancelled ends at once, although a part of it runs on another worker of its node."""
        main = FalseMain(self, workers=2)
        main.give_first()
        until = time.monotonic() + SECONDS
        while main.node.busy_threads(0.05) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        main.cancel(1)
        main.expect_cancelled(1, "a task of two workers that is cancelled")
        main.send(*end_with(0))
        self.expect_end(main, 0)

    def expect_end(self, main, status):
        end = main.node.wait(SILENCE)
        self.expect(end == (status, "", ""), f"a node of a false main: {end}")
        main.socket.close()
        main.server.end()

    def lent(self):
        """Only what a task that is out names is fetched, and only while its construct runs."""
        server = Server(self.weft)
        side = 700  # so long that main still gives parts when the stranger asks
        main = self.node(server.address(), "matmul", "--nodes", "2", arguments=(str(side),))
        server.wait_for_line("runs main")
        stranger, number = self.join(server, self.program_of(server))
        sent = 0

        def send(kind, body):
            nonlocal sent
            sent += 1
            stranger.socket.sendall(frame(kind, body, 1, number, sent))

        given = None
        while given is None:
            send(*ask())
            found = stranger.wait_for(GIVE, NONE, END)
            if found is None or found[0] == END:
                return self.expect(False, f"main gives no task, and ends: {found}")
            given = found[1] if found[0] == GIVE else None
        places = [struct.unpack_from("<QQQII", given, at) for at in range(24, len(given) - 31)]
        places = [place[:3] for place in places if place[0] > 4096 and 0 < place[1] <= side * side * 8 and 0 < place[2] < 100 and place[3:] == (1, 0)]
        self.expect(len(places) == 2, f"two places in a task: {places}")
        for low, size, stamp in places:
            whole, size = size, min(size, 4096)
            for asked, wanted in (((stamp, low, size), size), ((stamp, low + whole - 8, 16), 0), ((stamp, low + 8, whole), 0), ((stamp + 1, low, size), 0), ((stamp, low - 8, size), 0), ((stamp, low, 1 << 22), 0)):
                send(FETCH, FETCH_BODY.pack(*asked, 5))
                found = stranger.wait_for(DATA)
                self.expect(found is not None and found[1].startswith(FETCH_BODY.pack(*asked, 5)) and len(found[1]) == FETCH_BODY.size + wanted, f"a fetch of {asked}, of {(stamp, low, size)}: {found}")
        main.process.kill()
        main.wait()
        stranger.socket.close()
        server.end()

    def lost(self):
        """A task's home does not lend its elements any more: what names them and comes later fetches them."""
        main, low, middle, high = FalseHome(self), (0, 64), (128, 192), (192, 256)
        main.give_rows(1, high, 1)
        fetch = main.wait_for(FETCH)
        main.cancel(1)
        main.answer(fetch[1], False)
        main.expect_cancelled(1, "a task that is cancelled while it waits for elements")
        main.give_rows(2, high, 1)
        main.expect_product(2, high, "a task after one whose elements were gone")

        # A task that keeps its elements: it waits for a part of it, and its worker helps.
        main.give_rows(3, high, 2)
        part = main.take_part_of_rows()
        main.wait_until_asked(part)
        main.give_rows(4, (64, 128), 2, part, rows_of_a=128)
        while (found := main.wait_for(FETCH, RESULT)) is not None and found[0] == FETCH:
            _, at, size, _ = FETCH_BODY.unpack(found[1])
            self.expect(not main.A <= at < main.B or at + size <= main.A + 128 * main.ROW, f"a task asks for more of a than it names: {at:x}, {size}")
            main.answer(found[1])
        main.wait_until_asked(part)
        main.give_rows(5, middle, 2, part)
        stamp, at, size, users = FETCH_BODY.unpack(main.wait_for(FETCH)[1])
        main.send(DATA, FETCH_BODY.pack(stamp, at, size, users - 2))  # the task names two places
        main.expect_product(5, middle, "a task that came after its elements were asked for")
        main.wait_until_asked(part)
        main.send(DATA, FETCH_BODY.pack(2, main.A + 192 * main.ROW, main.ROW, users))
        main.give_rows(6, low, 2, part)
        main.expect_product(6, low, "a task beside one whose elements are gone")
        main.cancel(3)
        main.end_part(part)
        main.expect_cancelled(3, "a task whose part was cancelled")
        main.send(*end_with(0))
        self.expect_end(main, 0)

    def kept(self):
        """A node keeps at most 64 MiB of elements that no task uses, with 1 MiB for each construct that lent some: those that came last."""
        main, rows = FalseHome(self), (0, 1)
        count, most = 60, (64 << 20) // ((1 << 20) + main.BYTES)  # each task reads all of b
        for number in range(1, count + 1):
            main.give_rows(number, rows, number, rows_of_a=1)
            main.expect_product(number, rows, f"task {number} of as many constructs")
        # One more where the last task's result comes before it has let go of its elements.
        held = main.areas()
        self.expect(most // 2 <= held <= most + 1, f"a node keeps elements of {held} constructs of {count}, and not of about {most}")
        for number, stamp, is_kept in ((count + 1, count, True), (count + 2, 1, False)):
            main.give_rows(number, rows, stamp, rows_of_a=1)
            found = main.wait_for(FETCH, RESULT)
            self.expect(found is not None and (found[0] == RESULT) == is_kept, f"elements of construct {stamp} of {count} are kept: {not is_kept}")
            if found is not None and found[0] == FETCH:
                main.answer(found[1])
                main.expect_product(number, rows, f"a task of construct {stamp} of {count}")
        main.send(*end_with(0))
        self.expect_end(main, 0)

    def lost_beside(self):
        """What two tasks wait for is asked for again where it is gone for one of them alone, which names more."""
        main = FalseHome(self, 2)
        main.give_rows(1, (0, 128), 1, rows_of_a=128)
        first = main.wait_for(FETCH)
        main.give_rows(2, (100, 256), 1)
        second = main.wait_for(FETCH)
        _, at, size, _ = FETCH_BODY.unpack(second[1])
        self.expect(at < main.A + 128 * main.ROW < at + size, f"a task asks for what both name, and more: {at:x}, {size}")
        main.answer(second[1], False)
        main.answer(first[1])
        main.expect_product(1, (0, 128), "a task beside one whose elements are gone")
        main.cancel(2)
        main.send(*end_with(0))
        self.expect_end(main, 0)

    def home_dies_early(self):
        """The home of elements is gone when a third node gives a task that reads them: it ends, whatever it reads."""
        main = FalseHome(self)
        home = FalseNode(self, main.server.port, main.program)
        main.give_rows(1, (0, 128), 1, home=home.number)
        self.expect(home.wait_for(FETCH) is not None, "elements are fetched from their home")
        home.socket.close()
        found = main.wait_for(LEFT)
        self.expect(found is not None, "the home has gone")
        self.expect(main.wait_for(RESULT) is not None, "a task that waits for elements of a node that has gone ends")
        main.give_rows(2, (0, 128), 1, home=home.number)
        self.expect(main.wait_for(RESULT) is not None, "a task whose elements' home is gone ends")
        main.send(*end_with(0))
        self.expect_end(main, 0)

    def welcome_before_word(self):
        """A node is welcome before its server prints that it joined, so that the server may be killed by then: here it cannot print."""
        server = Server(self.weft)
        pipe = os.open(f"/proc/{server.process.pid}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
        try:
            while os.write(pipe, b"\n" * 4096):
                pass
        except BlockingIOError:
            pass  # it is full
        os.close(pipe)
        stranger = Stranger(server.port)
        found = stranger.join()
        self.expect(found is not None and found[0] == WELCOME, f"a node of a server that cannot print: {found}")
        stranger.socket.close()
        server.process.kill()
        server.end()

    def gone_in_a_tree(self):
        """A node that goes while a server's parent gives it a number: the others are told that it has gone."""
        root = Server(self.weft)
        child = Server(self.weft, root)
        first = Stranger(root.port)
        first.join()
        root.process.send_signal(signal.SIGSTOP)
        late = Stranger(child.port)
        late.socket.sendall(hello())
        late.next()
        late.socket.sendall(frame(PROOF, b"\0" * 32))
        late.socket.close()
        Stranger(child.port).socket.close()
        time.sleep(0.3)  # the child has seen both
        root.process.send_signal(signal.SIGCONT)
        found = first.wait_for(JOINED)
        self.expect(found is not None and struct.unpack_from("<I", found[1])[0] == 2, f"a node joins: {found}")
        found = first.wait_for(LEFT)
        self.expect(found is not None and struct.unpack("<IIII", found[1])[::2] == (2, 1), f"and has gone: {found}")
        for server in (child, root):
            server.end()

    def home_dies(self):
        """A worker waits for elements of a node that dies."""
        server = Server(self.weft)
        words, arguments = ("--nodes", "2"), ("700",)
        main = self.node(server.address(), "matmul", *words, arguments=arguments)
        server.wait_for_line("runs main")
        between = Between(server.port, DATA)
        other = self.node(f"localhost:{between.port}", "matmul", arguments=arguments)
        self.expect(between.has_held.wait(SECONDS), "no elements are fetched")
        main.process.send_signal(signal.SIGKILL)
        main.wait(SECONDS)
        between.goes_on.set()
        end = other.wait(SECONDS)
        self.expect(end[0] == 70 and "which ran main, died" in end[2], f"a node that waits for elements of one that died: {end}")
        server.end()


def main():
    OF_KEYS.append("--no-key")
    checks = Checks(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    for part in (checks.status, checks.part_of_a_tree, checks.ask_and_die, checks.home_dies, checks.false_main, checks.gives_while_it_leaves, checks.equal_numbers,
                 checks.second_worker, checks.lent, checks.lost, checks.kept, checks.lost_beside, checks.home_dies_early, checks.welcome_before_word, checks.gone_in_a_tree,
                 *([checks.unheard] if "--compiles" in sys.argv else [])):
        part()
    for problem in checks.problems:
        print(problem)
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
