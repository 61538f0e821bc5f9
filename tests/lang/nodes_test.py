#!/usr/bin/env python3
"""Tascell programs on several nodes of this machine, over TCP.

usage: nodes_test.py WEFT EXAMPLES PART [--seeds N] [--first SEED] [--everywhere] [--stop SECONDS]
EXAMPLES is the folder with the compiled examples. PART:
  answers   fib, nq, pen and comp give their answers on 1, 2 and 4 nodes with 1 and 2 workers, and on trees of servers
  deaths    nodes that are killed in each state of the protocol, at moments from seeds
  random    random programs, on two nodes; --everywhere: on 1, 2 and 4, with 1 and 2 workers
  leaving   nodes that join late, leave in order, stop for a while: 0.3 s, or as --stop says
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import random_programs
from nodes import Node, Server

# Enough work that all nodes get some, and not much time.
PROGRAMS = {"fib": (["36"], "fib(36) = 14930352\n"), "nq": (["11"], "11 queens: 2680\n"), "pen": ([], "6 x 10: 2339\n"),
            "comp": (["6000"], "6000: 5999 pairs\n"),
            "matmul": (["64"], "64 x 64, product 1: 5ba6058ef2d7c1ee\n64 x 64, product 2: 444dead015a32cc3\n")}
STATES = ("idle", "asking", "running", "result", "sent")


class Checks:
    def __init__(self, arguments):
        self.arguments, self.problems = arguments, []

    def program(self, name):
        return os.path.join(self.arguments.examples, name)

    def expect(self, is_good, what):
        if not is_good:
            self.problems.append(what)

    def run_group(self, program, arguments, addresses, workers, environments=None):
        """Runs a program on a node at each address. Any of them comes first and runs main; main begins when all are there."""
        environments = environments or [{}] * len(addresses)
        words = ["--nodes", str(len(addresses))]
        nodes = [Node(program, address, workers, arguments, environment, words) for address, environment in zip(addresses, environments)]
        return [node.wait() for node in nodes]

    def check_ends(self, what, ends, wanted, died=()):
        """Every node that did not die ends with main's status, and one has printed what main prints."""
        printed = [out for _, out, _ in ends if out]
        self.expect(printed == [wanted], f"{what}: printed {printed}, wanted {wanted!r}: {ends}")
        for number, (status, _, err) in enumerate(ends):
            is_good = status == 0 or (status == -signal.SIGKILL and number in died)
            self.expect(is_good, f"{what}: node {number} ended with {status}: {err}")

    # ---- answers

    def answers(self):
        server = Server(self.arguments.weft)
        for name, (words, wanted) in PROGRAMS.items():
            for nodes in (1, 2, 4):
                for workers in (1, 2):
                    ends = self.run_group(self.program(name), words, [server.address()] * nodes, workers)
                    self.check_ends(f"{name} on {nodes} nodes with {workers} workers", ends, wanted)
        self.check_server("a server of many runs", server)
        self.tree()
        self.chain()
        self.travels()
        self.fetches()

    def check_server(self, what, server, deaths=0):
        status, err = server.end()
        lines = err.splitlines()
        self.expect(status == 0 and len(lines) == deaths and all("died" in line for line in lines), f"{what}: {status}, {err}")

    def tree(self):
        root = Server(self.arguments.weft)
        children = [Server(self.arguments.weft, root), Server(self.arguments.weft, root)]
        addresses = [children[0].address(), children[0].address(), children[1].address(), root.address()]
        for name in ("nq", "comp"):
            words, wanted = PROGRAMS[name]
            self.check_ends(f"{name} on a tree of servers", self.run_group(self.program(name), words, addresses, 1), wanted)
        for server in [*children, root]:
            self.check_server("a server of a tree", server)

    def chain(self):
        """A server passes on to the servers below it what its parent tells: main, at the lowest of three, hears that the other node, at the
        root, joins, and that it dies."""
        servers = [None]
        for _ in range(3):
            servers.append(Server(self.arguments.weft, servers[-1]))
        _, root, middle, leaf = servers
        words, wanted = ["13"], "13 queens: 73712\n"
        deaths = 0
        for environment in ({}, {"WEFT_TASCELL_DIE": "running:2"}):
            main = Node(self.program("nq"), leaf.address(), 1, words, words=["--nodes", "2"])
            self.expect("runs main" in leaf.wait_for_line("joined"), "the node at the lowest server does not run main")
            other = Node(self.program("nq"), root.address(), 1, words, environment)
            ends = [main.wait(), other.wait()]
            self.check_ends(f"nq on a chain of servers with {environment}", ends, wanted, died=(1,))
            deaths += ends[1][0] == -signal.SIGKILL
        for server in (leaf, middle):
            self.check_server("a server of a chain", server)
        self.check_server("the root of a chain", root, deaths)

    def travels(self):
        """Tasks do travel: what the nodes that do not run main have done shows it."""
        server = Server(self.arguments.weft)
        words, wanted = ["13"], "13 queens: 73712\n"
        ends = self.run_group(self.program("nq"), words, [server.address()] * 2, 1, [{"WEFT_TASCELL_STATS": "on"}] * 2)
        self.check_ends("nq that tells its counts", ends, wanted)
        given = [int(re.search(r"(\d+) tasks given", err).group(1)) for _, _, err in ends]
        self.expect(sum(given) > 0, f"no task travelled: {ends}")
        counted = [re.search(r"tcp: (\d+) messages sent, (\d+) received, (\d+) calls of the system", err) for _, _, err in ends]
        self.expect(all(counted) and all(int(each) > 0 for found in counted if found for each in found.groups()), f"no messages: {ends}")
        self.check_server("the server of a run with counts", server)

    def fetches(self):
        """Elements that are read lazily come to a node once, although it runs several tasks that name all of them."""
        server = Server(self.arguments.weft)
        wanted = "500 x 500, product 1: c0a325e977192869\n500 x 500, product 2: 5fdc288c1c33373c\n"
        ends = self.run_group(self.program("matmul"), ["500"], [server.address()] * 3, 2, [{"WEFT_TASCELL_STATS": "on"}] * 3)
        self.check_ends("matmul on 3 nodes", ends, wanted)
        fetched = [int(found.group(1)) if (found := re.search(r"fetches of (\d+) bytes", err)) else 0 for _, _, err in ends]
        two_matrices = 2 * 500 * 500 * 8
        self.expect(sum(fetched) > 0, f"nothing was fetched: {ends}")
        self.expect(max(fetched) <= 2 * two_matrices, f"a node fetched elements twice: {fetched}: {ends}")
        self.check_server("the server of matmul", server)

    # ---- deaths

    def deaths(self):
        """Two of three nodes may kill themselves; the one that runs main does not."""
        for seed in range(self.arguments.first, self.arguments.first + self.arguments.seeds):
            draw = random.Random(seed)
            server = Server(self.arguments.weft)
            state, workers, name = draw.choice(STATES), draw.choice((1, 2)), draw.choice(("nq", "pen", "fib", "matmul"))
            words, wanted = PROGRAMS[name]
            deaths = [{"WEFT_TASCELL_DIE": f"{state}:{draw.randint(1, 4)}", "WEFT_TASCELL_SEED": str(seed)} for _ in range(2)]
            ends = self.run_group(self.program(name), words, [server.address()] * 3, workers, [{}, *deaths])
            what = f"seed {seed}: {name} with {workers} workers, deaths {deaths}"
            self.check_ends(what, ends, wanted, died=(1, 2))
            died = sum(status == -signal.SIGKILL for status, _, _ in ends)
            self.killed[state] = self.killed.get(state, 0) + died
            self.check_server(what, server, died)

    killed = {}

    # ---- random programs

    def random(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.broadcasts(scratch)
            self.in_place(scratch)
            for first in range(self.arguments.first, self.arguments.first + self.arguments.seeds, random_programs.BATCH):
                program, problem = random_programs.compile_batch(self.arguments.weft, first, scratch)
                self.expect(not problem, f"seeds from {first} on: {problem}")
                if problem:
                    continue
                server = Server(self.arguments.weft)
                for nodes, workers in random_programs.GROUPS if self.arguments.everywhere else ((2, 2),):
                    for environment in ({}, {"WEFT_TASCELL_STORM": "5"}):
                        ends = self.run_group(program, [], [server.address()] * nodes, workers, [environment] * nodes)
                        what = f"seeds from {first} on on {nodes} nodes with {workers} workers and {environment}"
                        self.expect(all(end == (0, "", "") for end in ends), f"{what}: {ends}")
                self.check_server("the server of random programs", server)

    def in_place(self, scratch):
        """Arrays that tasks change in place come back from other nodes."""
        here, program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"), os.path.join(scratch, "in_place")
        subprocess.run([self.arguments.weft, "tascell", os.path.join(here, "in_place.tc"), "-o", program, "-O1"], check=True)
        with open(os.path.join(here, "in_place.txt"), encoding="utf-8") as file:
            wanted = file.read()
        server = Server(self.arguments.weft)
        for nodes in (1, 2, 4):
            for rounds in (40, 400, 4000):  # main may be done before another node asks
                environments = [{"WEFT_TASCELL_STATS": "on"}] * nodes
                ends = self.run_group(program, [str(rounds)], [server.address()] * nodes, 1, environments)
                self.check_ends(f"arrays in place on {nodes} nodes", ends, wanted)
                given = sum(int(re.search(r"(\d+) tasks given", err).group(1)) for _, _, err in ends)
                if nodes == 1 or given > 0:
                    break
            self.expect(nodes == 1 or given > 0, f"no part of an array travelled: {ends}")
        self.check_server("the server of arrays in place", server)

    def broadcasts(self, scratch):
        """What main makes reaches every node before the tasks that read it, also a second time."""
        here, program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"), os.path.join(scratch, "broadcast")
        subprocess.run([self.arguments.weft, "tascell", os.path.join(here, "broadcast_nodes.tc"), "-o", program, "-O1"], check=True)
        with open(os.path.join(here, "broadcast_nodes.txt"), encoding="utf-8") as file:
            wanted = file.read()
        server = Server(self.arguments.weft)
        for nodes in (1, 2, 4):
            self.check_ends(f"broadcasts on {nodes} nodes", self.run_group(program, [], [server.address()] * nodes, 1), wanted)
        self.late_for_a_broadcast(server, program, int(wanted))
        self.check_server("the server of broadcasts", server)

    def late_for_a_broadcast(self, server, program, of_depth_19):
        """A node joins when a broadcast is done: it unpacks that one, too, and then the next."""
        words, wanted = ["24"], f"{of_depth_19 << 5}\n"
        first = Node(program, server.address(), 1, words)
        self.expect("runs main" in server.wait_for_line("joined"), "the first node does not run main")
        while first.processor_seconds() < 0.2:  # it adds what the first broadcast made
            time.sleep(0.01)
        late = Node(program, server.address(), 1, words)
        self.check_ends("a node that is late for a broadcast", [first.wait(), late.wait()], wanted)

    # ---- comings and goings

    def leaving(self):
        """One node stops for a while, one joins late, one leaves in order while main runs."""
        server = Server(self.arguments.weft)
        words, wanted = ["14"], "14 queens: 365596\n"
        first = Node(self.program("nq"), server.address(), 1, words, words=["--nodes", "3"])
        self.expect("runs main" in server.wait_for_line("joined"), "the first node does not run main")
        others = [Node(self.program("nq"), server.address(), 1, words) for _ in range(2)]
        server.wait_for_line("node 3")
        others[0].process.send_signal(signal.SIGSTOP)
        late = Node(self.program("nq"), server.address(), 1, words)
        self.expect("runs main" not in server.wait_for_line("node 4"), "a late node runs main, too")
        others[1].process.send_signal(signal.SIGTERM)
        time.sleep(self.arguments.stop)
        others[0].process.send_signal(signal.SIGCONT)
        ends = [node.wait() for node in (first, *others, late)]
        self.check_ends("nq whose nodes come and go", ends, wanted)
        self.check_server("the server of nodes that come and go", server)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft", type=os.path.abspath)
    parser.add_argument("examples", type=os.path.abspath)
    parser.add_argument("part", choices=("answers", "deaths", "random", "leaving"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--everywhere", action="store_true")
    parser.add_argument("--stop", type=float, default=0.3)
    checks = Checks(parser.parse_args())
    getattr(checks, checks.arguments.part)()
    for problem in checks.problems:
        print(problem)
    if checks.killed:
        print(f"figure: nodes killed = {checks.killed}")
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
