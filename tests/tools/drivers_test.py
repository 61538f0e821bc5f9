#!/usr/bin/env python3
"""What runs the tests notices what fails: steps.py, run.py and deep.py, schedules.py and soak.py with programs that fail on purpose."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVERS, STRESS = os.path.join(TOP, "tools", "test"), os.path.join(TOP, "tests", "stress")
sys.path[:0] = [DRIVERS, STRESS]

import deep
import run
import schedules
import soak
import steps


class DriverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        logs = mock.patch.object(steps, "LOGS", self.path("logs"))
        logs.start()
        self.addCleanup(logs.stop)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def script(self, text, *names):
        path = self.path(*names or ("program",))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def captured(self, call):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            result = call()
        return result, said.getvalue()

    def start(self, *words):
        done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, check=False)
        return done.returncode, done.stdout


class StepsTest(DriverTest):
    def commands(self, budget_s=100, **texts):
        return steps.Commands("some", budget_s, commands={name: ["sh", "-c", text] for name, text in texts.items()})

    def run_all(self, *chosen):
        status, said = self.captured(lambda: steps.run_all(chosen, 2))
        return status, said, said.splitlines()[-1]

    def test_a_command_that_fails(self):
        status, said, last = self.run_all(self.commands(right="echo 'figure: things done = 3'", wrong="echo oh no; exit 1"))
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertRegex(said, r"some: wrong failed:\noh no\n")
        self.assertIn("3 things done", said)

    def test_commands_that_do_not_fail(self):
        self.assertEqual(self.run_all(self.commands(right="true"))[::2], (0, "1 passed, 0 failed"))

    def test_a_command_that_dies_hangs_or_is_missing(self):
        self.assertEqual(self.run_all(self.commands(dies="kill -SEGV $$"))[::2], (1, "0 passed, 1 failed"))
        self.assertIn("has not ended after", self.run_all(self.commands(budget_s=0.05, hangs="exec sleep 60"))[1])
        missing = steps.Commands("some", 100, commands={"missing": [self.path("missing")]})
        self.assertEqual(self.run_all(missing)[::2], (1, "0 passed, 1 failed"))

    def test_nothing_to_run_is_a_failure(self):
        self.assertEqual(self.run_all(steps.Commands("none", 1))[::2], (1, "0 passed, 1 failed"))

    def test_a_preset_that_is_missing(self):
        for step in (steps.Build("build", 10, preset="missing"), steps.Tests("tests", 10, preset="missing", kinds="unit")):
            self.assertEqual(self.run_all(step)[::2], (1, "0 passed, 1 failed"))

    def test_what_ctest_says(self):
        step = steps.Tests("tests", 10)
        step.read(xml.etree.ElementTree.fromstring(
            '<testsuite tests="4" failures="1" skipped="1" disabled="0"><testcase name="right"><system-out>figure: runs = 2</system-out>'
            '</testcase><testcase name="wrong"><failure/><system-out>oh no</system-out></testcase></testsuite>'))
        self.assertEqual((step.passed, step.failed, step.skipped, step.failures, dict(step.figures)),
                         (2, 1, 1, {"wrong": "oh no"}, {"runs": 2}))


class PlansTest(DriverTest):
    def main(self, plan):
        with mock.patch.object(sys, "argv", ["driver"]):
            return self.captured(plan.main)

    def test_the_status_is_that_of_the_steps(self):
        for plan in (run, deep):
            for text, status in (("true", 0), ("exit 1", 1)):
                step = steps.Commands("some", 100, commands={"one": ["sh", "-c", text]})
                step.preset = "checked"
                with mock.patch.object(plan, "everything", return_value=[step]), mock.patch.dict(os.environ):
                    self.assertEqual(self.main(plan)[0], status)

    def test_no_such_step(self):
        for plan in ("run.py", "deep.py"):
            self.assertEqual(self.start(os.path.join(DRIVERS, plan), "--only", "no such thing")[0], 2)

    def test_models_that_fail_or_are_not_there(self):
        for text, failed in (("exit 0", 0), ("exit 1", 1)):
            self.script(text, "model", "model_one")
            with mock.patch.object(deep, "TESTS", self.folder):
                step = deep.Models("models", 100)
                step.run(2)
            self.assertEqual((step.passed, step.failed), (1 - failed, failed))
        with mock.patch.object(deep, "TESTS", self.path("nowhere")):
            step = deep.Models("models", 100)
            step.run(2)
        self.assertEqual(step.failed, 1)


class SchedulesTest(DriverTest):
    def schedules(self, *words):
        return self.start(os.path.join(DRIVERS, "schedules.py"), *words)

    def listed(self, *programs, seconds=1):
        with open(self.path("list"), "w", encoding="utf-8") as file:
            file.write("".join(f"{program}\n" for program in programs))
        return self.schedules("--seconds", str(seconds), "--first-seed", "5", "--list", self.path("list"))

    def test_a_failure_is_told_once_with_what_repeats_it(self):
        program = self.script('test "$WEFT_SCHEDULE" = seed:1 || { echo oh no; exit 3; }')
        status, said = self.schedules("--schedule", "seed:1", "--schedule", "seed:2", "--schedule", "seed:3", program)
        self.assertEqual(status, 1)
        self.assertIn(f"oh no\n\nexit status 3; to repeat it:\n  WEFT_SCHEDULE=seed:2 STRESS_SEED=2 {program}\n", said)
        self.assertTrue(said.endswith("1 of 1 programs failed\nfigure: schedules run = 2\n"), said)

    def test_programs_that_end_well(self):
        status, said = self.listed(self.script("exit 0"))
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"0 of 1 programs failed\nfigure: schedules run = [1-9]")

    def test_of_two_programs_one_fails(self):
        status, said = self.listed(self.script("exit 0", "right"), self.script("exit 1", "wrong"), seconds=3)
        self.assertEqual(status, 1)
        self.assertEqual(said.count("to repeat it"), 1)
        self.assertIn("1 of 2 programs failed", said)

    def test_it_ends_when_all_have_failed(self):
        status, said = self.listed(self.script("exit 1"), seconds=1000)
        self.assertEqual(status, 1)
        self.assertIn("1 of 1 programs failed", said)

    def test_no_program(self):
        self.assertNotEqual(self.listed()[0], 0)
        status, said = self.listed(self.path("missing"))
        self.assertNotEqual(status, 0)
        self.assertIn(self.path("missing"), said)

    def test_a_hang(self):
        with mock.patch.object(schedules, "LIMIT_S", 0.2):
            self.assertIn("has not ended", schedules.run(("sleep", "60"), "seed:1")[0])


class SoakTest(DriverTest):
    def soak(self, text):
        self.script(text, "tests", "stress", "stress_programs")
        return self.start(os.path.join(STRESS, "soak.py"), self.folder, "--seconds", "1", "--seed", "1", "--only", "programs")

    def test_programs_with_right_answers(self):
        status, said = self.soak("echo 'figure: programs soaked = 2'; sleep 0.1")
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"figure: programs soaked = [1-9]")

    def test_a_failure_is_told_with_what_repeats_it(self):
        status, said = self.soak("echo 'figure: programs soaked = 2'; echo STRESS_SEED=77; sleep 0.1; exit 3")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"soak: programs ended with status 3\nrepeat: .*STRESS_SEED=77 STRESS_SECONDS=0 .*/stress_programs \d+\n")

    def test_nothing_done_is_a_failure(self):
        self.assertEqual(self.soak("sleep 0.1")[0], 1)

    def test_a_program_that_is_missing(self):
        status, said = self.start(os.path.join(STRESS, "soak.py"), self.folder)
        self.assertEqual(status, 1)
        self.assertIn("has no stress_programs", said)

    def test_a_hang(self):
        self.script("exec sleep 60", "tests", "stress", "stress_wakeups")
        hanging = soak.Run(self.folder, "wakeups", 0, mock.Mock(random=lambda: 1, randrange=lambda *_: 1))
        with mock.patch.object(soak, "HANGS_AFTER_S", 0.2), mock.patch.object(soak.time, "sleep"):
            self.assertEqual(hanging.finish(), (None, ""))


if __name__ == "__main__":
    unittest.main()
