#!/usr/bin/env python3
"""What runs the tests notices what fails, and shows life while it runs: steps.py and progress.py, run.py and deep.py, compare_runs.py,
compare_lists.py, schedules.py and soak.py with programs that fail on purpose."""

import contextlib
import io
import itertools
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree
from unittest import mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVERS, STRESS = os.path.join(TOP, "tools", "test"), os.path.join(TOP, "tests", "stress")
sys.path[:0] = [DRIVERS, STRESS]

import compare_runs
import deep
import progress
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
        done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=250, check=False)
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

    def test_a_disabled_test_has_not_passed(self):
        step = steps.Tests("tests", 10)
        step.read(xml.etree.ElementTree.fromstring(
            '<testsuite tests="2" failures="0" skipped="0" disabled="1"><testcase name="right"/><testcase name="off" status="disabled"/></testsuite>'))
        self.assertEqual((step.passed, step.failed, step.skipped), (1, 0, 1))

    def test_what_is_skipped_is_listed_with_its_reason(self):
        step = steps.Tests("tests", 10)
        step.read(xml.etree.ElementTree.fromstring(
            '<testsuite tests="5" failures="0" skipped="3" disabled="0"><testcase name="told"><skipped/><system-out>skipped: no gdb here'
            '</system-out></testcase><testcase name="in other words"><skipped/><system-out>this kernel has no nodes</system-out></testcase>'
            '<testcase name="silent"><skipped/></testcase><testcase name="half"><system-out>test_x (X.test_x)\nA thing. ... '
            "skipped 'root alone may'\ntest_y ... skipped &quot;there isn't one&quot;\ntest_z ... skipped 'root alone may'</system-out></testcase>"
            '<testcase name="whole"><system-out>nothing was skipped: all ran ... ok</system-out></testcase></testsuite>'))
        _, said = self.captured(lambda: steps.report([step], 15))
        self.assertRegex(said, r"(?m)^skipped +tests: told: no gdb here\n +tests: in other words: this kernel has no nodes\n"
                               r" +tests: silent: it does not say why\n +tests: half: in part: root alone may; there isn't one\n\Z")

    def test_tests_that_a_slower_machine_would_end_are_listed(self):
        step = steps.Tests("tests", 10)
        step.seconds_of, step.limits = {"near": 41.0, "far": 39.0, "endless": 500.0}, {"near": 120.0, "far": 120.0}
        _, said = self.captured(lambda: steps.report([step], 15))
        self.assertRegex(said, r"(?m)^near their limits +tests: near took 41 s of 120\n\Z")


class StandInBuild(steps.Build):
    """Waits until it may end, and tells that it began and ended."""

    def __init__(self, name, preset, happened, may_end=None, error=None):
        super().__init__(name, 10, preset=preset)
        self.happened, self.may_end, self.error = happened, may_end, error

    def run(self, _):
        self.happened.append(f"{self.name} begins")
        if self.may_end:
            self.may_end.wait(60)
        if self.error:
            raise self.error
        self.happened.append(f"{self.name} ends")


class StandInTests(steps.Tests):
    def __init__(self, name, preset, happened, then=lambda: None):
        super().__init__(name, 10, preset=preset)
        self.happened, self.then = happened, then

    def run(self, _):
        self.happened.append(self.name)
        self.passed = 1
        self.then()


class BesideTest(DriverTest):
    def run_beside(self, *chosen):
        status, said = self.captured(lambda: steps.run_all(chosen, 2, steps.run_tests_beside_builds))
        return status, said

    def test_tests_run_while_the_next_preset_is_built(self):
        happened, second_may_end = [], threading.Event()
        status, said = self.run_beside(
            StandInBuild("build first", "first", happened),
            StandInTests("first", "first", happened, second_may_end.set),
            StandInBuild("build second", "second", happened, second_may_end),
            StandInTests("second", "second", happened))
        self.assertEqual((status, said.splitlines()[-1]), (0, "2 passed, 0 failed"))
        self.assertLess(happened.index("first"), happened.index("build second ends"))

    def test_tests_wait_for_each_build_of_their_preset_before_them(self):
        for _ in range(20):
            happened = []
            self.run_beside(
                StandInBuild("libraries", "only", happened), StandInTests("lint", "only", happened),
                StandInBuild("programs", "only", happened), StandInTests("api", "only", happened))
            for build, tests in (("libraries", "lint"), ("programs", "api")):
                self.assertLess(happened.index(f"{build} ends"), happened.index(tests))

    def test_a_build_that_breaks_off_fails_and_holds_nothing_up(self):
        happened = []
        status, said = self.run_beside(
            StandInBuild("build", "only", happened, error=OSError("no such thing")), StandInTests("tests", "only", happened))
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("OSError: no such thing", said)

    def test_the_slowest_tests_are_told(self):
        step = steps.Tests("tests", 10)
        step.read(xml.etree.ElementTree.fromstring(
            '<testsuite tests="2" failures="0" skipped="0" disabled="0"><testcase name="quick" time="0.01"/>'
            '<testcase name="slow" time="12.34"/></testsuite>'))
        _, said = self.captured(lambda: steps.report([step], 15))
        self.assertRegex(said, r"the slowest tests +12\.3  tests: slow\n +0\.0  tests: quick\n")


class CompareRunsTest(DriverTest):
    BEFORE = {"kept": ("1.5", 3), "other": ("1", 0)}

    def results(self, folder, tests, skipped=()):
        os.makedirs(self.path(folder), exist_ok=True)
        cases = "".join(
            f'<testcase name="{name}" time="{time}">{"<skipped/>" if name in skipped else ""}'
            f"<system-out>[doctest] test cases:  {cases} |  {cases} passed</system-out></testcase>" if cases else
            f'<testcase name="{name}" time="{time}">{"<skipped/>" if name in skipped else ""}</testcase>'
            for name, (time, cases) in tests.items())
        with open(self.path(folder, "api.xml"), "w", encoding="utf-8") as file:
            file.write(f"<testsuite>{cases}</testsuite>")
        return self.path(folder)

    def compare(self, after, skipped=()):
        before, after = self.results("before", self.BEFORE), self.results("after", after, skipped)
        return self.start(os.path.join(DRIVERS, "compare_runs.py"), before, after)

    def test_nothing_lost(self):
        status, said = self.compare({**self.BEFORE, "added": ("2", 0)})
        self.assertEqual(status, 0, said)
        self.assertIn("new: api: added\n", said)
        self.assertRegex(said, r"api +2\.5 s before +4\.5 s after")

    def test_a_test_or_a_case_that_is_lost(self):
        status, said = self.compare({"kept": ("1", 3)})
        self.assertEqual((status, said.splitlines()[0]), (1, "lost: api: other"))
        status, said = self.compare({"kept": ("1", 2), "other": ("1", 0)})
        self.assertEqual((status, said.splitlines()[0]), (1, "fewer test cases: api: kept: 3 before, 2 after"))

    def test_a_test_that_one_step_lost_and_another_has(self):
        before, after = self.results("before", self.BEFORE), self.results("after", self.BEFORE)
        os.link(os.path.join(before, "api.xml"), os.path.join(before, "clang.xml"))
        status, said = self.start(os.path.join(DRIVERS, "compare_runs.py"), before, after)
        self.assertEqual((status, said.splitlines()[:2]), (1, ["lost: clang: kept", "lost: clang: other"]))

    def test_a_test_that_is_skipped_is_lost(self):
        self.assertEqual(self.compare(self.BEFORE, skipped=("other",))[0], 1)

    def test_folders_without_results(self):
        before = self.results("before", self.BEFORE)
        for wrong in (self.folder, self.path("missing")):
            status, said = self.start(os.path.join(DRIVERS, "compare_runs.py"), before, wrong)
            self.assertEqual(status, 2)
            self.assertIn(wrong, said)
class CompareListsTest(DriverTest):
    RUN = ("import steps\n"
           "def everything(jobs):\n"
           "    return [steps.Tests('all', 1, preset='only', kinds='api|unit', excluding='_shared$', without='^odd$'),\n"
           "            steps.Tests('again', 1, preset='other', kinds='unit'),\n"
           "            steps.Commands('more', 1, preset='only', commands={commands})]\n")

    def checkout(self, name, tests, commands):
        """A folder with tests, (name, label) each, and a run.py of its own."""
        os.makedirs(self.path(name, "tools", "test"))
        shutil.copy(os.path.join(DRIVERS, "steps.py"), self.path(name, "tools", "test"))
        shutil.copy(os.path.join(DRIVERS, "progress.py"), self.path(name, "tools", "test"))
        files = {
            "tools/test/run.py": self.RUN.replace("{commands}", repr(commands)),
            "CMakePresets.json": json.dumps({
                "version": 6,
                "configurePresets": [{"name": preset, "generator": "Ninja", "binaryDir": "${sourceDir}/" + preset} for preset in ("only", "other")],
                "testPresets": [{"name": preset, "configurePreset": preset} for preset in ("only", "other")]}),
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(planted NONE)\nenable_testing()\n" + "".join(
                f"add_test(NAME {test} COMMAND true)\nset_tests_properties({test} PROPERTIES LABELS \"{label}\")\n" for test, label in tests),
        }
        for path, text in files.items():
            with open(self.path(name, path), "w", encoding="utf-8") as file:
                file.write(text)
        return self.path(name)

    def compare(self, after, commands):
        before = self.checkout("before", [("api.a", "api"), ("api.a_shared", "api"), ("unit.b", "unit"), ("model.c", "unit_like")], {"d": []})
        return self.start(os.path.join(DRIVERS, "compare_lists.py"), before, self.checkout("after", after, commands))

    def test_nothing_lost(self):
        status, said = self.compare([("api.a", "api"), ("unit.b", "unit"), ("unit.e", "unit")], {"d": []})
        self.assertEqual((status, said), (0, "new: only: unit.e\nnew: other: unit.e\n4 before, 6 after, 0 lost, 2 new\n"))

    def test_a_test_a_kind_or_a_command_that_is_lost(self):
        status, said = self.compare([("api.a", "api"), ("unit.b", "model")], {})
        self.assertEqual((status, said), (1, "lost: only: the command d\nlost: only: unit.b\nlost: other: unit.b\n4 before, 1 after, 3 lost, 0 new\n"))

    def test_what_is_lost_is_no_less_lost_beside_what_is_new(self):
        status, said = self.compare([("api.a", "api"), ("unit.e", "unit"), ("unit.f", "unit")], {"d": []})
        self.assertEqual((status, said.splitlines()[-1]), (1, "4 before, 6 after, 2 lost, 4 new"))

    def test_what_a_step_does_without_is_lost_to_it(self):
        status, said = self.compare([("api.a", "api;odd"), ("unit.b", "unit;odd")], {"d": []})
        self.assertEqual((status, said), (1, "lost: only: api.a\nlost: only: unit.b\n4 before, 2 after, 2 lost, 0 new\n"))

    def test_a_folder_that_is_no_checkout(self):
        status, said = self.start(os.path.join(DRIVERS, "compare_lists.py"), self.folder, self.folder)
        self.assertEqual(status, 2)
        self.assertIn("it has no tools/test/run.py", said)


class Listener(io.StringIO):
    """Standard output; makes a file once something is said, for which a program waits that is to be seen while it runs."""

    def __init__(self, awaited, path):
        super().__init__()
        self.awaited, self.path = awaited, path

    def write(self, text):
        written = super().write(text)
        if self.awaited in self.getvalue():
            open(self.path, "w", encoding="utf-8").close()
        return written


class ProgressTest(DriverTest):
    def counts(self, is_of_ctest, *lines):
        shown = progress.Progress()
        for line in lines:
            shown.read(line + "\n", is_of_ctest)
        return shown.done, shown.total, shown.unit, shown.failed

    def test_what_ctest_writes(self):
        self.assertEqual((6, 530, "tests", 3), self.counts(
            True, "Test project /x", "      Start   3: unit.list", "  1/530 Test   #3: unit.list .......................   Passed    0.01 sec",
            "  2/530 Test #417: api.thread_x_static_library ...***Failed    0.02 sec", "oh no",
            "  3/530 Test   #5: api.b .............***Skipped   0.00 sec", "  4/530 Test   #6: api.c ...***Exception: SegFault  0.01 sec",
            "  5/530 Test   #7: api.d .............***Not Run (Disabled)   0.00 sec", "  6/530 Test   #8: api.e ...***Timeout 120.01 sec",
            "[7/9] said by a test that failed", "FAILED: said by it, too"))

    def test_what_ninja_writes(self):
        self.assertEqual((3, 205, "built", 1), self.counts(
            False, "[1/205] Building CXX object a.o", "[2/205] Building CXX object b.o", "FAILED: c.o", "[3/205] Linking CXX executable d",
            "ninja: build stopped", " 9/9 Test #1: a ...   Passed"))

    def test_what_ninja_does_before_it_builds_is_not_counted(self):
        self.assertEqual((0, 0, "", 0), self.counts(False, "[0/2] Re-checking globbed directories...", "ninja: no work to do."))

    def test_time(self):
        self.assertEqual(["0:00", "0:59", "1:23", "1:00:01"], [progress.clock(seconds) for seconds in (0.9, 59, 83, 3601)])

    def run_all(self, out, *chosen):
        with contextlib.redirect_stdout(out):
            steps.run_all(chosen, 1)
        return out.getvalue().splitlines()

    def waiting(self):
        """A program's end that comes when the file "go on" was made; without it the program hangs for a while and fails."""
        return f"for i in $(seq 2000); do test -e '{self.path('go on')}' && exit 0; sleep 0.01; done; exit 1"

    def commands(self, name, *texts):
        return steps.Commands(name, 100, commands={str(number): ["sh", "-c", text] for number, text in enumerate(texts)})

    def test_without_a_terminal_each_step_has_a_line_at_its_begin_and_its_end(self):
        shown = self.run_all(io.StringIO(), self.commands("some", "true", "exit 1"), self.commands("others", "true"))
        self.assertEqual(shown[0], "[1/2] some ...")
        self.assertRegex(shown[1], r"^\[1/2\] some: 2/2 commands, 1 failed, 0:\d\d$")
        self.assertEqual(shown[2], "[2/2] others ...")
        self.assertRegex(shown[3], r"^\[2/2\] others: 1/1 commands, 0 failed, 0:\d\d$")

    def test_without_a_terminal_a_long_step_shows_signs_of_life(self):
        self.assertLessEqual(progress.LIFE_SIGN_S, 30)
        out = Listener("[1/1] long ... 1/2 commands, 0 failed, 0:", self.path("go on"))
        with mock.patch.object(progress, "LIFE_SIGN_S", 0.01):
            shown = self.run_all(out, self.commands("long", "true", self.waiting()))
        self.assertIn("2 passed, 0 failed", shown)

    def test_what_is_said_into_a_pipe_arrives_at_once(self):
        """A pipe's other end, such as a log that a user follows, has the begin of a step while the step still runs."""
        reader, writer = os.pipe()
        with os.fdopen(reader, encoding="utf-8") as shown, os.fdopen(writer, "w", encoding="utf-8") as out:
            with contextlib.redirect_stdout(out):
                progress.Progress(progress.Screen(), "[1/1] long").begin()
            self.assertTrue(select.select([shown], [], [], 0)[0], "nothing has arrived")
            self.assertEqual(shown.readline(), "[1/1] long ...\n")

    def test_what_is_done_shows_while_ctest_and_ninja_run(self):
        """Stand-ins for ctest and cmake, each of which says that one is done, and waits until that is shown."""
        for step, program, line, awaited in (
            (steps.Tests("tests", 10, preset="any", kinds="unit"), "ctest", " 1/2 Test #1: a ...***Failed 0.01 sec", "1/2 tests, 1 failed, 0:"),
            (steps.Build("build", 10, preset="any"), "cmake", "[1/2] Building a.o", "1/2 built, 0:"),
        ):
            os.makedirs(self.path(program))
            calls = f"echo '{line}'\n{self.waiting().replace('go on', program + '/go on')}"
            self.script('case $* in *"--preset any -j"*|*"--preset any -L"*) ;; *) exit 0 ;; esac\n' + calls, program, program)
            out = Listener(f"[1/1] {step.name} ... {awaited}", self.path(program, "go on"))
            with mock.patch.dict(os.environ, PATH=f"{self.path(program)}:{os.environ['PATH']}"), mock.patch.object(progress, "LIFE_SIGN_S", 0.01):
                self.run_all(out, step)
            self.assertTrue(os.path.exists(self.path(program, "go on")), out.getvalue())

    def test_on_a_terminal_one_line_is_written_over(self):
        terminal, end = os.openpty()
        with os.fdopen(end, "w") as out, mock.patch.dict(os.environ, TERM="xterm", COLUMNS="70"), contextlib.redirect_stdout(out):
            steps.run_all([self.commands("some", "true", "exit 1")], 1)
        shown = b""
        with contextlib.suppress(OSError):  # how the end of a terminal shows
            while piece := os.read(terminal, 4096):
                shown += piece
        os.close(terminal)
        lines = shown.decode().partition("\r\n\r\n")[0].split("\r\033[K")
        self.assertNotIn("\n", "".join(lines))
        self.assertTrue(any(line.startswith("[1/1] some ... 1/2 commands, 0 failed, 0:") for line in lines), lines)
        self.assertRegex(lines[-1], r"^\[1/1\] some: 2/2 commands, 1 failed, 0:\d\d$")

    def screen_on_a_terminal(self, columns, use):
        """What use, which takes a screen, shows on a terminal."""
        terminal, end = os.openpty()
        with os.fdopen(end, "w") as out, mock.patch.dict(os.environ, TERM="xterm", COLUMNS=str(columns)), contextlib.redirect_stdout(out):
            use(progress.Screen())  # not entered: nothing is drawn but what is asked for
        shown = b""
        with contextlib.suppress(OSError):  # a terminal's other end ends with an error
            while piece := os.read(terminal, 4096):
                shown += piece
        os.close(terminal)
        return re.sub(r"0:\d\d", "TIME", shown.decode())

    def test_a_line_is_no_longer_than_the_terminal(self):
        def use(screen):
            progress.Progress(screen, "[1/1] " + "a long name " * 10).begin()
            screen.draw()

        self.assertEqual(self.screen_on_a_terminal(30, use), "\r\033[K[1/1] a long name a long name")

    def test_steps_that_run_at_the_same_time_have_a_line_each(self):
        def use(screen):
            one, other = progress.Progress(screen, "[1/2] one"), progress.Progress(screen, "[2/2] other")
            one.begin()
            other.begin()
            other.expect(3, "commands")
            one.end("note")

        lines = "\r\033[K[1/2] one ... TIME\r\n\r\033[K[2/2] other ... 0/3 commands, 0 failed, TIME"
        cleared = "\r\033[K\033[A\r\033[K"
        self.assertEqual(self.screen_on_a_terminal(80, use),
                         lines + cleared + "[1/2] one: note, TIME\r\n" + "\r\033[K[2/2] other ... 0/3 commands, 0 failed, TIME")


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

    def test_families_run_on_what_ships_once_it_is_built(self):
        plan = run.everything(2)
        (place,) = (place for place, step in enumerate(plan) if step.name.startswith("families of C++ on release"))
        self.assertEqual(plan[place].environment, {"LD_LIBRARY_PATH": os.path.join(TOP, "build", "release")})
        self.assertTrue(any(isinstance(step, steps.Build) and step.preset == "release" and "weft" in step.targets for step in plan[:place]))

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

    def test_each_program_has_the_same_time(self):
        rounds = schedules.Rounds({("short",): itertools.count(), ("long",): itertools.count()})
        runs = []
        for _ in range(101):
            (name,), schedule = rounds.next()
            rounds.taken_s[(name,)] += {"short": 0.1, "long": 0.9}[name]
            runs.append((name, schedule))
        self.assertEqual(sum(name == "long" for name, _ in runs), 11)
        self.assertEqual([schedule for name, schedule in runs if name == "short"], list(range(90)))

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
