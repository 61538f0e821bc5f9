#!/usr/bin/env python3
"""weft costs: a row a program, with the cost of its children as plain calls, forks, threads and Tascell tasks."""

import command

PROGRAMS = ("fib", "queens", "queens-board", "fib-cutoff", "uts-t1")
ON_TASCELL = ("fib", "queens-board")


class CostsTest(command.CommandTest):
    def test_every_program_has_its_costs_and_ratios(self):
        result = self.run_right("costs", "--quick")
        rows = [line.split() for line in result.stdout.splitlines()]
        for program in PROGRAMS:
            row = next(row for row in rows if row and row[0] == program)
            if program in ON_TASCELL:  # name, what each is, four times with their units, three ratios
                self.assertEqual(len(row), 13, row)
                figures = row[2:10:2] + row[10:]
            else:  # the last time and the last ratio are dashes
                self.assertEqual((len(row), row[8], row[11]), (12, "-", "-"), row)
                figures = row[2:8:2] + row[9:11]
            self.assertTrue(all(float(figure) > 0 for figure in figures), row)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        self.assertEqual(len(result.stderr.splitlines()), 3 * len(PROGRAMS) + len(ON_TASCELL))

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
