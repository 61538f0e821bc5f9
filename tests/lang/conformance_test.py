#!/usr/bin/env python3
"""The transport over TCP keeps what every transport keeps: 1, 2 and 4 nodes of one server, with a key, and on a tree of servers.

usage: conformance_test.py WEFT FRAMES_CONFORMANCE"""

import os
import signal
import subprocess
import sys
import tempfile

from nodes import Server


def check(program, ports, key, what):
    """What is wrong: lines. The node with the largest number kills itself."""
    words = [program, "tcp", str(len(ports))]
    nodes = [subprocess.Popen([*words, f"localhost:{port}", *key], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for port in ports]
    ends = []
    for node in nodes:
        try:
            out, err = node.communicate(timeout=250)
        except subprocess.TimeoutExpired:
            node.kill()
            out, err = node.communicate()
            err += "it hangs"
        ends.append((node.returncode, out, err))
    died = sum(status == -signal.SIGKILL for status, _, _ in ends)
    kept = sum(status == 0 and "conforms over tcp" in out and not err for status, out, err in ends)
    is_good = died == (len(ports) > 1) and kept == len(ports) - died
    return [] if is_good else [f"{what}: {ends}"]


def main():
    weft, program = (os.path.abspath(word) for word in sys.argv[1:3])
    problems = []
    root = Server(weft)
    for count in (1, 2, 4):
        problems += check(program, [root.port] * count, [], f"{count} nodes")
    children = [Server(weft, root), Server(weft, root)]
    problems += check(program, [children[0].port, children[0].port, children[1].port, root.port], [], "a tree")
    for server in [*children, root]:
        status, err = server.end()
        if status != 0:
            problems.append(f"a server ends with {status}: {err}")
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")
        try:
            server = Server(weft, None, "--key-file", key)
        except RuntimeError as problem:
            if "libcrypto" not in str(problem):
                raise
        else:
            problems += check(program, [server.port] * 2, [key], "nodes with a key")
            server.end()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
