#!/usr/bin/env python3
"""weft stacks, on a program whose threads have known depths."""

import re
import subprocess
import sys

import command

PROGRAM = sys.argv[2]
OWN_WORDS = "weft: deepest in the words of the program\nthe program's own line\nand no newline"


class StacksTest(command.CommandTest):
    def rows(self, text):
        """{function: (deepest, of, threads)}"""
        found = re.findall(r"^([\d,]+) B +(\S+ \S+) +([\d,]+) +(\S.*)$", text, re.MULTILINE)
        return {function: (int(deepest.replace(",", "")), of, int(threads)) for deepest, of, threads, function in found}

    def test_each_thread_function_and_the_size_to_choose(self):
        result = self.run_right("stacks", "--", PROGRAM)
        rows = self.rows(result.stdout)
        self.assertEqual({name: row[1:] for name, row in rows.items()}, {"deep": ("64.0 MiB", 1), "shallow": ("64.0 MiB", 3)})
        self.assertTrue(1000000 <= rows["deep"][0] < 1010000 and 10000 <= rows["shallow"][0] < 20000, rows)
        chosen = re.search(r"WEFT_STACK_SIZE=(\d+)K has room for these threads", result.stdout)
        self.assertTrue(1220 < int(chosen.group(1)) < 1300, result.stdout)
        self.assertEqual(self.rows(self.run_right("stacks", "--stack", f"{chosen.group(1)}K", PROGRAM).stdout).keys(), rows.keys())

    def test_the_program_keeps_its_output(self):
        result = self.run_right("stacks", PROGRAM, "all")
        self.assertEqual(result.stdout.split("\n")[0], "answer")
        self.assertEqual(result.stderr, OWN_WORDS)

    def test_stacks_that_a_creator_gave(self):
        shown = self.run_right("stacks", PROGRAM, "own").stdout
        self.assertEqual(self.rows(shown)["shallow"][2], 3)
        self.assertRegex(self.rows(shown)["shallow"][1], r"^[45]\d\.\d KiB$")
        self.assertIn("Threads with a smaller stack here got it from their creator", shown)
        self.assertNotIn("WEFT_STACK_SIZE=", shown)

    def test_what_lies_beneath_a_stack(self):
        shown = self.run_right("stacks", PROGRAM, "beneath").stdout
        deepest, of, threads = self.rows(shown)["far"]
        self.assertTrue(560000 < deepest < 570000 and threads == 1, shown)
        self.assertRegex(of, r"^[45]\d\.\d KiB$")
        self.assertIn("A thread function whose deepest is more than its stack wrote beneath it: give it a larger one", shown)

    def test_a_program_that_fails(self):
        result = command.run("stacks", PROGRAM, "fail")
        self.assertEqual(result.returncode, 1)
        self.assertIn("shallow", self.rows(result.stdout))
        self.assertIn("WEFT_STACK_SIZE=32K has room for these threads, with a quarter, and at least 8 KiB, to spare", result.stdout)
        self.assertIn(f"weft stacks: {PROGRAM} ended with status 3", result.stderr)

    def refused(self, *words):
        result = command.run("stacks", *words)
        self.assertEqual(result.returncode, 1, result)
        return result.stderr

    def test_what_tells_nothing(self):
        self.assertIn("told nothing of stacks: it did not start Weft", self.refused(PROGRAM, "plain"))
        self.assertEqual(self.refused("/nonexistent/program"), "weft: /nonexistent/program cannot be run: No such file or directory\n")

    def test_bad_words(self):
        self.assertIn("PROGRAM is required", self.refuse("stacks"))
        for size in ("8K", "2G", "large"):
            self.assertIn("--stack", self.refuse("stacks", "--stack", size, PROGRAM))
        self.assertIn("--stack", self.refuse("stacks", "--stack", 1, "--", PROGRAM))

    def test_without_room_for_its_stacks(self):
        """The program says that it could not start; what was asked for here is named, too."""
        limited = subprocess.run(["sh", "-c", f"ulimit -v 1000000; exec '{command.WEFT}' stacks --stack 1G -- '{PROGRAM}'"],
                                 capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual(limited.returncode, 1, limited)
        self.assertIn("lower WEFT_STACK_SIZE", limited.stderr)
        self.assertIn("cure: a smaller --stack (now 1048576K)", limited.stderr)


if __name__ == "__main__":
    command.main()
