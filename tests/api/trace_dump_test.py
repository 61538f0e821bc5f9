#!/usr/bin/env python3
"""weft_trace_dump, and WEFT_TRACE=keep: what is written while a program runs is a whole trace, which weft profile reads.

usage: trace_dump_test.py trace-dump-target [weft]"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest

WEFT = sys.argv.pop(2) if len(sys.argv) > 2 else None

import trace_test  # takes the target from the command line


class DumpTest(unittest.TestCase):
    well_formed = trace_test.TraceTest.well_formed
    slices_nest = trace_test.TraceTest.slices_nest
    covered_times = trace_test.TraceTest.covered_times
    arrows_lead_from_slice_to_slice = trace_test.TraceTest.arrows_lead_from_slice_to_slice
    turns_are_there_once = trace_test.TraceTest.turns_are_there_once
    threads_are_in_one_state = trace_test.TraceTest.threads_are_in_one_state

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.kept = os.path.join(self.folder, "kept.json")

    def run_target(self, scene, **environment):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        variables.update(environment)
        return subprocess.run([trace_test.TARGET, scene, self.folder], env=variables, capture_output=True, text=True, timeout=250,
                              check=False)

    def succeeds(self, scene, **environment):
        done = self.run_target(scene, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def read(self, path):
        if WEFT:
            profile = subprocess.run([WEFT, "profile", path], capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(profile.returncode, 0, profile.stderr)
            self.assertNotIn("died", profile.stdout)
            is_dump = "The program went on after this dump (" in profile.stdout
            self.assertEqual(is_dump, trace_test.Trace(path).about["ended"].startswith("not yet ("))
        return self.well_formed(trace_test.Trace(path))

    def dump(self, name):
        return self.read(os.path.join(self.folder, f"{name}.json"))

    def notes(self, trace):
        return [note["name"] for note in trace.of("note")]

    def test_what_ran_runs_and_waits(self):
        self.succeeds("quiet", WEFT_TRACE="keep")
        first, second = self.dump("first"), self.dump("second")
        self.assertEqual(first.about["ended"], "not yet (weft_trace_dump)")
        self.assertEqual((self.notes(first), self.notes(second)), (["before"], ["before", "between"]))
        for trace in (first, second):
            patient = trace.thread_named("patient ")
            last = [state for state in trace.of("state") if state["tid"] == patient][-1]
            self.assertEqual((last["name"], last["args"]["for"]), ("waits", "event"))
            self.assertEqual(trace.turns(1)[-1]["args"]["left"], "running")
        self.assertEqual(sorted(os.listdir(self.folder)), ["first.json", "second.json"])

    def test_a_trace_that_is_written_at_the_end_can_be_dumped_too(self):
        self.succeeds("quiet", WEFT_TRACE=self.kept)
        self.assertEqual(self.notes(self.dump("second")), ["before", "between"])
        self.assertEqual(self.read(self.kept).about["ended"], "weft_finalize")

    def test_dumps_while_workers_write_heavily(self):
        self.succeeds("heavy", WEFT_TRACE="keep", WEFT_TRACE_SIZE="64K")
        for name in [*range(6), "outside"]:
            self.dump(name)
        self.assertGreater(self.dump(5).about["records_lost"], 0)
        self.assertTrue(self.dump(5).turns())

    def test_what_is_refused(self):
        self.succeeds("refused", WEFT_TRACE="keep")
        self.dump("after")
        self.succeeds("untraced")

    def test_a_child_process_has_no_trace(self):
        self.succeeds("child", WEFT_TRACE="keep")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_signal_has_the_trace_written_and_named(self):
        done = self.succeeds("asked", WEFT_TRACE=f"keep:{self.kept}", WEFT_DUMP_SIGNAL="usr1")
        self.assertIn(f"weft: trace: what came before is in {self.kept}\n", done.stderr)
        self.assertEqual(self.read(self.kept).about["ended"], "not yet (signal)")

    def test_a_signal_writes_nothing_of_a_trace_without_a_file(self):
        self.assertNotIn("trace:", self.succeeds("asked", WEFT_TRACE="keep", WEFT_DUMP_SIGNAL="usr1").stderr)

    def test_the_watchdog_writes_and_names_the_trace(self):
        done = self.succeeds("stalled", WEFT_TRACE=f"keep:{self.kept}", WEFT_WATCHDOG="100ms")
        self.assertRegex(done.stderr, rf"watchdog: worker \d has been in [^\n]*\n(?s:.*)weft: trace: what came before is in {self.kept}\n")
        trace = self.read(self.kept)
        self.assertEqual(trace.about["ended"], "not yet (stall)")
        culprit = trace.turns(trace.thread_named("culprit "))
        self.assertEqual([turn["args"]["left"] for turn in culprit], ["running"])

    def test_a_signal_writes_nothing_of_a_trace_that_is_written_at_the_end(self):
        self.assertNotIn("trace:", self.succeeds("asked", WEFT_TRACE=self.kept, WEFT_DUMP_SIGNAL="usr1").stderr)
        self.assertEqual(self.read(self.kept).about["ended"], "weft_finalize")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no full disk here")
    def test_a_full_disk_is_told(self):
        done = self.succeeds("stalled", WEFT_TRACE="keep:/dev/full", WEFT_WATCHDOG="100ms")
        self.assertIn("weft: warning: WEFT_TRACE=keep:/dev/full: the trace could not be written (No space left on device)",
                      done.stderr)

    def test_nothing_is_written_at_a_good_end(self):
        self.succeeds("quiet", WEFT_TRACE=f"keep:{self.kept}")
        self.assertEqual(os.path.getsize(self.kept), 0)

    def test_the_end_of_a_program_that_dies_is_written(self):
        self.assertEqual(self.run_target("aborts", WEFT_TRACE=f"keep:{self.kept}").returncode, -signal.SIGABRT)
        self.assertEqual(self.well_formed(trace_test.Trace(self.kept)).about["ended"], "SIGABRT")
        self.dump("first")

    def test_a_dump_that_fails_leaves_the_earlier_file(self):
        self.succeeds("limited", WEFT_TRACE="keep")
        self.assertEqual(sorted(os.listdir(self.folder)), ["first.json", "third.json"])
        for name in ("first", "third"):
            self.dump(name)

    def test_a_death_in_the_middle_of_a_dump_is_written(self):
        self.assertEqual(self.run_target("dies_in_dump", WEFT_TRACE=f"keep:{self.kept}").returncode, -signal.SIGABRT)
        trace = self.well_formed(trace_test.Trace(self.kept))
        self.assertEqual((trace.about["ended"], len(self.notes(trace))), ("SIGABRT", 5000))

    def test_the_last_signal_has_the_trace_written(self):
        self.assertEqual(self.run_target("quits", WEFT_TRACE=f"keep:{self.kept}").returncode, -signal.SIGQUIT)
        self.assertEqual(self.notes(self.well_formed(trace_test.Trace(self.kept))), ["before"])

    def test_a_deadlock_has_the_trace_written(self):
        variables = {**{name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}, "WEFT_TRACE": f"keep:{self.kept}"}
        with subprocess.Popen([trace_test.TARGET, "stands_still", self.folder], env=variables, stderr=subprocess.PIPE, text=True) as still:
            lines = iter(still.stderr.readline, "")
            self.assertTrue(any("trace: what came before is in" in line for line in lines))
            trace = self.read(self.kept)
            still.kill()
        self.assertEqual((trace.about["ended"], self.notes(trace)), ("not yet (deadlock)", ["before"]))

    def test_bad_forms_are_refused(self):
        for value, line in (("keep:", "WEFT_TRACE=keep:: want a file's name, keep:FILE, or keep"),
                            ("keep:/nonexistent/x", "WEFT_TRACE=/nonexistent/x: cannot be written")):
            done = self.run_target("quiet", WEFT_TRACE=value)
            self.assertEqual(done.returncode, -signal.SIGABRT)
            self.assertIn(f"weft: error: {line}", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
