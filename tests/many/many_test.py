#!/usr/bin/env python3
"""make many: the shipped sources compute right answers on 1 to 255 CPUs, each run the same, and the tables and the picture are there."""

import os
import subprocess
import sys
import tempfile
import unittest

import machine

BUILD = sys.argv[1]
PROGRAM = os.path.join(BUILD, "tests", "many", "many-weft")
SCRIPT = os.path.join(machine.HERE, "many.py")


def run(words, **settings):
    return machine.run(PROGRAM, words.split(), machine.Settings(**settings))


def many(*words):
    return subprocess.run([sys.executable, "-B", SCRIPT, BUILD, *words], capture_output=True, text=True, check=False)


class Programs(unittest.TestCase):
    """The programs compare their answers with right ones, and fail otherwise."""

    def test_kernels_on_some_numbers_of_cpus(self):
        for words in ("fib 18", "fib-cutoff 22", "uts-t1 5", "uts-t3 30", "tree 10", "queens 7", "quicksort 3000"):
            for cpus in (1, 3, 16):
                with self.subTest(words=words, cpus=cpus):
                    self.assertGreater(run(words, cpus=cpus)["told"]["mean_us"], 0)

    def test_255_cpus(self):
        self.assertEqual(len(run("fib 20", cpus=255)["cpus"]), 255)

    def test_two_unequal_sockets_of_siblings(self):
        report = run("fib 20", cpus=24, sockets="16,8", threads_a_core=2)
        self.assertEqual([report["cpus"][cpu]["socket"] for cpu in (0, 15, 16, 23)], [0, 0, 1, 1])
        self.assertEqual(report["cpus"][0]["core"], report["cpus"][1]["core"])

    def test_more_workers_than_cpus(self):
        report = run("loop 64 20000 10", cpus=2, environment={"WEFT_WORKERS": "6"})
        self.assertGreaterEqual(report["threads"], 6)
        self.assertGreater(report["thread_switches"], 0)

    def test_each_run_is_the_same(self):
        first, second = (run("loop 64 465 20", cpus=16) for _ in range(2))
        first["real_ms"] = second["real_ms"] = 0
        self.assertEqual(first, second)

    def test_coarse_work_scales(self):
        one, sixteen = (run("loop 256 20000 4", cpus=cpus)["told"]["mean_us"] for cpus in (1, 16))
        self.assertGreater(one / sixteen, 8)


class Script(unittest.TestCase):
    def test_tables_and_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.svg")
            done = many("loop 64 465 20", "--cpus", "2", "16", "--layouts", "2", "--picture", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            for part in ("speed-up", "where the time went, %", "transfers by place", "transfers by line of memory", "heavy fences by caller", "src/run/", "worker 0: "):
                self.assertIn(part, done.stdout)
            with open(path, encoding="utf-8") as file:
                self.assertIn("CPU 12", file.read())

    def test_what_is_wrong_is_said(self):
        for words, part in (
            (("nothing",), "there is no such program"),
            (("fib 0",), "whole numbers from 1 on"),
            (("loop 3",), "a loop needs a number of steps"),
            (("fib 10", "--against", "nothing"), "-DMANY_NOTHING=FOLDER"),
            (("fib 10", "--cost", "transfer"), "must be NAME=VALUE"),
            (("fib 10", "--cpus", "300"), "MANY_CPUS is '300'"),
            (("fib 27", "--limit-ms", "1", "--cpus", "1"), "within the limit of virtual time"),
        ):
            done = many(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(part, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
