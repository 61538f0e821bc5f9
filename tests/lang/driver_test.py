#!/usr/bin/env python3
"""Tests of `weft tascell` as a command: what it does with words that are not for the language, and what
a program says of its environment.

usage: driver_test.py WEFT"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = '#include "size.h"\nworker int main(void) { return SIZE != 3; }\n'
WEFT = os.path.abspath(sys.argv.pop(1))


class Driver(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.write("program.tc", PROGRAM)
        self.write("size.h", "#define SIZE 3\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_an_overflow_names_the_variable_of_the_stack(self):
        self.write("deep.tc", """worker long dig(volatile long *up, long n) {
  volatile long here[64] = {n, up == 0 ? 0 : up[0]};
  return dig(here, n + 1) + here[1];
}
worker int main(void) { return (int)dig(0, 0); }
""")
        self.assertEqual(self.tascell("deep.tc", "-o", "deep"), (0, ""))
        done = subprocess.run([os.path.join(self.folder, "deep")], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "WEFT_TASCELL_STACK_SIZE": "128K"})
        self.assertIn("stack overflow in thread", done.stderr)
        self.assertIn("cure: raise WEFT_TASCELL_STACK_SIZE, or stack_bytes of its weft_tascell_options (now 128 KiB)", done.stderr)

    def test_explain(self):
        self.write("explained.tc", """#include <stdio.h>
task pair { in: int n; out: long twice; };
task_exec pair { this->twice = this->n * 2L; }
static long table[4];
worker long sum(const long *p, int n) {
  if (n == 0) return 0;
  long a, b, c;
  do_two a = sum(p, n - 1);
  share (in n; copy p[0 .. n]; out b) b = sum(p, n - 1);
  do_two a += sum(p, 0);
  share (shared table; out c) c = table[0];
  return a + b + c;
}
worker int main(void) { return (int)sum(table, 0); }
""")
        done = subprocess.run([WEFT, "tascell", "--explain", "explained.tc"], cwd=self.folder, capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), [
            "explained.tc:2: task pair: its tasks travel; they carry n, and back twice",
            "explained.tc:8: sum: its tasks travel; they carry n, a part of p, and back b",
            "explained.tc:10: sum: its tasks stay on their node, because of shared table",
        ])

    def tascell(self, *words):
        done = subprocess.run([WEFT, "tascell", *words], cwd=self.folder, capture_output=True, text=True, timeout=250, check=False)
        return done.returncode, done.stderr

    def check_dependencies(self, file, target):
        text = self.read(file)
        self.assertEqual(text.split(":")[0], target)
        needed = text.replace("\\\n", " ").split("\n")[0].split()[1:]
        self.assertIn("program.tc", needed)
        self.assertIn("size.h", needed)
        missing = [name for name in needed if not os.path.exists(os.path.join(self.folder, name))]
        self.assertEqual(missing, [], "a build would make the program again each time, or could not")

    def test_all_dependencies_exist(self):
        self.assertEqual(self.tascell("program.tc", "-c", "-MD"), (0, ""))
        self.check_dependencies("program.d", "program.o")
        os.mkdir(os.path.join(self.folder, "made"))
        self.assertEqual(self.tascell("program.tc", "-c", "-MMD", "-MP", "-o", "made/other.o"), (0, ""))
        self.check_dependencies("made/other.d", "made/other.o")
        self.assertNotIn("prelude", self.read("made/other.d"))
        self.assertEqual(self.tascell("program.tc", "--emit-c", "-MD", "-MF", "list", "-MT", "all", "-o", "program.c"), (0, ""))
        self.check_dependencies("list", "all")

    def test_words_that_would_write_something_else(self):
        for word in ("-E", "-S", "-M", "-MM"):
            status, told = self.tascell("program.tc", word)
            self.assertEqual(status, 2)
            self.assertIn(f"{word} cannot be asked for; --emit-c writes the C text", told)
        self.assertEqual(sorted(os.listdir(self.folder)), ["program.tc", "size.h"])

    def test_a_missing_value(self):
        for word in ("-I", "-D", "-MF", "-o"):
            status, told = self.tascell("program.tc", word)
            self.assertEqual((status, told.count("\n")), (2, 1))
            self.assertIn(f"{word} wants a value behind it", told)

    def test_a_folder(self):
        os.mkdir(os.path.join(self.folder, "folder.tc"))
        status, told = self.tascell("folder.tc")
        self.assertEqual((status, told), (1, "weft: folder.tc is a folder, and no program\n"))

    def test_a_variable_that_does_not_exist(self):
        self.assertEqual(self.tascell("program.tc", "-o", "program"), (0, ""))
        words = {**os.environ, "WEFT_TASCELL_CHEK": "on", "WEFT_TASCELL_STORM": "1", "WEFT_TASCELL_": "1"}
        done = subprocess.run([os.path.join(self.folder, "program")], env=words, capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            sorted(done.stderr.splitlines()),
            [f"weft: warning: there is no variable {name}; weft info lists those that exist. It is ignored"
             for name in ("WEFT_TASCELL_", "WEFT_TASCELL_CHEK")])


if __name__ == "__main__":
    unittest.main()
