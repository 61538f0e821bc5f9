#!/usr/bin/env python3
"""Programs over the library between programs and MPI, started by the launcher of an MPI (mpich or openmpi). Each case is a job of its own.

usage: run_test.py MPI program levels levels-linked-in-the-wrong-order program-without-the-library program-of-requests
                   [weft program-without-the-library tool tool-that-sees-calls-at-once]"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import job

MPI, PROGRAM, LEVELS, WRONG_ORDER, STRANGE, REQUESTS, *PRELOADED = sys.argv[1:]
LAUNCHER = os.environ.get("WEFT_TEST_MPIRUN") or "mpirun." + MPI
# MPICH 5.0.2 alone, without Weft, loses some of 1000 synchronous sends that go both ways.
LOSES_SENDS = MPI == "abi" or (MPI == "mpich" and "WEFT_TEST_MPIRUN" in os.environ)
OTHER = "openmpi" if MPI == "mpich" else "mpich"


def launched(ranks, case, program=PROGRAM, before=(), launcher=LAUNCHER, beside=(), **environment):
    """The exit status and what the job wrote. beside: words for more ranks."""
    return job.launched(launcher, ranks, program, case, *beside, before=before, **environment)


class RunTest(unittest.TestCase):
    def check(self, ranks, case, **environment):
        case = "exchanges" if case == "pairs" and LOSES_SENDS else case
        with self.subTest(case, ranks=ranks):
            status, said = launched(ranks, case, **environment)
            self.assertEqual(status, 0, said)
            self.assertIn("passed", said)
            return said

    def test_calls_on_one_two_and_four_ranks(self):
        for ranks in 1, 2, 4:
            self.check(ranks, "collectives")
            self.check(ranks, "statuses")
            self.check(ranks, "", program=LEVELS)

    def test_calls_of_two_callers(self):
        for ranks in 1, 2:
            self.check(ranks, "exchanges")
            self.check(ranks, "errors")
        self.check(2, "exchanges", WEFT_WORKERS="3")

    def test_a_thousand_pairs_on_one_worker(self):
        self.check(2, "pairs")
        self.check(2, "pairs", WEFT_WORKERS="2")

    def test_calls_without_a_twin(self):
        for case in "communicators", "windows", "files":
            self.check(2, case)

    def test_calls_that_meet_other_jobs(self):
        self.check(2, "sessions")
        if MPI == "openmpi":  # MPICH over UCX starts no jobs and opens no ports
            self.check(2, "spawn")
            self.check(2, "meeting")
            self.check(2, "join")

    def test_calls_that_wait_are_told_of(self):
        self.check(2, "stall", WEFT_MPI_STALL="20ms")
        said = self.check(2, "dump", WEFT_MPI_STALL="off")
        self.assertNotIn("weft-mpi:", said)

    def test_finalize_waits_for_a_late_message(self):
        self.check(2, "late")

    def test_finalize_ends_a_job_with_a_call_that_nothing_ends(self):
        status, said = launched(2, "left_parked", WEFT_MPI_STALL="100ms")
        self.assertNotEqual(status, 0, said)
        self.assertIn("weft-mpi: rank 0: error: MPI_Finalize was called, and 1 MPI call still waits", said)
        self.assertIn("listener waits for", said)
        self.assertIn("MPI_Recv as rank 0 of MPI_COMM_WORLD, from rank 1, tag 31", said)

    def test_a_call_of_an_os_thread_that_nothing_ends_is_named_below_multiple(self):
        status, said = launched(2, "left_polling", WEFT_MPI_STALL="100ms", WEFT_MPI_LEVEL="serialized")
        self.assertNotEqual(status, 0, said)
        self.assertIn("weft-mpi: rank 0: an MPI call has waited for 0.", said)
        self.assertIn("weft-mpi: rank 0: error: MPI_Finalize was called, and 1 MPI call still waits", said)
        call = r"weft-mpi: rank 0: OS thread \d+ waits for \S+ s in MPI_Recv as rank 0 of MPI_COMM_WORLD, from rank 1, tag 31\n"
        self.assertGreaterEqual(len(re.findall(call, said)), 2)

    def test_a_request_is_not_freed_under_a_call_that_waits_for_it(self):
        line = "weft-mpi: rank 0: error: MPI_Request_free of a request for which a call waits; free it once that call has returned"
        for level in "multiple", "serialized":
            self.assertIn(line, self.check(1, "freed_request", WEFT_MPI_LEVEL=level))
        for level in "multiple", "serialized":
            self.assertNotIn("weft-mpi:", self.check(1, "freed_send", WEFT_MPI_LEVEL=level))
            self.assertIn(line, self.check(1, "freed_complete", WEFT_MPI_LEVEL=level))
        said = self.check(1, "freed_early", WEFT_MPI_LEVEL="serialized")
        self.assertRegex(said, line + r".*\nweft-mpi: rank 0: thread #\d+ waits in MPI_Wait for 1 request\n")
        status, said = launched(1, "freed_fatal")
        self.assertNotEqual(status, 0, said)
        self.assertIn(line, said)

    def test_a_communicator_is_freed_under_a_receive(self):
        said = self.check(2, "freed_communicator", WEFT_MPI_STALL="50ms")
        self.assertIn("MPI_Recv as rank 0 of meadow, from rank 1, tag 9", said)

    @unittest.skipUnless(MPI != "abi" and shutil.which("mpirun." + OTHER), "no other MPI")
    def test_two_mpis_in_one_process_are_named(self):
        other = {"openmpi": "libmpich.so.12", "mpich": "libmpi.so.40"}[MPI]
        status, said = launched(1, "", program=LEVELS, WEFT_TEST_OTHER_MPI=other)
        self.assertEqual(status, 0, said)
        self.assertRegex(said, rf"weft-mpi: warning: this process has two MPI libraries, \S+ and \S*{other}\S*, and libweft-mpi-{MPI} can serve one")

    def test_an_error_of_the_world_ends_the_job(self):
        for ranks in 1, 2:
            status, said = launched(ranks, "fatal")
            self.assertNotEqual(status, 0, said)
            self.assertNotIn("did not end", said)
            if MPI != "openmpi":  # Open MPI's launcher may lose the words
                self.assertRegex(said, "weft-mpi: rank 0: fatal error in MPI: (.*\n)*.*[Mm]essage .*truncated")

    def test_a_rank_without_the_library_ends_the_job(self):
        for before, behind in ((PROGRAM, "collectives"), (STRANGE, "silent")), ((STRANGE, "silent"), (PROGRAM, "collectives")):
            status, said = launched(1, before[1], program=before[0], beside=[":", "-n", "1", *behind], WEFT_MPI_START="300ms")
            self.assertNotEqual(status, 0, said)
            own = int(before[0] == STRANGE)
            self.assertIn(f"weft-mpi: rank {own}: error: rank {1 - own} has not answered 0.3 s after MPI_Init", said)
            self.assertIn("link the program of every rank with weft-mpi, or start all ranks by `weft mpi -- mpirun`", said)

    def test_a_rank_of_another_rule_ends_the_job(self):
        status, said = launched(3, "collectives", beside=[":", "-n", "1", STRANGE, "other"])
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, "weft-mpi: rank [02]: error: rank 3 does not go by .* but by \"weft-mpi: a rule of another version\"")

    def test_a_rank_of_another_level_ends_the_job(self):
        other = [":", "-n", "1", "env", "WEFT_MPI_LEVEL=serialized", PROGRAM, "collectives"]
        status, said = launched(1, "collectives", beside=other)
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, r"weft-mpi: rank [01]: error: rank [01] does not go by .*, and the same WEFT_MPI_LEVEL\n")

    def test_a_bad_setting_is_named(self):
        for setting, value in ("WEFT_MPI_POLL", "2s"), ("WEFT_MPI_START", "0s"), ("WEFT_MPI_STALL", "soon"), ("WEFT_MPI_STALL", "-1"):
            status, said = launched(1, "statuses", **{setting: value})
            self.assertNotEqual(status, 0, said)
            self.assertIn(f"weft-mpi: error: {setting}={value}: use a duration from ", said)
        status, said = launched(1, "statuses", WEFT_MPI_LEVEL="single")
        self.assertNotEqual(status, 0, said)
        self.assertIn("weft-mpi: error: WEFT_MPI_LEVEL=single: use multiple, serialized or funneled", said)

    def test_settings(self):
        self.check(2, "pairs", WEFT_MPI_POLL="1ms")
        said = self.check(1, "statuses", WEFT_MPI_POL="1ms")
        self.assertIn("weft-mpi: warning: no variable is called WEFT_MPI_POL; there are WEFT_MPI_LEVEL, WEFT_MPI_POLL, WEFT_MPI_REPORT, WEFT_MPI_START and WEFT_MPI_STALL", said)

    def test_the_first_rank_reports_at_the_start(self):
        said = self.check(2, "statuses", WEFT_MPI_REPORT="on", WEFT_MPI_POLL="3ms", WEFT_MPI_STALL="off")
        version = r"Open MPI v\d" if MPI == "openmpi" else "MPICH Version:"
        self.assertRegex(said, rf"weft-mpi: libweft-mpi-{MPI} \d+\.\d+\.\d+ for .* over {version}.*, which provides MPI_THREAD_MULTIPLE to 2 ranks\n")
        self.assertIn("an idle rank asks the MPI at most every 3000 us (WEFT_MPI_POLL); calls that wait are reported after 0 s", said)
        self.assertRegex(said, r"weft-mpi: [1-9]\d\d functions of MPI pass through the library; ")
        self.assertEqual(len(re.findall("weft-mpi: rank 0 may run on", said)), 1)
        self.assertNotIn("weft-mpi: rank 1", said)
        status, said = launched(1, "statuses", WEFT_MPI_REPORT="yes")
        self.assertNotEqual(status, 0, said)
        self.assertIn("weft-mpi: error: WEFT_MPI_REPORT=yes: use on or off", said)

    def test_calls_go_one_at_a_time_where_the_mpi_wants_it(self):  # more: matrix_test.py of check-deep
        more = {"WEFT_MPI_LEVEL": "serialized", "WEFT_WORKERS": "3"}
        if not PRELOADED:
            self.assertNotIn("weft-mpi:", self.check(2, "serial", **more))
            return
        weft, program, _, tool = PRELOADED
        said = self.check(2, "serial", program=program, before=[weft, "mpi", "--"], LD_PRELOAD=tool, **more)
        self.assertEqual(len(re.findall(r"tool: [1-9]\d{3,} calls, one at a time", said)), 2)
        self.assertNotIn("weft-mpi:", said)

    def test_collectives_without_a_twin_are_admitted_one_at_a_time(self):
        self.check(2, "crossing", WEFT_MPI_LEVEL="serialized", WEFT_WORKERS="2")
        said = self.check(2, "crossing", WEFT_MPI_LEVEL="funneled", WEFT_WORKERS="2")
        self.assertEqual(said.count("permits no OS thread but that of MPI_Init, and another one calls MPI"), 2, said)  # one of each rank
        self.check(4, "queue", WEFT_MPI_LEVEL="serialized")
        self.check(2, "one_behind_another", WEFT_MPI_LEVEL="serialized")

    @unittest.skipUnless(PRELOADED, "no weft, or a sanitizer")
    def test_calls_come_from_the_os_thread_of_mpi_init_where_the_mpi_wants_it(self):
        weft, program, _, tool = PRELOADED
        more = {"WEFT_MPI_LEVEL": "funneled", "WEFT_WORKERS": "3", "WEFT_TEST_ONE_OS_THREAD": "1", "LD_PRELOAD": tool}
        said = self.check(2, "pairs", program=program, before=[weft, "mpi", "--"], **more)
        self.assertNotIn("weft-mpi:", said)

    @unittest.skipUnless(PRELOADED, "no weft, or a sanitizer")
    def test_a_trace_and_a_profile_tell_what_threads_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            self.check(1, "exchanges", WEFT_TRACE=trace)
            with open(trace, encoding="utf-8") as file:
                self.assertRegex(file.read(), r'"name":"waits","args":{"for":"MPI_Send"')
            done = subprocess.run([PRELOADED[0], "profile", trace], capture_output=True, text=True, check=True, timeout=job.SECONDS)
            self.assertRegex(done.stdout, r"\nmpi: MPI_Waitall \(ns\) +[1-9]\d* ")

    def test_requests_in_cpp(self):
        self.check(2, "", program=REQUESTS, WEFT_WORKERS="2")

    def test_a_library_that_calls_do_not_pass_says_so(self):
        _, said = launched(1, "", program=WRONG_ORDER)
        self.assertRegex(said, r"weft-mpi: warning: calls of MPI reach \S*libmpi\S* and not \S*libweft-mpi\S*; link weft-mpi before the MPI")

    @unittest.skipUnless(PRELOADED, "no weft, or a sanitizer")
    def test_an_unchanged_program_gets_the_library_by_preloading(self):
        weft, program, *_ = PRELOADED
        self.check(1, "exchanges", program=program, before=[weft, "mpi", "--"])
        self.check(2, "exchanges", program=program, before=[weft, "mpi"])
        self.check(2, "collectives", program=program, before=[weft, "mpi", "--"])
        self.check(2, "errors", program=program, before=[weft, "mpi", "--"], LD_PRELOAD="")

    @unittest.skipUnless(PRELOADED, "no weft, or a sanitizer")
    def test_a_profiling_tool_behind_the_library_sees_the_other_functions(self):
        weft, program, tool, _ = PRELOADED
        said = self.check(2, "pairs", program=program, before=[weft, "mpi", "--"], LD_PRELOAD=tool)
        self.assertEqual(re.findall(r"tool: [1-9]\d* MPI_Comm_size, (\d+) MPI_Recv", said), ["0", "0"])

    @unittest.skipUnless(PRELOADED, "no weft, or a sanitizer")
    def test_a_profiling_tool_in_front_of_the_library_is_named(self):
        status, said = launched(1, f"LD_PRELOAD={PRELOADED[2]}", program="env", beside=[PROGRAM, "collectives"])
        self.assertEqual(status, 0, said)
        self.assertIn(f"weft-mpi: warning: calls of MPI reach {PRELOADED[2]} and not ", said)

    @unittest.skipUnless(PRELOADED and MPI != "abi" and shutil.which("mpirun." + OTHER), "no weft, no other MPI, or a sanitizer")
    def test_the_library_of_another_mpi_is_refused_with_both_names(self):
        weft, program, *_ = PRELOADED
        status, said = launched(1, "statuses", program=program, before=[weft, "mpi", "--"], launcher="mpirun." + OTHER)
        self.assertNotEqual(status, 0, said)
        names = {"mpich": "MPICH", "openmpi": "Open MPI"}
        self.assertIn(f"weft-mpi: error: libweft-mpi-{OTHER} is made for {names[OTHER]}, and this process has {names[MPI]}", said)
        self.assertIn(f"; link or preload libweft-mpi-{MPI} instead", said)

    @unittest.skipUnless(PRELOADED, "no weft, or a sanitizer")
    def test_weft_mpi_refuses_what_is_no_launcher(self):
        for words, said in (
            ([], "mpi wants the launcher of an MPI and its words"),
            (["/bin/true"], "/bin/true is no launcher of an MPI that weft knows"),
            (["no-such-launcher"], "there is no program no-such-launcher"),
        ):
            done = subprocess.run([PRELOADED[0], "mpi", "--", *words], capture_output=True, text=True, check=False, timeout=job.SECONDS)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    if shutil.which(LAUNCHER) is None:
        print(f"skipped: no {LAUNCHER}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
