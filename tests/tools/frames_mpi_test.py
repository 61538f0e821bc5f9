#!/usr/bin/env python3
"""Transports of frames over an MPI. The arguments behind the command are the conformance program of frames and the MPIs for which there
is a module (mpich, openmpi); launchers that are not here are skipped by name."""

import os
import shutil
import subprocess
import sys
import unittest

import command
import mpis

CONFORMANCE, BUILT = sys.argv[2], sys.argv[3:]
HERE = [each for each in BUILT if each in mpis.LAUNCHERS and shutil.which(mpis.LAUNCHERS[each])]
TRANSPORTS = ("mpi-funneled", "mpi-funneled-poster", "mpi-multiple", "mpi-onesided", "mpi-onesided-poster")


def start(mpi, nodes, transport, **environment):
    words = ("--mpi", mpis.LAUNCHERS[mpi], "-n", nodes, CONFORMANCE, transport, nodes)
    return command.run("launch", "-q", *words, **mpis.QUIET, **environment)


class FramesTest(command.CommandTest):
    def conforms(self, mpi, nodes, transport):
        with self.subTest(mpi=mpi, nodes=nodes, transport=transport):
            result = start(mpi, nodes, transport)
            self.assertEqual(result.returncode, 0, result)
            lines = [f"node {each} of {nodes} conforms over {transport}" for each in range(1, nodes + 1)]
            self.assertEqual(sorted(result.stdout.split("\n")[:-1]), lines, result)

    def test_transports_conform(self):
        for mpi, transport in mpis.cases(HERE, TRANSPORTS):
            self.conforms(mpi, 2, transport)

    def test_one_node(self):
        for mpi, transport in mpis.cases(HERE, ("mpi-multiple", "mpi-onesided")):
            self.conforms(mpi, 1, transport)

    def test_more_nodes_than_processors(self):
        for mpi in mpis.few(HERE):
            self.conforms(mpi, 4, "mpi-funneled")
        for mpi, transport in mpis.cases(HERE, ("mpi-multiple", "mpi-onesided", "mpi-onesided-poster")):
            self.conforms(mpi, 3, transport)


class ModuleTest(command.CommandTest):
    def test_a_module_of_ones_own(self):
        """As docs/guide/cluster.md has it compiled."""
        top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        with open(os.path.join(top, "docs", "guide", "cluster.md"), encoding="utf-8") as page:
            words = next(line.split() for line in page if line.startswith("    mpicc "))
        for mpi in HERE:
            with self.subTest(mpi=mpi):
                module = self.path(f"{mpi}.so")
                words[0], words[words.index("-o") + 1] = f"mpicc.{mpi}", module
                subprocess.run(words, cwd=top, check=True, timeout=200)
                start_it = [mpis.LAUNCHERS[mpi], "-n", "2"] + (["--oversubscribe", "--allow-run-as-root"] if mpi == "openmpi" else [])
                result = subprocess.run([*start_it, CONFORMANCE, "mpi-funneled", "2"], capture_output=True, text=True, check=False, timeout=250,
                                        env={**os.environ, **mpis.QUIET, "WEFT_LAUNCH_MPI": module})
                self.assertEqual((result.returncode, result.stdout.count("conforms over mpi-funneled")), (0, 2), result)


class RefusedTest(command.CommandTest):
    def refused(self, *words, **environment):
        without = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        result = subprocess.run([CONFORMANCE, *words], capture_output=True, text=True, check=False, timeout=200, env={**without, **environment})
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1), result)
        return result.stderr

    def test_started_by_hand(self):
        for transport in TRANSPORTS:
            said = self.refused(transport, "2")
            self.assertEqual(said, f"weft: transport {transport}: no MPI has started this program; start it by weft launch --mpi MPIRUN -n N\n")

    def test_modules(self):
        for module, why in (("/no/such.so", "cannot open shared object file"), ("libm.so.6", "this is no module for an MPI")):
            said = self.refused("mpi-multiple", "2", WEFT_LAUNCH_MPI=module)
            self.assertIn(f"weft: transport mpi-multiple: WEFT_LAUNCH_MPI={module}: ", said)
            self.assertIn(why, said)

    def test_a_launcher_that_does_not_fit(self):
        if len(HERE) < 2:
            self.skipTest("two MPIs are needed")
        mine, other = HERE
        module = os.path.join(os.path.dirname(command.WEFT), "..", "..", "net", "mpi", f"libweft-net-{other}.so")
        words = [mpis.LAUNCHERS[mine], "-n", "2"] + (["--oversubscribe", "--allow-run-as-root"] if mine == "openmpi" else [])
        result = subprocess.run([*words, CONFORMANCE, "mpi-funneled", "2"], capture_output=True, text=True, check=False, timeout=200,
                                env={**os.environ, **mpis.QUIET, "WEFT_LAUNCH_MPI": os.path.realpath(module), "WEFT_LAUNCH_RANKS": "2"})
        self.assertNotEqual(result.returncode, 0)
        told = [line for line in result.stderr.split("\n") if "does not fit to" in line]
        self.assertEqual(len(told), 1, result.stderr)
        self.assertIn("of 2 ranks it sees 1; give weft launch --mpi the launcher of that MPI", told[0])

    def test_another_program(self):
        """Nodes of one group run one program."""
        for mpi in HERE[:1]:
            result = start(mpi, 2, "mpi-funneled", TEST_OTHER_PROGRAM="2")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("weft: transport mpi-funneled: node 2 runs another program than node 1; start the same file everywhere", result.stderr)


if __name__ == "__main__":
    for each, launcher in mpis.LAUNCHERS.items():
        if each not in HERE:
            print(f"skipped: {mpis.NAMES[each]}: {'no ' + launcher if each in BUILT else 'no module was built'}")
    unittest.main(argv=sys.argv[:1], verbosity=2)  # names what is skipped, and why
