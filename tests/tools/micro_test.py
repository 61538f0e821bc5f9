#!/usr/bin/env python3
"""bench/micro's comparisons: loops.py and compare.py over programs that print what the test says, and the programs that they run.

usage: micro_test.py [build-folder]"""

import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]) else None


class PlantedPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = folder.name
        os.makedirs(os.path.join(self.build, "bench", "micro"))

    def plant(self, name, script):
        path = os.path.join(self.build, "bench", "micro", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)

    def run_tool(self, name, *words, status=0):
        command = [sys.executable, os.path.join(TOP, "bench", "micro", name), self.build, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr


class LoopsTest(PlantedPrograms):
    def plant_all(self):
        self.plant("loops-plain", 'test "$2" = 100000 && echo 200000 || echo 20000')  # 2 ns a round
        self.plant("loops-weft", 'test "$1" = first && echo 3000 || echo 25000')
        self.plant("loops-openmp", 'test "$1" = first && echo 1000 || echo 10000')

    def test_ratios_are_those_to_plain_calls(self):
        self.plant_all()
        said = self.run_tool("loops.py", "--quick")
        self.assertRegex(said, r"2x10 +plain +20\.00 us\n +weft +25\.00 us +1\.25 +1\.25 - 1\.25\n +openmp +10\.00 us +0\.50 ")
        self.assertRegex(said, r"weft +3\.0 us")
        self.assertNotIn("tbb", said)

    def test_all_programs_do_the_same_rounds(self):
        self.plant_all()
        self.plant("loops-weft", 'test "$1" = first && echo 1 || { test "$1 $2 $3" = "4 500 3" && echo 7; }')  # 1 us at 2 ns a round
        self.run_tool("loops.py", "--loops", "4x1", "--workers", "3", "--processes", "1")

    def test_what_makes_no_sense_is_refused(self):
        self.plant_all()
        for words in (("--loops", "0x1"), ("--loops", "2"), ("--workers", "0")):
            self.run_tool("loops.py", *words, status=2)
        self.plant("loops-openmp", "exit 3")
        self.assertIn("exit status 3", self.run_tool("loops.py", "--quick", status=1))


class CompareTest(PlantedPrograms):
    def test_another_operation_may_be_the_rival(self):
        self.plant("micro-weft", 'test "$1" = create-join && echo 10 || echo 40')
        self.plant("micro-argobots", 'test "$1" = create-join && echo 20 || exit 1')
        said = self.run_tool("compare.py", "--only", "create-join-fifo", "--processes", "5")
        self.assertRegex(said, r"create-join-fifo +1 +40\.0 +10\.0 +4\.00 .* weft create-join\n")
        self.assertRegex(said, r"create-join-fifo +1 +40\.0 +20\.0 +2\.00 .* argobots create-join\n")

    def test_a_rival_that_is_not_there_is_told(self):
        self.plant("micro-weft", "echo 10")
        said = self.run_tool("compare.py", "--only", "create-join", "--processes", "5")
        self.assertIn("argobots is not installed", said)
        self.assertRegex(said, r"create-join +2 +10\.0 +10\.0 +1\.00 .* weft on one worker\n")


@unittest.skipUnless(PROGRAMS, "needs a build folder")
class ProgramsTest(unittest.TestCase):
    def run_program(self, name, *words, status=0):
        command = [os.path.join(PROGRAMS, "bench", "micro", name), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_loops_of_weft_and_of_plain_calls(self):
        for name in ("loops-plain", "loops-weft"):
            self.assertGreater(float(self.run_program(name, 2, 10, 2).stdout), 0)
            self.assertGreater(float(self.run_program(name, "first", 2).stdout), 0)
            for words in (("first", 0), (0, 10, 2), (2, -1, 2), ("first",)):
                self.assertIn("usage", self.run_program(name, *words, status=2).stderr)

    def test_threads_off_the_shortest_way(self):
        for name in ("create-join-sized", "create-join-fifo", "create-join-priority"):
            self.assertGreater(float(self.run_program("micro-weft", name, 1).stdout), 0)


if __name__ == "__main__":
    unittest.main()
