#!/usr/bin/env python3
"""WEFT_SCHEDULE: the same seed is the same run, a record replays it, and what makes no sense is refused.

usage: schedule_test.py weft-command program..."""

import os
import re
import subprocess
import sys
import unittest

import command

PLANTED = {os.path.basename(path).removeprefix("planted_"): path for path in sys.argv[2:]}
DEADLOCK, DIVERGED = 86, 87


def run(program, schedule, **environment):
    return subprocess.run([PLANTED[program]], capture_output=True, text=True, timeout=200, check=False,
                          env={**os.environ, **environment, "WEFT_SCHEDULE": schedule})


class ScheduleTest(command.CommandTest):
    def record(self, program, schedule, name="record"):
        """What the run came to, and its record."""
        path = self.path(name)
        result = run(program, f"{schedule},record:{path}" if schedule else f"record:{path}")
        with open(path, encoding="utf-8") as file:
            return result, file.read()

    def test_the_same_seed_is_the_same_run(self):
        for schedule in ("", "seed:1", "seed:7", "seed:7,pct:3,length:40", "seed:7,sample:pos"):
            with self.subTest(schedule=schedule):
                first, trace = self.record("counter", schedule)
                again, trace_again = self.record("counter", schedule, "again")
                self.assertEqual(trace, trace_again)
                self.assertEqual((first.returncode, first.stderr), (again.returncode, again.stderr))
                self.assertRegex(trace, r"^weft schedule 1\nrun 1, 4 workers\n")
                self.assertRegex(trace, r"\nend [1-9][0-9]* [0-9a-f]{8}\n$")

    def test_other_seeds_are_other_runs(self):
        traces = {self.record("counter", f"seed:{seed}")[1] for seed in range(8)}
        self.assertGreater(len(traces), 6)

    def test_without_a_seed_each_choice_is_the_usual_one(self):
        result, trace = self.record("counter", "")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(trace.count("\n"), 3, trace)

    def test_a_record_repeats_the_failure(self):
        seed = next(seed for seed in range(1, 100) if run("counter", f"seed:{seed}").returncode == 1)
        failed, trace = self.record("counter", f"seed:{seed}", "failed")
        path = self.path("failed")
        for word in ("replay", "near"):
            again, trace_again = self.record("counter", f"{word}:{path}", "again")
            self.assertEqual((again.returncode, again.stderr), (1, failed.stderr))
            self.assertEqual(trace_again, trace)

    def test_regions_and_sources_repeat(self):
        counts, orders = set(), set()
        for seed in range(1, 40):
            schedule = f"seed:{seed}" + ("", ",pct:3,length:60", ",sample:pos")[seed % 3]
            first, trace = self.record("tools_regions", schedule)
            again, trace_again = self.record("tools_regions", schedule, "again")
            self.assertEqual((trace_again, again.stdout, again.returncode), (trace, first.stdout, first.returncode))
            replayed, trace_of_replay = self.record("tools_regions", f"replay:{self.path('record')}", "replayed")
            self.assertEqual((trace_of_replay, replayed.stdout, replayed.stderr), (trace, first.stdout, first.stderr))
            self.assertIn(first.returncode, (0, 1), first.stderr)
            order, count = first.stdout.split()
            counts.add(int(count))
            orders.add(order)
        self.assertIn(4, counts)
        self.assertGreater(len(counts), 2, "threads of one worker run in each other's regions")
        self.assertGreater(len(orders), 6)

    def test_the_usual_region_is_short(self):
        result, trace = self.record("tools_regions", "")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(trace.count("\n"), 3, trace)

    def test_a_deadlock_ends_the_run_and_keeps_its_record(self):
        seed = next(seed for seed in range(1, 100) if run("lock_order", f"seed:{seed}").returncode == DEADLOCK)
        failed, trace = self.record("lock_order", f"seed:{seed}", "failed")
        self.assertIn("deadlock: nothing can ever run again", failed.stderr)
        self.assertIn(f"exit status {DEADLOCK}", failed.stderr)
        self.assertNotIn("\nend", trace)
        self.assertEqual(run("lock_order", f"replay:{self.path('failed')}").returncode, DEADLOCK)

    def test_deadlock_abort_still_aborts(self):
        seed = next(seed for seed in range(1, 100) if run("lock_order", f"seed:{seed}").returncode == DEADLOCK)
        self.assertEqual(run("lock_order", f"seed:{seed}", WEFT_DEADLOCK="abort").returncode, -6)

    def test_a_replay_of_something_else_diverges(self):
        self.record("counter", "seed:1")
        result = run("lock_order", f"replay:{self.path('record')}")
        self.assertEqual(result.returncode, DIVERGED, result.stderr)
        self.assertRegex(result.stderr, r"replay diverged (at|after) choice \d+")

    def test_a_changed_record_diverges(self):
        _, trace = self.record("counter", "seed:1")
        lines = trace.split("\n")
        self.assertGreater(len(lines), 6)
        self.write("cut", "\n".join(lines[:2] + lines[3:]).encode())
        self.assertEqual(run("counter", f"replay:{self.path('cut')}").returncode, DIVERGED)

    def test_near_leaves_out_what_does_not_fit(self):
        _, trace = self.record("counter", "seed:1")
        *before, last, _, _ = trace.split("\n")
        self.assertGreater(len(before), 2)
        number, kind, which, sum_so_far = last.split()
        for line in (f"{number} {'turn' if kind == 'victim' else 'victim'} {which} {sum_so_far}", f"{number} {kind} 98/99 {sum_so_far}"):
            with self.subTest(line=line):
                self.write("unfit", "\n".join([*before, line, ""]).encode())
                result, again = self.record("counter", f"near:{self.path('unfit')}", "again")
                self.assertIn(result.returncode, (0, 1), result.stderr)
                self.assertRegex(again, r"\A" + re.escape("\n".join(before)) + r"\nend \d+ \w+\n\Z")
                self.assertEqual(run("counter", f"replay:{self.path('unfit')}").returncode, DIVERGED)

    def test_a_replay_says_where_an_os_thread_outside_made_it_another_run(self):
        first, _ = self.record("tools_outside", "seed:1")
        self.assertEqual(first.returncode, 0, first.stderr)
        replay = f"replay:{self.path('record')}"
        self.assertEqual(run("tools_outside", replay).returncode, 0)
        result = run("tools_outside", replay, OUTSIDE_LOOKS="1000")
        self.assertEqual(result.returncode, DIVERGED, result.stderr)
        self.assertRegex(result.stderr, r"replay diverged (at|after) choice \d+")

    def test_a_run_that_ends_elsewhere_diverges(self):
        _, trace = self.record("counter", "seed:1")
        self.write("longer", re.sub(r"end (\d+)", lambda end: f"end {int(end[1]) + 1}", trace).encode())
        result = run("counter", f"replay:{self.path('longer')}")
        self.assertEqual(result.returncode, DIVERGED)
        self.assertRegex(result.stderr, r"replay diverged after choice \d+.* this run ended after \d+ choices")

    def test_a_line_that_is_none_of_a_record_is_named(self):
        _, trace = self.record("counter", "seed:1")
        for number, was, broken in ((2, "run 1, ", "run 1 "), (3, " ", " t"), (3, "/", "|"), (len(trace.splitlines()), "end", "ned")):
            lines = trace.splitlines()
            lines[number - 1] = lines[number - 1].replace(was, broken, 1)
            self.write("broken", "\n".join(lines).encode())
            for word in ("replay", "near"):
                with self.subTest(line=lines[number - 1], word=word):
                    result = run("counter", f"{word}:{self.path('broken')}")
                    self.assertEqual(result.returncode, 1)
                    self.assertIn(f"line {number} of {self.path('broken')} is none of a record", result.stderr)

    def test_runs_that_the_record_does_not_have_take_the_usual_choices(self):
        self.write("second", b"weft schedule 1\nrun 2, 3 workers\n")
        result = run("counter", f"replay:{self.path('second')}")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_number_of_workers_must_be_that_of_the_record(self):
        self.record("counter", "seed:1")
        result = run("counter", f"replay:{self.path('record')}", WEFT_WORKERS="3")
        self.assertEqual(result.returncode, 1)
        self.assertIn("set WEFT_WORKERS=4", result.stderr)

    def test_what_makes_no_sense_is_refused(self):
        for schedule in ("seed", "seed:", "seed:x", "seed:-1", "seed:18446744073709551616", "sead:1", "seed:1,replay:x", "pct:3",
                         "sample:pos", "seed:1,sample:x", "seed:1,pct:2,sample:pos", "near:x,sample:pos", "seed:1,pct:0", "seed:1,pct:65", "seed:1,length:0", "record:", "seed:1,", ",", "replay:"):
            with self.subTest(schedule=schedule):
                result = run("counter", schedule)
                self.assertEqual(result.returncode, 1)
                self.assertIn(f"error: WEFT_SCHEDULE={schedule}: want one of seed:N, replay:FILE, near:FILE", result.stderr)

    def test_files_that_cannot_be_used_are_named(self):
        missing = self.path("missing", "file")
        self.write("other", b"not a record\n")
        for schedule, words in ((f"replay:{missing}", "cannot be read: No such file"),
                                (f"seed:1,record:{missing}", "cannot be written: No such file"),
                                (f"near:{self.path('other')}", "is no record of a schedule")):
            with self.subTest(schedule=schedule):
                result = run("counter", schedule)
                self.assertEqual(result.returncode, 1)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    command.main()
