#!/usr/bin/env python3
"""Environment variables of the Argobots interface: what cannot be used is answered by one line on stderr that names it and says what is used
instead, what means nothing by one line for all.

usage: environment_test.py program-with-the-families"""

import os
import signal
import subprocess
import sys
import unittest


def run(family="threads", **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ABT_", "WEFT_STACK"))}
    done = subprocess.run([PROGRAM, family], env=dict(environment, **variables), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{variables}: {done.returncode}\n{done.stderr}")
    return [line for line in done.stderr.split("\n") if line.startswith("weft-abt:")], done.stdout


class EnvironmentTest(unittest.TestCase):
    def test_nothing_is_said_of_nothing(self):
        self.assertEqual(run(), ([], ""))

    def test_good_values_are_taken_without_a_word(self):
        lines, printed = run(ABT_THREAD_STACKSIZE="96K", ABT_ENV_SCHED_STACKSIZE="1M", ABT_KEY_TABLE_SIZE="5", ABT_SCHED_EVENT_FREQ="7",
                             ABT_MAX_NUM_XSTREAMS="2", ABT_STACK_OVERFLOW_CHECK="mprotect", ABT_PRINT_CONFIG="yes")
        self.assertEqual(lines, [])
        for part in ("98304 bytes", "1048576 bytes", "every 7 units", " 8\n"):
            self.assertIn(part, printed)

    def test_the_shorter_name_wins(self):
        _, printed = run(ABT_THREAD_STACKSIZE="128K", ABT_ENV_THREAD_STACKSIZE="96K", ABT_PRINT_CONFIG="1")
        self.assertIn("131072 bytes", printed)

    def test_the_core_s_stack_size_counts(self):
        _, printed = run(WEFT_STACK_SIZE="128K", ABT_PRINT_CONFIG="1")
        self.assertIn("131072 bytes", printed)

    def test_a_value_that_cannot_be_used_is_answered(self):
        for name, value, used in (("ABT_THREAD_STACKSIZE", "big", "196608"), ("ABT_THREAD_STACKSIZE", "1", "16384"),
                                  ("ABT_SCHED_EVENT_FREQ", "-3", "50"), ("ABT_KEY_TABLE_SIZE", "0", "1"),
                                  ("ABT_MAX_NUM_XSTREAMS", "4x", str(os.sysconf("SC_NPROCESSORS_ONLN"))), ("ABT_PRINT_CONFIG", "maybe", "no")):
            with self.subTest(name=name, value=value):
                lines, _ = run(**{name: value})
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(f"{name}={value}: use ", lines[0])
                self.assertTrue(lines[0].endswith(f"it is {used} now"), lines[0])

    def test_a_line_comes_once_a_process(self):
        lines, _ = run("life", ABT_KEY_TABLE_SIZE="many", ABT_MEM_LP_ALLOC="thp")
        self.assertEqual(len([line for line in lines if "ABT_init:" not in line]), 2, lines)

    def test_those_without_effect_are_listed_in_one_line(self):
        lines, _ = run(ABT_MEM_MAX_NUM_DESCS="8", ABT_ENV_MUTEX_MAX_WAKEUPS="2", ABT_USE_LOG="1")
        self.assertEqual(len(lines), 1, lines)
        for name in ("ABT_MEM_MAX_NUM_DESCS", "ABT_ENV_MUTEX_MAX_WAKEUPS", "ABT_USE_LOG"):
            self.assertIn(name, lines[0])
        self.assertEqual(run(ABT_MEM_MAX_NUM_STACKS="8")[0], [])

    def test_cpus_that_cannot_be_read_are_named(self):
        for value in ("{}", "1:1:1:1", "{0", "here"):
            with self.subTest(value=value):
                lines, _ = run(ABT_SET_AFFINITY=value)
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(f"ABT_SET_AFFINITY={value}: use yes, no, or CPUs", lines[0])
        for value in ("yes", "no", "{0}", "0:1"):
            with self.subTest(value=value):
                self.assertEqual(run(ABT_SET_AFFINITY=value)[0], [])

    def test_guards_in_a_program_s_own_stacks(self):
        for check in ("mprotect", "MPROTECT_STRICT", "mprotect_strict"):  # guards.c says what it wants of the last one
            with self.subTest(check=check):
                family = "threads" if check == "MPROTECT_STRICT" else "guards"
                self.assertEqual(run(family, ABT_STACK_OVERFLOW_CHECK=check), ([], ""))

    def test_the_memory_of_stacks_is_printed_when_it_is_asked_for(self):
        for wish in ("no", "yes"):  # printing.c looks for a word in it
            with self.subTest(wish=wish):
                self.assertEqual(run("printing", ABT_PRINT_RAW_STACK=wish), ([], ""))

    def test_a_deadlock_is_told(self):
        environment = dict(os.environ, WEFT_DEADLOCK="abort")
        done = subprocess.run([PROGRAM, "standing"], env=environment, capture_output=True, text=True, timeout=250)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("weft: deadlock: nothing can ever run again", done.stderr)
        self.assertIn("waits for mutex", done.stderr)

    # One stream: primary and secondary. The holder, or the signaller, is ready behind the tasklet.
    def test_a_tasklet_that_waits_for_its_own_stream_is_told_and_aborts(self):
        for family, what in (("standing_tasklet", "waits for mutex"), ("standing_barrier", "waits for barrier")):
            with self.subTest(family=family):
                environment = dict(os.environ, WEFT_DEADLOCK="abort")
                done = subprocess.run([PROGRAM, family], env=environment, capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
                self.check_tasklet_report(done.stderr, what)

    def test_a_tasklet_that_waits_for_its_own_stream_is_told_and_stays(self):
        environment = dict(os.environ, WEFT_DEADLOCK="report")
        with subprocess.Popen([PROGRAM, "standing_tasklet"], env=environment, stderr=subprocess.PIPE, text=True) as program:
            said = ""
            while "the program stays as it is" not in said:
                line = program.stderr.readline()
                self.assertNotEqual(line, "", said)
                said += line
            self.assertIsNone(program.poll(), said)
            program.kill()
        self.check_tasklet_report(said, "waits for mutex")

    def check_tasklet_report(self, said, what):
        self.assertIn("weft: deadlock: nothing can ever run again. 1 worker is idle, 1 is held up by what waits on it", said)
        self.assertRegex(said, r"OS thread \d+, worker 1, which runs no other thread meanwhile.*: " + what)
        self.assertIn("cure: a tasklet or callback that waits keeps the threads of its worker waiting", said)

    def test_an_overflow_names_the_variable_and_the_size_that_was_asked_for(self):
        for variables, size in (({}, "192 KiB"), ({"ABT_THREAD_STACKSIZE": "96K"}, "96 KiB")):
            with self.subTest(variables=variables):
                environment = {name: value for name, value in os.environ.items() if not name.startswith(("ABT_", "WEFT_STACK"))}
                done = subprocess.run([PROGRAM, "too_deep"], env=dict(environment, **variables), capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, -signal.SIGSEGV, done.stderr)
                self.assertIn(f"its stack of {size} is used up", done.stderr)
                self.assertIn("weft:   in go_deeper", done.stderr)
                self.assertIn(f"raise ABT_THREAD_STACKSIZE, or the size by ABT_thread_attr_set_stacksize (now {size})", done.stderr)

    def test_stacks_have_guards_always(self):
        lines, _ = run(ABT_STACK_OVERFLOW_CHECK="none")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("guards always", lines[0])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
