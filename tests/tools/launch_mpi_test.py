#!/usr/bin/env python3
"""Ranks that an MPI's launcher starts: weft launch --mpi, weft info --ranks. The arguments behind the command are the conformance
program of transports, tests/dist/random, programs of kernels if they are built, and the MPIs for which there is a module (mpich, openmpi); launchers that are not here are
skipped by name."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import command
import mpis
import traces

CONFORMANCE, FORKS, KERNELS, HERE = mpis.arguments()
LAUNCHERS, NAMES, QUIET = mpis.LAUNCHERS, mpis.NAMES, mpis.QUIET


STAYING = """#!{python}
import os, socket, struct, sys, time
if sys.argv[1:] == ["--version"]:
    print("HYDRA build details")
    sys.exit()
secret, port, *_ = os.environ["WEFT_LAUNCH_PARENT"].split("/")
keeper = socket.create_connection(("127.0.0.1", int(port)))
keeper.sendall(struct.pack("32si", secret.encode(), 0))
assert keeper.recv(1) == b"W"
keeper.sendall(b"{said}\\n")
time.sleep(1000)
"""


# In place of a launcher: which addresses of the meeting's port listen, as the kernel writes them.
LISTENED = """#!{python}
import os, sys
if sys.argv[1:] == ["--version"]:
    print("HYDRA build details")
    sys.exit()
_, port, *told = os.environ["WEFT_LAUNCH_PARENT"].split("/")
rows = [line.split() for table in ("tcp", "tcp6") for line in open("/proc/net/" + table).readlines()[1:]]
at = [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == int(port)]
print(len(told), len(at), any(set(each) == {{"0"}} for each in at))
"""


def module_of(mpi):
    folder = os.path.join(os.path.dirname(command.WEFT), "..", "..", "net", "mpi")
    return os.path.realpath(os.path.join(folder, f"libweft-net-{mpi}.so"))


def start(mpi, ranks, *words, **environment):
    return command.run("launch", "-q", "--mpi", LAUNCHERS[mpi], "-n", ranks, *words, **QUIET, **environment)


def start_by_launcher(mpi, ranks, program, **environment):
    words = [LAUNCHERS[mpi], "-n", str(ranks)]
    if mpi == "openmpi":
        words += ["--oversubscribe"] + ["--allow-run-as-root"] * (os.geteuid() == 0)
    return subprocess.run([*words, program], capture_output=True, text=True, timeout=250, check=False,
                          env={**os.environ, **QUIET, **environment})


def own_lines(text):
    return [line for line in text.split("\n") if line.startswith("weft: ")]


class RefusedTest(command.CommandTest):
    def refused(self, *words):
        result = command.run("launch", *words, FORKS)
        self.assertEqual((result.returncode, result.stdout), (1, ""), result)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_launchers(self):
        self.assertIn("there is no program no-such-mpirun", self.refused("-n", "2", "--mpi", "no-such-mpirun"))
        self.assertIn("is no launcher of an MPI that weft knows", self.refused("-n", "2", "--mpi", "true"))

    def test_a_launcher_without_a_module(self):
        self.write("mpirun", b"#!/bin/sh\necho HYDRA build details\n")
        os.chmod(self.path("mpirun"), 0o755)
        os.makedirs(self.path("bin"))
        shutil.copy(command.WEFT, self.path("bin", "weft"))
        result = subprocess.run([self.path("bin", "weft"), "launch", "-n", "2", "--mpi", self.path("mpirun"), FORKS],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.path('mpirun')} starts programs of MPICH, and there is no libweft-net-mpich.so", result.stderr)

    def test_modules(self):
        for module, why in (("", "the file of a module is wanted"), ("/no/such.so", "cannot open shared object file"),
                            ("libm.so.6", "this is no module for an MPI")):
            result = subprocess.run([CONFORMANCE], env={**os.environ, "WEFT_LAUNCH_MPI": module}, capture_output=True, text=True,
                                    timeout=250, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(f"weft: WEFT_LAUNCH_MPI={module}: ", result.stderr)
            self.assertIn(why, result.stderr)

    def test_libraries(self):
        """Loaded before the module."""
        for library, why in (("", "WEFT_LAUNCH_MPI_LIBRARY=: the file of an MPI's library is wanted"), ("/no/such.so", "/no/such.so: cannot open shared object file")):
            result = subprocess.run([CONFORMANCE], env={**os.environ, "WEFT_LAUNCH_MPI": "libm.so.6", "WEFT_LAUNCH_MPI_LIBRARY": library},
                                    capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result)
            self.assertIn(why, result.stderr)

    def test_a_rank_that_ends_at_once(self):
        """Its keeper may ask for signals later than the rank ends, and must see the end all the same."""
        processor = str(min(os.sched_getaffinity(0)))
        for _ in range(100):
            result = subprocess.run(["taskset", "-c", processor, CONFORMANCE], env={**os.environ, "WEFT_LAUNCH_MPI": "libm.so.6"},
                                    capture_output=True, timeout=250, check=False)
            self.assertEqual(result.returncode, 1)

    def test_the_launch_listens_at_what_it_tells(self):
        if not HERE:
            self.skipTest("there is no module for an MPI")
        self.write("mpirun", LISTENED.format(python=sys.executable).encode())
        os.chmod(self.path("mpirun"), 0o755)
        result = command.run("launch", "-q", "--mpi", self.path("mpirun"), "-n", 2, FORKS)
        told, at, is_for_all = result.stdout.split()
        self.assertEqual((told != "0", at, is_for_all), (True, told, "False"), result)

    def test_ranks_of_this_machine_alone(self):
        self.assertEqual(self.run_right("info", "--ranks", 2).stdout, "ranks: 2, nodes: 1\ntransport: shm\n")


class RanksTest(command.CommandTest, traces.TraceChecks):
    def test_transports_conform(self):
        for mpi, ranks in mpis.cases(HERE, (1, 2, 4)):
            with self.subTest(mpi=mpi, ranks=ranks):
                result = start(mpi, ranks, CONFORMANCE)
                self.assertEqual((result.returncode, result.stdout), (0, f"{ranks} ranks conform over mpi\n"), result)

    def test_transports_conform_between_nodes(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                result = start(mpi, 3, CONFORMANCE, WEFT_LAUNCH_APART="on")
                self.assertEqual((result.returncode, result.stdout), (0, "3 ranks conform over mpi\n"), result)

    def test_programs_run(self):
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start(mpi, 4, FORKS, "20", "200")
                self.assertEqual(result.returncode, 0, result)

    def test_programs_run_between_nodes(self):
        """By the launcher's own way to set the variable, too, so that no rank shares memory with another."""
        for mpi, ranks in mpis.cases(HERE, (2, 4)):
            with self.subTest(mpi=mpi, ranks=ranks):
                words = ("--mpi", LAUNCHERS[mpi], "-n", ranks)
                result = command.run("launch", *words, FORKS, "20", str(100 * ranks), **QUIET, WEFT_LAUNCH_APART="on")
                self.assertEqual(result.returncode, 0, result)
                self.assertRegex(result.stderr, rf"(?m)^all {ranks} +\d+ ", "the table of all ranks")
        for mpi, program in mpis.cases(HERE, KERNELS):  # more spinning ranks than CPUs take long; cluster_test.py has four of them
            with self.subTest(mpi=mpi, program=program):
                result = start(mpi, 2, program, WEFT_LAUNCH_APART="on")
                self.assertEqual(result.returncode, 0, result)

    def test_policies_between_nodes(self):
        for mpi, policy in mpis.cases(HERE, mpis.POLICIES):
            with self.subTest(mpi=mpi, policy=policy):
                result = start(mpi, 3, FORKS, "20", "300", "plain", WEFT_LAUNCH_APART="on", WEFT_DIST_POLICY=policy)
                self.assertEqual(result.returncode, 0, result)
        for mpi in mpis.few(HERE):
            result = start(mpi, 2, FORKS, "1", "1", "plain", WEFT_LAUNCH_APART="on", WEFT_DIST_POLICY="basic")
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("WEFT_DIST_POLICY=basic: the ranks must be on one node", result.stderr)

    def test_long_leaves_between_nodes(self):
        """Without an assistant they would never end where the MPI is not one-sided."""
        for mpi, ranks, progress in mpis.cases(HERE, (3, 2), ("assistant", "auto")):
            with self.subTest(mpi=mpi, ranks=ranks, progress=progress):
                result = start(mpi, ranks, mpis.LONG_LEAF, WEFT_LAUNCH_APART="on", WEFT_DIST_PROGRESS=progress)
                self.assertEqual((result.returncode, result.stdout), (0, ""), result)

    def test_an_assistant_that_never_looks(self):
        if HERE:
            result = start(HERE[0], 2, mpis.LONG_LEAF, WEFT_LAUNCH_APART="on", WEFT_DIST_PROGRESS="assistant", WEFT_DIST_POLL="0")
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("WEFT_DIST_PROGRESS=assistant: an assistant looks every WEFT_DIST_POLL microseconds; set that above 0", result.stderr)

    def test_traces(self):
        """On one node, whose ranks have one clock, and on nodes whose clocks differ."""
        for mpi, apart in mpis.cases(HERE, (False, True)):
            with self.subTest(mpi=mpi, apart=apart):
                path = self.path("trace.json")
                result = start(mpi, 2, mpis.TRACED, WEFT_TRACE=path, WEFT_LAUNCH_APART="on" if apart else "off")
                self.assertEqual((result.returncode, result.stdout), (0, ""), result)
                about, events = traces.read(path)
                self.assertEqual((about["ended"], about["records_lost"], "clocks" in about), ("weft_finalize", 0, apart))
                self.check_threads(about, events, 2)
                self.assertGreaterEqual(self.check_steals(about, events, 2), 10)
                if apart:
                    self.check_planted_clocks(about, 2)

    def test_a_trace_that_cannot_be_written(self):
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start(mpi, 2, mpis.TRACED, WEFT_TRACE="/nowhere/trace")
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)
                self.assertRegex(own_lines(result.stderr)[0], r"\Aweft: error: WEFT_TRACE=/nowhere/trace: cannot be written ")

    def test_programs_run_by_polling(self):
        """As where the MPI allows one OS thread alone."""
        for mpi, environment in mpis.cases(HERE, ({"WEFT_DIST_PROGRESS": "polling"}, {"WEFT_DIST_POLL": "0"})):
            with self.subTest(mpi=mpi, environment=environment):
                result = start(mpi, 2, FORKS, "20", "200", WEFT_LAUNCH_APART="on", **environment)
                self.assertEqual(result.returncode, 0, result)

    def test_the_global_heap(self):
        for mpi, (ranks, apart), program in mpis.cases(HERE, ((4, "off"), (2, "on")), mpis.HEAP):
            with self.subTest(mpi=mpi, ranks=ranks, program=program):
                result = start(mpi, ranks, program, WEFT_LAUNCH_APART=apart)
                self.assertEqual((result.returncode, result.stdout), (0, ""), result)

    def test_memory_does_not_grow_with_the_number_of_nodes(self):
        for mpi in HERE[:1]:  # MPI's own memory is not counted
            said = {}
            for ranks in (2, 8):
                result = start(mpi, ranks, mpis.SPACE, WEFT_LAUNCH_APART="on")
                self.assertEqual(result.returncode, 0, result)
                said[ranks] = [int(each) for each in re.fullmatch(r"(\d+) KiB of addresses, (\d+) KiB used\n", result.stdout).groups()]
            self.assertEqual(said[2][0], said[8][0])
            self.assertLess(said[8][1], said[2][1] + 4096, "pages that a rank has used depend on what it stole")

    def test_what_is_found_out(self):
        operation = r"  \S[\w, ]+ one-sided: (yes|no ) +median \d+\.\d\d us\n"
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                said = self.run_right("info", "--ranks", 2, "--mpi", LAUNCHERS[mpi], **QUIET).stdout
                self.assertRegex(said, rf"^ranks: 2, nodes: 1\ntransport: mpi, {NAMES[mpi]}")
                self.assertEqual(len(re.findall(operation, said)), 8, said)
                self.assertRegex(said, r"\nprogress: (not needed|by an assistant, an OS thread of each rank)\n")
                self.assertEqual(mpi == "openmpi" and " v4." in said, "\navoided: Open MPI 4's osc/rdma" in said, said)

    def test_ranks_that_leave_finalize(self):
        """Hydra must not take it for a failure, nor the ranks that stay in MPI_Finalize."""
        if "mpich" in HERE:
            result = start_by_launcher("mpich", 3, mpis.SPACE, WEFT_LAUNCH_MPI=mpis.HASTY, WEFT_LAUNCH_RANKS="3", WEFT_LAUNCH_APART="on")
            self.assertEqual(result.returncode, 0, result)

    def test_an_exit_inside_a_root(self):
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                result = start(mpi, 2, mpis.FOREVER, "exit", "3")
                self.assertEqual(result.returncode, 3, result)
                line = r"weft: rank [01] of 2 \(process \d+\) exited with status 3 from inside weft_dist_root; the other ranks were ended"
                self.assertTrue(all(re.fullmatch(line, each) for each in own_lines(result.stderr)), result.stderr)
                self.assertTrue(own_lines(result.stderr), result.stderr)

    def test_a_launcher_that_stays(self):
        """It stands in for an MPI's: as the keeper of rank 0 it says how the job ended, and does not end."""
        for said, status, printed in (("F3 rank 1 of 2 exited with status 3 in a test", 3, "weft: rank 1 of 2 exited with status 3 in a test\n"),
                                      ("F1 rank 1 was lost", 1, "weft: rank 1 was lost\n"), ("F139 ", 139, ""), ("F0 ", 1, ""), ("F", 1, "")):
            with self.subTest(said=said):
                self.write("mpirun", STAYING.format(python=sys.executable, said=said).encode())
                os.chmod(self.path("mpirun"), 0o755)
                result = command.run("launch", "-q", "--mpi", self.path("mpirun"), "-n", 2, FORKS)
                self.assertEqual((result.returncode, result.stderr), (status, printed), result)

    def test_a_killed_rank_ends_the_job(self):
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                words = [command.WEFT, "launch", "-q", "--mpi", LAUNCHERS[mpi], "-n", "2", mpis.FOREVER]
                with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **QUIET}) as job:
                    said = job.stdout.readline().split()  # "process RANK NUMBER"
                    os.kill(int(said[2]), signal.SIGKILL)
                    job.communicate(timeout=250)
                self.assertNotEqual(job.returncode, 0)

    def end_by(self, mpi, *signals, **environment):
        """What the job says whose ranks get these signals: (rank, signal), one after the other."""
        words = [command.WEFT, "launch", "-q", "--mpi", LAUNCHERS[mpi], "-n", "2", mpis.FOREVER]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **QUIET, "WEFT_DIST_CHECK": "off", **environment}) as job:  # the large frames hold anything
            said = dict(job.stdout.readline().split()[1:] for _ in range(2))
            for rank, name in signals:
                os.kill(int(said[str(rank)]), name)
                time.sleep(0.1)
            _, errors = job.communicate(timeout=250)
        self.assertNotEqual(job.returncode, 0)
        return own_lines(errors)

    def test_a_broken_pipe_is_the_effect_of_another_death(self):
        """Open MPI writes to a rank that has died."""
        for mpi, late in mpis.cases(HERE, (0, 1)):
            with self.subTest(mpi=mpi, late=late):
                lines = self.end_by(mpi, (late, signal.SIGPIPE), (1 - late, signal.SIGKILL))
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], rf"weft: rank {1 - late} of 2 .* was killed by signal 9 ")

    def test_a_broken_pipe_of_the_rank_s_own(self):
        for mpi in mpis.few(HERE):
            with self.subTest(mpi=mpi):
                lines = self.end_by(mpi, (1, signal.SIGPIPE), WEFT_LAUNCH_LOST_AFTER="1")
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], r"weft: rank 1 of 2 .* was killed by signal 13 ")

    def test_a_module_and_a_launcher_that_do_not_fit(self):
        for mpi, other in (("mpich", "openmpi"), ("openmpi", "mpich")):
            if mpi not in HERE or other not in HERE:
                continue
            with self.subTest(mpi=mpi):
                result = start_by_launcher(mpi, 2, CONFORMANCE, WEFT_LAUNCH_MPI=module_of(other), WEFT_LAUNCH_RANKS="2")
                self.assertNotEqual(result.returncode, 0)
                lines = own_lines(result.stderr)
                self.assertEqual(len(lines), 1, result.stderr)
                self.assertIn(f"{module_of(other)} is for {NAMES[other]}", lines[0])
                self.assertIn(f"{NAMES[mpi]}'s mpirun", lines[0])


if __name__ == "__main__":
    mpis.tell_skipped()
    command.main()
