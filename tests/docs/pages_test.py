#!/usr/bin/env python3
"""What can be said of the documents without building anything: links and their anchors lead somewhere, CITATION.cff and CHANGELOG.md have the
version of include/weft/version.h, SECURITY.md names each variable that names a file, the commands that pages show for their figures exist, and
weft::fibers has what the page on it says.

usage: pages_test.py"""

import glob
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
MEASURES = re.compile(r"^    (?:chrt -f 5 )?((?:build/|bench/|\./dev )(?:.*\\\n)*.*)$", re.MULTILINE)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def prose_of(path):
    with open(path, encoding="utf-8") as file:
        return FENCE.sub("", file.read())


def markdown_files(top):
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in ("build", ".git")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


def anchor_of(heading):
    """As hosts of repositories make it: letters, digits, '_' and '-', spaces as '-'."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_of(path):
    found, times = set(), {}
    for heading in HEADING.findall(prose_of(path)):
        anchor = anchor_of(heading)
        found.add(f"{anchor}-{times[anchor]}" if times.get(anchor) else anchor)
        times[anchor] = times.get(anchor, 0) + 1
    return found


def broken_links(top):
    """(page, link) of each relative link without its file or its heading."""
    for page in markdown_files(top):
        for link in LINK.findall(prose_of(page)):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            path = os.path.join(os.path.dirname(page), target) if target else page
            is_there = os.path.exists(path) and (not anchor or not path.endswith(".md") or anchor in anchors_of(path))
            if not is_there:
                yield os.path.relpath(page, top), link


def tables_without_a_head(top):
    """(page, first row) of each run of lines with bars that is no table, since its second line is no rule."""
    for page in markdown_files(top):
        lines = [""] + prose_of(page).splitlines() + [""]
        for before, first, second in zip(lines, lines[1:], lines[2:]):
            if first.startswith("|") and not before.startswith("|") and not re.match(r"\|( *:?-+:? *\|)+$", second):
                yield os.path.relpath(page, top), first


class DecisionsTest(unittest.TestCase):
    def test_each_has_its_number_and_a_row_of_the_list(self):
        rows = re.findall(r"^\| \[(\d+)\]\((.*?)\) \| (.*) \|$", read("docs/decisions/README.md"), re.MULTILINE)
        pages = sorted(glob.glob("[0-9]*.md", root_dir=os.path.join(TOP, "docs/decisions")))
        self.assertEqual([page for _, page, _ in rows], pages)
        for number, page, title in rows:
            self.assertEqual(read(f"docs/decisions/{page}").split("\n")[0], f"# {number}: {title}")
            self.assertEqual(page[:4], number.zfill(4))


class TablesTest(unittest.TestCase):
    def test_the_first_change_names_what_is_there(self):
        said = read("CONTRIBUTING.md").split("## Your first change")[1].split("\n## ")[0]
        paths = [each for each in re.findall(r"`([\w.*/]+)`", said) if "/" in each and not each.startswith("./")]
        self.assertGreater(len(paths), 5)
        for path in paths:
            self.assertTrue(glob.glob(os.path.join(TOP, path)), path)

    def test_the_quick_word_runs_families_that_exist(self):
        recipe = read("Makefile").split("\nquick:")[1].split("\n\n")[0]
        families = re.findall(r"\b(\w+)_family", recipe)
        self.assertEqual(len(families), 2)
        made = read("tests/api/CMakeLists.txt")
        for family in families:
            self.assertTrue(f"weft_api_family({family} C)" in made or f"set({family} " in made, family)

    def test_the_quick_word_builds_what_it_runs_and_runs_what_is_named(self):
        said = subprocess.run(["make", "-n", "quick", "TEST=mutex"], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout
        built = re.search(r"--target (.*)", said).group(1).split()
        unit, *families = re.search(r"-L '\^\((.*)\)\$'", said).group(1).split("|")
        self.assertEqual(unit, "unit")
        self.assertEqual(built, ["weft", "weft_static", "tests/unit/all", *(f"api_{family}_shared" for family in families)])
        self.assertIn(" -R 'mutex' ", said)
        self.assertIn("repeat: ctest --preset checked --rerun-failed --output-on-failure", said)

    def test_each_table_has_a_head(self):
        self.assertEqual(list(tables_without_a_head(TOP)), [])

    def test_a_planted_row_behind_an_empty_line_is_found(self):
        with tempfile.TemporaryDirectory() as top:
            with open(os.path.join(top, "page.md"), "w", encoding="utf-8") as page:
                page.write("| a | b |\n|---|---|\n| c | d |\n\n| e | f |\n\ntext\n")
            self.assertEqual(list(tables_without_a_head(top)), [("page.md", "| e | f |")])


class LinksTest(unittest.TestCase):
    def test_links_and_anchors_lead_somewhere(self):
        self.assertEqual(list(broken_links(TOP)), [])

    def test_planted_broken_links_are_found(self):
        with tempfile.TemporaryDirectory() as top:
            with open(os.path.join(top, "a.md"), "w", encoding="utf-8") as page:
                page.write("# A `b`, c\n\n## Twice\n\n## Twice\n\n```sh\n# no heading [x](no-link)\n```\n")
                page.write("[1](a.md) [2](#a-b-c) [3](a.md#twice-1) [4](https://x.example/#y)\n")
                page.write("[5](b.md) [6](#no-heading-x) [7](a.md#twice-2)\n")
            self.assertEqual([link for _, link in broken_links(top)], ["b.md", "#no-heading-x", "a.md#twice-2"])


def repeated_headings(top):
    """(page, heading) of each heading that a page of the guide has twice, as after a merge."""
    for page in markdown_files(os.path.join(top, "docs", "guide")):
        headings = HEADING.findall(prose_of(page))
        yield from ((os.path.relpath(page, top), one) for one in sorted({h for h in headings if headings.count(h) > 1}))


class HeadingsTest(unittest.TestCase):
    def test_no_page_of_the_guide_has_a_section_twice(self):
        self.assertEqual(list(repeated_headings(TOP)), [])

    def test_a_planted_repetition_is_found(self):
        with tempfile.TemporaryDirectory() as top:
            os.makedirs(os.path.join(top, "docs", "guide"))
            with open(os.path.join(top, "docs", "guide", "page.md"), "w", encoding="utf-8") as page:
                page.write("# A\n\n## Start\n\n## End\n\n## Start\n")
            self.assertEqual(list(repeated_headings(top)), [(os.path.join("docs", "guide", "page.md"), "Start")])


class VersionTest(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r'#define WEFT_VERSION "([^"]+)"', read("include/weft/version.h")).group(1)

    def test_the_citation_has_the_version_of_the_header(self):
        self.assertEqual(re.findall(r"(?m)^version: (\S+)$", read("CITATION.cff")), [self.version])

    def test_the_newest_version_of_the_changelog_is_that_of_the_header(self):
        headings = re.findall(r"(?m)^## \[?(\d[^\] ]*)", read("CHANGELOG.md"))
        self.assertEqual(headings[:1], [self.version])

    def test_the_security_page_speaks_of_the_version(self):
        self.assertIn(f"| {self.version} ", read("SECURITY.md"))


class SecurityTest(unittest.TestCase):
    def test_each_variable_that_names_a_file_is_told(self):
        rows = re.findall(r"(?m)^\| `(WEFT_\w+)` \| (.+)$", read("docs/guide/environment.md") + read("docs/guide/threads-interface.md"))
        of_files = [name for name, row in rows if re.search(r"FILE|a file's name|folders", row)]
        self.assertIn("WEFT_TRACE", of_files)
        told = re.findall(r"(?m)^\| `(WEFT_\w+)`", read("SECURITY.md"))
        self.assertEqual(sorted(of_files), sorted(told))

    def test_what_a_program_with_raised_privileges_ignores_is_told(self):
        ignored = re.findall(r"(?m)^\| `(WEFT_\w+)` \|.* Ignored in a program with raised privileges\.", read("docs/guide/environment.md"))
        self.assertIn("WEFT_TRACE", ignored)
        told = re.search(r"ignores\s((?:`WEFT_\w+`[,\s]*(?:and\s)?)+)", read("SECURITY.md"))
        self.assertIsNotNone(told)
        self.assertEqual(sorted([*ignored, "WEFT_THREADS_PATH"]), sorted(re.findall(r"`(WEFT_\w+)`", told.group(1))))


class BoostFiberTest(unittest.TestCase):
    def test_the_names_that_the_page_says_are_there_are_declared(self):
        folder = os.path.join(TOP, "include", "weft", "fiber")
        headers = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
        declared = set(re.findall(r"\w+", "".join(re.sub(r"//.*", "", read(path)) for path in headers)))
        table = read("docs/guide/boost-fiber.md").partition("## What there is")[2].partition("\n\nNot there yet")[0]
        names = [name for row in re.findall(r"(?m)^\| (`.*?) \|", table) for name in re.findall(r"`([\w:]+)`", row)]
        self.assertIn("use_scheduling_algorithm", names)
        self.assertEqual([name for name in names if name.split("::")[-1] not in declared], [])


def kernel_files():
    for folder, _, names in os.walk(os.path.join(TOP, "bench", "kernels")):
        yield from (os.path.join(folder, name) for name in names if name.endswith((".cpp", ".hpp")))


class FiguresTest(unittest.TestCase):
    def test_pages_with_figures_say_how_to_repeat_them(self):
        for path in ("README.md", "docs/guide/when-not.md"):
            commands = [shlex.split(line.replace("\\\n", " ")) for line in MEASURES.findall(read(path))]
            self.assertGreater(len(commands), 0, path)
            for program, *words in commands:
                with self.subTest(page=path, command=program):
                    self.check_command(program, words)

    def test_instructions_are_those_that_the_guard_notes(self):
        noted = json.loads(read("bench/guard/instructions.json"))["gcc 12, x86_64"]
        found = re.search(r"join take (\d+), creating and joining a\sthread (\d+), a yield (\d+), locking and unlocking a mutex (\d+) ",
                          read("docs/guide/when-not.md"))
        self.assertIsNotNone(found)
        for said, operation in zip(found.groups(), ("fork-join", "create-join", "yield", "lock-unlock")):
            with self.subTest(operation=operation):
                self.assertEqual(int(said), round(noted[operation]))

    def check_command(self, program, words):
        if program == "./dev":
            self.assertRegex(read("Makefile"), rf"(?m)^{words[0]}:")
            words = shlex.split(words[1].removeprefix("ARGS="))
            kernels = read("bench/kernels/table.cpp") + "".join(read(path) for path in kernel_files())
            sizes = [word.partition("=")[0] for word in words if "=" in word]
            self.assertEqual([name for name in sizes if f'"{name}"' not in kernels], [])
            program = "bench/matrix/matrix.py"
        if program.endswith(".py"):
            text = read(program)
            options = [word for word in words if word.startswith("--")]
            self.assertEqual([option for option in options if f'"{option}"' not in text], [])
            operations = words[words.index("--only") + 1 :] if "--only" in words else []
            self.assertEqual([name for name in operations if f'"{name}"' not in text], [])
        elif program.endswith("/weft"):
            self.assertIn(f'"{words[0]}"', "".join(read(f"tools/weft/{name}") for name in os.listdir(os.path.join(TOP, "tools/weft"))
                                                  if name.endswith((".cpp", ".hpp"))))
        else:
            self.fail(f"{program}: no program of which this test knows")


if __name__ == "__main__":
    unittest.main()
