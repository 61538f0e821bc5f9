#!/usr/bin/env python3
"""The part of the experiment tascell that runs on nodes (bench/published/tascell_nodes.py), with stand-ins for the programs that measure,
and each of those programs once. The argument, if there is one, is a build folder."""

import os
import subprocess
import sys
import unittest

from published_test import PROGRAMS, PublishedCase

import experiment
import pictures
import tascell_nodes

# weft tascell-server; weft launch -q --mpi MPI -n NODES [--mpi-args WORDS] PROGRAM WORD...
OF_NODES = """if [ "$1" = tascell-server ]; then echo 'listens on port 7'; exec sleep 100; fi
if [ "$1" = launch ]; then shift 6; if [ "$1" = --mpi-args ]; then shift 2; fi; exec "$@"; fi
"""


class TascellNodesTest(PublishedCase):
    """Stand-ins: plain C takes 1 s, and nodes 1.25 s divided by their number."""

    PRINTS = """echo '{"format": "weft-figures-1", "correct": '$correct', "figures": {"seconds": '$seconds', "us": 70, "us_90": 90, "us_least": 50,' \\
         '"ms": 3.5, "messages": 1000}, "facts": {}}'"""
    NODES = """echo "$*" >> $0.calls
nodes=1; while [ $# -gt 1 ]; do if [ "$1" = --nodes ]; then nodes=$2; fi; shift; done
"""

    def setUp(self):
        super().setUp()
        weft = os.path.join(self.build, "tools/weft/weft")
        with open(weft, encoding="utf-8") as file:
            self.program("tools/weft/weft", OF_NODES + file.read().split("\n", 1)[1])
        for program in tascell_nodes.PROGRAMS:
            self.program(f"bench/published/tascell/plain-{program}", f"correct=true seconds=1.0; {self.PRINTS}")
            self.node(f"nodes-{program}")
        for program in ("nodes-latency", "nodes-relay", "nodes-join"):
            self.node(program)
        self.tools(**{"mpirun.mpich": "exit 1"})
        self.program("net/mpi/libweft-net-mpich.so", "")

    def node(self, program, correct="true"):
        """Over TCP the first node prints alone; it is the one that makes the folder."""
        self.program(f"bench/published/tascell/{program}", f"""correct={correct}
case "$*" in *--server*) mkdir "$0.$PPID.$(echo "$*" | tr / _)" 2>/dev/null || exit 0 ;; esac
{self.NODES}
seconds=$(awk "BEGIN {{ print 1.25 / $nodes }}"); case $0 in *-join) echo ;; esac
{self.PRINTS}""")

    def asked(self, program):
        with open(os.path.join(self.build, f"bench/published/tascell/{program}.calls"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_each_transport_stands_beside_plain_c_and_the_poster(self):
        shown = self.published("tascell", "--repetitions", 1).stdout
        group = shown.split("nodes: MPICH, --idle-sleep 1ms: Fib, 42\n")[1].split("\n\n")[0]
        cpus = len(os.sched_getaffinity(0))
        for transport in ("tcp", *tascell_nodes.TRANSPORTS):
            for nodes in tascell_nodes.NODES:
                line = next(line for line in group.splitlines() if line.split("  ")[1].strip() == f"{transport}, nodes: {nodes}")
                self.assertIn(f"{1250 / nodes:,.2f} ms", line)
                self.assertIn("80%, oversubscribed" if nodes > cpus else "80%", line)
        self.assertIn("2 nodes: one-sided is last: cannot be told here", group)  # of one repetition
        self.assertIn("--transport mpi-onesided --workers 1 --nodes 4 --idle-sleep 1ms 42", self.asked("nodes-fib"))
        self.assertIn("--server localhost:7 --workers 1 --nodes 4 42", self.asked("nodes-fib"))
        if cpus > 1:
            self.check_what_goes_between(shown)
        if pictures.find_python() is not None:
            picture = next(line for line in shown.splitlines() if line.startswith("Picture: ")).split(": ")[1]
            with open(picture, encoding="utf-8") as file:
                drawn = file.read()
            for word in ("efficiency on nodes", "mpi-onesided-poster", "Comp, 30000", "pauses between two looks", "answers, 1 KB"):
                self.assertIn(word, drawn)

    def check_what_goes_between(self, shown):
        table = shown.split(f"{tascell_nodes.LATENCY}, 1 MB, on one machine: MPICH, polling (--idle-sleep 1us)\n")[1].split("\n\n")[0]
        for transport in ("tcp", *tascell_nodes.TRANSPORTS):
            self.assertRegex(table, rf"(?m)^  {transport} +70 us +90 us +50 us")
        self.assertIn("--transport mpi-multiple --workers 1 --nodes 2 --idle-sleep 1us 1048576", self.asked("nodes-latency"))
        for kind, printed in (("Pen, 12", "625.00 ms"), ("answers, 1 KB", "70 us +90 us")):
            swept = shown.split(f"{tascell_nodes.SWEEP}MPICH: {kind}\n")[1].split("\n\n")[0]
            for transport in tascell_nodes.SWEPT:
                for pause in tascell_nodes.PAUSES:
                    self.assertRegex(swept, rf"(?m)^  {transport}, pause: {pause} +{printed}")
        self.assertIn("--transport mpi-funneled-poster --workers 1 --nodes 2 --idle-sleep 300us 12", self.asked("nodes-pen"))
        self.assertRegex(shown, r"from its process's start to its first task.*\n  tcp +3.50 ms")
        self.assertRegex(shown, r"tree of three servers, 4 nodes +[0-9,]+ +[0-9,]+ ")
        self.assertEqual(self.asked("nodes-relay"), ["--server localhost:7 2 100000", "--server localhost:7 4 50000"])
        why = tascell_nodes.cluster.why_not()
        if why:
            self.assertIn(f"(no nodes on this machine: {why})", shown)
        else:
            self.assertIn("1 MB, between emulated nodes: MPICH", shown)

    def test_without_an_mpi_tcp_is_measured_and_a_wrong_answer_is_ours(self):
        os.remove(os.path.join(self.build, "net/mpi/libweft-net-mpich.so"))
        self.node("nodes-pen", "false")
        shown = self.published("tascell", "--repetitions", 1, status=1).stdout
        group = shown.split("nodes: no MPI, --idle-sleep 1ms: Fib, 42\n")[1].split("\n\n")[0]
        self.assertIn("tcp, nodes: 2", group)
        self.assertNotIn("mpi-", group)
        self.assertIn("tcp, nodes: 2: wrong answer", shown)
        self.assertIn("(a launcher (mpirun.mpich, mpirun.openmpi) and its module of this build)", shown)

    def cells(self, title, seconds, workers=2):
        """Seven samples a way, 1 % apart, on two nodes."""
        return [{"group": f"{tascell_nodes.PREFIX}MPICH, --idle-sleep 1ms: {title}", "variant": f"{way}, nodes: 2", "workers": workers,
                 "status": "measured", "samples": [{"seconds": each * (1 + 0.01 * i)} for i in range(7)]}
                for way, each in zip((tascell_nodes.FUNNELED, tascell_nodes.MULTIPLE, tascell_nodes.ONE_SIDED), seconds)]

    def test_what_the_poster_found_holds_or_not(self):
        def verdicts(*words, **more):
            return [verdict for _, verdict, _ in tascell_nodes.findings(self.cells(*words, **more), 2)]

        holds, fails, unknown = tascell_nodes.HOLDS, tascell_nodes.FAILS, tascell_nodes.UNKNOWN
        self.assertEqual(verdicts("Fib, 42", (1.0, 0.5, 2.0)), [holds, holds])
        self.assertEqual(verdicts("Fib, 42", (1.0, 2.0, 0.5)), [fails, fails])
        self.assertEqual(verdicts("Fib, 42", (1.0, 1.0, 1.0)), [unknown, unknown])
        self.assertEqual(verdicts("Comp, 30000", (1.0, 2.0, 0.5)), [holds, holds])
        self.assertEqual(verdicts("Comp, 30000", (1.0, 0.5, 2.0)), [fails, fails])
        self.assertEqual(verdicts("Fib, 42", (1.0, 0.5, 2.0), workers=1), [unknown, unknown])  # oversubscribed

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_the_programs_tell_what_they_measure(self):
        folder = os.path.join(PROGRAMS, "bench", "published", "tascell")
        weft = os.path.join(PROGRAMS, "tools", "weft", "weft")
        if not os.path.exists(os.path.join(folder, "nodes-fib")) or not os.path.exists(weft):
            self.skipTest("no programs of nodes in this build")
        for words, wanted in ((("tcp", 2, "--", "nodes-fib", 20), {"seconds"}), (("tcp", 3, "--", "nodes-nq", 9), {"seconds"}),
                              (("tcp", 2, "--", "nodes-comp", 2000), {"seconds"}), (("tcp", 1, "--", "nodes-pen", 12), {"seconds"}),
                              (("tcp", 2, "--", "nodes-latency", 1024), {"us", "us_90", "us_least"}),
                              (("tcp", 2, "--late", "--", "nodes-join"), {"ms"}),
                              (("tcp-alone", 3, "--servers", 3, "--", "nodes-relay", 3, 100), {"seconds", "messages"})):
            words = [os.path.join(folder, word) if str(word).startswith("nodes-") else str(word) for word in words]
            done = subprocess.run([sys.executable, tascell_nodes.ON_NODES, weft, *words], capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(done.returncode, 0, (words, done.stderr))
            record = experiment.read_figures(done.stdout)
            self.assertTrue(record["correct"], words)
            self.assertEqual(set(record["sample"]), wanted | {"server_seconds"})
        for program in ("latency", "join", "relay", *tascell_nodes.PROGRAMS):
            done = subprocess.run([os.path.join(folder, f"nodes-{program}"), "x", "x"], capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual((done.returncode, done.stderr.count("usage")), (2, 1), done)

    def test_nodes_refuse_words_that_make_no_sense(self):
        for words in ((), ("weft", "tcp", "2"), ("weft", "tcp", "2", "--")):
            done = subprocess.run([sys.executable, tascell_nodes.ON_NODES, *words], capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("-- and a program are missing", done.stderr)
        self.program("weft-that-fails", "exit 1")
        done = subprocess.run([sys.executable, tascell_nodes.ON_NODES, os.path.join(self.build, "weft-that-fails"), "tcp", "2", "--", "true"],
                              capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "on_nodes.py: weft tascell-server does not start\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
