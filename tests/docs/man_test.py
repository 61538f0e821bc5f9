#!/usr/bin/env python3
"""Section 3 of the manual: a page for every function that libweft and libweft-threads export or their headers inline, whole and in the form of
man(7); and no page for anything that is not there, or that no program calls.

usage: man_test.py build-folder library..."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = [os.path.join(TOP, "include", "weft"), os.path.join(TOP, "faces", "threads", "include", "weft_threads")]
FOLDERS = [folder for folder in FOLDERS if os.path.isdir(folder)]
LIBRARIES = ("weft", "weft_threads")  # each has a page of all
sys.path.insert(0, os.path.join(TOP, "tools", "docs"))
import man


def exported():
    listed = subprocess.run(["nm", "-D", "--defined-only", *LIBRARY_FILES], capture_output=True, text=True, check=True).stdout
    found = re.findall(r" [TW] ((?:weft|threads)_\w+)", listed)
    return {name for name in found if not name.startswith(("threads_os_", "threads_weft_"))}  # for the headers with inline functions alone


def inlined():
    names = set()
    for path in (os.path.join(folder, name) for folder in FOLDERS for name in os.listdir(folder) if name.endswith(".h")):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r"(?:WEFT_HOT_INLINE|static inline) [^;{]*?\b((?:weft|threads)_\w+)\([^;{]*\) \{", file.read()))
    return names


def section(page, title):
    found = re.search(rf'^\.SH "{title}"\n(.*?)(?=^\.SH|\Z)', page, re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


# What inline functions of the headers call, and programs do not.
INNER = {"weft_fork_slowly", "weft_fork_small_slowly", "weft_fork_at_limit", "weft_fork_join_slowly", "weft_forked_end",
         "weft_yield_in_place", "weft_yield_to_in_place", "weft_park_in_place",
         "weft_pair_begin", "weft_pair_resume", "weft_pair_suspend", "weft_pair_end", "weft_pair_destroy",
         "weft_pair_resume_in_place", "weft_pair_suspend_in_place",
         "weft_dist_keep_exception", "weft_dist_find_exception", "weft_dist_drop_exception", "weft_dist_dropped_exception",
         "threads_tell", "threads_tell_as"}


class ManTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = [man.Pages(folder) for folder in FOLDERS]
        cls.types = {name for pages in made for name in pages.types}
        cls.pages = {name.removesuffix(".3"): text for pages in made for name, text in pages.all().items()}

    def test_there_is_a_page_for_every_function_and_no_other(self):
        functions = (exported() | inlined()) - INNER
        self.assertGreater(len(functions), 100)
        self.assertEqual(functions - set(self.pages), set(), "functions without a page")
        self.assertEqual(set(self.pages) - functions - self.types - set(LIBRARIES), set(), "pages of nothing that there is")

    def test_every_page_is_whole(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertIn(f"{name} \\- ", page.split(".SH NAME\n")[1].split("\n")[0])
                self.assertRegex(section(page, "SYNOPSIS"), r"#include <(weft|weft_threads)/\w+\.h>")
                self.assertRegex(section(page, "DESCRIPTION"), r"[A-Za-z]{3}")
                self.assertIn("(3)", section(page, "SEE ALSO") if name not in LIBRARIES else page)
                if name not in self.types and name not in LIBRARIES:
                    self.assertIn(f"{name}(", section(page, "SYNOPSIS").replace("\\", ""))
                    self.assertRegex(section(page, "SWITCHING AND CALLERS"), "never switches|may switch")

    def test_a_topic_is_included_by_the_header_that_has_its_words(self):
        for name, header in (("weft_thread_join", "weft"), ("weft_ext_pool_push", "ext"), ("weft_push_reason", "ext"), ("weft_fork", "hot")):
            self.assertIn(f"#include <weft/{header}.h>", section(self.pages[name], "SYNOPSIS"))
        self.assertIn("A builder owns a unit that it made", section(self.pages["weft_ext_pool_push"], "NOTES"))

    def test_calls_of_the_headers_own_are_left_out(self):
        self.assertEqual(INNER - exported() - inlined(), set(), "no longer there")
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual([inner for inner in INNER if inner in page], [])

    def test_every_page_has_the_date_of_the_version(self):
        with open(os.path.join(TOP, "CHANGELOG.md"), encoding="utf-8") as file:
            date = re.search(r"^## \S+ - (\d{4}-\d\d-\d\d)", file.read(), re.MULTILINE).group(1)
        pages = dict(self.pages)
        for name in ("weft.1", "weft.7"):
            with open(os.path.join(TOP, "docs", "man", name), encoding="utf-8") as file:
                pages[name] = file.read()
        for name, page in pages.items():
            with self.subTest(page=name):
                self.assertRegex(page, rf'(?m)^\.TH \S+ [137] "{date}" ')

    def test_what_a_page_refers_to_is_there(self):
        known = {f"{name} (3)" for name in self.pages} | {"weft (1)", "weft (7)"}
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual(set(re.findall(r"^\.BR (\S+ \(\d\))", page, re.MULTILINE)) - known, set())

    def test_errors_are_told_with_those_of_the_call_that_they_are_those_of(self):
        errors = section(self.pages["weft_thread_join_until"], "ERRORS")
        self.assertEqual(re.findall(r"WEFT_\w+", errors), ["WEFT_INVALID", "WEFT_DEADLOCK", "WEFT_CANNOT_BLOCK", "WEFT_BUSY", "WEFT_ENDED", "WEFT_TIMEOUT"])
        self.assertIn("thread is null or detached.", errors)
        self.assertIn("The deadline passed before the thread ended", errors)
        self.assertIn("a second join of a thread that begins after", section(self.pages["weft_thread_try_join"], "UNDEFINED BEHAVIOUR"))

    def test_a_reason_ends_behind_the_parentheses_in_it(self):
        self.assertIn("No membarrier(2), shadow stacks, a libweft.so of another minor version, or a child of fork(2);", section(self.pages["weft_init"], "ERRORS"))

    def test_the_page_of_all_names_every_function(self):
        for name in set(self.pages) - self.types - set(LIBRARIES):
            self.assertIn(f"\n\\fB{name}(3)\\fP\n", self.pages["weft_threads" if name.startswith("threads_") else "weft"])

    def test_they_are_installed(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "manual"], capture_output=True, check=True)
            found = {name: os.path.join(folder, name) for folder, _, names in os.walk(prefix) for name in names}
            self.assertEqual(set(found), {"weft.1"} | {f"{name}.3" for name in self.pages})
            self.assertIn("man1/weft.1", found["weft.1"])
            with open(found["weft_init.3"], encoding="utf-8") as page:
                self.assertEqual(page.read(), self.pages["weft_init"])
            self.assertIn("man3/weft_init.3", found["weft_init.3"])

    def test_they_are_packed(self):
        """Below DESTDIR, and nothing beside it: making a package leaves the system as it is."""
        with tempfile.TemporaryDirectory() as folder:
            prefix, packed = os.path.join(folder, "prefix"), os.path.join(folder, "packed")
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "manual"], env=dict(os.environ, DESTDIR=packed),
                           capture_output=True, check=True)
            self.assertFalse(os.path.exists(prefix))
            found = {name for _, _, names in os.walk(packed + prefix) for name in names}
            self.assertEqual(found, {"weft.1"} | {f"{name}.3" for name in self.pages})

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc here")
    def test_mandoc_finds_nothing_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = [path for each in FOLDERS for path in man.write(folder, each)]
            pages += [os.path.join(TOP, "docs", "man", name) for name in ("weft.1", "weft.7")]
            found = subprocess.run(["mandoc", "-Tlint", "-W", "warning", *pages], capture_output=True, text=True).stdout
        self.assertEqual(found, "")


if __name__ == "__main__":
    BUILD, *LIBRARY_FILES = sys.argv[1:]
    del sys.argv[1:]
    unittest.main()
