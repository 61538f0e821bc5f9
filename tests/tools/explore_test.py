#!/usr/bin/env python3
"""weft explore finds each planted fault, which plain runs seldom show, shrinks the schedule, and says how to repeat the failure.

usage: explore_test.py weft-command planted-program..."""

import os
import re
import signal
import stat
import subprocess
import sys
import time

import command

PLANTED = {os.path.basename(path).removeprefix("planted_"): path for path in sys.argv[2:]}
# For a program that is a script: ends well under the usual schedule, as one that uses Weft does.
USUAL = 'case "$WEFT_SCHEDULE" in record:*) echo "weft schedule 1" > "${WEFT_SCHEDULE#record:}"; exit 0;; esac\n'
# What ends a failing run, and how many choices besides the usual ones it needs at most.
FAULTS = {"lost_wakeup": (86, 3), "lock_order": (86, 5), "missing_join": (1, 5), "counter": (1, 4)}


class ExploreTest(command.CommandTest):
    def explore(self, *program, options=()):
        return command.run("explore", "--out", self.path("found"), *options, "--", *program)

    def script(self, text):
        self.write("program", ("#!/bin/sh\n" + text).encode())
        os.chmod(self.path("program"), stat.S_IRWXU)
        return self.path("program")

    def logging(self, program, **environment):
        """A program that notes each schedule under which it is run, and a function that reads them."""
        log = self.path("schedules")
        settings = "".join(f"{name}={value} " for name, value in environment.items())

        def schedules():
            with open(log, encoding="utf-8") as file:
                return file.read().split()

        return self.script(f'echo "$WEFT_SCHEDULE" >> {log}\n{settings}exec {program}\n'), schedules

    def test_plain_runs_on_one_worker_show_no_fault(self):
        for fault, program in PLANTED.items():
            for _ in range(10):
                plain = subprocess.run([program], env={**os.environ, "WEFT_WORKERS": "1"}, timeout=200, check=False)
                self.assertEqual(plain.returncode, 0, fault)

    def test_how_often_plain_runs_show_a_fault(self):
        for fault, program in PLANTED.items():
            ends = [subprocess.run([program], env={**os.environ, "WEFT_DEADLOCK": "abort"}, stderr=subprocess.DEVNULL, timeout=200,
                                   check=False).returncode for _ in range(20)]
            self.assertLessEqual(set(ends), {0, -signal.SIGABRT if FAULTS[fault][0] == 86 else 1}, fault)
            print(f"\nfigure: plain runs of {fault} that failed, of 20 = {len(ends) - ends.count(0)}", flush=True)

    def test_every_planted_fault_is_found_and_repeats(self):
        for fault, (status, most_choices) in FAULTS.items():
            with self.subTest(fault=fault):
                result = self.explore(PLANTED[fault], options=("--runs", 400))
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertRegex(result.stdout, rf"^seed:\d+\S* fails: exit status {status}")
                shrunk = int(re.search(r"; (\d+) do after shrinking", result.stdout)[1])
                self.assertTrue(1 <= shrunk <= most_choices, result.stdout)
                repeat = re.findall(r"^  (WEFT_SCHEDULE=.*)$", result.stdout, re.MULTILINE)
                self.assertEqual(len(repeat), 2, result.stdout)
                for line in repeat:
                    self.assertEqual(subprocess.run(line, shell=True, capture_output=True, timeout=200, check=False).returncode, status)

    def test_nothing_is_found_in_a_right_program(self):
        result = command.run("explore", "--runs", 20, "--", PLANTED["lock_order"], WEFT_WORKERS="1")
        self.assertEqual((result.returncode, result.stdout), (0, "20 schedules, and none made it fail\n"))

    def test_the_usual_schedule_comes_first_then_seeds_of_three_kinds(self):
        program, schedules = self.logging(PLANTED["lock_order"], WEFT_WORKERS=1)
        self.run_right("explore", "--runs", 6, "--seed", 7, "--", program)
        _, *tried = schedules()  # after one run that says how long it is
        shown = [re.sub(r"(record:|length:).*", r"\1", each) for each in tried]
        self.assertEqual(shown, ["record:", "seed:7", "seed:7,pct:3,length:", "seed:7,sample:pos", "seed:8", "seed:8,pct:3,length:"])

    def test_shrinking_ends_after_as_many_runs_as_it_may_take(self):
        program, schedules = self.logging(PLANTED["counter"])
        for most in (0, 3):
            result = self.explore(program, options=("--shrink", most))
            self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
            self.assertEqual(len([each for each in schedules() if each.startswith("near:")]), most)

    def test_crashes_and_hangs_are_failures(self):
        for end, words in (("kill -SEGV $$", "ended by signal 11"), ("sleep 60", "took longer than 1 s"),
                           ("exec >/dev/null 2>&1; sleep 60", "took longer than 1 s")):
            result = self.explore(self.script(USUAL + end), options=("--limit", 1, "--shrink", 2))
            self.assertEqual(result.returncode, 1)
            self.assertIn(words, result.stdout)

    def test_what_a_run_leaves_behind_ends_with_it(self):
        numbers = self.path("numbers")
        result = self.explore(self.script(f"{USUAL}echo said; sleep 600 & echo $! >> {numbers}\n"), options=("--runs", 4))
        self.assertEqual((result.returncode, result.stdout), (0, "4 schedules, and none made it fail\n"))
        with open(numbers, encoding="utf-8") as file:
            for number in file.read().split():
                self.assertFalse(self.is_sleeping(number))

    def is_sleeping(self, number):
        """The process, not one that has ended and was not waited for yet."""
        try:
            with open(f"/proc/{number}/stat", encoding="utf-8") as file:
                return "(sleep) S" in file.read()
        except FileNotFoundError:
            return False

    def test_each_run_reads_the_input_from_its_beginning(self):
        self.write("input", b"first\nsecond\n")
        program = self.script(f'read line; test "$line" = first || exit 3\n{USUAL}')
        with open(self.path("input"), "rb") as file:
            result = subprocess.run([command.WEFT, "explore", "--runs", "5", "--", program], stdin=file, capture_output=True,
                                    text=True, timeout=250, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, "5 schedules, and none made it fail\n"), result.stderr)

    def test_a_program_may_go_to_another_folder_first(self):
        os.mkdir(self.path("there"))
        program = self.script(f"cd there && exec {PLANTED['counter']}\n")
        result = subprocess.run([command.WEFT, "explore", "--out", "found", "--", program], cwd=self.folder, capture_output=True,
                                text=True, timeout=250, check=False)
        self.assertIn(f"to repeat it:\n  WEFT_SCHEDULE=replay:{self.path('found')} ", result.stdout)

    def test_an_interrupted_exploration_leaves_nothing(self):
        number = self.path("number")
        program = self.script(f"{USUAL}echo $$ > {number}.new; mv {number}.new {number}; exec sleep 600\n")
        os.mkdir(self.path("scratch"))
        running = subprocess.Popen([command.WEFT, "explore", "--limit", "600", "--", program], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": self.path("scratch")})
        while not os.path.exists(number):
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        running.terminate()
        running.communicate(timeout=250)
        self.assertEqual(running.returncode, -signal.SIGTERM)
        self.assertEqual(os.listdir(self.path("scratch")), [])
        with open(number, encoding="utf-8") as file:
            self.assertFalse(self.is_sleeping(file.read().strip()))

    def test_a_failure_that_does_not_repeat_is_told(self):
        once = self.path("once")
        result = self.explore(self.script(f"{USUAL}test -f {once} && exit 0; : > {once}; exit 3\n"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("exit status 3", result.stdout)
        self.assertIn("not when it is repeated", result.stdout)

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("program", self.refuse("explore"))
        self.assertIn("No such file", self.refuse("explore", "--", self.path("missing")))
        self.assertIn("has not started Weft", self.refuse("explore", "--", "true"))
        self.assertIn("--runs", self.refuse("explore", "--runs", "0", "--", "true"))
        self.assertIn("comma", self.refuse("explore", "--out", "a,b", "--", "true"))


if __name__ == "__main__":
    command.main()
