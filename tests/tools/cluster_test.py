#!/usr/bin/env python3
"""Ranks on two nodes that share no memory, over TCP (tools/test/cluster.py). The arguments behind the command are as those of
launch_mpi_test.py. Exit status 77: this machine makes no nodes."""

import os
import subprocess
import sys
import tempfile
import unittest

import command
import mpis
import traces

CLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "test", "cluster.py")
CONFORMANCE, FORKS, KERNELS, HERE = mpis.arguments()


def start(mpi, nodes, ranks, *words, **environment):
    return subprocess.run([sys.executable, "-B", CLUSTER, command.WEFT, str(nodes), str(ranks), mpis.LAUNCHERS[mpi], *words],
                          capture_output=True, text=True, timeout=250, check=False, env={**os.environ, **mpis.QUIET, **environment})


class ClusterTest(unittest.TestCase, traces.TraceChecks):
    def test_transports_conform(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                result = start(mpi, 2, 2, CONFORMANCE)
                self.assertEqual((result.returncode, result.stdout), (0, "2 ranks conform over mpi\n"), result)

    def test_programs_run(self):
        """Of four ranks two share memory."""
        for mpi, words in mpis.cases(HERE, mpis.few([(FORKS, "20", "7"), *((each,) for each in KERNELS)])):
            with self.subTest(mpi=mpi, words=words):
                result = start(mpi, 2, 4, *words)
                self.assertEqual(result.returncode, 0, result)
                self.assertRegex(result.stderr, r"(?m)^all 4 +\d+ ", "the table of all ranks")

    def test_policies(self):
        for mpi, policy in mpis.cases(mpis.few(HERE), mpis.few(mpis.POLICIES)):
            with self.subTest(mpi=mpi, policy=policy):
                result = start(mpi, 2, 2, FORKS, "20", "7", "plain", WEFT_DIST_POLICY=policy)
                self.assertEqual(result.returncode, 0, result)

    def test_long_leaves(self):
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start(mpi, 2, 2, mpis.LONG_LEAF)
                self.assertEqual((result.returncode, result.stdout), (0, ""), result)

    def test_traces(self):
        """Clocks of ranks of one node agree, and those of the other one are found out."""
        for mpi, ranks in mpis.cases(HERE, (2, 4)):
            with self.subTest(mpi=mpi, ranks=ranks), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trace.json")
                result = start(mpi, 2, ranks, mpis.TRACED, WEFT_TRACE=path)
                self.assertEqual((result.returncode, result.stdout), (0, ""), result)
                about, events = traces.read(path)
                self.assertEqual((about["ended"], about["records_lost"]), ("weft_finalize", 0))
                self.assertEqual([clock["ahead_us"] > 1e6 for clock in about["clocks"]], [rank >= ranks // 2 for rank in range(ranks)])
                self.assertEqual(len({clock["node"] for clock in about["clocks"]}), 2)
                self.check_threads(about, events, ranks)
                self.assertGreaterEqual(self.check_steals(about, events, ranks), 10)

    def test_the_global_heap(self):
        for mpi, program in mpis.cases(HERE, mpis.HEAP):
            with self.subTest(mpi=mpi, program=program):
                result = start(mpi, 2, 2, program)
                self.assertEqual((result.returncode, result.stdout), (0, ""), result)

    def test_what_is_found_out(self):
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start(mpi, 2, 2, "info")
                self.assertEqual(result.returncode, 0, result)
                self.assertIn("ranks: 2, nodes: 2\ntransport: mpi, ", result.stdout)


if __name__ == "__main__":
    mpis.tell_skipped()
    probe = start("mpich", 1, 1, "true")
    if probe.returncode == 77:
        print(probe.stdout, end="")
        sys.exit(77)
    command.main()
