#!/usr/bin/env python3
"""Calls of an MPI in threads with default settings: their results are right, and no other thread's stack loses a byte
(tests/tools/mpi_stacks.c). The arguments are that program for each MPI that is installed; launchers that are not here are skipped by
name."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CALLS = ("send and receive 8 B", "send and receive 1 MB", "allreduce of one", "allreduce of 1 MB", "barrier", "bcast", "alltoall", "waitall of 1000",
         "sendrecv of a vector type", "comm_dup", "comm_split", "comm_split_type", "window", "file")
LAUNCHERS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi"}
BUILT = {mpi: each for each in sys.argv[1:] for mpi in LAUNCHERS if each.endswith(f"_{mpi}")}
HERE = [each for each in BUILT if shutil.which(LAUNCHERS[each])]


class StacksTest(unittest.TestCase):
    def start(self, mpi, ranks, **environment):
        words = [LAUNCHERS[mpi], "-n", str(ranks)]
        if mpi == "openmpi":
            words += ["--oversubscribe"] + ["--allow-run-as-root"] * (os.geteuid() == 0)
        without = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run([*words, BUILT[mpi], os.path.join(folder, "shared")], capture_output=True, text=True, timeout=250, check=False,
                                  env={**without, "OMPI_MCA_hwloc_base_binding_policy": "none", **environment})

    def test_no_call_writes_to_another_stack(self):
        for mpi in HERE:
            for ranks in (1, 2):
                with self.subTest(mpi=mpi, ranks=ranks):
                    result = self.start(mpi, ranks)
                    wanted = [f"rank {rank} of {ranks}: {call}: right, 0 bytes lost" for rank in range(ranks) for call in CALLS]
                    self.assertEqual(sorted(result.stdout.splitlines()), sorted(wanted), result.stderr)
                    self.assertEqual(result.returncode, 0, result)

    def test_too_small_a_stack_is_told(self):
        """MPICH 4.0.2 has a frame of 131,160 bytes, which lands in the guard of a stack of 64 KiB."""
        if "mpich" not in HERE:
            self.skipTest("no MPICH")
        result = self.start("mpich", 1, WEFT_STACK_SIZE="64K")
        if result.returncode == 0:
            self.skipTest("this MPICH has no such frame")
        self.assertIn("weft: fatal: stack overflow in thread ", result.stderr)
        self.assertRegex(result.stderr, r"a frame jumped there, to \d+ KiB beneath it: the thread needs at least (192|256) KiB")
        self.assertRegex(result.stderr, re.compile(r"^weft:   in libmpich\.so\S*, .*, called from ", re.MULTILINE))
        self.assertIn("raise stack_bytes of its weft_thread_attr, or for all threads WEFT_STACK_SIZE (now 64 KiB)", result.stderr)


if __name__ == "__main__":
    for each, launcher in LAUNCHERS.items():
        if each not in HERE:
            print(f"skipped: {each}: {'no ' + launcher if each in BUILT else 'its mpicc was not found'}")
    if not HERE:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)  # names what is skipped, and why
