#!/usr/bin/env python3
"""WEFT_TRACE of several ranks is one file, with one clock: what a rank has stolen was running on its victim just then.

usage: trace_test.py WEFT LEAF DEEP ENDS TRACED     LEAF: dist_leaf, which cannot end without steals; DEEP: dist_deep, which dies; ENDS:
dist_ends, whose threads are about to wait and go on where they are; TRACED: dist_traced, on nodes whose clocks differ"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import traces  # noqa: E402  # pylint: disable=wrong-import-position

WEFT, LEAF, DEEP, ENDS, TRACED = sys.argv[1:6]


def run(program, *words, **environment):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=250, check=False,
                          env={**os.environ, "WEFT_LAUNCH_TABLE": "off", **environment})


class TraceTest(unittest.TestCase, traces.TraceChecks):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")

    def read(self):
        about, events = traces.read(self.path)
        return about, traces.of_kind(events, "turn")

    def test_two_ranks(self):
        result = run(LEAF, "first", WEFT_TRACE=self.path, WEFT_LAUNCH_RANKS="2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        about, turns = self.read()
        self.assertEqual((about["ended"], about["records_lost"]), ("weft_finalize", 0))
        stolen = [turn for turn in turns if turn["args"].get("stolen")]
        self.assertGreaterEqual(len(stolen), 20)
        for turn in stolen:
            victims = [other for other in turns if other["args"]["thread"] == turn["args"]["by"]
                       and other["ts"] <= turn["args"]["since"] <= other["ts"] + other["dur"]]
            self.assertEqual([victim["tid"] for victim in victims], [1 - turn["tid"]], turn)
        began = [turn["args"]["thread"] for turn in turns if turn["args"]["why"] in ("start", "fork")]
        self.assertEqual(len(began), len(set(began)), "two threads have one number")
        self.assertEqual(set(began), {turn["args"]["thread"] for turn in turns})
        self.check_waits(turns)
        self.check_all(2, 20)
        forked = {turn["name"].rsplit(" ", 1)[0] for turn in stolen}
        self.assertIn("stay", forked)
        self.assertLessEqual(forked, {"stay", "stay_again", "stay_once_others_are_idle", "fork_when_robbed", "fork_twice", "end_at_once"})
        profile = run(WEFT, "profile", self.path)
        self.assertEqual(profile.returncode, 0, profile.stderr)
        self.assertRegex(profile.stdout, r"wall time .* on 2 workers")
        self.assertNotIn("died", profile.stdout)

    def test_threads_that_go_on_where_they_are(self):
        result = run(ENDS, WEFT_TRACE=self.path, WEFT_LAUNCH_RANKS="2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        about, turns = self.read()
        self.assertEqual((about["ended"], about["records_lost"]), ("weft_finalize", 0))
        self.check_waits(turns)

    def check_all(self, ranks, least_steals):
        about, events = traces.read(self.path)
        self.assertEqual((about["ended"], about["records_lost"]), ("weft_finalize", 0))
        self.check_threads(about, events, ranks)
        self.check_arrows(about, events, ranks)
        self.assertGreaterEqual(self.check_steals(about, events, ranks), least_steals)
        return about

    def test_ranks_with_one_clock(self):
        result = run(TRACED, WEFT_TRACE=self.path, WEFT_LAUNCH_RANKS="3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertNotIn("clocks", self.check_all(3, 10))

    def test_nodes_with_clocks_that_differ(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                result = run(TRACED, WEFT_TRACE=self.path, WEFT_LAUNCH_RANKS=str(ranks), WEFT_LAUNCH_APART="on")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.check_planted_clocks(self.check_all(ranks, 10), ranks)
        shown = run(WEFT, "profile", "-o", self.path + ".svg", self.path)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"\nclocks +aligned, each to [\d.]+ [mun]?s or better\n")
        self.assertRegex(shown.stdout, r"\nrank +node +busy +of the time +stealing +idle +turns +stolen\n-+\n0 +\S+ ")
        self.assertRegex(shown.stdout, r"\nclaim +\d+ .*\ncopy +\d+ .*\ntake up +\d+ ")

    def check_waits(self, turns):
        """A thread that waits goes on as itself, on whatever rank."""
        ends = {}
        for turn in sorted(turns, key=lambda turn: turn["ts"]):
            self.assertEqual(turn["args"]["why"] == "wake", ends.get(turn["args"]["thread"]) == "park", turn)
            ends[turn["args"]["thread"]] = turn["args"]["left"]
        self.assertEqual(set(ends.values()), {"end"})

    def test_one_process(self):
        result = run(DEEP, "none", WEFT_TRACE=self.path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([turn["args"]["why"] for turn in self.read()[1]], ["start"])

    def test_a_rank_that_dies(self):
        run(DEEP, "forks", WEFT_TRACE=self.path, WEFT_LAUNCH_RANKS="2", WEFT_DIST_STACK="144K")
        self.assertEqual(self.read()[0]["ended"], "a rank failed or died")

    def test_a_file_that_cannot_be_written(self):
        result = run(DEEP, "none", WEFT_TRACE="keep:trace", WEFT_LAUNCH_RANKS="2")
        self.assertIn("weft: error: WEFT_TRACE=keep:trace: ranks write their trace at the end alone; name a file\n", result.stderr)
        result = run(DEEP, "none", WEFT_TRACE="/nowhere/trace", WEFT_LAUNCH_RANKS="2")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Aweft: error: WEFT_TRACE=/nowhere/trace: cannot be written [^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
