#!/usr/bin/env python3
"""Faults at random moments in jobs of ranks: a rank is killed, a rank is stopped and goes on later, the link of a node is set down. After
a kill, or without a link, a job must end within ten times the 5 s that it may take. One line must name the rank or the node, and what was
held. A job whose rank was stopped must end well. No process may stay. Jobs run on one node (by weft launch alone, by Debian's two MPIs),
on ranks that are nodes of their own (WEFT_LAUNCH_APART), and on nodes of namespaces; what is missing is skipped by name.

usage: rank_faults.py WEFT PROGRAM [--runs N] [--seed N] [--stop SECONDS] [--only REGEX] [MPI...]     PROGRAM: launch_forks; MPI: mpich, openmpi"""

import argparse
import os
import random
import re
import secrets
import signal
import shutil
import subprocess
import sys
import tempfile
import time

import mpis

LIMIT_S = 50
NODES_GONE_S = 250  # from the start of a job on nodes until they are gone, which is up to a busy kernel; the job itself has LIMIT_S
MARK = "WEFT_TEST_FAULTS_OF"
CLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "test", "cluster.py")
ENDED = "; the other ranks were ended"
HELD = r"(?: while it held (a claim of a continuation of rank \d+|a thread at depth \d+, with -?\d+ suspended forkers?))?"
KILLED = (r"weft: rank {rank} of {ranks} \(process {process}( on node \S+)?\) was killed by signal 9 \(Killed\)"
          r"( \(if no user[^)]*\))?" + HELD + ENDED)
# UCX, beneath MPICH, ends a rank whose connection breaks, and may do so before the launcher hears which rank died.
UCX_ENDS_ONE = "Fatal: unexpected error: Endpoint timeout"
ENDED_BY_UCX = r"weft: rank \d+ of {ranks} \(process \d+( on node \S+)?\) was killed by signal 6 \(Aborted\)" + HELD + ENDED
DOWN = r"weft: node \S+ \(ranks? {first}( to \d+)? of {ranks}\) did not answer for \d+ s, as node \S+ saw it(, while rank .*)?" + ENDED
FIGURE = re.compile(r"^figure: seconds from the fault to the end = ([\d.]+)$", re.MULTILINE)


def fail(text):
    sys.exit(f"rank_faults: {text}")


def processes_with(mark):
    """Of a job, by its environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark.encode() in file.read():
                    found.append(name)
        except OSError:  # the process has ended, or is another user's
            continue
    return found


def describe_processes(mark):
    """What a job that hangs consists of: a line for each process, with where the kernel has it."""
    lines = []
    for number in processes_with(mark):
        try:
            words = []
            for name in ("cmdline", "wchan", "stat"):
                with open(f"/proc/{number}/{name}", encoding="utf-8", errors="replace") as file:
                    words.append(file.read().replace("\0", " ").strip())
            lines.append(f"process {number}: {words[2].rsplit(')', 1)[1].split()[0]}, in {words[1]}: {words[0][:200]}")
        except OSError:
            continue
    return "\n".join(lines)


def wait_until_gone(mark, what):
    until = time.monotonic() + LIMIT_S
    while left := processes_with(mark):
        if time.monotonic() > until:
            fail(f"{what}: processes stay: {left}")
        time.sleep(0.01)


def has_line(pattern, text):
    """Each line of the ranks' is looked at alone: launchers and ranks write between them."""
    return any(re.search(pattern, line) for line in text.split("\n"))


class Local:
    """A job on this machine."""

    def __init__(self, weft, program, mpi, apart):
        self.weft, self.program, self.mpi, self.apart = weft, program, mpi, apart
        self.name = f"{mpi or 'shm'}{', each rank a node' if apart else ''}"

    def run(self, fault, rank, ranks, after, duration):
        """(exit status, all output, seconds from the fault to the end, {rank: process})"""
        mark = f"{MARK}={secrets.token_hex(8)}"
        name, value = mark.split("=")
        environment = {**os.environ, **mpis.QUIET, name: value}
        if self.apart:
            environment["WEFT_LAUNCH_APART"] = "on"
        words = [self.weft, "launch", "-q", "-n", str(ranks), *(["--mpi", mpis.LAUNCHERS[self.mpi]] if self.mpi else []), self.program]
        words += ["for", str(after + duration + 0.5)] if fault == "stop" else []
        with tempfile.TemporaryFile("w+") as output:
            # pylint: disable-next=consider-using-with
            job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=output, stdin=subprocess.DEVNULL, text=True, env=environment)
            processes = {}
            while len(processes) < ranks and (line := job.stdout.readline()):
                if (said := line.split()) and said[0] == "process":
                    processes[int(said[1])] = int(said[2])
            if len(processes) != ranks:
                output.seek(0)
                fail(f"{self.name}: the job did not start: {output.read()}")
            time.sleep(after)
            moment = time.monotonic()
            if fault == "kill":
                os.kill(processes[rank], signal.SIGKILL)
            else:
                os.kill(processes[rank], signal.SIGSTOP)
                time.sleep(duration)
                os.kill(processes[rank], signal.SIGCONT)
                moment = time.monotonic()
            try:
                status = job.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                left = describe_processes(mark)
                job.kill()
                output.seek(0)
                fail(f"{self.name}: {fault} {rank} of {ranks}: the job does not end; it said: {output.read()}\n{left}")
            took = time.monotonic() - moment
            wait_until_gone(mark, self.name)
            output.seek(0)
            return status, output.read(), took, processes


class Nodes:
    """A job on nodes of namespaces, by tools/test/cluster.py."""

    def __init__(self, weft, program, mpi):
        self.weft, self.program, self.mpi = weft, program, mpi
        self.name = f"{mpi}, two nodes"

    def run(self, fault, rank, ranks, after, duration):
        words = [str(after), *([str(duration)] if fault == "stop" else [])]
        of = 2 if fault == "down" else rank
        command = [sys.executable, "-B", CLUSTER, self.weft, "2", str(ranks), mpis.LAUNCHERS[self.mpi], self.program]
        command += ["for", str(after + duration + 0.5)] if fault == "stop" else []
        mark = f"{MARK}={secrets.token_hex(8)}"
        name, value = mark.split("=")
        environment = {**os.environ, **mpis.QUIET, name: value, "WEFT_TEST_CLUSTER_FAULT": " ".join([fault, str(of), *words])}
        # A daemon of the MPI's on a lost node keeps pipes open until the nodes are gone, and may write meanwhile.
        with tempfile.TemporaryFile("a+") as output:
            # pylint: disable-next=consider-using-with
            job = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
            try:
                status = job.wait(NODES_GONE_S + duration)
            except subprocess.TimeoutExpired:
                left = describe_processes(mark)
                job.kill()
                output.seek(0)
                fail(f"{self.name}: {fault} {rank} of {ranks} after {after} s: the job does not end; it said: {output.read()}\n{left}")
            output.seek(0)
            said = output.read()
        took = FIGURE.search(said)
        if took is None or "left: " in said:
            fail(f"{self.name}: {fault}: processes stay, or no end: {said}")
        processes = {int(each): int(process) for each, process in re.findall(r"\bprocess (\d+) (\d+)\b", said)}
        return status, said, float(took[1]), processes


def places(options):
    """Where jobs run here, and the faults of each."""
    here = [each for each in options.mpis if shutil.which(mpis.LAUNCHERS[each])]
    for each in mpis.LAUNCHERS:
        if each not in here:
            print(f"skipped: {mpis.NAMES[each]}: no module or no launcher")
    found = [(Local(options.weft, options.program, None, False), ("kill", "stop"))]
    for each in here:
        found += [(Local(options.weft, options.program, each, apart), ("kill", "stop")) for apart in (False, True)]
    probe = subprocess.run([sys.executable, "-B", CLUSTER, options.weft, "1", "1", "mpirun", "info"], capture_output=True, text=True, check=False)
    if probe.returncode == 77:
        print(probe.stdout, end="")
        return found
    return found + [(Nodes(options.weft, options.program, each), ("down", "kill", "stop", "down")) for each in here]


def try_one(place, fault, at, stop):
    """The seconds until the end, and whether a claim was told."""
    ranks = at.choice((2, 4)) if isinstance(place, Nodes) else at.choice((1, 2, 3, 4) if fault == "kill" else (2, 3, 4))
    rank = at.randrange(ranks)
    status, said, took, processes = place.run(fault, rank, ranks, round(at.random() * 0.5, 3), stop)
    what = f"{place.name}: {fault} {rank} of {ranks}: exit status {status} after {took:.2f} s, and the job said: {said}"
    if fault == "stop":
        if status != 0:
            fail(f"the job did not go on: {what}")
        return 0, False
    first = ranks // 2
    pattern = KILLED.format(rank=rank, ranks=ranks, process=processes[rank]) if fault == "kill" else DOWN.format(first=first, ranks=ranks)
    is_told = has_line(pattern, said) or (UCX_ENDS_ONE in said and has_line(ENDED_BY_UCX.format(ranks=ranks), said))
    if status == 0 or not is_told or took > LIMIT_S:
        fail(f"wanted {pattern}: {what}")
    return took, "a claim of a continuation" in said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weft")
    parser.add_argument("program")
    parser.add_argument("mpis", nargs="*")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--stop", type=float, default=1)
    parser.add_argument("--only", default="", help="a regular expression: of places and faults (mpich, two nodes: kill)")
    options = parser.parse_intermixed_args()
    print(f"rank_faults: --seed {options.seed}", flush=True)
    at = random.Random(options.seed)
    all_places = places(options)
    kinds = [(place, fault) for place, faults in all_places for fault in faults if re.search(options.only, f"{place.name}: {fault}")]
    at.shuffle(kinds)
    claims, longest = 0, {}
    for run in range(options.runs):
        place, fault = kinds[run % len(kinds)]
        took, held = try_one(place, fault, at, options.stop)
        print(f"run {run + 1}: {place.name}: {fault}: {took:.2f} s{', a claim was told' if held else ''}", flush=True)
        claims += held
        if fault != "stop":
            longest[fault] = max(took, longest.get(fault, 0))
    print(f"figure: runs with a fault = {options.runs}")
    print(f"figure: of them, ends that told a claim = {claims}")
    for fault, took in sorted(longest.items()):
        print(f"figure: longest end of a job after {'a kill' if fault == 'kill' else 'a link went down'} in s = {took:.2f}")


if __name__ == "__main__":
    main()
