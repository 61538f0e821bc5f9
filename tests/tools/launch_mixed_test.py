#!/usr/bin/env python3
"""Ranks of one job that do not fit to each other, each of which must end the job with one line that names a rank and the cure: other
programs, settings, MPIs and processors, a limit of locked memory that is too low, and processes that never become ranks. The arguments
are those of launch_mpi_test.py."""

import os
import re
import resource
import shutil
import subprocess
import unittest

import command
import mpis
from launch_mpi_test import module_of, own_lines

CONFORMANCE, FORKS, KERNELS, HERE = mpis.arguments()
PROGRAM = [mpis.FOREVER, "for", "0.1"]  # a job that can start ends well
CAN = r"weft: rank 1 of 2 cannot start: "


def start_two(mpi, first, other, **environment):
    """By the launcher, which starts one process of each."""
    words = [mpis.LAUNCHERS[mpi]]
    if mpi == "openmpi":
        words += ["--oversubscribe"] + ["--allow-run-as-root"] * (os.geteuid() == 0)
    values = {**os.environ, **mpis.QUIET, "WEFT_LAUNCH_MPI": module_of(mpi), "WEFT_LAUNCH_RANKS": "2", **environment}
    return subprocess.run([*words, "-n", "1", *first, ":", "-n", "1", *other], capture_output=True, text=True, timeout=250, check=False, env=values)


def as_other_user(limit, value):
    def change():
        os.setgid(64321)
        os.setuid(64321)
        resource.setrlimit(limit, (value, value))

    return change


class RefusedTest(command.CommandTest):
    def refused(self, result, pattern):
        self.assertNotEqual(result.returncode, 0, result)
        self.assertNotIn("process 0", result.stdout, "a rank runs main")
        lines = own_lines(result.stderr)
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertRegex(lines[0], pattern)


class MixedTest(RefusedTest):
    def test_the_same_on_both(self):
        """That what is refused below is refused for the reason that is told."""
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start_two(mpi, ["env", "X=1", *PROGRAM], PROGRAM)
                self.assertEqual(result.returncode, 0, result)

    def test_programs(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                self.refused(start_two(mpi, PROGRAM, [FORKS]), CAN + "it runs another build of the program.*; give all ranks the same files")

    def test_builds_with_other_settings(self):
        sizes = CAN + r"its stacks or its heap have other sizes.*; give all ranks the same WEFT_DIST_\* variables"
        settings = (("WEFT_DIST_STACK=2M", "off"), ("WEFT_DIST_HEAP=8M", "on"), ("WEFT_DIST_POLICY=basic", "off"), ("WEFT_DIST_CHECK=all", "off"))
        for mpi, (setting, apart) in mpis.cases(HERE, settings):
            with self.subTest(mpi=mpi, setting=setting):
                self.refused(start_two(mpi, PROGRAM, ["env", setting, *PROGRAM], WEFT_LAUNCH_APART=apart), sizes)
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi, setting="address"):
                self.refused(start_two(mpi, PROGRAM, ["env", "WEFT_LAUNCH_REGION_AT=0x540000000000", *PROGRAM]),
                             CAN + "its stacks lie at another address .*; give all ranks the same WEFT_LAUNCH_REGION_AT")

    def test_processors(self):
        """By another list of features in /proc/cpuinfo, in a mount namespace."""
        if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no mount namespaces for this user")
        with open("/proc/cpuinfo", encoding="ascii") as file:
            other = re.sub(r"(?m)^(flags|Features)(\s*):", r"\1\2: invented", file.read())
        self.write("cpuinfo", other.encode())
        script = f"mount --bind {self.path('cpuinfo')} /proc/cpuinfo && exec \"$@\""
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start_two(mpi, PROGRAM, ["unshare", "--mount", "sh", "-c", script, "sh", *PROGRAM])
                self.refused(result, CAN + "its processor has other features than rank 0's; use machines of one kind")

    def test_mpis(self):
        for mpi, other in (("mpich", "openmpi"), ("openmpi", "mpich")):
            if mpi not in HERE or other not in HERE:
                continue
            odd = ["env", f"WEFT_LAUNCH_MPI={module_of(other)}", *PROGRAM]
            for words in ((PROGRAM, odd), (odd, PROGRAM)):
                with self.subTest(mpi=mpi, words=words):
                    self.refused(start_two(mpi, *words), rf"{re.escape(module_of(other))} is for {mpis.NAMES[other]} .*, which does not fit to .*mpirun")

    def test_a_rank_that_cannot_start_ends_the_others(self):
        settings = (("WEFT_LAUNCH_MPI=/no/such.so", "WEFT_LAUNCH_MPI=/no/such.so: .*cannot open"), ("WEFT_DIST_STACK=x", "WEFT_DIST_STACK=x: want "))
        for mpi, (setting, line) in mpis.cases(HERE, settings):
            with self.subTest(mpi=mpi, setting=setting):
                self.refused(start_two(mpi, PROGRAM, ["env", setting, *PROGRAM]), line)

    def test_processes_that_never_become_ranks(self):
        within = {"WEFT_LAUNCH_START_WITHIN": "2"}
        line = r"weft: a rank \(process \d+\) has waited 2 s for other ranks to start, .*WEFT_LAUNCH_START_WITHIN higher"
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                self.refused(start_two(mpi, PROGRAM, ["sleep", "1000"], **within), line)
        if HERE:
            self.refused(start_two(HERE[0], PROGRAM, ["env", "WEFT_LAUNCH_START_WITHIN=soon", *PROGRAM]),
                         "WEFT_LAUNCH_START_WITHIN=soon: a number of seconds from 0, which is any time, to 3600 is wanted")


class LockedMemoryTest(RefusedTest):
    def run_limited(self, words, **environment):
        values = {**os.environ, "HOME": self.folder, **environment}
        return subprocess.run(words, capture_output=True, text=True, timeout=250, check=False, env=values, cwd=self.folder,
                              preexec_fn=as_other_user(resource.RLIMIT_MEMLOCK, 65536))

    def test_memory_that_is_to_be_locked(self):
        if os.geteuid() != 0:
            self.skipTest("root alone becomes another user")
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                weft, program, _ = self.for_another_user(command.WEFT, PROGRAM[0], module_of(mpi))
                words = [weft, "launch", "-q", "--mpi", mpis.LAUNCHERS[mpi], "-n", "2", program, *PROGRAM[1:]]
                self.refused(self.run_limited(words, **mpis.QUIET, WEFT_LAUNCH_LOCK="on"),
                             r"weft: rank 0 of 2 cannot start: \d+ KiB cannot be locked in memory .*ulimit -l")
                result = command.run("launch", "-q", "--lock", "--mpi", mpis.LAUNCHERS[mpi], "-n", 2, *PROGRAM, **mpis.QUIET)
                self.assertEqual(result.returncode, 0, result)

    def test_a_network_that_registers_memory(self):
        if os.geteuid() != 0 or "mpich" not in HERE:
            self.skipTest("root alone becomes another user, and the module is for MPICH")
        program, module = self.for_another_user(PROGRAM[0], mpis.REGISTERING)
        result = self.run_limited(["mpirun.mpich", "-n", "2", program, *PROGRAM[1:]], WEFT_LAUNCH_MPI=module, WEFT_LAUNCH_RANKS="2")
        self.refused(result, r"weft: rank [01] of 2 cannot start: a window over \d+ KiB cannot be opened: .*; locked memory: "
                             r"the limit is 64 KiB, a rank's windows are \d+ KiB: a network that registers memory needs ulimit -l")


if __name__ == "__main__":
    mpis.tell_skipped()
    command.main()
