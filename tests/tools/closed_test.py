#!/usr/bin/env python3
"""Descriptors 0 to 2 that are closed when a job, a server or a node starts: none of them becomes something of its own. The arguments behind
the command are launch_exits.cpp, a Tascell program or "", and the MPIs for which there is a module."""

import os
import re
import shutil
import subprocess
import sys
import unittest

import command
import mpis

PROGRAM, TASCELL = sys.argv[2:4]
HERE = [each for each in sys.argv[4:] if each in mpis.LAUNCHERS and shutil.which(mpis.LAUNCHERS[each])]
ALL = ((0,), (1,), (2,), (0, 1, 2))
OWN = re.compile("memfd:|socket:|anon_inode:")


def closing(descriptors):
    def close():
        for each in descriptors:
            os.close(each)

    return close


def run(words, descriptors, **environment):
    return subprocess.run([str(each) for each in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=100, check=False, preexec_fn=closing(descriptors), env={**os.environ, **mpis.QUIET, **environment})


class ClosedTest(command.CommandTest):
    def test_launched_ranks(self):
        for descriptors in ALL:
            with self.subTest(descriptors=descriptors):
                result = run([command.WEFT, "launch", "-q", "-n", 2, PROGRAM, "descriptors", 0], descriptors)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_ranks_without_weft_launch(self):
        for ranks in ("1", "2"):
            for descriptors in ALL:
                with self.subTest(descriptors=descriptors, ranks=ranks):
                    result = run([PROGRAM, "descriptors", 0], descriptors, WEFT_LAUNCH_RANKS=ranks, WEFT_LAUNCH_TABLE="off")
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_ranks_of_an_mpi(self):
        for mpi in HERE:
            for descriptors in ALL if mpi == HERE[0] else ALL[-1:]:
                with self.subTest(mpi=mpi, descriptors=descriptors):
                    result = run([command.WEFT, "launch", "-q", "--mpi", mpis.LAUNCHERS[mpi], "-n", 2, PROGRAM, "root", 0], descriptors)
                    self.assertEqual(result.returncode, 0, result)

    def test_other_commands(self):
        for descriptors in ALL:
            with self.subTest(descriptors=descriptors):
                result = run([command.WEFT, "info"], descriptors)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual(result.stdout.startswith("weft "), 1 not in descriptors, result.stdout)

    def check_own(self, process, descriptors):
        for each in descriptors:
            self.assertNotRegex(os.readlink(f"/proc/{process}/fd/{each}"), OWN, f"descriptor {each}")

    @unittest.skipUnless(TASCELL, "no Tascell program was built")
    def test_a_server_and_its_node(self):
        for descriptors in ((0,), (2,), (0, 2)):
            with self.subTest(descriptors=descriptors):
                words = [command.WEFT, "tascell-server", "--port", "0"]
                with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=closing(descriptors)) as server:
                    self.addCleanup(server.kill)
                    port = re.search(r"listens on port (\d+)", server.stdout.readline()).group(1)
                    self.check_own(server.pid, descriptors)
                    for closed in (*ALL, (0, 1)):
                        result = run([TASCELL, "--server", f"localhost:{port}", "20"], closed)
                        self.assertEqual((result.returncode, result.stderr), (0, ""))
                        self.assertEqual("6765" in result.stdout, 1 not in closed, result.stdout)
                    server.terminate()
                    said = server.communicate(timeout=60)[0]
                self.assertNotRegex(said, "(?i)strange|not understood|lost|wrong")


if __name__ == "__main__":
    mpis.tell_skipped()
    command.main()
