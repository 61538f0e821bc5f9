#!/usr/bin/env python3
"""Command lines that make no sense get a clear message, the nearest thing that there is, the list of all, and exit status 2."""

import command


class UsageTest(command.CommandTest):
    def test_unknown_command(self):
        message = self.refuse("dmeo")
        self.assertIn("did you mean 'demo'?", message)
        self.assertIn("commands: demo, bench, costs, explore, frames, launch, list, info", message)

    def test_unknown_program(self):
        for name in ("bench", "demo"):
            message = self.refuse(name, "queen")
            self.assertIn("there is no program 'queen'; did you mean 'queens'?", message)
            self.assertIn("uts-t1", message)

    def test_unknown_runtime(self):
        message = self.refuse("bench", "fib", "--runtime", "utl")
        self.assertIn("did you mean 'ult'?", message)
        self.assertIn("fib runtimes: sequential, ult, tasklet, fork", message)

    def test_runtime_that_a_program_lacks(self):
        for runtime in ("sequential", "fork"):
            self.assertIn("blocked runtimes: ult", self.refuse("bench", "blocked", "--runtime", runtime))

    def test_unknown_option(self):
        self.assertIn("did you mean '--repetitions'?", self.refuse("bench", "fib", "--repetition", "3"))
        self.assertIn("did you mean '--parsable'?", self.refuse("info", "--parseable"))
        self.assertIn("--version", self.refuse("--nonsense"))

    def test_bad_values(self):
        for arguments in (
            ("--size", "x"), ("--size", "0"), ("--size", "61"), ("--size", "-1"), ("--size",), ("--workers", "1025"),
            ("--repetitions", "0"), ("--runtime", "sequential", "--workers", "2"),
        ):
            message = self.refuse("bench", "fib", *arguments)
            self.assertIn(arguments[-2] if len(arguments) > 1 else arguments[0], message)
        self.refuse("demo", "--timeout", "0")

    def test_directory(self):
        self.assertIn("no such directory", self.refuse("bench", "hash", "--dir", self.path("none")))
        self.assertIn("no such directory", self.refuse("demo", "fib", "--dir", self.path("none")))
        self.assertIn("--dir", self.refuse("bench", "hash", "--size", "3"))

    def test_too_many_words(self):
        self.assertIn("too", self.refuse("bench", "fib", "too"))

    def test_no_program(self):
        self.assertIn("programs: fib", self.refuse("bench"))

    def test_nothing(self):
        result = command.run()
        self.assertEqual(result.returncode, 2)
        self.assertIn("demo", result.stdout)

    def test_help_and_version(self):
        self.assertRegex(self.run_right("--version").stdout, r"^weft \d+\.\d+\.\d+\n$")
        for words in ((), ("demo",), ("bench",), ("bench", "compare"), ("costs",), ("list",), ("info",)):
            self.assertIn("Usage", self.run_right(*words, "--help").stdout)

    def test_unwritable_file(self):
        result = command.run("bench", "fib", "--size", 5, "--json", self.path("none", "out.json"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be written", result.stderr)


if __name__ == "__main__":
    command.main()
