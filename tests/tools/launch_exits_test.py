#!/usr/bin/env python3
"""How ranks end, and what weft launch returns: launch_exits.cpp with the shared library, with the archive, and the MPIs for which
there is a module; launchers that are not here are skipped by name."""

import os
import shutil
import signal
import subprocess
import sys
import unittest

import command
import mpis

SHARED, STATIC, DYING_MODULE = sys.argv[2:5]
OWN = ""  # the launcher of Weft itself
HERE = [each for each in sys.argv[5:] if each in mpis.LAUNCHERS and shutil.which(mpis.LAUNCHERS[each])]


STARTING = """#!/bin/sh
[ "$1" = --version ] && echo HYDRA build details && exit
WEFT_LAUNCH_MPI={module} exec {program}
"""


def words_for(mpi, program, *words):
    by = ["--mpi", mpis.LAUNCHERS[mpi]] if mpi else []
    return ["launch", "-q", *by, "-n", "2", program, *(str(each) for each in words)]


def start(mpi, program, *words):
    return command.run(*words_for(mpi, program, *words), **mpis.QUIET)


def own_lines(text):
    return [line for line in text.split("\n") if line.startswith("weft: ")]


class EndsTest(command.CommandTest):
    """MPICH's UCX has destructors that must come after the end of the MPI."""

    def ends_well(self, mpi, program, *words):
        with self.subTest(mpi=mpi, program=program, words=words):
            result = start(mpi, program, *words)
            self.assertEqual((result.returncode, own_lines(result.stderr)), (0, []), result)
            return result.stderr

    def test_a_main_that_is_empty(self):
        for mpi in HERE:
            self.ends_well(mpi, SHARED)

    def test_handlers_and_destructors_may_call_the_library(self):
        for mpi, program in mpis.cases(HERE, (SHARED, STATIC)):
            said = self.ends_well(mpi, program, "root", 0, "tell")
            for line in ("handler 0 of 2", "handler 1 of 2", "destructor 0 of 2", "destructor 1 of 2"):
                self.assertIn(line, said.split("\n"))

    def test_an_exit_in_another_os_thread(self):
        for mpi in HERE[:1]:
            self.ends_well(mpi, SHARED, "root_thread", 0)
            self.ends_well(mpi, SHARED, "thread", 0)

    def test_a_failure_of_one_rank(self):
        """Also of a program that has made no call when it ends."""
        for mpi in HERE:
            for words in (("return", 3, "only", 1), ("exit", 3), ("root_thread", 3))[: None if mpi == HERE[0] else 1]:
                with self.subTest(mpi=mpi, words=words):
                    result = start(mpi, SHARED, *words)
                    self.assertEqual(result.returncode, 3, result)
                    lines = own_lines(result.stderr)
                    self.assertTrue(lines, result)
                    self.assertRegex(lines[0], r"weft: rank [01] of 2 \(process \d+\) exited with status 3.*; the other ranks were ended")

    def test_a_failure_that_no_rank_sees(self):
        for mpi in HERE[:1]:
            self.assertEqual(start(mpi, SHARED, "thread", 3).returncode, 3)
            result = start(mpi, SHARED, "thread", 3, "only", 1)
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("weft: rank 1 of 2 exited while 1 other waited for it in weft_dist_root; the other ranks were ended",
                          own_lines(result.stderr))


class StatusTest(command.CommandTest):
    """128 more than the signal, by whichever launcher; each of them returns something else."""

    def check_end(self, result, status, line):
        self.assertEqual(result.returncode, status, result)
        lines = own_lines(result.stderr)
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertRegex(lines[0], line)

    def test_signals(self):
        for mpi in (OWN, *HERE):
            for number in (6, 9, 11, 13, 15) if mpi == OWN else (6, 9, 11):
                with self.subTest(mpi=mpi, number=number):
                    result = start(mpi, SHARED if number == 11 else STATIC, "signal", number, "only", 1)
                    self.check_end(result, 128 + number, rf"\Aweft: rank 1 of 2 .* was killed by signal {number} ")

    def test_an_exit_that_is_not_told(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                result = start(mpi, SHARED, "at_once", 3)
                self.assertEqual(result.returncode, 3, result)

    def test_a_signal_that_the_job_gets(self):
        for mpi in (OWN, *HERE):
            with self.subTest(mpi=mpi):
                words = [command.WEFT, *words_for(mpi, SHARED, "wait", 0)]
                with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **mpis.QUIET}) as job:
                    lines = [job.stdout.readline(), job.stdout.readline()]
                    job.send_signal(signal.SIGTERM)
                    said = job.communicate(timeout=100)
                self.assertEqual((lines, job.returncode), (["waits\n"] * 2, 128 + signal.SIGTERM), said)

    def test_a_rank_that_is_killed_while_it_starts(self):
        self.write("mpirun", STARTING.format(module=DYING_MODULE, program=SHARED).encode())
        os.chmod(self.path("mpirun"), 0o755)
        result = command.run("launch", "-q", "--mpi", self.path("mpirun"), "-n", 2, SHARED)
        self.check_end(result, 137, r"\Aweft: a rank .* was killed by signal 9 \(Killed\) while it started; ")


if __name__ == "__main__":
    mpis.tell_skipped()
    command.main()
