#!/usr/bin/env python3
"""What a server and nodes of Tascell make of bad input: one line that names it and what helps, and no hang.

usage: refusals_test.py WEFT EXAMPLES"""

import os
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from messages import ASK, GIVE, RESULT, ask, result
from nodes import OF_KEYS, Node, Server
from strangers import (CHALLENGE, HELLO, LEFT, PROOF, REFUSED, SECONDS, WELCOME, Stranger, challenge_body, frame, hello, prove, welcome_body)


class FalseServer:
    """Takes one node in as number 2, of which 1 runs main, and then sends it what it is given."""

    def __init__(self, answer):
        self.listener = socket.create_server(("localhost", 0))
        self.port = self.listener.getsockname()[1]
        self.answer = answer
        self.hello = b""  # what the node said first
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(SECONDS)
            self.hello = connection.recv(4096)
            if self.answer[0] is not None:
                connection.sendall(self.answer[0])
            else:
                connection.sendall(frame(CHALLENGE, challenge_body()))
                connection.recv(4096)
                connection.sendall(frame(WELCOME, welcome_body(2, 1, (1,))))
                connection.sendall(self.answer[1])
            if self.answer[2]:
                return
            try:
                while connection.recv(4096):
                    pass
            except OSError:
                pass


def listening(port):
    """The addresses of this machine at which a socket waits for connections to the port, as the kernel writes them."""
    listens, found = "0A", set()
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        found |= {row[1].split(":")[0] for row in rows if row[3] == listens and int(row[1].split(":")[1], 16) == port}
    return found


class Checks:
    def __init__(self, weft, examples):
        self.weft, self.examples, self.problems = weft, examples, []
        self.silent_host = None

    def expect(self, is_good, what):
        if not is_good:
            self.problems.append(what)

    def expect_line(self, what, end, wanted):
        """The node failed with one line, in which the words are."""
        status, out, err = end
        lines = err.splitlines()
        is_good = status == 70 and out == "" and len(lines) == 1 and all(word in err for word in wanted)
        self.expect(is_good, f"{what}: wanted one line with {wanted}: {end}")

    def node(self, address, *words, workers=1, program="fib", arguments=("20",)):
        return Node(os.path.join(self.examples, program), address, workers, arguments, None, words)

    def alone(self, *words):
        """The end of fib with these words, without a server."""
        done = subprocess.run([os.path.join(self.examples, "fib"), *words], capture_output=True, text=True, timeout=SECONDS, check=False)
        return done.returncode, done.stdout, done.stderr

    # ---- a node whose server is none

    def false_servers(self):
        good = frame(*ask(), 2, 1, 1)
        give = struct.pack("<QQII", 1, 0, 0, 0)
        cases = {
            "no frames at all": (b"HTTP/1.1 400 Bad Request\r\nServer: none at all\r\n\r\n", b"", False, ["no Weft", "check"]),
            "another version of frames": (frame(CHALLENGE, b"c" * 72, version=9), b"", False, ["version"]),
            "a length of 2^63": (frame(CHALLENGE, size=1 << 63), b"", False, ["length"]),
            "an answer out of turn": (frame(WELCOME, b"\0" * 16), b"", False, ["type 4"]),
            "a refusal": (frame(REFUSED, b"not today"), b"", False, ["refuses: not today"]),
            "a connection that ends at once": (b"", b"", True, ["went away"]),
            "a wrong magic": (None, good + frame(ASK, magic=7), False, ["node 2", "no Weft"]),
            "a frame beyond all lengths": (None, good + frame(ASK, size=1 << 63, to=2, sender=1, sequence=2), False, ["node 2", "length"]),
            "a wrong sequence number": (None, good + frame(ASK, b"\0" * 16, 2, 1, 3), False, ["node 2", "sequence"]),
            "a frame from a node that is not there": (None, frame(ASK, b"\0" * 16, 2, 9, 1), False, ["node 2", "no such node"]),
            "a frame for another node": (None, frame(ASK, b"\0" * 16, 3, 1, 1), False, ["node 2", "another node"]),
            "a type of the server's that is none": (None, frame(33), False, ["node 2", "type"]),
            "a membership of a wrong size": (None, frame(LEFT, b"\0" * 3), False, ["node 2", "size"]),
            "an unknown message": (None, frame(99, b"", 2, 1, 1), False, ["node 1", "message 99", "same build"]),
            "a message that is too short": (None, frame(RESULT, b"\0" * 5, 2, 1, 1), False, ["node 1", "message 67"]),
            "an unknown kind of task": (None, frame(GIVE, give[:20] + b"\xff\xff\0\0", 2, 1, 1), False, ["node 1", "message 66"]),
            "a task that ended for no known reason": (None, frame(*result(1, reason=9), 2, 1, 1), False, ["message 67"]),
        }
        for cut in (1, 20, 31, 32, 40, 47):
            cases[f"a connection that is cut {cut} bytes into a frame"] = (None, good[:cut], True, ["node 2", "closed the connection", "start"])
        hellos = set()
        for name, (*answer, words) in cases.items():
            server = FalseServer(answer)
            self.expect_line(name, self.node(f"localhost:{server.port}").wait(SECONDS), words)
            hellos.add(server.hello)
        self.expect(len(hellos) == len(cases), "two nodes that introduce themselves send the same nonce")

    # ---- hosts that no packet reaches

    def start_without_route(self, *commands):
        """A node, in a network of its own, whose server is in another; None where this user may make no network."""
        in_network = ["unshare", "--user", "--map-root-user", "--net", "--"]
        if shutil.which("unshare") is None or subprocess.run([*in_network, "true"], capture_output=True, check=False).returncode != 0:
            return None
        run = f"exec {shlex.quote(os.path.join(self.examples, 'fib'))} --server 192.0.2.1:4000 --workers 1 20"
        return subprocess.Popen([*in_network, "sh", "-ec", "; ".join((*commands, run))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def expect_no_route(self, what, node, wanted):
        out, err = node.communicate(timeout=SECONDS)
        self.expect_line(what, (node.returncode, out, err), ["no connection to 192.0.2.1:4000", wanted])

    def no_route(self):
        """No network at all; and one that swallows everything, whose node gives up after 10 s: expect_silence."""
        node = self.start_without_route()
        if node is None:
            print("skipped: no route: unshare --user --net is not permitted here")
            return
        self.expect_no_route("a server to which there is no route", node, "check the network and its firewall")
        swallowing = ("ip link add near type veth peer name far", "ip address add 192.0.2.2/24 dev near", "ip link set near up", "ip link set far up",
                      "ip neighbour add 192.0.2.1 lladdr 02:00:00:00:00:01 dev near")
        self.silent_host = self.start_without_route(*swallowing)

    def expect_silence(self):
        if self.silent_host is not None:
            self.expect_no_route("a server that never answers", self.silent_host, "a firewall lets the port through")

    # ---- a server whose nodes are none

    def false_nodes(self):
        server = Server(self.weft)
        bad = {
            "no frames": b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: everything\r\n\r\n",
            "a wrong version": frame(HELLO, b"\0" * 48, version=7),
            "a length of 2^63": frame(HELLO, size=1 << 63),
            "more than a stranger may say": frame(HELLO, b"\0" * 4000),
            "a message before hello": frame(ASK, b"\0" * 16),
            "a proof before hello": frame(PROOF, b"\0" * 32),
            "a hello of a wrong size": frame(HELLO, b"\0" * 47),
        }
        for name, text in bad.items():
            stranger = Stranger(server.port)
            stranger.socket.sendall(text)
            self.expect(stranger.is_closed(), f"a server goes on after {name}")
        for cut in range(0, len(hello()), 7):
            Stranger(server.port).socket.sendall(hello()[:cut])  # and closes
        count = len(bad)
        stranger = Stranger(server.port)
        kind, body = stranger.join()
        self.expect(kind == WELCOME, "a node by hand is not welcome")
        number = struct.unpack_from("<I", body)[0]
        stranger.socket.sendall(frame(ASK, b"\0" * 16, 5, number + 1, 1))
        self.expect(stranger.is_closed(), "a server takes frames in another node's name")
        end = self.node(server.address(), program="nq", arguments=("8",)).wait(SECONDS)
        self.expect(end == (0, "8 queens: 92\n", ""), f"a server that has refused much serves no more: {end}")
        status, err = server.end()
        lines = [line for line in err.splitlines() if "refuses" in line]
        self.expect(status == 0 and len(lines) == count + 1, f"a server refuses {count + 1} times: {status}, {err}")

    # ---- wrong words, places and times

    def words(self):
        server = Server(self.weft)
        first = self.node(server.address(), "--nodes", "2")
        server.wait_for_line("runs main")
        self.expect_line("another program", self.node(server.address(), program="nq").wait(SECONDS), ["another program", "one build"])
        second = self.node(server.address())
        ends = [first.wait(SECONDS), second.wait(SECONDS)]
        self.expect([end[0] for end in ends] == [0, 0], f"after a refusal: {ends}")
        server.end()
        self.expect_line("no server", self.node(server.address()).wait(SECONDS), ["no connection", "weft tascell-server"])
        self.expect_line("no such host", self.node("no.such.host.invalid:1").wait(SECONDS), ["no.such.host.invalid", "check"])
        self.expect_line("no address", self.node("localhost").wait(SECONDS), ["HOST:PORT"])
        self.expect_line("a transport", self.node("localhost:1", "--transport", "pigeons").wait(SECONDS), ["pigeons", "tcp"])
        self.expect_line("workers", self.node("localhost:1", workers=0).wait(SECONDS), ["--workers 0", "1 to"])
        self.expect_line("a server and an MPI", self.node("localhost:1", "--transport", "mpi-multiple").wait(SECONDS), ["--server", "--transport tcp"])
        self.expect_line("nodes of nothing", self.alone("--nodes", "2", "20"), ["--nodes", "--server", "weft launch"])
        self.expect_line("a key for nothing", self.alone("--key-file", "key", "20"), ["--key-file", "--server"])
        self.expect_line("a word without a value", self.alone("--server"), ["--server", "value"])
        for text in ("0us", "10001ms", "1s", "x"):
            self.expect_line(f"a pause of {text}", self.alone("--idle-sleep", text, "20"), [f"--idle-sleep {text}", "1us", "10000ms"])
        end = self.alone("--idle-sleep", "20000us", "--nodes", "1", "--", "20")
        self.expect(end == (0, "fib(20) = 6765\n", ""), f"words that mean nothing to one node: {end}")
        taken = Server(self.weft)
        done = subprocess.run([self.weft, "tascell-server", "--port", str(taken.port)], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.expect(done.returncode == 1 and f"port {taken.port}" in done.stderr and "--port" in done.stderr, f"a port that is taken: {done}")
        taken.end()
        done = subprocess.run([self.weft, "tascell-server", "--port", "0", "--parent", taken.address()], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        self.expect(done.returncode == 1 and "no connection" in done.stderr, f"a parent that is not there: {done}")

    def keys(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs, bad = (os.path.join(folder, name) for name in ("ours", "theirs", "bad"))
            try:
                other = Server(self.weft, None, "--key-file", theirs)
            except RuntimeError as problem:
                if "libcrypto" in str(problem):
                    return
                raise
            server = Server(self.weft, None, "--key-file", ours)
            self.expect(os.stat(ours).st_mode & 0o777 == 0o600, "others may read the key")
            with open(bad, "w", encoding="ascii") as file:
                file.write("no key\n")
            os.chmod(bad, 0o600)
            address = server.address()
            self.expect_line("no key", self.node(address).wait(SECONDS), ["requires a key", "--key-file"])
            self.expect_line("another key", self.node(address, "--key-file", theirs).wait(SECONDS), ["another key", "copy"])
            self.expect_line("a file without a key", self.node(address, "--key-file", bad).wait(SECONDS), ["holds no key"])
            self.expect_line("no file", self.node(address, "--key-file", bad + "x").wait(SECONDS), ["cannot be read"])
            os.chmod(ours, 0o644)
            self.expect_line("a key for all to read", self.node(address, "--key-file", ours).wait(SECONDS), ["chmod 600"])
            os.chmod(ours, 0o600)
            with open(ours, encoding="ascii") as file:
                if self.proofs(server.port, bytes.fromhex(file.read())):
                    server.wait_for_line("joined")
            end = self.node(f"127.0.0.1:{server.port}", "--key-file", ours).wait(SECONDS)
            self.expect(end == (0, "fib(20) = 6765\n", ""), f"a node with the key: {end}")
            line = server.wait_for_line("joined")
            self.expect("at 127.0.0.1 joined" in line, f"a node's address: {line}")
            plain = Server(self.weft)
            self.expect(listening(plain.port) == {"0100007F"}, f"a server without a key listens at {listening(plain.port)}")
            self.expect_line("a key too many", self.node(plain.address(), "--key-file", ours).wait(SECONDS), ["has no key"])
            for each in (server, other, plain):
                each.end()

    def proofs(self, port, key):
        """Each byte of a proof counts, and what it is over. Whether the right one is taken."""
        is_taken = False
        for at in (None, *range(32)):
            stranger = Stranger(port)
            stranger.socket.sendall(hello(1, 1))
            _, challenge = stranger.next()
            self.expect(challenge[40:] == prove(key, b"server", challenge), "the server's proof")
            proof = bytearray(prove(key, b"node", challenge))
            if at is not None:
                proof[at] ^= 1
            stranger.socket.sendall(frame(PROOF, bytes(proof)))
            answer = stranger.next()[0]
            is_taken = is_taken or answer == WELCOME
            self.expect(answer == (WELCOME if at is None else REFUSED), f"a proof with byte {at} changed: {answer}")
            stranger.socket.close()
        return is_taken

    def killed(self):
        """A server that is killed, and the node that runs main: the others end with a line."""
        server = Server(self.weft)
        words = ("--nodes", "2")
        main = self.node(server.address(), *words, program="nq", arguments=("14",))
        server.wait_for_line("runs main")
        other = self.node(server.address(), *words, program="nq", arguments=("14",))
        server.wait_for_line("joined")
        server.process.kill()
        status, out, err = main.wait(SECONDS)
        self.expect((status, out) == (0, "14 queens: 365596\n") and "alone" in err and err.count("\n") == 1,
                    f"main without its server: {status} {out} {err}")
        self.expect_line("a node without its server", other.wait(SECONDS), ["the server", "start it"])
        for is_main_killed in (True, False):
            server = Server(self.weft)
            main = self.node(server.address(), *words, arguments=("60",))  # for years
            server.wait_for_line("runs main")
            other = self.node(server.address(), *words, arguments=("60",))
            server.wait_for_line("joined")
            while other.processor_seconds() < 0.1:  # it runs a task
                time.sleep(0.01)
            (main if is_main_killed else server).process.kill()
            self.expect_line(f"a node that runs a task, main was killed: {is_main_killed}", other.wait(SECONDS),
                             ["node 1, which ran main, died" if is_main_killed else "the server", "start"])
            main.process.kill()
            main.wait()
            _, err = server.end()
            if is_main_killed:
                self.expect("node 1" in err and "it ran main" in err and err.count("\n") == 1, f"the server of a main that died: {err}")


def main():
    OF_KEYS.append("--no-key")
    checks = Checks(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    server = Server(checks.weft)
    silent = [Stranger(server.port), Stranger(server.port)]
    silent[1].socket.sendall(hello())
    silent[1].next()
    for part in (checks.no_route, checks.false_servers, checks.false_nodes, checks.words, checks.keys, checks.killed):
        part()
    for number, stranger in enumerate(silent):
        found = stranger.next()
        checks.expect(found is not None and found[0] == REFUSED and b"10 s" in found[1], f"stranger {number}, which says nothing, is not refused: {found}")
    checks.expect_silence()
    server.end()
    for problem in checks.problems:
        print(problem)
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
