#!/usr/bin/env python3
"""The experiment uni-address-nodes (bench/published/uni_nodes.py), with stand-ins for the programs that measure, and those programs once.
The argument, if there is one, is a build folder."""

import json
import os
import shutil
import subprocess
import sys
import unittest

from published_test import PROGRAMS, TOP, PublishedCase

import experiment
import pictures
import uni_nodes

# weft launch -q -n RANKS --mpi MPI [--mpi-args WORDS] PROGRAM WORD...; weft info --ranks N ...; weft simulate steal ...
WEFT = r"""#!/bin/sh
echo "$WEFT_DIST_POLICY $WEFT_DIST_POLL $*" >> $0.calls
if [ "$1" = info ]; then
  for each in 1 2 3 4 5 6 7 8; do echo "  put, then flush        one-sided: no   median $each.25 us"; done; exit
fi
if [ "$1" = simulate ]; then
  echo "operations workers simulated efficiency steals probes steal us"
  for workers in $(echo "$4" | tr , ' '); do
    echo "3 $workers 1.50 ms 0.9500 7 8 3.00"; echo "2 $workers 1.40 ms 0.9700 7 8 2.00"
  done
  exit
fi
ranks=$4; shift 6; if [ "$1" = --mpi-args ]; then shift 2; fi
export ranks; exec "$@"
"""
TREE = """seconds=$(awk "BEGIN { print 1.0 / ${ranks:-1} }")
echo '{"format": "weft-figures-1", "correct": true, "figures":' \\
     '{"seconds": '$seconds', "work_seconds": 0.9, "steals_of_rank_0": 7}, "facts": {}}'"""


class UniNodesTest(PublishedCase):
    """Stand-ins: one rank takes 1 s, more divide that by their number."""

    def setUp(self):
        super().setUp()
        self.program("tools/weft/weft", WEFT.split("\n", 1)[1])
        for program in ("uni-tree", "uni-kernels"):
            self.program(f"bench/published/uni/{program}", TREE)
        self.program("bench/published/uni/uni-mpich-alone", "exit 0")
        self.steal()
        self.tools(**{"mpirun.mpich": 'if [ "$1" = --version ]; then echo HYDRA; exit; fi; shift 2; exec "$@"'})
        self.program("net/mpi/libweft-net-mpich.so", "")

    def steal(self, claims=(20000, 30000)):
        ranks = [{"forks": 5, "steals": len(claims), "stolen_bytes": 90, "claims_ns": claims, "copies_ns": [20000] * len(claims),
                  "take_ups_ns": [5000] * len(claims), "starts_ns": [70000], "resumes_ns": []},
                 {"forks": 5, "steals": 0, "stolen_bytes": 0, "claims_ns": [], "copies_ns": [], "take_ups_ns": [], "starts_ns": [],
                  "resumes_ns": [40000]}]
        self.program("bench/published/uni/uni-steal", "\n".join(f"echo '{json.dumps(rank)}'" for rank in ranks))

    def asked(self):
        with open(os.path.join(self.build, "tools/weft/weft.calls"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_steals_programs_policies_and_the_start(self):
        shown = self.published(uni_nodes.NAME, "--repetitions", 1).stdout
        several = len(os.sched_getaffinity(0)) > 1
        if several:
            table = shown.split("nodes: a steal, MPICH, between ranks apart\n")[1].split("\n\n")[0]
            self.assertRegex(table, r"optimised +25.0 us +20.0 us +5.0 us +50.0 us +0% +70.0 us +70.0 us +40.0 us +0% +45 +2 of 5 ")
            self.assertIn("Aim, 3 operations: at most 65 us: holds (50.0 us)", table)
            table = shown.split("nodes: an operation, MPICH, between ranks apart, as the start finds it\n")[1].split("\n\n")[0]
            self.assertRegex(table, r"ranks +1.2 us .*8.2 us")
            self.assertTrue(any(call.startswith("optimised 0 launch -q -n 2") for call in self.asked()), self.asked())
        table = shown.split("nodes: MPICH: BTC, 2 iterations, btc 13 2\n")[1].split("\n\n")[0]
        self.assertRegex(table, r"1 rank, no MPI +1,000.00 ms .* measured")
        shared = "oversubscribed +measured" if len(os.sched_getaffinity(0)) < 4 else "measured"
        self.assertRegex(table, rf"4 ranks, 1 node +250.00 ms .*{shared}")
        self.assertRegex(table, r"at most 1.03 times without: holds \(1.00 \[1.00, 1.00\]\)")
        table = shown.split("nodes: start and end of 8 ranks on one node, MPICH\n")[1].split("\n\n")[0]
        self.assertRegex(table, r"Aim: at most 1 s beyond the MPI's own: holds \(")
        self.assertIn("3 operations: efficiency of 1 workers 0.950, 15 workers 0.950", shown)
        self.assertIn("Aim: at least 0.96: is missed", shown)
        self.assertIn("simulated: PFor", shown)
        self.assertIn("Not installed: ", shown)  # Open MPI's module
        if not uni_nodes.cluster.why_not() and several:
            self.assertRegex(shown, r"2 ranks, 2 nodes +500.00 ms .*to 3840 cores")
            self.assertIn("Aim, 2 nodes: at least 1.85 times one rank: holds", shown)
            for policy, published in uni_nodes.POLICIES.items():
                self.assertRegex(shown, rf"{policy} +{uni_nodes.TITLES[policy]} +500.0 ms +0% +90.0% +7 +{published}")
        else:
            self.assertIn("no nodes on this machine" if several else "MPICH", shown)
        self.check_picture(shown)

    def check_picture(self, shown):
        if pictures.find_python() is None:
            return self.assertIn("No picture: matplotlib is not installed", shown)
        picture = next(line for line in shown.splitlines() if line.startswith("Picture: ")).split(": ")[1]
        with open(picture, encoding="utf-8") as file:
            drawn = file.read()
        for word in ("speed-up", "workers (simulated)", "ranks (measured)"):
            self.assertIn(word, drawn)
        script = os.path.join(TOP, "bench", "published", "uni_nodes_picture.py")
        done = subprocess.run([pictures.find_python(), script, "/dev/null", picture], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        return self.assertIn("/dev/null cannot be drawn", done.stderr)

    def test_no_steal_at_all_is_told(self):
        rank = {"forks": 5, "steals": 0, "stolen_bytes": 0, **{name: [] for _, name in uni_nodes.PHASES}}
        cell = experiment.new_cell("a steal", "optimised", 2, status="measured")
        cell["samples"] = [uni_nodes.read(json.dumps(rank))["sample"]]
        table = uni_nodes.show_steals([cell])
        self.assertIn("0 of 5", table)
        self.assertNotIn("Aim", table)

    def test_both_parts_run_together(self):
        """`uni-address` measures this experiment, too."""
        with open(os.path.join(TOP, "bench", "published", "published.py"), encoding="utf-8") as file:
            self.assertIn("return [name, uni_nodes.NAME]", file.read())

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_the_programs_tell_what_they_measure(self):
        folder = os.path.join(PROGRAMS, "bench", "published", "uni")
        weft = os.path.join(PROGRAMS, "tools", "weft", "weft")
        if not os.path.exists(os.path.join(folder, "uni-tree")) or not os.path.exists(weft):
            self.skipTest("no programs on ranks in this build")
        for words in (("btc", 6, 1), ("btc", 4, 2), ("recpfor", 3, 5), ("nothing",)):
            done = self.run_tree(folder, words)
            record = experiment.read_figures(done.stdout)
            self.assertTrue(record["correct"], (words, done))
        for words in ((), ("btc",), ("btc", 0, 1), ("recpfor", 25, 1), ("nothing", 1)):
            done = self.run_tree(folder, words)
            self.assertEqual((done.returncode, done.stderr.count("usage")), (2, 1), words)
        for mpi in uni_nodes.MPIS:
            self.run_on_ranks(mpi, folder, weft)

    def run_tree(self, folder, words):
        command = [os.path.join(folder, "uni-tree"), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)

    def run_on_ranks(self, mpi, folder, weft):
        module = os.path.join(PROGRAMS, "net", "mpi", f"libweft-net-{mpi}.so")
        if not os.path.exists(module) or not shutil.which(f"mpirun.{mpi}"):
            return
        apart = {**os.environ, "WEFT_LAUNCH_APART": "on"}
        tree = os.path.join(folder, "uni-tree")
        operations = {f"{window}, {name}" for window in ("stacks", "words") for name in ("get", "put", "add", "swap")}
        for words, names in ((["--", tree, "btc", "10", "1"], {"seconds", "work_seconds", "ranks", "steals_of_rank_0"}),
                             (["--whole", "--", tree, "nothing"], {"seconds"}),
                             (["--no-weft", "--", os.path.join(folder, f"uni-{mpi}-alone")], {"seconds"}),
                             (["--", "info"], operations)):
            command = [sys.executable, uni_nodes.ON_NODES, weft, "ranks", "1", "--ranks", "2", "--mpi", f"mpirun.{mpi}", *words]
            done = subprocess.run(command, env=apart, capture_output=True, text=True, timeout=500, check=False)
            self.assertEqual(done.returncode, 0, done)
            record = uni_nodes.read(done.stdout)
            self.assertTrue(record["correct"], done)
            self.assertEqual(set(record["sample"]), names)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
