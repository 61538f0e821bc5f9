#!/usr/bin/env python3
"""./dev installs what is missing and nothing else, in front of stand-ins for dpkg-query, apt-get, sudo and make that write down how
they were called."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ("sh", "env", "sed", "grep", "sort", "dirname", "cat")


class DevTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin, self.log = os.path.join(folder.name, "bin"), os.path.join(folder.name, "log")
        os.mkdir(self.bin)
        open(self.log, "w", encoding="utf-8").close()
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        self.stand_in("make", f'echo "make $*" >> {self.log}')
        self.stand_in("id", "echo 0")

    def stand_in(self, name, script):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)

    def debian(self, missing=()):
        """A system on which all packages but some are installed."""
        names = "|".join(missing) or "none-at-all"
        self.stand_in("dpkg-query", f'for last; do :; done; case $last in {names}) exit 1 ;; *) echo "install ok installed" ;; esac')
        self.stand_in("apt-get", f'echo "apt-get $*" >> {self.log}')

    def dev(self, *arguments):
        done = subprocess.run([os.path.join(TOP, "dev"), *arguments], env={"PATH": self.bin}, capture_output=True, text=True)
        with open(self.log, encoding="utf-8") as log:
            return done, log.read().splitlines()

    def test_with_everything_there_it_calls_make_alone(self):
        self.debian()
        self.assertEqual(self.dev("run", "DIR=/some/where")[1], ["make --no-print-directory run DIR=/some/where"])

    def test_what_is_missing_is_installed_first(self):
        self.debian(missing=("ninja-build", "make"))
        calls = self.dev("build")[1]
        self.assertEqual(len(calls), 3, calls)
        self.assertIn("update", calls[0])
        self.assertEqual(calls[1].split("install ")[1].split(), ["make", "ninja-build"])
        self.assertEqual(calls[2], "make --no-print-directory build")

    def test_a_word_does_not_install_what_another_needs(self):
        self.debian(missing=("clang-19",))
        self.assertEqual(self.dev("build")[1], ["make --no-print-directory build"])
        self.assertIn("clang-19", " ".join(self.dev("test")[1]))

    def test_without_root_it_goes_through_sudo(self):
        self.debian(missing=("make",))
        self.stand_in("id", "echo 1000")
        done, calls = self.dev("clean")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("as root, run: apt-get install make", done.stderr)
        self.stand_in("sudo", f'echo "sudo $1" >> {self.log}; exec "$@"')
        self.assertIn("sudo apt-get", self.dev("clean")[1])

    def test_elsewhere_it_says_what_is_missing_and_goes_on(self):
        done, calls = self.dev("cross")
        self.assertIn("missing here, trying without:", done.stderr)
        self.assertIn("qemu-aarch64", done.stderr)
        self.assertEqual(calls, ["make --no-print-directory cross"])

    def test_an_unknown_word_is_refused_and_the_words_are_shown(self):
        self.debian()
        done, calls = self.dev("nosuch")
        self.assertEqual((done.returncode, calls), (2, []))
        self.assertIn("no word 'nosuch'", done.stderr)
        self.assertIn("run: the demonstration", done.stdout)

    def test_help_needs_nothing(self):
        done, calls = self.dev()
        self.assertEqual((done.returncode, calls), (0, []))
        self.assertIn("test: everything", done.stdout)

    def test_every_word_of_the_makefile_has_its_packages(self):
        with open(os.path.join(TOP, "Makefile"), encoding="utf-8") as makefile:
            words = {word for line in makefile if "## " in line and ":" in line for word in line.split(":")[0].split()}
        words = {word for word in words if re.fullmatch("[a-z]+(-[a-z]+)*", word)}
        with open(os.path.join(TOP, "tools", "setup", "packages.txt"), encoding="utf-8") as table:
            known = {line.split(":")[0] for line in table if not line.startswith("#")}
        self.assertEqual(words, known)


if __name__ == "__main__":
    unittest.main()
