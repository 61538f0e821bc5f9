#!/usr/bin/env python3
"""./dev installs what is missing and nothing else, in front of stand-ins for dpkg-query, apt-get, sudo and make that write down how
they were called; it shows what it installs and names the command that installs it."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ("sh", "env", "sed", "grep", "sort", "dirname", "cat", "date", "stty")
BY_HAND = "apt-get update && apt-get install --no-install-recommends "
APT_SAYS = """Reading package lists...
1 upgraded, 1 newly installed, 0 to remove and 134 not upgraded.
Get:1 http://example.org/debian bookworm/main amd64 hello amd64 2.10-3 [53.1 kB]
dlstatus:1:64.0947:Retrieving file 1 of 2
Get:2 http://example.org/debian bookworm/main amd64 clang-19 amd64 1:19 [13.2 MB]
pmstatus:dpkg-exec:0.0000:Running dpkg
pmstatus:hello:11.1111:Unpacking hello (amd64)
pmstatus:clang-19:33.3333:Unpacking clang-19 (amd64)
pmstatus:hello:77.7778:Configuring hello (amd64)
pmstatus:clang-19:88.8889:Configuring clang-19 (amd64)"""


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

    def apt_says(self, text, status=0):
        """What apt-get answers to install."""
        self.stand_in("apt-get", f'echo "apt-get $*" >> {self.log}\ncase "$*" in *install*) ;; *) exit 0 ;; esac\n'
                                 f"cat <<'END'\n{text}\nEND\nexit {status}")

    def dev(self, *arguments):
        done = subprocess.run([os.path.join(TOP, "dev"), *arguments], env={"PATH": self.bin}, capture_output=True, text=True)
        with open(self.log, encoding="utf-8") as log:
            return done, log.read().splitlines()

    def test_with_everything_there_it_calls_make_alone(self):
        self.debian()
        self.assertEqual(self.dev("run", "DIR=/some/where")[1], ["make --no-print-directory run DIR=/some/where"])

    def test_options_of_the_program_behind_a_word_reach_it(self):
        self.debian()
        self.assertEqual(self.dev("abi", "--write", "N=1", "--all")[1], ["make --no-print-directory abi N=1 ARGS=--write --all"])

    def test_what_is_missing_is_installed_first(self):
        self.debian(missing=("ninja-build", "make"))
        calls = self.dev("build")[1]
        self.assertEqual(len(calls), 3, calls)
        self.assertIn("update", calls[0])
        self.assertEqual(calls[1].split("install --no-install-recommends ")[1].split(), ["make", "ninja-build"])
        self.assertEqual(calls[2], "make --no-print-directory build")

    def test_a_word_does_not_install_what_another_needs(self):
        self.debian(missing=("clang-19",))
        self.assertEqual(self.dev("build")[1], ["make --no-print-directory build"])
        self.assertIn("clang-19", " ".join(self.dev("test")[1]))

    def test_without_root_and_sudo_it_names_the_whole_command(self):
        self.debian(missing=("make", "libssl-dev"))  # libssl-dev stands in the table for two headers
        self.stand_in("id", "echo 1000")
        for word in ("run", "test"):
            done, calls = self.dev(word)
            self.assertEqual((done.returncode, calls), (1, []))
            self.assertIn(f"  {BY_HAND}libssl-dev make\n", done.stderr)

    def test_without_root_it_goes_through_sudo_and_shows_the_command(self):
        self.debian(missing=("make",))
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", f'echo "sudo $1 $2" >> {self.log}; exec "$@"')
        done, calls = self.dev("clean")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([call for call in calls if call.startswith("sudo")], ["sudo env LC_ALL=C"] * 2)
        shown = next(line for line in done.stdout.splitlines() if "install --no-install-recommends" in line)
        for call in calls:  # what is shown is what is called
            if call.startswith("apt-get "):
                self.assertIn("sudo env LC_ALL=C DEBIAN_FRONTEND=noninteractive " + call, shown)

    def test_each_package_is_asked_for_once(self):
        self.debian(missing=(".*",))
        self.stand_in("dpkg-query", "exit 1")
        calls = self.dev("test")[1]
        packages = calls[1].split("--no-install-recommends ")[1].split()
        self.assertIn("libssl-dev", packages)
        self.assertEqual(len(set(packages)), len(packages), packages)

    def test_an_installation_that_fails_ends_with_the_whole_command(self):
        self.debian(missing=("make",))
        self.apt_says("E: no space left", status=100)
        done, calls = self.dev("clean")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("make --no-print-directory clean", calls)
        self.assertIn(f"  {BY_HAND}make\n", done.stderr)
        self.stand_in("apt-get", "exit 100")  # already the first call
        self.assertEqual(self.dev("clean")[0].returncode, 1)

    def test_it_shows_which_package_of_how_many_it_installs(self):
        self.debian(missing=("make",))
        self.apt_says(APT_SAYS)
        shown = self.dev("clean")[0].stdout.splitlines()
        for line in ("downloading 1 of 2: hello", "unpacking 1 of 2: hello", "installing 1 of 2: hello", "2 packages installed"):
            self.assertTrue(any(line in each for each in shown), (line, shown))

    def test_on_a_terminal_the_packages_are_written_over_one_line(self):
        self.debian(missing=("make",))
        self.apt_says(APT_SAYS)
        shown = self.dev_on_a_terminal("clean")
        for line in ("downloading 1 of 2: hello, 64 % of all", "downloading 2 of 2: clang-19", "unpacking 2 of 2: clang-19",
                     "installing 1 of 2: hello", "installing 2 of 2: clang-19"):
            self.assertIn(f"\r\033[K./dev clean: {line}", shown)
        self.assertTrue(shown.endswith("\r\033[K./dev clean: 2 packages installed\r\n"), shown)

    def dev_on_a_terminal(self, *arguments):
        terminal, end = os.openpty()
        child = subprocess.Popen([os.path.join(TOP, "dev"), *arguments], env={"PATH": self.bin, "TERM": "xterm"}, stdout=end)
        os.close(end)
        shown = b""
        with contextlib.suppress(OSError):  # how the end of a terminal shows
            while piece := os.read(terminal, 4096):
                shown += piece
        os.close(terminal)
        self.assertEqual(child.wait(), 0)
        return shown.decode()

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


class MakeTest(unittest.TestCase):
    """The words that build, with stand-ins for cmake and ctest."""

    def make(self, word, fails=None):
        """fails: which of the two."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cmake", "ctest"):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\necho \"{name} was called: $*\"; exit {int(name == fails)}\n")
                os.chmod(path, 0o755)
            environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # also below make test
            environment["PATH"] = f"{folder}:{os.environ['PATH']}"
            command = ["make", "-f", os.path.join(TOP, "Makefile"), word]
            return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    def test_configuring_and_building_are_shown(self):
        for word, preset in (("build", "release"), ("dev", "dev")):
            done = self.make(word)
            shown = done.stdout.splitlines()
            self.assertEqual(shown[:2], [f"configuring build/{preset}", f"cmake was called: --preset {preset}"])
            self.assertTrue(shown[2].startswith(f"cmake was called: --build --preset {preset}"), shown)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_a_folder_of_another_user_is_one_line(self):
        """Whether it has been built in or the whole clone is another's."""
        with tempfile.TemporaryDirectory() as clone:
            os.chmod(clone, 0o755)
            shutil.copy(os.path.join(TOP, "Makefile"), clone)
            os.makedirs(os.path.join(clone, "tools", "setup"))
            shutil.copy(os.path.join(TOP, "tools", "setup", "prefix.py"), os.path.join(clone, "tools", "setup"))
            os.makedirs(os.path.join(clone, "build", "release"))
            for word in ("build", "install", "run", "test", "unit", "bench"):
                done = subprocess.run(["make", word, f"PREFIX={tempfile.gettempdir()}"], cwd=clone, user=65534, group=65534, extra_groups=[],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, word)
                said = done.stdout + done.stderr
                self.assertRegex(said, r"(?m)^make: build/\w+ belongs to another user; .* a clone of your own$")
                self.assertNotIn("configuring", said)
                self.assertLess(said.count("\n"), 4, said)

    def test_what_cannot_be_configured_is_not_built(self):
        done = self.make("build", fails="cmake")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("cmake was called"), 1)

    def test_quick_fails_as_its_tests_do_and_says_then_what_repeats_them(self):
        for fails, status in (("ctest", 2), (None, 0)):
            done = self.make("quick", fails)
            self.assertEqual((done.returncode, "\nrepeat: " in done.stdout), (status, status != 0), done)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
