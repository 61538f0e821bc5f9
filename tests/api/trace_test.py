#!/usr/bin/env python3
"""WEFT_TRACE: what trace_target did is in the file, once, in order, and in a form that Perfetto and chrome://tracing take.

usage: trace_test.py trace-target"""

import bisect
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

TARGET = sys.argv.pop(1)
WORKERS, THREADS, FORKS = 1, 2, 3


class Trace:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
        self.about, self.events = whole["otherData"], whole["traceEvents"]
        self.names = {
            (event["pid"], event["tid"]): event["args"]["name"] for event in self.events if event.get("name") == "thread_name"
        }

    def of(self, category):
        return [event for event in self.events if event.get("cat") == category]

    def turns(self, thread=None):
        return [turn for turn in self.of("turn") if thread in (None, turn["args"]["thread"])]

    def arrows(self, name):
        return [event for event in self.of("flow") if event["ph"] == "s" and event["name"] == name]

    def arrows_to(self, turn, name):
        """Where the arrows of this name begin that lead to the turn: the worker, and when."""
        heads = {event["id"] for event in self.of("flow")
                 if event["ph"] == "f" and event["name"] == name and (event["tid"], event["ts"]) == (turn["tid"], turn["ts"])}
        return [(tail["tid"], tail["ts"]) for tail in self.arrows(name) if tail["id"] in heads]

    def thread_named(self, start):
        return next(tid for (pid, tid), name in self.names.items() if pid == THREADS and name.startswith(start))


def begin(event):
    return round(event["ts"] * 1000)


def end(event):
    return round((event["ts"] + event["dur"]) * 1000)


class TraceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")

    def run_target(self, scene, **environment):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        variables.update({"WEFT_TRACE": self.path}, **environment)
        return subprocess.run([TARGET, scene], env=variables, capture_output=True, text=True, timeout=250, check=False)

    def traced(self, scene, **environment):
        done = self.run_target(scene, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.well_formed(Trace(self.path))

    # ---- what holds of every trace ----

    def well_formed(self, trace):
        self.slices_nest(trace)
        self.arrows_lead_from_slice_to_slice(trace)
        self.threads_are_in_one_state(trace)
        self.turns_are_there_once(trace)
        for event in trace.events:
            if event["ph"] != "M" and event["pid"] != FORKS:
                self.assertIn((event["pid"], event["tid"]), trace.names, "a track without a name")
        return trace

    def slices_nest(self, trace):
        open_slices = collections.defaultdict(list)
        for event in trace.events:
            if event["ph"] != "X":
                continue
            track = open_slices[event["pid"], event["tid"]]
            while track and end(track[-1]) <= begin(event):
                track.pop()
            if track:
                self.assertGreaterEqual(begin(event), begin(track[-1]), event)
                self.assertLessEqual(end(event), end(track[-1]), f"{event} goes beyond {track[-1]}")
            track.append(event)

    def arrows_lead_from_slice_to_slice(self, trace):
        tails = {event["id"]: event for event in trace.of("flow") if event["ph"] == "s"}
        heads = {event["id"]: event for event in trace.of("flow") if event["ph"] == "f"}
        self.assertEqual(tails.keys(), heads.keys())
        self.assertEqual(len(tails) + len(heads), len(trace.of("flow")), "an arrow twice")
        covered = self.covered_times(trace)
        for number, tail in tails.items():
            self.assertLessEqual(begin(tail), begin(heads[number]))
            for place in (tail, heads[number]):
                ends = covered[place["tid"]]
                next_end = bisect.bisect_left(ends, (begin(place), 0))
                self.assertTrue(next_end < len(ends) and ends[next_end][1] <= begin(place), f"{place} begins or ends nowhere")

    def covered_times(self, trace):
        """By worker: (end, begin) of each time in which slices follow each other without a gap, in order."""
        covered = collections.defaultdict(list)
        for event in sorted(trace.events, key=lambda event: event.get("ts", 0)):
            if event["ph"] != "X" or event["pid"] != WORKERS:
                continue
            times, first = covered[event["tid"]], begin(event)
            last = end(event)
            if times and first <= times[-1][0]:
                before = times.pop()
                first, last = before[1], max(last, before[0])
            times.append((last, first))
        return covered

    def turns_are_there_once(self, trace):
        turns = collections.Counter((each["args"]["thread"], each["ts"]) for each in trace.of("turn"))
        self.assertEqual([turn for turn, count in turns.items() if count != 1], [])

    def threads_are_in_one_state(self, trace):
        last = {}
        for state in trace.of("state"):
            self.assertGreaterEqual(begin(state), last.get(state["tid"], 0), state)
            last[state["tid"]] = end(state)

    # ---- what was done is there ----

    def test_notes_of_builders_are_marks_of_their_thread(self):
        trace = self.traced("notes")
        told = [note for note in trace.of("note") if note["name"] == "told (bytes)"]
        self.assertEqual([note["args"]["value"] for note in told], [1, 2, 3])
        self.assertEqual({note["args"]["thread"] for note in told}, {trace.thread_named("teller")})
        turn, = trace.turns(trace.thread_named("teller"))
        self.assertTrue(all(begin(turn) <= begin(note) <= end(turn) and note["tid"] == turn["tid"] for note in told))
        outside, = (note for note in trace.of("note") if note not in told)
        self.assertEqual((outside["name"], outside["args"]), ("told outside", {"thread": 0, "value": 1 << 52}))
        self.assertEqual(trace.names[WORKERS, outside["tid"]], "outside")

    def test_threads_with_names_turns_and_ends(self):
        trace = self.traced("threads")
        self.assertEqual(trace.about["ended"], "weft_finalize")
        self.assertEqual(trace.about["records_lost"], 0)
        ended = [turn for turn in trace.turns() if turn["args"]["left"] == "end"]
        self.assertEqual(len(ended), 40)
        self.assertEqual(len(trace.arrows("create")) + sum(turn["args"].get("stolen", False) and turn["args"]["why"] == "create"
                                                           for turn in trace.turns()), 40)
        self.assertEqual(len(trace.of("join")), 40)
        for index in range(40):
            thread = trace.thread_named(f"number {index} ")
            turns = trace.turns(thread)
            self.assertEqual([turn["args"]["left"] for turn in turns], ["yield"] * 3 + ["end"])
            self.assertEqual([turn["args"]["why"] for turn in turns], ["create"] + ["yield"] * 3)
            self.assertEqual(turns[0]["args"]["by"], 1, "main made it")
            self.assertEqual([join["args"] for join in trace.of("join") if join["args"]["thread"] == thread], [{"thread": thread, "by": 1}])

    def test_forks_in_their_joins(self):
        trace = self.traced("forks")
        self.assertEqual(len(trace.of("fork")), 232, "fib(12) forks so often")
        self.assertTrue(all(fork["name"] == "fib_run" and fork["args"]["since"] <= fork["ts"] for fork in trace.of("fork")))

    def test_every_fork_is_taken_or_runs_in_its_join(self):
        trace = self.traced("forks2")
        taken = [turn for turn in trace.turns() if turn["args"]["left"] == "end" and turn["name"].startswith("fib_run ")]
        self.assertEqual(len(trace.of("fork")) + len(taken), 232)

    def test_a_wait_says_for_what_and_who_ended_it(self):
        trace = self.traced("waiting")
        thread = trace.thread_named("a \"waiter\" \\ \u00fc \ufffd ")
        turns = trace.turns(thread)
        self.assertEqual([turn["args"]["left"] for turn in turns], ["park", "end"])
        self.assertEqual(turns[1]["args"]["waited_for"], "event")
        self.assertEqual((turns[1]["args"]["why"], turns[1]["args"]["by"]), ("wake", 1))
        self.assertEqual(trace.arrows_to(turns[1], "wake"), [(0, turns[1]["args"]["since"])])
        waits = [state for state in trace.of("state") if state["tid"] == thread and state["name"] == "waits"]
        self.assertEqual([wait["args"]["for"] for wait in waits], ["event"])
        self.assertEqual(end(waits[0]), round(turns[1]["args"]["since"] * 1000))

    def test_a_fork_that_its_forkers_worker_takes(self):
        trace = self.traced("taking")
        turn, = [turn for turn in trace.turns() if turn["args"]["why"] == "fork"]
        self.assertEqual((turn["args"]["by"], turn["args"].get("stolen", False)), (1, False))
        self.assertEqual(len(trace.arrows("fork")), 1)
        self.assertEqual(trace.arrows_to(turn, "fork"), [(0, turn["args"]["since"])])

    def test_forks_of_tasklets_and_of_os_threads_outside_are_not_recorded(self):
        trace = self.traced("unrecorded")
        self.assertEqual(trace.of("fork"), [])
        self.assertEqual([turn["args"]["left"] for turn in trace.turns(2)], ["end"], "the tasklet")

    def test_a_stolen_fork(self):
        trace = self.traced("stealing")
        arrows = trace.arrows("steal")
        self.assertEqual(len(arrows), 1)
        self.assertEqual(arrows[0]["tid"], 0)
        stolen = [turn for turn in trace.turns() if turn["args"].get("stolen")]
        self.assertEqual([(turn["tid"], turn["args"]["why"], turn["args"]["by"]) for turn in stolen], [(1, "fork", 1)])
        self.assertRegex(stolen[0]["name"], r"^taken \d+$")

    def test_forks_that_park_in_their_joins_and_elsewhere(self):
        trace = self.traced("parking")
        ended = [turn for turn in trace.turns() if turn["args"]["left"] == "end"]
        self.assertEqual(len(trace.of("fork")) + len(ended), 20)

    def test_a_migration(self):
        trace = self.traced("migrating")
        self.assertEqual(len(trace.arrows("migrate")), 1)
        self.assertIn(1, [turn["tid"] for turn in trace.turns() if turn["args"]["why"] == "migrate"])

    # ---- memory, files, death ----

    def test_a_small_ring_keeps_the_newest(self):
        trace = self.traced("turns", WEFT_TRACE_SIZE="64K")
        self.assertGreater(trace.about["records_lost"], 1000)
        self.assertLess(len(trace.turns()), 2 * 1024)
        self.assertGreater(trace.about["complete_from_us"], 0)
        self.assertTrue(all(turn["ts"] + turn["dur"] >= trace.about["complete_from_us"] - 0.001 for turn in trace.turns()))
        self.assertEqual(trace.turns()[-1]["args"]["thread"], 1, "main comes last")

    def test_the_size_of_the_file(self):
        self.assertEqual(self.run_target("forks").returncode, 0)
        self.assertLess(os.path.getsize(self.path), 200 * len(Trace(self.path).of("fork")))
        self.assertEqual(self.run_target("turns").returncode, 0)
        self.assertLess(os.path.getsize(self.path), 800 * len(Trace(self.path).turns()))

    def test_each_runtime_begins_the_file_anew(self):
        trace = self.traced("again")
        self.assertEqual(len(trace.of("fork")), 232)
        self.assertEqual(len(trace.turns()), len(trace.turns(1)), "only main is there")

    def test_who_ends_last_has_the_file(self):
        trace = self.traced("starting")
        self.assertEqual((len(trace.of("fork")), len(trace.of("join"))), (232, 0))

    def test_the_clock_is_named(self):
        try:
            with open("/sys/devices/system/clocksource/clocksource0/available_clocksource", encoding="utf-8") as file:
                sources = file.read()
        except OSError:
            sources = ""
        trusted = "tsc" in sources or "arch_sys_counter" in sources
        self.assertEqual(self.traced("forks").about["clock"], "cycles" if trusted else "monotonic")

    def test_bad_names_are_refused_with_the_cure(self):
        for path in ("/nonexistent/trace.json", "/", os.path.dirname(self.path)):
            done = self.run_target("forks", WEFT_TRACE=path)
            self.assertEqual(done.returncode, -signal.SIGABRT)
            self.assertIn(f"weft: error: WEFT_TRACE={path}: cannot be written", done.stderr)
            self.assertIn("WEFT_INVALID", done.stderr)

    def test_a_fifo_without_a_reader_is_refused_and_one_with_a_reader_is_written(self):
        os.mkfifo(self.path)
        done = self.run_target("forks")
        self.assertEqual(done.returncode, -signal.SIGABRT)
        self.assertIn("cannot be written (it is a FIFO that no program reads: start its reader first)", done.stderr)
        with subprocess.Popen(["cat", self.path], stdout=subprocess.PIPE) as reader:
            with open(self.path, "wb"):  # returns when the reader is there
                done = self.run_target("forks")
            written = reader.communicate(timeout=250)[0]
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("traceEvents", json.loads(written))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no full disk here")
    def test_a_full_disk_does_not_lose_the_program(self):
        done = self.run_target("threads", WEFT_TRACE="/dev/full")
        self.assertEqual(done.returncode, 0)
        self.assertIn("weft: warning: WEFT_TRACE=/dev/full: the trace could not be written completely", done.stderr)

    def death(self, scene, returncode, how):
        done = self.run_target(scene)
        self.assertEqual(done.returncode, returncode, done.stderr)
        trace = self.well_formed(Trace(self.path))
        self.assertEqual(trace.about["ended"], how)
        return trace

    def test_a_program_that_aborts(self):
        trace = self.death("aborting", -signal.SIGABRT, "SIGABRT")
        thread = trace.thread_named("patient ")
        self.assertEqual(trace.turns(1)[-1]["args"]["left"], "running")
        last = [state for state in trace.of("state") if state["tid"] == thread][-1]
        self.assertEqual((last["name"], last["args"]["for"]), ("waits", "weft_resume"))

    def test_a_program_that_aborts_while_others_run(self):
        self.assertEqual(self.run_target("aborting beside others").returncode, -signal.SIGABRT)
        self.turns_are_there_once(Trace(self.path))

    def test_a_program_that_handles_its_abort_has_an_empty_file(self):
        for scene in ("handling", "handling before"):
            with self.subTest(scene=scene):
                self.assertEqual(self.run_target(scene).returncode, 4)
                self.assertEqual(os.path.getsize(self.path), 0)

    def test_a_program_that_leaves_without_finalize(self):
        trace = self.death("leaving", 3, "exit without weft_finalize")
        trace.thread_named("patient ")

    def test_a_stack_overflow(self):
        trace = self.death("overflowing", -signal.SIGSEGV, "stack overflow")
        self.assertEqual(trace.turns(trace.thread_named("spelunker "))[-1]["args"]["left"], "running")

    def test_a_fault_that_nobody_handles(self):
        self.death("faulting", -signal.SIGSEGV, "SIGSEGV").thread_named("patient ")

    def test_two_faults_at_once(self):
        self.death("faulting together", -signal.SIGSEGV, "SIGSEGV")

    def test_a_deadlock_under_a_schedule(self):
        done = self.run_target("deadlocked", WEFT_SCHEDULE="seed:1")
        self.assertEqual(done.returncode, 86, done.stderr)
        trace = self.well_formed(Trace(self.path))
        self.assertEqual(trace.about["ended"], "deadlock")
        trace.thread_named("patient ")

    def test_a_child_process_does_not_write_its_parents(self):
        self.assertEqual(self.traced("parting").about["ended"], "weft_finalize")


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
