#!/usr/bin/env python3
"""Runs a program on nodes of this machine: over TCP with servers of its own, or over an MPI by weft launch.

    bench/published/on_nodes.py WEFT TRANSPORT NODES [--servers N] [--mpi LAUNCHER] [--idle-sleep TIME] [--late] [--apart]
                                -- PROGRAM [WORD...]
    bench/published/on_nodes.py WEFT ranks NODES --ranks N --mpi LAUNCHER [--apart] [--whole | --no-weft] -- PROGRAM [WORD...]

TRANSPORT is tcp, tcp-alone (a program that knows only --server), or one of an MPI. Each node has one worker. --servers N: the nodes
are divided among N - 1 servers below another one. --late: the last node starts when the program of the others has printed a line.
--apart: nodes and servers are apart as tools/test/cluster.py has it, which wants root and may not be allowed.
ranks: PROGRAM is one on libweft-dist, or `info`: what weft info --ranks says. --whole: a record of the seconds from the launcher's start
to its end is printed instead of what the program prints; --no-weft: so, and the launcher alone starts the program.

What the program prints is printed. Over TCP, where it is a record of figures, the record also has `server_seconds`, the CPU time of the
server that took most of it. Exit status: the program's; 1 where something could not be started; 77 where --apart is not allowed."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(TOP, "tools", "test"))
import cluster  # noqa: E402  # pylint: disable=wrong-import-position

LISTENS = re.compile(r"listens on port (\d+)")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", metavar="WEFT")
    parser.add_argument("transport", metavar="TRANSPORT")
    parser.add_argument("nodes", metavar="NODES", type=int)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--mpi", default="mpirun")
    parser.add_argument("--idle-sleep")
    parser.add_argument("--late", action="store_true")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--no-weft", action="store_true")
    parser.add_argument("--apart", action="store_true")
    if "--" not in words or words[-1] == "--":
        parser.error("-- and a program are missing")
    end = words.index("--")
    return parser.parse_args(words[:end]), words[end + 1:]


class Place:
    """Where nodes run: beside this program, or each in namespaces of its own."""

    def __init__(self, is_apart, nodes, folder):
        self.folder, self.is_apart = folder, is_apart
        self.host = f"{cluster.NET}.254" if is_apart else "localhost"
        self.names = []
        if is_apart:
            cluster.make_bridge()
            self.names = [cluster.start_node(number + 1, folder) for number in range(nodes)]
        self.key = ["--key-file", os.path.join(folder, "key")] if is_apart else []

    def enter(self, number):
        """The words by which a command runs on this node."""
        if not self.is_apart:
            return []
        with open(os.path.join(self.folder, self.names[number]), encoding="ascii") as file:
            return ["nsenter", "-t", file.read(), "-n", "-p", "-i", "-u", "-m"]


class Server:
    def __init__(self, weft, place, parent=None):
        above = ["--parent", f"{place.host}:{parent.port}"] if parent else []
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([weft, "tascell-server", "--port", "0", *above, *place.key], stdout=subprocess.PIPE, text=True)
        found = LISTENS.search(self.process.stdout.readline())
        if not found:
            raise OSError("weft tascell-server does not start")
        self.port = int(found.group(1))

    def end(self):
        """Its CPU time in seconds."""
        os.kill(self.process.pid, signal.SIGTERM)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stdout.close()
        return usage.ru_utime + usage.ru_stime


def add_figure(text, name, value):
    """A record of figures with another one; other text as it is."""
    try:
        record = json.loads(text)
        record["figures"][name] = value
        return json.dumps(record) + "\n"
    except (ValueError, KeyError, TypeError):
        return text


def run_over_tcp(arguments, program, place):
    servers, nodes = [Server(arguments.weft, place)], []
    try:
        servers += [Server(arguments.weft, place, servers[0]) for _ in range(arguments.servers - 1)]
        leaves = servers[1:] or servers
        own = [] if arguments.transport == "tcp-alone" else ["--workers", "1", "--nodes", str(arguments.nodes - arguments.late)]
        own += ["--idle-sleep", arguments.idle_sleep] if arguments.idle_sleep else []
        own += place.key
        text = ""
        for number in range(arguments.nodes):
            if arguments.late and number + 1 == arguments.nodes:
                nodes[0].stdout.readline()  # the first node runs main
            words = [*place.enter(number), program[0], "--server", f"{place.host}:{leaves[number % len(leaves)].port}", *own, *program[1:]]
            # pylint: disable-next=consider-using-with
            nodes.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        text += "".join(node.communicate()[0] for node in nodes)
        seconds = max([server.end() for server in reversed(servers)])
        print(add_figure(text, "server_seconds", seconds), end="")
        return next((node.returncode for node in nodes if node.returncode != 0), 0)
    finally:
        for each in [*nodes, *(server.process for server in servers)]:
            if each.returncode is None and each.poll() is None:
                each.kill()
                each.wait()


def run_over_mpi(arguments, program, place):
    words = [arguments.weft, "launch", "-q", "--mpi", arguments.mpi, "-n", str(arguments.nodes)]
    if place.is_apart:
        more = cluster.arguments_for(arguments.mpi, place.folder, place.names, 1)
        words += ["--mpi-args", " ".join(more)]
    words += [program[0], "--transport", arguments.transport, "--workers", "1", "--nodes", str(arguments.nodes)]
    words += ["--idle-sleep", arguments.idle_sleep] if arguments.idle_sleep else []
    environment = {**os.environ, "OMPI_MCA_hwloc_base_binding_policy": "none"}
    return subprocess.run([*words, *program[1:]], env=environment, stdin=subprocess.DEVNULL, check=False).returncode


def launcher_alone(mpi, ranks, more):
    version = subprocess.run([mpi, "--version"], capture_output=True, text=True, check=False).stdout
    own = [] if "HYDRA" in version else ["--oversubscribe", *["--allow-run-as-root"] * (os.geteuid() == 0)]
    return [mpi, *own, "-n", str(ranks), *more]


def run_ranks(arguments, program, place):
    more = cluster.arguments_for(arguments.mpi, place.folder, place.names, -(-arguments.ranks // arguments.nodes)) if place.is_apart else []
    by_weft = ["--mpi", arguments.mpi, *(["--mpi-args", " ".join(more)] if more else [])]
    if os.path.basename(program[0]) == "info":
        words = [arguments.weft, "info", "--ranks", str(arguments.ranks), *by_weft]
    elif arguments.no_weft:
        words = [*launcher_alone(arguments.mpi, arguments.ranks, more), *program]
    else:
        words = [arguments.weft, "launch", "-q", "-n", str(arguments.ranks), *by_weft, *program]
    environment = {**os.environ, "OMPI_MCA_hwloc_base_binding_policy": "none"}
    is_timed = arguments.whole or arguments.no_weft
    began = time.monotonic()
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - began
    record = {"format": "weft-figures-1", "correct": done.returncode == 0, "figures": {"seconds": seconds}, "facts": {}}
    print(json.dumps(record) if is_timed else done.stdout, end="\n" if is_timed else "")
    return done.returncode


def main():
    arguments, program = parse(sys.argv[1:])
    if arguments.apart and cluster.INSIDE not in os.environ:
        return cluster.enter_own_namespaces()
    program[0] = os.path.abspath(program[0])  # a node has another current folder
    with tempfile.TemporaryDirectory() as folder:
        try:
            place = Place(arguments.apart, arguments.nodes, folder)
            run = run_over_tcp if arguments.transport.startswith("tcp") else run_ranks if arguments.transport == "ranks" else run_over_mpi
            return run(arguments, program, place)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.stderr.write(f"on_nodes.py: {error}\n")
            return 1


if __name__ == "__main__":
    sys.exit(main())
