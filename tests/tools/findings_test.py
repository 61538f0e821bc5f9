#!/usr/bin/env python3
"""findings.py with findings made up here, and the form of those of the project, which are not run."""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNNER = os.path.join(TOP, "tools", "test", "findings.py")
sys.path.insert(0, os.path.dirname(RUNNER))

import findings

HEAD = """#!/bin/sh
# Water boils
# when it is hot.
#
# Version: water 1
# Seen: boils
# Needs: kettle
set -eu
"""


class FindingsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "findings")
        os.mkdir(self.folder)

    def finding(self, text, name="water.sh", head=HEAD, mode=0o755):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + text + "\n")
        os.chmod(path, mode)

    def start(self, *words):
        done = subprocess.run([sys.executable, "-B", RUNNER, "--folder", self.folder, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              input="words\n", text=True, timeout=250, check=False)
        return done.returncode, done.stdout

    def row(self, text, *words):
        """The exit status, and the finding's row of the table without its time."""
        self.finding(text)
        status, said = self.start(*words)
        rows = re.findall(r"^water.sh +(\w+) +[\d.]+  (.*)$", said, re.MULTILINE)
        self.assertEqual(len(rows), 1, said)
        return status, *rows[0]

    def test_one_that_holds(self):
        self.assertEqual(self.row("echo more; echo seen: boils"), (0, "held", "boils"))

    def test_a_field_of_the_head_goes_on_in_the_next_line(self):
        self.finding("echo seen: boils over", head=HEAD.replace("# Seen: boils\n", "# Seen: boils\n# over\n"))
        self.assertIn("1 held", self.start()[1])

    def test_one_that_has_changed(self):
        self.assertEqual(self.row("echo seen: freezes; exit 1"), (1, "changed", "freezes (before: boils)"))
        self.assertEqual(self.row("echo seen: freezes"), (1, "changed", "freezes (before: boils)"))

    def test_one_that_breaks_off_has_not_changed(self):
        self.assertEqual(self.row("echo no network; exit 2; echo seen: boils"), (1, "broken", "0 lines 'seen: ...', exit status 2: no network"))
        self.assertEqual(self.row("kill -KILL $$; echo seen: boils")[:2], (1, "broken"))
        self.assertEqual(self.row("echo seen: boils; exit 3"), (1, "broken", "exit status 3, though it saw what its head says: boils"))
        self.assertEqual(self.row("echo seen: boils; echo seen: boils")[:2], (1, "broken"))

    def test_one_that_does_not_end_is_ended_with_what_it_started(self):
        self.finding("sleep 1000 & echo started $!; echo seen: boils; wait")
        status, said = self.start("--limit-s", "2")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"(?m)^water.sh +broken .*  has not ended after 2 s$")
        self.assert_ends(said)

    def assert_ends(self, said):
        process = int(re.search(r"started (\d+)", said).group(1))
        with contextlib.suppress(ProcessLookupError):
            descriptor = os.pidfd_open(process)
            self.addCleanup(os.close, descriptor)
            if not select.select([descriptor], [], [], 30)[0]:
                os.kill(process, signal.SIGKILL)
                self.fail("what the finding started goes on")

    def test_what_one_that_has_ended_started_is_ended(self):
        self.finding("sleep 1000 & echo started $!; echo seen: freezes")
        self.assert_ends(self.start()[1])

    def test_it_reads_nothing_of_the_terminal(self):
        self.assertEqual(self.row('test -z "$(cat)"; echo seen: boils'), (0, "held", "boils"))

    def test_one_whose_output_is_no_text(self):
        self.assertEqual(self.row(r"printf '\377\n'; echo seen: boils"), (0, "held", "boils"))

    def test_one_that_leaves_something_behind(self):
        self.assertEqual(self.row("echo seen: boils; touch kettle"), (1, "broken", "leaves behind: kettle"))
        self.assertEqual(self.row('echo seen: boils; touch "$TMPDIR/cup"'), (1, "broken", "leaves behind: cup"))
        self.assertEqual(self.row("folder=$(mktemp -d)\ntrap 'rm -rf \"$folder\"' EXIT\ntouch \"$folder/cup\"; echo seen: boils"), (0, "held", "boils"))

    def test_it_sees_nothing_of_the_project(self):
        self.assertEqual(self.row('ls -A . "$(dirname "$0")" > ../seen; test "$(grep -v : ../seen)" = "\nwater.sh"; echo seen: boils'), (0, "held", "boils"))

    def test_the_table_and_the_output_of_what_does_not_hold(self):
        self.finding("echo hot; echo seen: boils", "a.sh")
        self.finding("echo cold; echo seen: freezes; exit 1", "b.sh")
        self.finding("exit 7", "c.sh", HEAD + "# seen: \n")
        with open(os.path.join(self.folder, "README.md"), "w", encoding="utf-8") as file:
            file.write("of the form\n")
        status, said = self.start()
        self.assertEqual(status, 1)
        self.assertIn("\nb.sh: changed; its output:\ncold\nseen: freezes\n", said)
        self.assertNotIn("hot\n", said)
        self.assertRegex(said, r"\nfinding  what      took s  seen\na.sh     held +[\d.]+  boils\nb.sh     changed .*\nc.sh     broken .*\n"
                               r"1 held, 1 changed, 1 broken\n\Z")

    def test_some_by_name(self):
        self.finding("echo seen: boils", "a.sh")
        self.finding("exit 1; echo seen: boils", "b.sh")
        status, said = self.start("a.sh")
        self.assertEqual((status, said.splitlines()[-1]), (0, "1 held, 0 changed, 0 broken"))
        status, said = self.start("d.sh")
        self.assertEqual(status, 2)
        self.assertIn("there is no d.sh", said)

    def assert_form(self, problem, text="echo seen: boils", **more):
        self.finding(text, **more)
        status, said = self.start()
        self.assertEqual(status, 1, said)
        self.assertIn(f"water.sh: {problem}", said)
        self.assertIn("1 findings, ", said)
        self.assertNotIn("held", said)

    def test_what_does_not_fit_the_form_is_not_run(self):
        self.assert_form("its head does not say what happens", head=HEAD.replace("# Water boils\n# when it is hot.\n", ""))
        for field in ("Version", "Seen", "Needs"):
            self.assert_form(f"its head has no '{field}:'", head=HEAD.replace(f"# {field}:", f"# no {field}:"))
        self.assert_form("it prints no line 'seen: ...'", "true")
        self.assert_form("it is not executable", mode=0o644)
        self.assert_form("its first line names no interpreter", head=HEAD.replace("#!/bin/sh", "# sh"))
        self.assert_form("it goes on after a command that fails", head=HEAD.replace("set -eu", ""))
        self.assert_form("its folder stays", "folder=$(mktemp -d); echo seen: boils")
        self.assert_form("it makes a file outside", "file=$(mktemp); echo seen: boils")
        self.assert_form("it names Weft", "echo seen: boils; cc -lweft x.c")

    def test_the_form_alone(self):
        self.finding("exit 1; echo seen: boils")
        self.assertEqual(self.start("--form"), (0, "1 findings, 0 problems of form\n"))

    def test_the_projects_findings_fit_the_form_and_their_packages_are_installed(self):
        names = findings.names_in(findings.FOLDER)
        self.assertEqual([problem for name in names for problem in findings.problems_of(findings.FOLDER, name)], [])
        with open(os.path.join(TOP, "tools", "setup", "packages.txt"), encoding="utf-8") as file:
            entries = re.search(r"^findings: (.*)$", file.read(), re.MULTILINE).group(1).split()
        packages = {entry.split("=")[0] for entry in entries}
        for name in names:
            with open(os.path.join(findings.FOLDER, name), encoding="utf-8") as file:
                needs = set(findings.head_of(file.read())["Needs"].split())
            self.assertEqual(needs - packages, set(), name)

    def test_each_finding_of_the_project_is_in_its_readme(self):
        with open(os.path.join(findings.FOLDER, "README.md"), encoding="utf-8") as file:
            listed = re.findall(r"^\| `([^`]+)` \|", file.read(), re.MULTILINE)
        self.assertEqual(sorted(listed), findings.names_in(findings.FOLDER))

    def test_the_word_findings_runs_them(self):
        said = subprocess.run(["make", "-n", "findings", "NAME=one", "ARGS=--form"], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertRegex(said, r"tools/test/findings.py one --form\n")


if __name__ == "__main__":
    unittest.main()
