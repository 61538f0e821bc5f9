#!/usr/bin/env python3
"""weft costs: a row a program, with the cost of its children as plain calls, forks and threads."""

import command

PROGRAMS = ("fib", "queens", "fib-cutoff", "uts-t1")


class CostsTest(command.CommandTest):
    def test_every_program_has_three_costs_and_two_ratios(self):
        result = self.run_right("costs", "--quick")
        rows = [line.split() for line in result.stdout.splitlines()]
        for program in PROGRAMS:
            row = next(row for row in rows if row and row[0] == program)
            self.assertEqual(len(row), 10, row)  # name, what each is, three times with their units, two ratios
            self.assertTrue(all(float(figure) > 0 for figure in row[2:8:2] + row[8:]), row)
        self.assertEqual(len(result.stderr.splitlines()), 3 * len(PROGRAMS))

    def test_what_cannot_run_is_an_error(self):
        result = command.run("costs", "--quick", WEFT_STACK_SIZE="nonsense")
        self.assertEqual(result.returncode, 1)
        self.assertIn("WEFT_STACK_SIZE", result.stderr)
        self.assertNotIn("fib", result.stdout)

    def test_bad_options(self):
        self.assertIn("did you mean '--quick'?", self.refuse("costs", "--quik"))
        self.refuse("costs", "--repetitions", "0")
        self.refuse("costs", "fib")


if __name__ == "__main__":
    command.main()
