"""Frames by hand: a server's side or a node's of a connection, for tests. See net/frames.hpp and net/frames/handshake.hpp."""

import hashlib
import hmac
import socket
import struct

MAGIC, VERSION = 0x4D465457, 1
HELLO, CHALLENGE, PROOF, WELCOME, REFUSED, JOINED, LEFT, BYE = 1, 2, 3, 4, 5, 6, 7, 8
HEAD = struct.Struct("<IHHQIIQ")
SECONDS = 60  # a machine may be slow; what hangs, hangs for longer
SILENCE = 10  # seconds without a frame, where the other side has little to do before it sends one


def frame(kind, body=b"", to=0, sender=0, sequence=0, magic=MAGIC, version=VERSION, size=None):
    head = HEAD.pack(magic, version, kind, len(body) if size is None else size, to, sender, sequence)
    return head + body + b"\0" * (-len(body) % 8)


def hello(program=1, has_key=0):
    return frame(HELLO, struct.pack("<IIQ", 1, has_key, program) + b"n" * 32)


def prove(key, role, challenge, program=1, nonce=b"n" * 32):
    """What a side shows that it knows the key, after a hello with this nonce and a challenge."""
    text = role.ljust(8, b"\0") + nonce + challenge[8:40] + struct.pack("<Q", program)
    return hmac.new(key, text, hashlib.sha256).digest()


def challenge_body(has_key=0, nonce=b"s" * 32, proof=b"\0" * 32):
    return struct.pack("<II", has_key, 0) + nonce + proof


def welcome_body(number, first, others):
    return struct.pack("<IIII", number, first, len(others), 0) + b"".join(struct.pack("<I", each) for each in others)


def membership_body(number, first=1, is_death=0):
    """Of JOINED and LEFT."""
    return struct.pack("<IIII", number, first, is_death, 0)


def receive(source, size):
    """So many bytes; None: the connection is over."""
    data = b""
    while len(data) < size:
        more = source.recv(size - len(data))
        if not more:
            return None
        data += more
    return data


class Stranger:
    """A connection to a server, by hand. Nothing is read from it any more once nothing has come for so many seconds."""

    def __init__(self, port, seconds=SECONDS):
        self.socket = socket.create_connection(("localhost", port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as nodes do: else the second of two frames waits for 40 ms
        self.is_silent = False

    def next(self):
        """Type and body of the next frame; None: the connection is over, or silent."""
        if self.is_silent:
            return None
        try:
            head = receive(self.socket, HEAD.size)
            if head is None:
                return None
            _, _, kind, size, _, _, _ = HEAD.unpack(head)
            return kind, (receive(self.socket, (size + 7) // 8 * 8) or b"")[:size]
        except ConnectionError:
            return None
        except TimeoutError:
            self.is_silent = True
            return None

    def join(self, program=1):
        self.socket.sendall(hello(program))
        self.next()
        self.socket.sendall(frame(PROOF, b"\0" * 32))
        return self.next()

    def wait_for(self, *kinds):
        """The next frame of one of these types, others are left out; None as for next."""
        while (found := self.next()) is not None and found[0] not in kinds:
            pass
        return found

    def is_closed(self):
        while self.next() is not None:
            pass
        return not self.is_silent
