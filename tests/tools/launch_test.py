#!/usr/bin/env python3
"""weft launch: what it refuses, how a program starts on several ranks, and how it ends. The second argument is launch_target,
the third launch_forks, where there is libweft-dist."""

import ctypes
import fcntl
import os
import platform
import resource
import signal
import subprocess
import sys
import termios
import unittest

import command

TARGET = sys.argv[2]
FORKS = sys.argv[3] if len(sys.argv) > 3 else None  # a program on libweft-dist
LINE = r"weft: rank %s of %s \(process \d+\) "


def launch(ranks, *words, limits=None, weft=command.WEFT, folder=None, **environment):
    return subprocess.run([weft, "launch", "-n", str(ranks), *map(str, words)], capture_output=True, text=True, timeout=250, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment}, preexec_fn=limits, cwd=folder)


def limited(user, number, *limit):
    """Another user has the limit, if this one is root, who is above some."""

    def apply():
        resource.setrlimit(number, limit)
        if os.geteuid() == 0:
            os.setgid(user)
            os.setuid(user)

    return apply


class RefusedTest(command.CommandTest):
    def refused(self, status, *words):
        result = command.run("launch", *words)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_number_of_ranks(self):
        for number in ("0", "1025", "99999999999999999999", "x", "-1", "2x", ""):
            self.assertIn(f"-n {number}: a number of ranks from 1 to 1024 is wanted", self.refused(2, "-n", number, "true"))
        self.assertIn("--ranks is required", self.refuse("launch", "true"))
        for number in ("0", "1025", "x", ""):
            result = subprocess.run([TARGET], env={**os.environ, "WEFT_LAUNCH_RANKS": number}, capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr),
                             (1, f"weft: WEFT_LAUNCH_RANKS={number}: a number of ranks from 1 to 1024 is wanted\n"))

    def test_programs(self):
        self.write("script", b"#!/bin/sh\necho ran\n")
        os.chmod(self.path("script"), 0o755)
        self.write("text", b"text\n")
        self.assertIn("wants a program to run", self.refused(2, "-n", "2"))
        self.assertIn("no program no-such-program in the folders of PATH", self.refused(1, "-n", "2", "no-such-program"))
        self.assertIn(f"there is no file {self.path('none')}", self.refused(1, "-n", "2", self.path("none")))
        self.assertIn("is a folder", self.refused(1, "-n", "2", self.folder))
        self.assertIn("may not be executed; chmod +x", self.refused(1, "-n", "2", self.path("text")))
        self.assertIn("write weft launch into it", self.refused(1, "-n", "2", self.path("script")))
        self.assertIn("does not stand on libweft-dist, so it would not start ranks; link it with weft-dist",
                      self.refused(1, "-n", "2", "--", "true"))
        self.assertIn("runs on several nodes by way of a server (--server), or by an MPI (weft launch --mpi MPIRUN)",
                      self.refused(1, "-n", "2", "--", command.WEFT))  # it is linked with libweft-tascell

    def test_other_values(self):
        for name, value, wanted in (("TABLE", "maybe", "on or off"), ("LOCK", "1", "on or off"), ("REGION_AT", "x", "start of a page"),
                                    ("REGION_AT", "0x1001", "start of a page"), ("REGION_AT", "1" * 30, "start of a page")):
            result = launch(2, TARGET, **{f"WEFT_LAUNCH_{name}": value})
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result)
            self.assertIn(f"weft: WEFT_LAUNCH_{name}={value}: ", result.stderr)
            self.assertIn(wanted, result.stderr)


class StartTest(command.CommandTest):
    def cannot_start(self, result, cure):
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"^weft: rank \d+ of \d+ cannot start: [^\n]*" + cure + r"[^\n]*\n\Z")

    def test_address_taken(self):
        self.cannot_start(launch(2, TARGET, WEFT_LAUNCH_REGION_AT="0xfffffffffffff000"), "set WEFT_LAUNCH_REGION_AT=0 for any")
        no_randomisation = 0x0040000
        fixed = launch(2, TARGET, limits=lambda: ctypes.CDLL(None).personality(no_randomisation), WEFT_LAUNCH_REGION_AT="0x555555500000")
        if platform.machine() == "x86_64":  # there a program begins at 0x555555554000
            self.cannot_start(fixed, "something else lies at the address 0x555555500000 .*set WEFT_LAUNCH_REGION_AT=0 for any")
        self.assertEqual(launch(2, "-q", TARGET, WEFT_LAUNCH_REGION_AT="0x500000000000").returncode, 0)

    def test_memory_too_small(self):
        cure = "start fewer ranks, or set WEFT_TEST_REGION_KIB lower"
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
            result = launch(4, TARGET, WEFT_TEST_REGION_KIB=str(256 << 10),
                            limits=lambda limit=limit: resource.setrlimit(limit, (512 << 20, 512 << 20)))
            self.cannot_start(result, cure)
        self.cannot_start(launch(1024, TARGET, WEFT_TEST_REGION_KIB=str(1 << 40)), cure)

    def launch_limited(self, ranks, limits, **environment):
        weft, target = self.for_another_user(command.WEFT, TARGET)
        return launch(ranks, target, limits=limits, weft=weft, folder=self.folder, **environment)

    def test_locked_memory(self):
        result = self.launch_limited(2, limited(65534, resource.RLIMIT_MEMLOCK, 65536, 65536), WEFT_LAUNCH_LOCK="on")
        self.cannot_start(result, r"1028 KiB cannot be locked in memory .*ulimit -l.*WEFT_LAUNCH_LOCK=off")
        self.assertEqual(launch(2, "--lock", TARGET).returncode, 0)

    def test_too_many_processes(self):
        if os.geteuid() != 0:
            self.skipTest("the limit would count this user's other processes")
        self.cannot_start(self.launch_limited(9, limited(64321, resource.RLIMIT_NPROC, 4, 4)), r"fork failed.*start fewer ranks, or raise .*ulimit -u")

    def test_starts_again_and_again(self):
        for _ in range(int(os.environ.get("WEFT_TEST_STARTS", "5"))):
            result = launch(4, TARGET)
            self.assertEqual((result.returncode, sorted(result.stdout.split("\n"))[1:]), (0, [f"rank {rank} of 4" for rank in range(4)]))

    def test_every_word_arrives(self):
        for dashes in ((), ("--",)):
            result = launch(2, *dashes, TARGET, "say", "-n", "7", "--quiet", "--", "a b", "")
            self.assertEqual(sorted(result.stdout.split("\n"))[1:], [f"rank {rank} of 2 -n 7 --quiet -- a b " for rank in range(2)])

    def test_input_is_for_rank_0(self):
        result = subprocess.run([command.WEFT, "launch", "-n", "3", TARGET, "input"], input="12345", capture_output=True, text=True, timeout=250)
        self.assertEqual(sorted(result.stdout.split("\n"))[1:], ["rank 0 read 5", "rank 1 read 0", "rank 2 read 0"])

    def test_as_many_as_there_may_be(self):
        result = launch(100, "-q", TARGET, "status", 0, WEFT_TEST_REGION_KIB="64")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_children_ignored_by_the_parent(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        result = launch(2, "-q", TARGET, "signals", 5, limits=ignore)  # each rank finds its parent's signals
        self.assertEqual((result.returncode, result.stderr), (5, ""))
        self.assertIn("does not stand on libweft-dist", launch(2, "true", limits=ignore).stderr)  # after the loader was asked


class TableTest(command.CommandTest):
    def test_each_rank_has_a_row(self):
        lines = launch(3, TARGET, "status", 0).stderr.split("\n")
        self.assertEqual([line.split() for line in lines], [
            ["rank", "claims", "memory", "idle"], ["0", "0", "0", "B", "0.0", "%"], ["1", "1,000", "1000", "B", "0.5", "%"],
            ["2", "2,000", "1.95", "KiB", "1.0", "%"], ["all", "3", "3,000", "2.93", "KiB", "0.5", "%"], []])

    def test_many_ranks_are_summed_up(self):
        lines = launch(21, TARGET, "status", 0).stderr.split("\n")
        self.assertEqual([line.split()[:3] for line in lines[:-1]], [
            ["rank", "claims", "memory"], ["least", "0", "0"], ["median", "10,000", "9.77"], ["most", "20,000", "19.5"], ["all", "21", "210,000"]])

    def test_quiet(self):
        self.assertEqual(launch(2, "-q", TARGET, "status", 0).stderr, "")

    def test_none_after_a_failure(self):
        self.assertEqual(launch(2, TARGET, "status", 3).stderr, "")


class EndTest(command.CommandTest):
    def ends(self, status, ranks, line, *words):
        result = launch(ranks, TARGET, *words)
        self.assertEqual(result.returncode, status, result)
        self.assertRegex(result.stderr, rf"\A{line}\n\Z")

    def test_status_is_the_program_s(self):
        for status in (0, 1, 7, 255):
            result = launch(3, "-q", TARGET, "status", status)
            self.assertEqual((result.returncode, result.stderr), (status, ""))
        self.assertEqual(launch(3, TARGET, "own-status", 1, 9).returncode, 9)

    def test_a_rank_exits_while_others_wait_for_it(self):
        for status in (0, 4):
            line = LINE % (1, 3) + rf"exited with status {status} while (2 others|1 other) waited for it in a barrier; the other ranks were ended"
            self.ends(status or 1, 3, line, "awaited", 1, status)

    @unittest.skipIf(FORKS is None, "no libweft-dist here")
    def test_a_rank_exits_in_a_root(self):
        for status in (0, 4):
            result = launch(3, FORKS, "exit", status)
            self.assertEqual(result.returncode, status or 1, result)
            self.assertRegex(result.stderr, r"\Aweft: rank \d of 3 \(process \d+\) exited with status " + str(status) +
                             r" while (2 others|1 other) waited for it in weft_dist_root; the other ranks were ended\n\Z")

    def test_a_rank_fails_while_others_go_on(self):
        self.ends(6, 3, LINE % (2, 3) + "exited with status 6 and 2 others still ran a second later; the other ranks were ended", "alone", 2, 6)

    def test_the_first_of_two_that_fail_is_named(self):
        for first, second in ((0, 1), (1, 0)):
            self.ends(3, 3, LINE % (first, 3) + "exited with status 3 and 1 other still ran a second later; the other ranks were ended", "both-fail", first, second)

    def test_a_rank_dies(self):
        for number, name in ((signal.SIGSEGV, "Segmentation fault"), (signal.SIGABRT, "Aborted")):
            self.ends(128 + number, 2, LINE % (1, 2) + rf"was killed by signal {number} \({name}\); the other ranks were ended",
                      "signal", 1, int(number))

    def test_a_signal_is_passed_on(self):
        with subprocess.Popen([command.WEFT, "launch", "-q", "-n", "2", TARGET, "claims"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as job:
            for _ in range(2):
                self.assertIn("process ", job.stdout.readline())
            job.send_signal(signal.SIGTERM)
            self.assertEqual((job.communicate(timeout=250)[1], job.returncode), ("", 128 + signal.SIGTERM))

    def test_a_signal_of_the_terminal_is_not_passed_on(self):
        """Rank 0 has it from the terminal itself, and rank 1 is in another process group."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        with subprocess.Popen([command.WEFT, "launch", "-q", "-n", "2", TARGET, "interrupts"], stdout=subprocess.PIPE, text=True,
                              preexec_fn=take_terminal) as job:
            for _ in range(2):
                self.assertIn("process ", job.stdout.readline())
            os.write(ours, b"\x03")
            self.assertEqual(job.stdout.readline(), "interrupted 0\n")
            job.send_signal(signal.SIGTERM)
            self.assertEqual((job.communicate(timeout=250)[0], job.returncode), ("", 128 + signal.SIGTERM))

    def test_what_a_rank_has_started_ends_with_a_death(self):
        self.ends(137, 2, LINE % (1, 2) + r"was killed by signal 9 \(Killed\)[^\n]*; the other ranks were ended", "orphans", 1)

    def test_a_rank_dies_inside_a_claim(self):
        self.ends(137, 3, LINE % (2, 3) + r"was killed by signal 9 \(Killed\)[^\n]* while it held the claim of rank 1; the other ranks were ended",
                  "holding", 2, 1)


if __name__ == "__main__":
    command.main()
