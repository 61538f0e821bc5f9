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


class RegionsTest(PlantedPrograms):
    def setUp(self):
        super().setUp()
        self.plant("regions", 'test "$*" = "sleep 3 50 5" && printf "first 30 20\\nlater 6 4\\nresident 1000\\n"')
        self.plant("go", 'test "$1 $2" = "build -o" && printf "#!/bin/sh\\necho first 20 10\\necho later 12 8\\necho resident 500\\n" >"$3" && chmod +x "$3"')
        self.words = ("regions.py", "--workers", "3", "--threads", "50", "--milliseconds", "5", "--processes", "5")

    def run_with_path(self, path):
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = path
        return self.run_tool(*self.words)

    def test_ratios_are_those_to_goroutines(self):
        said = self.run_with_path(os.path.join(self.build, "bench", "micro") + ":/usr/bin:/bin")
        self.assertRegex(said, r"first wall +weft +30\.00 ms +go +20\.00 ms +1\.50 +1\.50 - 1\.50\n")
        self.assertRegex(said, r"later CPU +weft +4\.00 ms +go +8\.00 ms +0\.50 ")
        self.assertRegex(said, r"resident +weft +1000\.00 KiB +go +500\.00 KiB +2\.00 ")

    def test_without_go_nothing_is_compared(self):
        said = self.run_with_path(self.build)
        self.assertIn("no Go here", said)
        self.assertRegex(said, r"later wall +weft +6\.00 ms\n")

    def test_what_makes_no_sense_is_refused(self):
        self.run_tool("regions.py", "--threads", "0", status=2)
        self.plant("regions", "echo first 1 2")
        self.assertIn("something else than was expected", self.run_tool(*self.words, status=1))


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

    def test_regions(self):
        self.assertRegex(self.run_program("regions", "short", 1000).stdout, r"^region \d+\.\d+ ns, .*: \d+\.\d+ and \d+\.\d+ of them\n$")
        self.assertRegex(self.run_program("regions", "queue", 1, 3).stdout, r"^after a short region +median .* us\nafter a long region +median .* us\n$")
        self.assertRegex(self.run_program("regions", "sleep", 2, 20, 1).stdout, r"^first \S+ \S+\nlater \S+ \S+\nresident \d+\n$")
        for words in ((), ("short", 0), ("longer",)):
            self.assertIn("usage", self.run_program("regions", *words, status=2).stderr)

    def test_threads_off_the_shortest_way(self):
        for name in ("create-join-sized", "create-join-fifo", "create-join-priority"):
            self.assertGreater(float(self.run_program("micro-weft", name, 1).stdout), 0)


if __name__ == "__main__":
    unittest.main()
