#!/usr/bin/env python3
"""What `make install` says before and after (tools/setup/prefix.py), in front of stand-ins for
ldconfig and pkg-config that write down how they were called."""

import glob
import importlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from outside import TOP, bare

SCRIPT = os.path.join(TOP, "tools", "setup", "prefix.py")
BUILD = sys.argv.pop() if len(sys.argv) > 1 and os.path.isdir(sys.argv[-1]) else None
NOT_ROOT = 65534


class PrefixTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.tools, self.log = os.path.join(folder.name, "tools"), os.path.join(folder.name, "log")
        self.prefix = os.path.join(folder.name, "prefix")
        os.mkdir(self.tools)
        self.stand_in("pkg-config", "exit 1")

    def stand_in(self, name, script):
        path = os.path.join(self.tools, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "{name}" "$@" >> {self.log}\n{script}\n')
        os.chmod(path, 0o755)

    def loader(self, searches, knows=""):
        self.stand_in("ldconfig", f"""case "$*" in
  *-v) echo "{searches}: (from somewhere)" ;;
  -p) echo "	libweft.so.0.1 (libc6,x86-64) => {knows}" ;;
esac""")

    def tree(self, libraries="lib"):
        libraries = os.path.join(self.prefix, libraries)
        os.makedirs(os.path.join(libraries, "pkgconfig"))
        os.makedirs(os.path.join(self.prefix, "bin"))
        with open(os.path.join(libraries, "pkgconfig", "weft.pc"), "w", encoding="utf-8"):
            return libraries

    def ask(self, *arguments, path="/usr/bin:/bin", **environment):
        environment = bare(PATH=f"{self.tools}:{path}", **environment)
        return subprocess.run([sys.executable, SCRIPT, *arguments], env=environment, capture_output=True, text=True, check=False)

    def calls(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read().splitlines()

    def test_a_prefix_that_nothing_searches_gets_lines_for_a_shell_and_words_for_a_linker(self):
        libraries = self.tree()
        self.loader(searches="/usr/local/lib")
        said = self.ask("words", self.prefix).stdout
        for line in (f"  export PKG_CONFIG_PATH={libraries}/pkgconfig${{PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}}\n",
                     f"  export CMAKE_PREFIX_PATH={self.prefix}${{CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}}\n",
                     f"  export PATH={self.prefix}/bin${{PATH:+:$PATH}}\n",
                     f"  -I{self.prefix}/include -L{libraries} -Wl,-rpath,{libraries} -lweft\n"):
            self.assertIn(line, said)
        self.assertNotIn("ldconfig", self.calls(), "the loader does not look there: there is nothing to tell it")

    def test_a_prefix_that_is_searched_gets_no_lines_and_the_loader_is_told(self):
        libraries = self.tree("lib/x86_64-linux-gnu")
        self.loader(searches=libraries, knows=f"{libraries}/libweft.so.0.1")
        self.stand_in("pkg-config", f"echo {libraries}/pkgconfig")
        said = self.ask("words", self.prefix, path=f"/usr/bin:/bin:{self.prefix}/bin").stdout
        self.assertIn("ldconfig", self.calls())
        self.assertIn(f"Weft is installed in {self.prefix}.", said)
        for word in ("PKG_CONFIG_PATH", "export PATH", "ldconfig", "rpath"):
            self.assertNotIn(word, said)

    def test_a_tree_that_was_moved_from_the_loader_s_folders_gets_the_run_path_on_the_line(self):
        libraries = self.tree()
        self.loader(searches="/usr/local/lib")
        self.assertIn(f"--define-variable=run_path=-Wl,-rpath,{libraries}", self.ask("words", self.prefix).stdout)
        at_home = subprocess.run([sys.executable, SCRIPT, "words", "prefix"], cwd=os.path.dirname(self.prefix), capture_output=True, text=True,
                                 env=bare(PATH=f"{self.tools}:/usr/bin:/bin"), check=False)
        self.assertIn(f"-Wl,-rpath,{libraries}", at_home.stdout, "a folder may be named relative to this one")

    def test_a_loader_that_could_not_be_told_is_named(self):
        libraries = self.tree()
        self.loader(searches=libraries, knows="/somewhere/else/libweft.so.0.1")
        self.assertIn("As root, once:\n\n  ldconfig\n", self.ask("words", self.prefix).stdout)

    def test_an_older_weft_that_pkg_config_finds_elsewhere_does_not_count(self):
        self.tree()
        self.loader(searches="/usr/local/lib")
        self.stand_in("pkg-config", "echo /usr/lib/pkgconfig")
        self.assertIn("export PKG_CONFIG_PATH=", self.ask("words", self.prefix).stdout)

    def test_what_this_shell_alone_knows_does_not_count(self):
        libraries = self.tree()
        self.loader(searches="/usr/local/lib")
        self.stand_in("pkg-config", 'echo "$PKG_CONFIG_PATH"')
        said = self.ask("words", self.prefix, PKG_CONFIG_PATH=f"{libraries}/pkgconfig").stdout
        self.assertIn("export PKG_CONFIG_PATH=", said)

    def test_a_tree_that_is_packed_changes_nothing_and_says_nothing(self):
        self.tree()
        self.loader(searches="/usr/local/lib")
        done = self.ask("words", self.prefix, DESTDIR="/somewhere")
        self.assertEqual((done.returncode, done.stdout, os.path.exists(self.log)), (0, "", False))

    def test_a_prefix_without_weft_is_refused(self):
        done = self.ask("words", self.prefix)
        self.assertEqual((done.returncode, done.stderr), (1, f"{self.prefix}: Weft is not installed there\n"))

    def test_what_cannot_be_written_is_named_with_the_cures(self):
        with open(self.prefix, "w", encoding="utf-8"):
            pass  # a file is in the place of the folder, so that root fails, too
        done = self.ask("may-write", self.prefix)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.prefix} cannot be written by this user", done.stderr)
        self.assertIn(f"sudo ./dev install PREFIX={self.prefix}\n", done.stderr)
        self.assertIn("./dev install PREFIX=$HOME/weft", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_another_user_s_folder_cannot_be_written(self):
        sys.path.insert(0, os.path.dirname(SCRIPT))
        self.addCleanup(sys.path.pop, 0)
        may_write = importlib.import_module("prefix").may_write

        def as_another_user(prefix):
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                os.setuid(NOT_ROOT)
                os._exit(may_write(prefix))
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

        os.makedirs(os.path.join(self.prefix, "lib"), mode=0o755)
        deeper = os.path.join(self.prefix, "deeper", "still")
        self.assertEqual([as_another_user(self.prefix), as_another_user(deeper)], [1, 1])
        os.chmod(self.prefix, 0o777)
        self.assertEqual([as_another_user(self.prefix), as_another_user(deeper)], [1, 0], "lib is still root's alone")

    def test_the_sources_are_not_installed_over(self):
        os.symlink(TOP, self.prefix)
        for arguments, destination in ((TOP, ""), (self.prefix, ""), ("/", TOP)):
            done = self.ask("may-write", arguments, DESTDIR=destination)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("is the folder of Weft's sources", done.stderr)
            self.assertIn("./dev install PREFIX=$HOME/weft", done.stderr)
        self.assertEqual(self.ask("may-write", os.path.join(TOP, "build", "installed")).returncode, 0)

    def test_the_word_asks_before_it_builds_and_ends_with_the_lines(self):
        done = subprocess.run(["make", "-n", "install", "PREFIX=some/where"], cwd=TOP, env=bare(), capture_output=True, text=True, check=True)
        lines = [line for line in done.stdout.splitlines() if "prefix.py" in line or "--build" in line or "--install" in line]
        place = os.path.join(TOP, "some/where")
        self.assertRegex(lines[0], f"prefix.py may-write '{place}'$")
        self.assertRegex(lines[1], "--build .*weft_checked")
        self.assertRegex(lines[-1], f"prefix.py words '{place}'$")

    def test_a_prefix_with_a_space_reaches_each_command_as_one_word(self):
        place = os.path.join(TOP, "some where")
        done = subprocess.run(["make", "-n", "install", "PREFIX=some where"], cwd=TOP, env=bare(), capture_output=True, text=True, check=True)
        words = [shlex.split(line) for line in done.stdout.splitlines() if "prefix.py" in line or "INSTALL_PREFIX" in line]
        self.assertEqual([place in "".join(line[-1:]) or f"-DCMAKE_INSTALL_PREFIX={place}" in line for line in words], [True] * 3)

    def test_a_folder_with_a_space_gets_a_line_that_a_shell_takes(self):
        self.prefix += " of mine"
        self.tree()
        self.loader(searches="/usr/local/lib")
        self.stand_in("pkg-config", r"echo '-I/a\ b -lweft'")
        said = self.ask("words", self.prefix).stdout
        line = next(line.strip() for line in said.splitlines() if "program.c" in line)
        shell = f'cc() {{ for word; do echo "$word"; done; }}; {line}'
        done = subprocess.run(["sh", "-c", shell], env=bare(PATH=f"{self.tools}:/usr/bin:/bin"), capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.splitlines(), ["program.c", "-o", "program", "-I/a b", "-lweft"])

    @unittest.skipUnless(BUILD and os.path.exists(os.path.join(BUILD, "build.ninja")), "only ninja tells what a target needs")
    def test_the_word_builds_all_that_it_installs(self):
        done = subprocess.run(["make", "-n", "install"], cwd=TOP, env=bare(), capture_output=True, text=True, check=True)
        command = next(line for line in done.stdout.splitlines() if "--build" in line)
        targets = command.split("--target ")[1].split()
        ninja = ["ninja", "-C", BUILD, "-t"]
        outputs = subprocess.run([*ninja, "targets", "all"], capture_output=True, text=True, check=True).stdout
        made = {line.rsplit(": ", 1)[0] for line in outputs.splitlines() if not line.endswith(": phony")}
        commands = subprocess.run([*ninja, "commands", *targets], capture_output=True, text=True, check=True).stdout
        installed = set()
        for path in glob.glob(os.path.join(glob.escape(BUILD), "**", "cmake_install.cmake"), recursive=True):
            with open(path, encoding="utf-8") as script:
                installed.update(os.path.relpath(file, BUILD) for file in re.findall(f'"({re.escape(BUILD)}/[^"]+)"', script.read()))
        self.assertIn("libweft.a", installed & made)
        self.assertEqual(sorted((installed & made) - set(commands.split())), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
