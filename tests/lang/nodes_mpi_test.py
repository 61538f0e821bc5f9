#!/usr/bin/env python3
"""Tascell programs on nodes that an MPI's launcher starts.

usage: nodes_mpi_test.py WEFT EXAMPLES [MPI ...]
EXAMPLES is the folder with the compiled examples; the MPIs are those for which there is a module (mpich, openmpi). Launchers that are not
here are skipped by name."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LAUNCHERS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi"}
WEFT, EXAMPLES, BUILT = sys.argv[1], sys.argv[2], sys.argv[3:]
HERE = [each for each in BUILT if shutil.which(LAUNCHERS[each])]
# The nodes of tests that run side by side must not be bound to the same processors.
QUIET = {**os.environ, "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_orte_base_help_aggregate": "1"}
PROGRAMS = {"fib": (["32"], "fib(32) = 2178309\n"), "nq": (["11"], "11 queens: 2680\n"), "pen": ([], "6 x 10: 2339\n"),
            "comp": (["6000"], "6000: 5999 pairs\n"),
            "matmul": (["300"], "300 x 300, product 1: 3fe7143ebc63df12\n300 x 300, product 2: eca377e17c55edff\n")}


def words_of(mpi, nodes, name, *words):
    return [WEFT, "launch", "-q", "--mpi", LAUNCHERS[mpi], "-n", str(nodes), os.path.join(EXAMPLES, name), *words]


class NodesTest(unittest.TestCase):
    COUNTS = re.compile(r"^weft: tascell: (\S+): (\d+) messages sent, (\d+) received, (\d+) calls of the MPI for them \(\S+ each\), \d+ that found "
                        r"nothing, (\d+) bytes copied$", re.MULTILINE)

    def counts(self, mpi, transport):
        """Each node tells what its transport did: what one has sent the other has received, but for what was under way at the end."""
        words = words_of(mpi, 2, "nq", "--transport", transport, "--workers", "1", "--nodes", "2", "13")
        wanted = "13 queens: 73712\n"  # long enough for the other node to take a part
        result = subprocess.run(words, capture_output=True,
                                env={**QUIET, "WEFT_TASCELL_STATS": "on"}, text=True, timeout=250, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, wanted), result)
        found = self.COUNTS.findall(result.stderr)
        self.assertEqual([each[0] for each in found], [transport, transport], result)
        for _, sent, received, calls, copied in found:
            self.assertTrue(int(sent) > 0 and int(received) > 0 and int(calls) >= int(sent) and int(copied) > 0, result)

    def answers(self, mpi, transport, nodes, workers, names):
        for name in names:
            words, wanted = PROGRAMS[name]
            own = ["--transport", transport, "--workers", str(workers), "--nodes", str(nodes)]
            with self.subTest(mpi=mpi, transport=transport, nodes=nodes, workers=workers, name=name):
                result = subprocess.run(words_of(mpi, nodes, name, *own, *words), env=QUIET, capture_output=True, text=True, timeout=250, check=False)
                self.assertEqual((result.returncode, result.stdout), (0, wanted), result)
                self.assertNotIn("weft:", result.stderr)

    def test_messages(self):
        for mpi in HERE:
            self.answers(mpi, "mpi-multiple", 2, 2, ("fib", "nq", "comp", "matmul"))
            self.answers(mpi, "mpi-funneled", 2, 1, ("pen", "comp", "matmul"))
            self.answers(mpi, "mpi-funneled-poster", 2, 1, ("nq",))

    def test_one_sided(self):
        for mpi in HERE:
            self.answers(mpi, "mpi-onesided", 2, 1, ("matmul", "nq"))
            self.counts(mpi, "mpi-onesided")
            self.counts(mpi, "mpi-onesided-poster")

    def test_more_nodes(self):
        for mpi in HERE:
            self.answers(mpi, "mpi-multiple", 4, 1, ("nq", "comp"))
            self.answers(mpi, "mpi-onesided", 3, 1, ("comp",))
            self.answers(mpi, "mpi-onesided-poster", 3, 1, ("nq", "comp", "matmul"))

    def test_one_node(self):
        for mpi in HERE:
            self.answers(mpi, "mpi-multiple", 1, 2, ("nq",))

    def test_nodes_that_are_bound(self):
        """As Open MPI binds up to two of them, unless it is told otherwise."""
        words, wanted = PROGRAMS["fib"]
        bound = {**QUIET, "OMPI_MCA_hwloc_base_binding_policy": "core"}
        line = r"weft: tascell: --workers 4: Open MPI's mpirun has bound this node to \d+ of \d+ processors, [^\n]*; give the launcher --bind-to none "
        if "openmpi" not in HERE or len(os.sched_getaffinity(0)) < 2:
            self.skipTest("no Open MPI, or one processor")
        for environment, workers, arguments, lines in ((bound, "4", [], 1), (bound, "1", [], 0), (bound, "4", ["--mpi-args=--bind-to none"], 0)):
            with self.subTest(workers=workers, arguments=arguments):
                launch = [WEFT, "launch", "-q", *words_of("openmpi", 2, "fib", "--workers", workers, *words)[3:]]
                launch[3:3] = arguments
                result = subprocess.run(launch, env=environment, capture_output=True, text=True, timeout=100, check=False)
                self.assertEqual((result.returncode, result.stdout), (0, wanted), result)
                self.assertEqual(len(re.findall(line, result.stderr)), lines, result.stderr)

    def test_the_status_is_that_of_main(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                result = subprocess.run(words_of(mpi, 2, "nq", "--nodes", "2", "0"), env=QUIET, capture_output=True, text=True,
                                        timeout=250, check=False)
                # Open MPI's mpirun may answer with the status of the node that it then ends, SIGTERM's, and names main's.
                first = re.search(r"Exit code: +(\d+)", result.stderr)
                status = int(first[1]) if result.returncode == 143 and first else result.returncode
                self.assertEqual(status, 2, result)

    def test_more_nodes_than_there_are(self):
        """None comes later, so that main does not wait for them."""
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                result = subprocess.run(words_of(mpi, 2, "nq", "--nodes", "3", "8"), env=QUIET, capture_output=True, text=True,
                                        timeout=250, check=False)
                self.assertEqual((result.returncode, result.stdout), (70, ""), result)
                self.assertEqual(result.stderr.count("weft: tascell: --nodes 3: the launcher has started 2"), 1, result)

    def test_a_node_that_is_killed_ends_all(self):
        """By their launcher: no process stays."""
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                self.killed(mpi, LAUNCHERS[mpi])

    def test_a_launcher_that_does_not_end_is_ended(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi), tempfile.TemporaryDirectory() as folder:
                launcher = os.path.join(folder, "launcher")
                with open(launcher, "w", encoding="ascii") as file:
                    file.write(f'#!/bin/sh\n{shutil.which(LAUNCHERS[mpi])} "$@"\n[ "$1" = --version ] || sleep 1000\n')
                os.chmod(launcher, 0o755)
                self.killed(mpi, launcher)

    def killed(self, mpi, launcher):
        """Of two nodes one, which runs; all processes end, and one line names the node."""
        mark = f"WEFT_TEST_MARK={os.getpid()}.{os.path.basename(launcher)}.{mpi}"
        words = [WEFT, "launch", "-q", "--mpi", launcher, "-n", "2", os.path.join(EXAMPLES, "fib"), "--nodes", "2", "55"]
        with subprocess.Popen(words, env={**QUIET, "WEFT_TEST_MARK": mark.split("=")[1]}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, start_new_session=True) as job:
            nodes = self.wait_for(mark, 2)
            blocked = [self.stay_blocked(node) for node in nodes]
            os.kill(nodes[-1], signal.SIGKILL)
            _, err = job.communicate(timeout=250)
            self.assertNotEqual(job.returncode, 0, err)
            self.assertEqual(len(re.findall(rf"^weft: node [12] \(process {nodes[-1]} on .*\) was killed by signal 9 \(Killed\)", err, re.MULTILINE)), 1, err)
        self.assertEqual(blocked, [False, False], "nodes block signals that end a program")
        self.wait_for(mark, 0)

    ENDING = sum(1 << (each - 1) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))

    @staticmethod
    def status(process):
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file)

    def stay_blocked(self, process):
        """Whether they are for longer than the start of an OS thread takes."""
        for _ in range(100):
            if int(self.status(process)["SigBlk"], 16) & self.ENDING == 0:
                return False
            time.sleep(0.02)
        return True

    def wait_for(self, mark, count):
        """The nodes with this word in their environment whose MPI runs, once there are so many; of 0: until no process has it."""
        for _ in range(600):
            found = [process for process in map(int, filter(str.isdigit, os.listdir("/proc")))
                     if self.is_marked(process, mark) and (count == 0 or self.is_up(process))]
            if len(found) == count:
                return sorted(found)
            time.sleep(0.1)
        self.fail(f"{len(found)} nodes instead of {count}")

    def is_up(self, process):
        """Has a keeper, and the OS threads that the node starts once the MPI runs."""
        try:
            status = self.status(process)
            return int(status["Threads"]) >= 3 and self.status(status["PPid"])["Name"] == "weft-keeper"
        except OSError:
            return False

    @staticmethod
    def is_marked(process, mark):
        try:
            with open(f"/proc/{process}/environ", "rb") as environment, open(f"/proc/{process}/comm", encoding="ascii") as name:
                return mark.encode() in environment.read() and name.read() == "fib\n"
        except OSError:
            return False


if __name__ == "__main__":
    for each in BUILT:
        if each not in HERE:
            print(f"skipped: {each}: no {LAUNCHERS[each]}")
    unittest.main(argv=sys.argv[:1])
