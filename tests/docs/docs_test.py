#!/usr/bin/env python3
"""README.md and the guide's pages on kinds of parallelism, debuggers, reports, schedules, traces, the threads interface and Argobots' programs do
what they say. Their blocks are taken in order:

  ```c NAME, ```cpp NAME   saved as NAME
  ```sh                    run, in a folder with those files and Weft installed; `./dev WORD` is checked to be a word with its
                           packages and a rule of the Makefile, not run
  ```text                  what the commands before it printed

Links to files of the project lead somewhere, in all Markdown files.

usage: docs_test.py build-folder"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **environment), capture_output=True, text=True, shell=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def markdown_files():
    for folder, folders, names in os.walk(TOP):
        folders[:] = [name for name in folders if name not in ("build", ".git")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


def gdb_works():
    line = ["gdb", "-q", "-nx", "-batch", "-ex", "run", "/bin/true"]
    return shutil.which("gdb") is not None and "exited normally" in subprocess.run(line, capture_output=True, text=True).stdout


class DocsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def install(self):
        prefix = os.path.join(self.work, "prefix")
        run(f"cmake --install {BUILD} --prefix {prefix}", TOP)
        libraries = next(folder for folder, _, names in os.walk(prefix) if "libweft.a" in names)
        path = os.pathsep.join((os.path.join(prefix, "bin"), os.environ["PATH"]))
        return {"PKG_CONFIG_PATH": os.path.join(libraries, "pkgconfig"), "LD_LIBRARY_PATH": libraries, "PATH": path}

    def check_word(self, line):
        word, *variables = line.split()[1:]
        with open(os.path.join(TOP, "tools", "setup", "packages.txt"), encoding="utf-8") as table:
            self.assertRegex(table.read(), rf"(?m)^{word}:", f"{line}: the table of packages has no such word")
        run(f"make -n {word} {' '.join(variables)}", TOP)

    def test_readme_does_what_it_says(self):
        self.check_page("README.md")

    def test_the_guide_to_kinds_of_parallelism_does_what_it_says(self):
        self.check_page("docs/guide/which-parallelism.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "faces", "threads")), "no threads interface here")
    def test_the_page_on_the_threads_interface_does_what_it_says(self):
        self.check_page("docs/guide/threads-interface.md")

    @unittest.skipUnless(os.path.exists(os.path.join(TOP, "faces", "argobots")), "no Argobots interface here")
    def test_the_page_on_argobots_programs_does_what_it_says(self):
        self.check_page("docs/guide/argobots.md")

    @unittest.skipUnless(gdb_works(), "no gdb here, or it may not trace")
    def test_the_page_on_debuggers_does_what_it_says(self):
        def steady(text):  # what differs from run to run
            return re.sub(r"\d+\.\d+( s\b| of |KiB)", r"0\1", re.sub(r"0x[0-9a-f]+|(?<=\+)\d+", "0x", text))

        self.check_page("docs/guide/debugger.md", steady)

    def test_the_page_on_schedules_does_what_it_says(self):
        def steady(text):
            return re.sub(r"0x[0-9a-f]+|(?<=\+)\d+", "0x", text)

        self.check_page("docs/guide/replay.md", steady)

    def test_the_page_on_reports_does_what_it_says(self):
        def steady(text):  # the core's own frames, and those of libc, are of this compiler and this libc
            self.assertNotIn("_Z", text)  # readable also in a C program
            text = re.sub(r"(?m)^weft: +#\d+ .*lib(weft|c)\.so.*\n", "", text)
            return re.sub(r"(?<=#)\d+|\d+\.\d(?= s\b)|0x[0-9a-f]+", "0", text)

        self.check_page("docs/guide/reports.md", steady)

    def test_the_page_on_traces_does_what_it_says(self):
        def steady(text):  # times, and what comes of them
            text = re.sub(r"\d+(\.\d+)? (s|ms|us|ns|%)|(?<=parallelism) +\d+(\.\d+)?", "0", text)
            return re.sub(r" +", " ", re.sub(r"-{20,}", "--", text))

        self.check_page("docs/guide/tracing.md", steady)

    def check_page(self, path, steady=lambda text: text):
        with open(os.path.join(TOP, path), encoding="utf-8") as page:
            blocks = BLOCK.findall(page.read())
        environment = self.install()
        printed, programs, outputs = "", 0, 0
        for language, name, text in blocks:
            if language in ("c", "cpp"):
                self.assertTrue(name, f"a block of {language} has no file name")
                with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
                    file.write(text)
                programs += 1
            elif language == "sh":
                lines = [line for line in text.split("\n") if line.strip()]
                for line in (line for line in lines if line.startswith("./dev")):
                    self.check_word(line)
                printed = run("set -e\n" + "\n".join(line for line in lines if not line.startswith("./dev")), self.work, **environment)
            elif language == "text":
                self.assertEqual(steady(printed), steady(text))
                outputs += 1
        self.assertGreater(programs, 0)
        self.assertLessEqual(programs, outputs, "each program shows what it prints")

    def test_links_lead_somewhere(self):
        for path in markdown_files():
            with open(path, encoding="utf-8") as file:
                for target in LINK.findall(file.read()):
                    with self.subTest(page=os.path.relpath(path, TOP), link=target):
                        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), target)))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
