#!/usr/bin/env python3
"""Nodes on this machine: each is a set of network, process, IPC, host name and mount namespaces, joined by veth pairs and a bridge, so
that ranks on two nodes share no memory and reach each other by TCP alone. An MPI's launcher starts programs there through an agent that
enters a node, as it would by ssh. Needs root, and a kernel that allows namespaces; what is made is gone when this program ends.

There is no delay but the machine's own: figures from here are those of TCP between processes of one machine.

usage: cluster.py WEFT NODES RANKS LAUNCHER [--plain] PROGRAM [ARGUMENT...]     LAUNCHER: mpirun.mpich, mpirun.openmpi or a path to one
--plain: a program of another runtime, which the launcher alone starts
exit status: the program's; 77: the machine does not allow it, which a line says

WEFT_TEST_CLUSTER_FAULT, of a program that prints "process RANK NUMBER" in each rank, says what happens once all ranks have, and how many
seconds later: `down NODE SECONDS` (the node's link, for good), `kill RANK SECONDS`, `stop RANK SECONDS DURATION`. Behind the program's
output then stands "figure: seconds from the fault to the end = S", and lines "left: ..." about processes of the program that stay."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

SKIPPED = 77
INSIDE = "WEFT_TEST_CLUSTER_INSIDE"
NET = "10.99.0"
BRIDGE = "weft0"

# Enters the node whose address stands first among the words that are no options, and runs the rest.
AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
node=$1
shift
exec nsenter -t "$(cat {folder}/$node)" -n -p -i -u -m sh -c "$*"
"""
NODE = "mount -t tmpfs tmpfs /dev/shm && mount -t proc proc /proc && hostname {name} && ip link set lo up && exec sleep 100000"


def run(*words):
    subprocess.run([str(each) for each in words], check=True, stdout=subprocess.DEVNULL)


def refuse(why):
    print(f"skipped: no nodes on this machine: {why}")
    return SKIPPED


def why_not():
    """Why this machine does not allow nodes; "": it does."""
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    if os.geteuid() != 0:
        return "only root may make namespaces"
    probe = subprocess.run(["unshare", "--net", "--pid", "--ipc", "--uts", "--mount", "--fork", "true"], capture_output=True, text=True, check=False)
    return f"the kernel refuses namespaces: {probe.stderr.strip()}" if probe.returncode != 0 else ""


def enter_own_namespaces():
    """This program once more, in a network of its own, whose end takes all nodes along."""
    why = why_not()
    if why:
        return refuse(why)
    words = ["unshare", "--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", sys.executable, "-B", *sys.argv]
    return subprocess.run(words, env={**os.environ, INSIDE: "1"}, check=False).returncode


def make_bridge():
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    run("ip", "addr", "add", f"{NET}.254/24", "dev", BRIDGE)
    run("ip", "link", "set", BRIDGE, "up")


def start_node(number, folder):
    name = f"{NET}.{number}"
    node = subprocess.Popen(["unshare", "--net", "--pid", "--ipc", "--uts", "--mount", "--fork", "--kill-child", "sh", "-c",
                             NODE.format(name=f"weft-node-{number}")])
    while not os.path.exists(f"/proc/{node.pid}/task/{node.pid}/children"):
        continue
    child = ""
    while not child:
        with open(f"/proc/{node.pid}/task/{node.pid}/children", encoding="ascii") as file:
            child = file.read().strip()
    inner = int(child.split()[0])
    while os.readlink(f"/proc/{inner}/ns/net") == os.readlink("/proc/self/ns/net"):
        continue
    run("ip", "link", "add", f"veth{number}", "type", "veth", "peer", "name", f"peer{number}")
    run("ip", "link", "set", f"veth{number}", "master", BRIDGE, "up")
    run("ip", "link", "set", f"peer{number}", "netns", inner)
    enter = ["nsenter", "-t", inner, "-n"]
    run(*enter, "ip", "link", "set", f"peer{number}", "name", "eth0")
    run(*enter, "ip", "addr", "add", f"{name}/24", "dev", "eth0")
    run(*enter, "ip", "link", "set", "eth0", "up")
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(str(inner))
    return name


def make_agent(folder):
    agent = os.path.join(folder, "enter")
    with open(agent, "w", encoding="ascii") as file:
        file.write(AGENT.format(folder=folder))
    os.chmod(agent, 0o755)
    return agent


def arguments_for(launcher, folder, names, ranks_a_node):
    """Open MPI names files by host and process, and another cluster on this machine may have the same."""
    agent = make_agent(folder)
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout
    if "HYDRA" in version:
        return ["-launcher", "ssh", "-launcher-exec", agent, "-iface", BRIDGE, "-hosts", ",".join(names), "-ppn", str(ranks_a_node)]
    hosts = ",".join(f"{name}:{ranks_a_node}" for name in names)
    own = f"{NET}.0/24"
    return ["--host", hosts, "--mca", "plm_rsh_agent", agent, "--mca", "oob_tcp_if_include", own, "--mca", "btl_tcp_if_include", own,
            "--mca", "btl", "self,tcp", "--mca", "pml", "ob1", "--bind-to", "none", "--map-by", f"ppr:{ranks_a_node}:node",
            "--mca", "orte_tmpdir_base", folder]


class Fault:
    """What happens to a job, from the outside."""

    def __init__(self, words, folder, ranks_a_node):
        self.kind, self.of, self.after = words[0], int(words[1]), float(words[2])
        self.duration = float(words[3]) if self.kind == "stop" else 0
        self.folder, self.ranks_a_node = folder, ranks_a_node
        self.processes = {}
        self.moment = 0

    def in_node(self, node, *words):
        with open(os.path.join(self.folder, f"{NET}.{node}"), encoding="ascii") as file:
            run("nsenter", "-t", file.read(), "-n", "-p", "-m", *words)

    def signal(self, name):
        self.in_node(self.of // self.ranks_a_node + 1, "kill", f"-{name}", self.processes[self.of])

    def happen(self):
        time.sleep(self.after)
        self.moment = time.monotonic()
        if self.kind == "down":
            run("ip", "link", "set", f"veth{self.of}", "down")
        elif self.kind == "kill":
            self.signal("KILL")
        else:
            self.signal("STOP")
            time.sleep(self.duration)
            self.signal("CONT")

    def watch(self, command, ranks, program):
        """Runs the job. Its exit status."""
        # pylint: disable-next=consider-using-with
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        while len(self.processes) < ranks and (line := job.stdout.readline()):
            print(line, end="", flush=True)
            words = line.split()
            if words and words[0] == "process":
                self.processes[int(words[1])] = words[2]
        # A daemon of the MPI's on a lost node may keep the pipe open.
        threading.Thread(target=pass_on, args=(job.stdout,), daemon=True).start()
        if len(self.processes) == ranks:
            self.happen()
        status = job.wait()
        time.sleep(0.05)
        print(f"figure: seconds from the fault to the end = {time.monotonic() - self.moment:.2f}")
        tell_left(program)
        return status


def pass_on(output):
    for line in output:
        print(line, end="", flush=True)


def tell_left(program):
    until = time.monotonic() + 10
    while (left := subprocess.run(["pgrep", "-fa", f"^{program}( |$)"], capture_output=True, text=True, check=False).stdout) and time.monotonic() < until:
        time.sleep(0.05)
    for line in left.splitlines():
        print(f"left: {line}")


def main():
    if len(sys.argv) < 6:
        print(__doc__)
        return 2
    if INSIDE not in os.environ:
        return enter_own_namespaces()
    weft, nodes, ranks, launcher, *words = sys.argv[1:]
    nodes, ranks = int(nodes), int(ranks)
    make_bridge()
    with tempfile.TemporaryDirectory() as folder:
        names = [start_node(number + 1, folder) for number in range(nodes)]
        more = arguments_for(launcher, folder, names, (ranks + nodes - 1) // nodes)
        if words[0] == "--plain":
            root = ["--allow-run-as-root"] if "plm_rsh_agent" in more else []
            command = [launcher, "-n", str(ranks), *root, *more, *words[1:]]
        elif words[0] == "info":
            command = [weft, "info", "--ranks", str(ranks), "--mpi", launcher, "--mpi-args", " ".join(more)]
        else:
            command = [weft, "launch", "--mpi", launcher, "-n", str(ranks), "--mpi-args", " ".join(more), *words]
        if fault := os.environ.get("WEFT_TEST_CLUSTER_FAULT"):
            return Fault(fault.split(), folder, (ranks + nodes - 1) // nodes).watch(command, ranks, words[0])
        return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
