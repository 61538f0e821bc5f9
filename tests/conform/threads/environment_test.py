#!/usr/bin/env python3
"""The environment chooses the implementation of the threads interface, and what it asks for in vain is answered by one line that says
what would do.

usage: environment_test.py probe probe-compiled-for-weft folder-of-modules"""

import os
import resource
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "support"))
import privileged

MEBIBYTE = 1 << 20


class EnvironmentTest(unittest.TestCase):
    def run_probe(self, *arguments, probe=None, limits=(), **environment):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_THREADS")}
        command = [probe or PROBE, *arguments]

        def set_limits():
            for kind, most in limits:
                resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))

        return subprocess.run(
            command, env=dict(inherited, **environment), capture_output=True, text=True, timeout=200, preexec_fn=set_limits
        )

    def assert_runs(self, expected, **more):
        done = self.run_probe(**more)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, expected, ""))

    def assert_refused(self, status, *words, **more):
        done = self.run_probe(*more.pop("arguments", ()), **more)
        self.assertEqual((done.returncode, done.stdout.strip()), (1, status), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in ("weft-threads: error: ", *words):
            self.assertIn(word, done.stderr)

    def test_without_a_word_it_is_weft(self):
        self.assert_runs("weft")
        self.assert_runs("weft", WEFT_THREADS="")

    def test_each_is_chosen_by_its_name(self):
        self.assert_runs("weft", WEFT_THREADS="weft")
        self.assert_runs("fifo", WEFT_THREADS="fifo")
        self.assert_runs("pool limited", WEFT_THREADS="pool")

    def test_an_unknown_name_is_answered_with_the_choices(self):
        self.assert_refused("THREADS_INVALID", "WEFT_THREADS=nosuch", "weft, fifo, pool", WEFT_THREADS="nosuch")
        self.assert_refused("THREADS_INVALID", "WEFT_THREADS=../mine", WEFT_THREADS="../mine", WEFT_THREADS_PATH=MODULES)

    def test_how_many_os_threads_and_how_they_idle(self):
        self.assert_runs("fifo limited", WEFT_THREADS="fifo", WEFT_THREADS_LIMIT="3")
        self.assert_runs("pool", WEFT_THREADS="pool", WEFT_THREADS_LIMIT="0")
        self.assert_runs("fifo spins", WEFT_THREADS="fifo", WEFT_THREADS_IDLE="yield")
        for value in ("x", "-1", "3x", "99999999999999999999", "2000000"):
            self.assert_refused("THREADS_INVALID", f"WEFT_THREADS_LIMIT={value}", "0 to 1048576", WEFT_THREADS="fifo", WEFT_THREADS_LIMIT=value)
        self.assert_refused("THREADS_INVALID", "WEFT_THREADS_IDLE=spin", "sleep or yield", WEFT_THREADS="pool", WEFT_THREADS_IDLE="spin")

    def test_with_fewer_os_threads_than_wanted_it_goes_on(self):
        limits = [(resource.RLIMIT_STACK, 8 * MEBIBYTE), (resource.RLIMIT_AS, 200 * MEBIBYTE)]
        for name in ("fifo", "pool"):
            done = self.run_probe(limits=limits, WEFT_THREADS=name, WEFT_THREADS_LIMIT="0")
            self.assertEqual((done.returncode, done.stdout.strip()), (0, name), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("weft-threads: warning: the system refused an OS thread", done.stderr)

    def test_without_any_os_thread_it_does_not_start(self):
        limits = [(resource.RLIMIT_STACK, 400 * MEBIBYTE), (resource.RLIMIT_AS, 200 * MEBIBYTE)]
        self.assert_refused("THREADS_AGAIN", "refused an OS thread", "stack_bytes", limits=limits, WEFT_THREADS="fifo")

    def test_what_was_compiled_for_one_runs_on_it_alone(self):
        self.assert_runs("weft", probe=FOR_WEFT)
        self.assert_runs("weft", probe=FOR_WEFT, WEFT_THREADS="weft")
        self.assert_refused("THREADS_INVALID", "WEFT_THREADS=fifo", "compiled for weft", "weft::threads", probe=FOR_WEFT, WEFT_THREADS="fifo")
        self.assert_refused("THREADS_INVALID", "for weft and parts for fifo", probe=FOR_WEFT, arguments=["fifo"])

    def test_a_module_is_loaded_when_asked_for(self):
        self.assert_runs("mine", WEFT_THREADS="mine", WEFT_THREADS_PATH=f":/nonexistent:{MODULES}")
        self.assert_refused("THREADS_INVALID", "WEFT_THREADS=mine", WEFT_THREADS="mine")
        self.assert_refused("THREADS_UNSUPPORTED", "weft-threads-old.so", "another version", WEFT_THREADS="old", WEFT_THREADS_PATH=MODULES)
        self.assert_refused("THREADS_UNSUPPORTED", "weft-threads-empty.so", "is no implementation", WEFT_THREADS="empty", WEFT_THREADS_PATH=MODULES)

    def test_the_list_of_folders_ends_with_the_variable(self):
        with tempfile.TemporaryDirectory() as folder:
            behind = os.path.join(folder, "NEXT=modules")  # as the variable behind it reads in memory
            os.mkdir(behind)
            os.symlink(os.path.join(MODULES, "weft-threads-mine.so"), os.path.join(behind, "weft-threads-mine.so"))
            environment = {"WEFT_THREADS": "mine", "WEFT_THREADS_PATH": "/nonexistent", "NEXT": "modules"}
            done = subprocess.run([PROBE], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout.strip()), (1, "THREADS_INVALID"), done.stderr)

    def test_what_is_no_library_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "weft-threads-text.so")
            with open(path, "w", encoding="utf-8") as file:
                file.write("not a library\n")
            self.assert_refused("THREADS_UNSUPPORTED", path, WEFT_THREADS="text", WEFT_THREADS_PATH=folder)

    def test_a_known_one_that_is_not_installed_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_probe(WEFT_THREADS="qthreads", WEFT_THREADS_PATH=folder)
        if done.returncode != 0:
            self.assertEqual(done.stdout.strip(), "THREADS_UNSUPPORTED")
            self.assertIn("no weft-threads-qthreads.so here", done.stderr)
            self.assertIn("WEFT_THREADS_PATH", done.stderr)

    def test_with_raised_privileges_no_module_of_the_users_is_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = privileged.copy_with_privileges(PROBE, folder)
            if copy is None or not privileged.has_privileges(copy):
                self.skipTest("no program can be given raised privileges here")
            done = self.run_probe(probe=copy, WEFT_THREADS="mine", WEFT_THREADS_PATH=MODULES)
        self.assertEqual((done.returncode, done.stdout.strip()), (1, "THREADS_INVALID"), done.stderr)
        self.assertEqual(done.stderr.count("raised privileges (AT_SECURE): WEFT_THREADS_PATH;"), 1, done.stderr)


if __name__ == "__main__":
    MODULES, FOR_WEFT, PROBE = (os.path.abspath(sys.argv.pop()) for _ in range(3))
    unittest.main(verbosity=2)  # names what is skipped, and why
