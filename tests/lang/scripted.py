"""A scripted world for one node of Tascell: a server's side of its connection by hand, through which every other node speaks."""

import os
import socket
import struct
import subprocess
import sys
import tempfile

from strangers import (BYE, CHALLENGE, HEAD, HELLO, JOINED, LEFT, PROOF, SECONDS, WELCOME, challenge_body, frame, membership_body, prove, receive,
                       welcome_body)

KEY = bytes(range(32))


class World:
    """Starts a program as node `number` of a group and answers as its server. `says` changes what the server says in the handshake:
    {"challenge": bytes -> frame bytes, "welcome": ...}."""

    def __init__(self, program, arguments=(), words=(), number=2, first=1, others=(1, 3), says=None, key=None, environment=None, workers=1):
        self.listener = socket.create_server(("localhost", 0))
        self.listener.settimeout(SECONDS)
        port = self.listener.getsockname()[1]
        self.number, self.sent, self.got, self.says = number, {}, [], says or {}
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.scratch = tempfile.TemporaryDirectory()
        of_key = ["--no-key"]
        if key == "none":  # neither a key nor the word for it
            of_key = []
        elif key is not None:
            path = os.path.join(self.scratch.name, "key")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
                file.write(key.hex() + "\n")
            of_key = ["--key-file", path]
        self.process = subprocess.Popen([program, "--server", f"localhost:{port}", "--workers", str(workers), *of_key, *words, *arguments], stdout=self.out,
                                        stderr=self.err, env={**os.environ, "XDG_RUNTIME_DIR": self.scratch.name, **(environment or {})})
        self.socket, _ = self.listener.accept()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(SECONDS)
        self.key = key
        self.is_in = self.shake_hands(first, others)

    def shake_hands(self, first, others):
        kind, _, _, hello = self.read()
        if kind != HELLO:
            raise RuntimeError(f"a node begins with {kind}")
        _, has_key, program = struct.unpack_from("<IIQ", hello)
        nonce, server_nonce = hello[16:48], b"s" * 32
        proof = b"\0" * 32
        if isinstance(self.key, bytes):
            proof = prove(self.key, b"server", b"\0" * 8 + server_nonce, program, nonce)
        body = challenge_body(has_key, server_nonce, proof)
        self.push(self.says.get("challenge", lambda usual: frame(CHALLENGE, usual))(body))
        found = self.read()
        if found is None or found[0] != PROOF:
            return False
        self.push(self.says.get("welcome", lambda usual: frame(WELCOME, usual))(welcome_body(self.number, first, others)))
        return True

    def push(self, data):
        """What the node does not take any more is nothing to the test."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def read_bytes(self, size):
        try:
            return receive(self.socket, size)
        except (ConnectionError, TimeoutError):
            return None

    def read(self):
        """(type, from it, to whom, body) of the node's next frame; None: it has gone, or says nothing for a minute."""
        head = self.read_bytes(HEAD.size)
        if head is None:
            return None
        _, _, kind, size, to, _, _ = HEAD.unpack(head)
        body = self.read_bytes((size + 7) // 8 * 8)
        return None if body is None else (kind, to, size, body[:size])

    def say(self, sender, kind, body=b"", sequence=None, to=None, **more):
        """A frame of another node."""
        self.sent[sender] = sequence if sequence is not None else self.sent.get(sender, 0) + 1
        self.push(frame(kind, body, self.number if to is None else to, sender, self.sent[sender], **more))

    def joined(self, number, first=1):
        self.push(frame(JOINED, membership_body(number, first)))

    def left(self, number, is_death=1, first=1):
        self.push(frame(LEFT, membership_body(number, first, is_death)))

    def wait_for(self, *kinds, to=None):
        """The node's next frame of one of these types, others are left out: (type, to, body)."""
        while (found := self.read()) is not None:
            kind, receiver, _, body = found
            if kind in kinds and to in (None, receiver):
                return kind, receiver, body
        return None

    def end(self, seconds=SECONDS):
        """Exit status, stdout, stderr; status None: it hung."""
        # A node that leaves says bye, and waits until its server has closed.
        while (found := self.read()) is not None and found[0] != BYE:
            pass
        self.socket.close()
        self.listener.close()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        self.scratch.cleanup()
        return status, *texts


class Table:
    """Rows that ran, and those that were wrong."""

    def __init__(self):
        self.count, self.problems = 0, []

    def expect(self, is_good, what):
        self.count += 1
        if not is_good:
            self.problems.append(what)

    def finish(self, what):
        for problem in self.problems:
            print(problem)
        print(f"figure: {what} = {self.count}")
        sys.exit(1 if self.problems else 0)
