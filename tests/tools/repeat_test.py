#!/usr/bin/env python3
"""What steps.py tells of a step that failed ends with a line that repeats it."""

import contextlib
import os
import subprocess
import unittest
from unittest import mock

import drivers_test
from drivers_test import run, steps


class RepeatTest(drivers_test.DriverTest):
    """What is told of a failed step ends with a line that repeats it: the line is run."""

    PRESETS = ('{"version": 6, "configurePresets": [{"name": "only", "generator": "Ninja", "binaryDir": "${sourceDir}/b"}],'
               ' "buildPresets": [{"name": "only", "configurePreset": "only"}], "testPresets": [{"name": "only", "configurePreset": "only"}]}')
    # Each target and each test notes that it ran; a test fails while there is no file "cured", or without its variable.
    PROJECT = """cmake_minimum_required(VERSION 3.25)
project(planted NONE)
enable_testing()
foreach(name IN ITEMS library programs others)
  add_custom_target(${name} COMMAND echo ${name} >> ${PROJECT_SOURCE_DIR}/ran)
endforeach()
add_test(NAME api.right COMMAND sh -c "echo right >> ${PROJECT_SOURCE_DIR}/ran")
foreach(name IN ITEMS wrong++ wrong--)
  add_test(NAME api.${name} COMMAND sh -c "echo ${name} >> ${PROJECT_SOURCE_DIR}/ran; test -e ${PROJECT_SOURCE_DIR}/cured && test \\"$WORDS\\" = 'two words'")
endforeach()
set_tests_properties(api.right api.wrong++ PROPERTIES LABELS api)
set_tests_properties(api.wrong-- PROPERTIES LABELS "api;odd")
"""

    def setUp(self):
        super().setUp()
        for name, text in (("CMakePresets.json", self.PRESETS), ("CMakeLists.txt", self.PROJECT)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        top = mock.patch.object(steps, "TOP", self.folder)
        top.start()
        self.addCleanup(top.stop)

    def lines(self, *chosen):
        _, said = self.captured(lambda: steps.run_all(list(chosen), 2))
        return [line.removeprefix("repeat: ") for line in said.splitlines() if line.startswith("repeat: ")], said

    def repeat(self, line):
        """The exit status of the line, and what it ran."""
        with contextlib.suppress(OSError):
            os.remove(self.path("ran"))
        status = subprocess.run(line, shell=True, cwd=self.folder, capture_output=True, timeout=100, check=False).returncode
        with contextlib.suppress(OSError), open(self.path("ran"), encoding="utf-8") as file:
            return status, sorted(file.read().split())
        return status, []

    def failing_tests(self, **more):
        return steps.Tests("tests", 100, preset="only", kinds="api", environment={"WORDS": "two words"}, **more)

    def test_failed_tests_are_repeated_after_the_builds_of_their_preset(self):
        builds = [steps.Build("library", 100, preset="only", targets=("library",)), steps.Build("programs", 100, preset="only", targets=("programs",)),
                  steps.Build("of another", 100, preset="another", targets=("others",))]
        (of_another, line), said = self.lines(*builds, self.failing_tests())
        self.assertEqual(of_another, "cmake --preset another && cmake --build --preset another --target others")
        self.assertEqual(line, "cmake --preset only && cmake --build --preset only --target library programs && WORDS='two words' ctest --preset only"
                               " -R '^(api\\.wrong\\+\\+|api\\.wrong--)$' --output-on-failure")
        self.assertRegex(said, r"tests: api.wrong-- failed:\n\n*repeat: .*\n[0-9]+ passed, 3 failed\n\Z")
        self.assertEqual(self.repeat(line), (8, ["library", "programs", "wrong++", "wrong--"]))
        self.script("", "cured")
        self.assertEqual(self.repeat(line), (0, ["library", "programs", "wrong++", "wrong--"]))
        self.assertEqual(self.repeat(line.replace("WORDS='two words'", ""))[0], 8)

    def test_tests_of_two_presets_are_repeated_after_the_builds_of_both(self):
        builds = [steps.Build("library", 100, preset="only", targets=("library",)), steps.Build("of another", 100, preset="another", targets=("others",))]
        (_, line), _ = self.lines(*builds, self.failing_tests(also_preset="another"))
        self.assertRegex(line, "^cmake --preset only && cmake --build --preset only --target library && "
                               "cmake --preset another && cmake --build --preset another --target others && WORDS=")

    def test_tests_have_the_variables_of_their_step(self):
        self.script("", "cured")
        _, said = self.lines(steps.Build("all", 100, preset="only"), self.failing_tests())
        self.assertEqual(said.splitlines()[-1], "3 passed, 0 failed")

    def test_a_build_after_the_tests_is_not_repeated(self):
        (line,), _ = self.lines(steps.Build("programs", 100, preset="only", targets=("programs",)), self.failing_tests(),
                                steps.Build("others", 100, preset="only", targets=("others",)))
        self.assertEqual(self.repeat(line), (8, ["programs", "wrong++", "wrong--"]))

    def test_a_build_of_all_targets_is_repeated_as_such(self):
        builds = [steps.Build("library", 100, preset="only", targets=("library",)), steps.Build("all", 100, preset="only")]
        (line,), _ = self.lines(*builds, self.failing_tests())
        self.assertIn(" && cmake --build --preset only && ", line)

    def test_many_failed_tests_are_repeated_as_the_whole_step(self):
        with mock.patch.object(steps, "TESTS_NAMED", 1):
            (line,), _ = self.lines(steps.Build("all", 100, preset="only"), self.failing_tests())
        self.assertEqual(self.repeat(line), (8, ["right", "wrong++", "wrong--"]))

    def test_what_a_step_excludes_stays_excluded(self):
        with mock.patch.object(steps, "TESTS_NAMED", 0):
            (line,), _ = self.lines(steps.Build("all", 100, preset="only"), self.failing_tests(excluding="[+]$"))
        self.assertEqual(self.repeat(line), (8, ["right", "wrong--"]))

    def test_what_a_step_does_without_is_left_out(self):
        with mock.patch.object(steps, "TESTS_NAMED", 0):
            (line,), _ = self.lines(steps.Build("all", 100, preset="only"), self.failing_tests(without="^odd$"))
        self.assertEqual(self.repeat(line), (8, ["right", "wrong++"]))

    def test_tests_that_could_not_be_run(self):
        (line,), said = self.lines(steps.Tests("tests", 10, preset="missing", kinds="a|b"))
        self.assertEqual(line, "ctest --preset missing -L '^(a|b)$' -E '^$' --output-on-failure")
        self.assertIn("\ntests: ctest failed\nrepeat: ", said)

    def test_a_build_that_fails(self):
        (line,), said = self.lines(steps.Build("build", 100, preset="only", targets=("library", "no such target")))
        self.assertEqual(line, "cmake --preset only && cmake --build --preset only --target library 'no such target'")
        self.assertIn("\nbuild: does not build\nrepeat: ", said)
        self.assertEqual(self.repeat(line)[0], 1)
        self.assertEqual(self.repeat(line.replace(" 'no such target'", "")), (0, ["library"]))

    def test_each_failed_command_is_repeated_with_its_variables(self):
        text = 'echo "$WORDS" >> ran; exit 3'
        step = steps.Commands("some", 100, commands={"right": ["true"], "wrong": ["sh", "-c", text]}, environment={"WORDS": "it's"})
        (line,), _ = self.lines(step)
        self.assertEqual(self.repeat(line), (3, ["it's"]))

    def test_what_holds_needs_no_repeating(self):
        self.assertEqual(self.lines(steps.Commands("some", 100, commands={"right": ["true"]}))[0], [])

    def test_variables_of_the_plans_are_in_the_line(self):
        for step in run.everything(2, 7):
            of_stress = isinstance(step, steps.Tests) and "stress" in step.kinds
            self.assertEqual("STRESS_SECONDS=7 ctest" in "".join(step.lines_to_repeat([])), of_stress, step.name)


if __name__ == "__main__":
    unittest.main()
