#!/usr/bin/env python3
"""What a failing model prints last, `again: ...`, gives the same schedule and the same failure again, step by step.

usage: replay_test.py PROGRAM, the one of planted_failures.cpp"""

import re
import shlex
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
FAILED = re.compile(r"^FAIL (.*?)  .*\n.*\n((?:.*\n)*?) +again: (.*)$", re.M)
FAILURES = {
    "a stale read, not a race": "assertion: one of them came first",
    "a race": "data race: writer writes",
    "a stale read, limited": "assertion: one of them came first",
    "two preemptions": "assertion: read in the middle",
    "a loop that nobody ends": "deadlock: spins for ever",
    "one that gives up": "assertion: it comes in time",
    "a wake-up left out": "deadlock: sleeper sleeps",
    "a deadline that comes early": "assertion: woken in time",
    "a model's own choice": "assertion: another sum",
    "a promise": "assertion: one of them came first",
}


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=250, check=False)


class ReplayTest(unittest.TestCase):
    def failures(self, *options):
        """The models that fail: their names, and of each the lines of its schedule and the words of the command that repeats it."""
        result = run(PROGRAM, *options)
        self.assertEqual(result.returncode, 1, result.stderr)
        return {name: (schedule.splitlines(), shlex.split(command)) for name, schedule, command in FAILED.findall(result.stdout)}

    def replayed(self, command):
        result = run(*command)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout.splitlines()

    def check(self, expected, *options):
        found = self.failures(*options)
        self.assertEqual(list(found), list(expected))
        for name, (schedule, command) in found.items():
            with self.subTest(name):
                self.assertGreater(len(schedule), 2, "steps and a failure")
                self.assertIn(expected[name], schedule[-1])
                self.assertEqual(self.replayed(command), schedule, command)

    def test_the_same_schedule_again(self):
        self.check(FAILURES)

    def test_with_the_bounds_of_a_deep_run(self):
        self.check({"in depth alone": "assertion: woken in time"}, "--deep", "--only", "in depth alone")

    def test_with_promises_on_request(self):
        schedule, _ = self.failures("--promises", "1", "--only", "promised on request")["promised on request"]
        self.assertIn("reads 1 (a promise", "\n".join(schedule))
        self.check({"promised on request": "assertion: one of them came first"}, "--promises", "1", "--only", "promised on request")

    def test_other_choices_give_another_schedule(self):
        schedule, command = self.failures("--only", "a stale read, limited")["a stale read, limited"]
        other = self.replayed([*command[:-1], "2/1/0"])
        self.assertNotEqual(other, schedule)
        self.assertNotIn("one of them came first", other[-1])

    def test_what_is_no_id_is_refused(self):
        for word in "nothing", "2/1/.4", "2/1/_", "2/1":
            result = run(PROGRAM, "--only", "a race", "--replay", word)
            self.assertEqual((result.returncode, result.stdout), (2, ""), word)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
