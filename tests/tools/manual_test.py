"""weft(1) is what the command says of itself."""

import os
import subprocess
import sys

import command

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKER = os.path.join(TOP, "tools", "docs", "command_page.py")

# The command, except that words in one of its helps are replaced, and that it knows `prices` for
# `costs`.
IMPOSTOR = """#!/bin/sh
if [ "$1" = prices ]; then
  shift
  exec "{weft}" costs "$@"
elif [ "$*" = "{words}" ]; then
  "{weft}" "$@" | sed 's|{old}|{new}|'
else
  exec "{weft}" "$@"
fi
"""


class ManualTest(command.CommandTest):
    def compare(self, program):
        return subprocess.run([sys.executable, "-B", MAKER, program], capture_output=True, text=True)

    def compare_when(self, words, old, new):
        self.assertIn(old, command.run(*words.split()).stdout)
        self.write("weft", IMPOSTOR.format(weft=command.WEFT, words=words, old=old, new=new).encode())
        os.chmod(self.path("weft"), 0o755)
        return self.compare(self.path("weft"))

    def test_the_page_is_what_the_command_says(self):
        done = self.compare(command.WEFT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_option_default_or_text_is_found(self):
        for words, old, new in (("explore", "--shrink", "--reduce"), ("costs", "=5", "=6"), ("info", "Print key", "Show key")):
            with self.subTest(option=old):
                done = self.compare_when(f"{words} --help", old, new)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("docs/man/weft.1 is not what weft says of itself", done.stderr)

    def test_a_sub_command_without_a_text_is_found(self):
        done = self.compare_when("--help", "  costs  ", "  prices ")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no text for the sub-command 'prices'", done.stderr)


if __name__ == "__main__":
    command.main()
