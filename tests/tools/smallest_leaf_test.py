#!/usr/bin/env python3
"""bench/published/smallest_leaf.py with stand-ins for the programs that measure, and each of those once. The argument, if there is one, is
a build folder."""

import os
import subprocess
import sys
import unittest

from published_test import PROGRAMS, PublishedCase

import experiment
import cluster
import smallest_leaf

# weft launch: options, the program, and its words
LAUNCH = """if [ "$1" = launch ]; then while [ ! -x "$1" ]; do shift; done; exec "$@"; fi
"""
# A launcher of an MPI: options, env, and what it starts
MPIEXEC = """case "$*" in *"-n 2"*) while [ "$1" != env ]; do shift; done; exec "$@" ;; esac; echo HYDRA"""


class SmallestLeafTest(PublishedCase):
    def setUp(self):
        super().setUp()
        weft = os.path.join(self.build, "tools/weft/weft")
        with open(weft, encoding="utf-8") as file:
            self.program("tools/weft/weft", LAUNCH + file.read().split("\n", 1)[1])
        self.leaf("uni-leaf", "2.5", "17")
        self.leaf("uni-leaf-threads", "0.01", "0")
        self.leaf("uni-leaf-itoyori", "80", "160")
        self.program("bench/published/uni/uni-leaf-itoyori.launcher", "")
        with open(os.path.join(self.build, "bench/published/uni/uni-leaf-itoyori.launcher"), "w", encoding="utf-8") as file:
            file.write(os.path.join(self.build, "tools-there/mpiexec") + " env LC_ALL=C\n")
        self.tools(mpiexec=MPIEXEC)
        for mpi in smallest_leaf.MPIS:
            self.tools(**{f"mpirun.{mpi}": "exit 1"})
        self.program("net/mpi/libweft-net-mpich.so", "")

    def leaf(self, program, half, nine_tenths):
        self.program(f"bench/published/uni/{program}", f"""case "$1" in tree|steps) ;; *) exit 2 ;; esac
echo '{{"format": "weft-figures-1", "correct": true, "figures": {{"half_us": {half}, "nine_tenths_us": {nine_tenths}, "largest_us": 100,' \\
     '"smallest_us": 0.02}}, "facts": {{"leaves": 8192, "steps": 1, "version": "1"}}}}'""")

    def test_threads_ranks_nodes_and_rivals_stand_side_by_side(self):
        shown = self.published("smallest-leaf", "--repetitions", 1).stdout
        for group in smallest_leaf.SHAPES.values():
            table = shown.split(f"{group}: the smallest leaf at\n")[1].split("\n\n")[0]
            self.assertRegex(table, r"(?m)^  threads: 2 +<= 0\.01 us +0% +> 100 us")
            self.assertRegex(table, r"(?m)^  ranks: 2, one node +2\.50 us +0% +17\.00 us +0%")
            self.assertRegex(table, r"(?m)^  nodes: 2, MPICH on one machine +2\.50 us ")
            self.assertRegex(table, r"(?m)^  Itoyori, ranks: 2 +80\.00 us +0% +160\.00 us ")
            if not cluster.why_not():
                self.assertRegex(table, r"(?m)^  nodes: 2, MPICH between emulated nodes +2\.50 us ")
                self.assertRegex(table, r"(?m)^  Itoyori, nodes: 2, between emulated nodes +80\.00 us ")
        missing = next(line for line in shown.splitlines() if line.startswith("Not installed: "))
        self.assertIn("nodes: 2, Open MPI on one machine", missing)
        self.assertIn("MassiveThreads/DM, found by CMake", missing)

    def run_program(self, *words, status=0):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_programs_measure(self):
        folder = os.path.join(PROGRAMS, "bench", "published", "uni")
        if not os.path.isdir(folder):
            self.skipTest("no libweft-dist in this build")
        for words in (["uni-leaf", "steps"], ["uni-leaf-threads", "tree", 1]):
            record = experiment.read_figures(self.run_program(os.path.join(folder, words[0]), *words[1:]).stdout)
            self.assertTrue(record["correct"], words)
            sample = record["sample"]
            self.assertGreater(sample["largest_us"], sample["smallest_us"])
            self.assertGreater(sample["half_us"], 0, "on one processor even the largest leaf is at half of the speed")
        for words in ((), ("bush",)):
            self.assertIn("usage", self.run_program(os.path.join(folder, "uni-leaf"), *words, status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
