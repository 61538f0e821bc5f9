#!/usr/bin/env python3
"""RMA-MT over the threads interface: short runs in which the memory is checked, on OS threads and on Weft's, with each MPI that the build
has; an MPI that loses puts is noticed; what is measured, and on how many workers.

usage: rma_mt_test.py BUILD [--all]     --all: every kernel, operation and way to synchronise"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = sys.argv.pop(1)
ALL = "--all" in sys.argv and sys.argv.remove("--all") is None
sys.path[1:1] = [os.path.join(TOP, folder) for folder in ("bench/published", "bench/matrix", "bench/guard", "tests/conform/mpi")]

import experiment  # noqa: E402
import job  # noqa: E402
import rma_mt  # noqa: E402

job.SECONDS = 60  # threads that wait in an MPI that spins take each other's time slices
PROGRAMS = os.path.join(BUILD, "bench", "published", "rma_mt")
SHARED, OURS = "shared", "shared-weft-mpi"
# Each way to synchronise once: (program, implementation, words). More threads than workers everywhere.
RUNS = ((OURS, "weft", "bandwidth put fence 3 --size 64"), (OURS, "weft", "bidirectional put lock 16 --size 4096"),
        ("inlined-weft-weft-mpi", "weft", "bidirectional get lock_all 4 --size 8"), ("static", "weft", "bandwidth get flush 16 --size 512"),
        (OURS, "weft", "latency put pscw 2 --size 32768"), (SHARED, "fifo", "bidirectional put flush 4 --size 512"),
        ("inlined-fifo", "fifo", "bandwidth get lock 2 --size 262144"))
FEW_RUNS = RUNS[1], RUNS[5]
TEAMS = ((SHARED, "fifo"), ("inlined-fifo", "fifo"), (OURS, "weft"), ("inlined-weft-weft-mpi", "weft"))
LEAST_WORDS = 4 * 8  # of a size of 64 bytes and more: the rounds that are checked


def path(mpi, ending):
    return os.path.join(PROGRAMS, f"rma-mt-{mpi}-{ending}")


def launched(mpi, ending, implementation, words, before=(), ranks=2):
    """The exit status and what the job wrote."""
    program = [*before, path(mpi, ending), *words.split()]
    return job.launched(f"mpirun.{mpi}", ranks, program[0], *program[1:], WEFT_THREADS=implementation,
                        **dict(each.split("=") for each in rma_mt.LISTS))


def record(said):
    return json.loads(next(line for line in said.splitlines() if line.startswith("{")))


def all_runs():
    """Where both ranks take part, threads that wait in an MPI that spins are kept few."""
    for kernel in rma_mt.KERNELS:
        for operation in rma_mt.OPERATIONS:
            for sync in rma_mt.SYNCS:
                for ending, implementation in TEAMS:
                    threads = 3 if sync in rma_mt.ACTIVE else 16
                    yield ending, implementation, f"{kernel} {operation} {sync} {threads} --size 4096"


MPIS = [mpi for mpi in rma_mt.MPIS if shutil.which(f"mpirun.{mpi}") and os.access(path(mpi, SHARED), os.X_OK)]


@unittest.skipUnless(MPIS, "no MPI")
class RunTest(unittest.TestCase):
    def test_memory_is_right(self):
        for mpi in MPIS:
            runs = all_runs() if ALL else RUNS if mpi == MPIS[0] else FEW_RUNS
            for ending, implementation, words in runs:
                if not os.path.exists(path(mpi, ending)):
                    continue  # there is no libweft-mpi for it
                with self.subTest(words, mpi=mpi, program=ending):
                    status, said = launched(mpi, ending, implementation, f"{words} --workers 1 --check")
                    self.assertEqual(status, 0, said)
                    self.assertTrue(record(said)["correct"], said)
                    self.assertGreaterEqual(record(said)["facts"]["checked_words"], LEAST_WORDS, said)
                    self.assertIn(f'"{implementation}, workers: ', said)

    def test_a_lost_put_is_noticed(self):
        library = os.path.join(BUILD, "tests", "tools", f"libplanted_drop_put_{MPIS[0]}.so")
        status, said = launched(MPIS[0], SHARED, "fifo", "bandwidth put flush 2 --size 64 --check",
                                before=(rma_mt.ENV, f"LD_PRELOAD={library}"))
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, r"rma-mt: rank 1: 64 bytes by put and flush: word \d+ of thread [01] is \w+, expected \w+")

    def test_all_sizes_are_measured(self):
        status, said = launched(MPIS[0], SHARED, "fifo", "bandwidth put flush 1 --iterations 2")
        self.assertEqual(status, 0, said)
        read = experiment.read_figures(next(line for line in said.splitlines() if line.startswith("{")))
        self.assertEqual(tuple(read["sample"]), rma_mt.FIGURES)
        self.assertTrue(all(value > 0 for value in read["sample"].values()), said)

    def test_bad_words_are_refused(self):
        for words, complaint in (("bandwidth put fence", "bad number of words"), ("width put fence 1", "bad kernel 'width'"),
                                 ("latency push fence 1", "bad operation 'push'"), ("latency get lack 1", "bad synchronisation 'lack'"),
                                 ("latency get lock 17", "bad number of threads '17'"), ("latency get lock 0", "bad number of threads '0'"),
                                 ("latency get lock 1 --size 9", "bad option or value '9'"), ("latency get lock 1 --workers", "'--workers'"),
                                 ("latency get lock 1 --chek", "'--chek'")):
            self.check_refused(words, complaint)

    def check_refused(self, words, complaint):
        done = subprocess.run([path(MPIS[0], SHARED), *words.split()], capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(complaint, done.stderr)
        self.assertIn("usage: mpirun -n 2 rma-mt-VARIANT", done.stderr)

    def test_one_rank_is_refused(self):
        status, said = launched(MPIS[0], SHARED, "fifo", "latency get lock 1", ranks=1)
        self.assertNotEqual(status, 0)
        self.assertIn("it takes two ranks: mpirun -n 2", said)


class PlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        tools = self.make("tools/mpirun.openmpi")
        for ending in ("shared", "static", "inlined-fifo", "shared-weft-mpi"):
            self.make(f"build/bench/published/rma_mt/rma-mt-openmpi-{ending}")
        self.variables = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(self.variables)))
        os.environ["PATH"] = os.path.dirname(tools) + os.pathsep + "/usr/bin:/bin"

    def make(self, name):
        made = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        with open(made, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        os.chmod(made, 0o755)
        return made

    def plan(self, is_full=False):
        return rma_mt.plan(experiment.Context(os.path.join(self.folder, "build"), is_full, False, [0, 1, 2, 3]))

    def test_threads_that_block_in_the_mpi_have_a_worker_each(self):
        cells = {(cell["group"], cell["variant"]): cell for cell in self.plan()}
        fence = "openmpi: bandwidth, put, fence, threads: 16"
        command = cells[fence, "OS threads"]["command"]
        self.assertEqual(command[-4:], ["--workers", "16", "--iterations", "4"])
        self.assertIn("WEFT_THREADS=fifo", command)
        self.assertEqual(cells[fence, "weft"]["command"][-4:], ["--workers", "2", "--iterations", "4"])
        self.assertEqual(cells[fence, "weft"]["workers"], 4)
        flush = cells["openmpi: bandwidth, put, flush, threads: 16", "weft, stock"]
        self.assertEqual(flush["command"][-4:], ["--workers", "2", "--iterations", "50"])
        self.assertEqual(cells[fence, "weft, inlined"]["status"], "not installed")
        self.assertIn("Argobots", cells[fence, "argobots, stock"]["why"])

    def test_full_has_every_combination(self):
        groups = {cell["group"] for cell in self.plan(is_full=True) if cell["group"].startswith("openmpi")}
        self.assertEqual(len(groups), 3 * 2 * 5 * 5)

    def test_other_builds_are_variants(self):
        os.environ[rma_mt.BUILDS] = os.path.join(self.folder, "on-weft")
        cell = next(cell for cell in self.plan() if cell["variant"] == "weft in on-weft")
        self.assertIn(f"LD_LIBRARY_PATH={self.folder}/on-weft/lib", cell["command"])
        self.assertIn("mpirun.openmpi", cell["command"])
        own = self.make("on-weft/bin/mpirun")
        self.assertIn(own, next(cell for cell in self.plan() if cell["variant"] == "weft in on-weft")["command"])

    def test_tables_show_ratios_to_os_threads(self):
        cells = [cell for cell in self.plan() if cell["group"] == "openmpi: latency, put, flush, threads: 4"]
        for cell in cells:
            if cell["status"] == "to run":
                each = 4.0 if cell["variant"] == "OS threads" else 2.0
                cell.update(status="measured", samples=[dict.fromkeys(rma_mt.FIGURES, each)] * 7, facts={"threads": 4, "checked_words": 1})
        shown = rma_mt.show(cells, {})
        line = next(line for line in shown.splitlines() if line.strip().startswith("weft "))
        self.assertIn("2.00 [2.00, 2.00]", line)


if __name__ == "__main__":
    unittest.main()
