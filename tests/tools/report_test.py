#!/usr/bin/env python3
"""The page that bench/matrix writes: every figure and every failure is in it, nothing outside is needed, bad input is refused in words.
Exit status 77, which is a skipped test, where there is no matplotlib."""

import copy
import html.parser
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import planted_matrix

import figures
import pictures
import report

SKIPPED = 77


class Page(html.parser.HTMLParser):
    """Identifiers, links, and the texts of cells and list entries."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.texts = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href"):
                self.links.append(value)

    def handle_data(self, data):
        self.texts.append(data)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.state = planted_matrix.make()
        cls.paths = pictures.draw(planted_matrix.write(cls.folder.name), os.path.join(cls.folder.name, "report"))
        cls.text = read(cls.paths[0])
        cls.page = Page(cls.text)

    def test_every_measured_cell_has_its_median_in_a_table(self):
        rows = "\n".join(self.page.texts)
        for cell in self.state["cells"]:
            if cell["status"] == "measured":
                self.assertIn(report.show_seconds(figures.median(report.seconds_of(cell))), rows)
        self.assertEqual(self.text.count("<h3>fib, size 20"), len(planted_matrix.WORKERS))

    def test_what_has_no_figures_is_listed_with_its_reason(self):
        rows = "".join(self.page.texts)
        self.assertIn("crashed: SIGSEGV", rows)
        self.assertIn(f"cannot: {planted_matrix.REASON}", rows)
        self.assertIn("qthreads (Qthreads)", rows)

    def test_identifiers_are_unique_and_links_lead_somewhere(self):
        self.assertEqual(len(self.page.ids), len(set(self.page.ids)))
        beside = {os.path.basename(path) for path in self.paths}
        for link in self.page.links:
            self.assertIn(link.removeprefix("#"), self.page.ids if link.startswith("#") else beside)

    def test_it_needs_nothing_from_elsewhere(self):
        self.assertFalse(self.page.tags & {"script", "link", "iframe", "object", "embed", "img", "image"})
        self.assertNotIn("@import", self.text)
        self.assertNotIn("url(http", self.text)
        self.assertIn("default-src 'none'", self.text)

    def test_every_picture_is_a_file_as_well(self):
        self.assertEqual(len(self.paths), 10)
        for path in self.paths[1:]:
            root = xml.etree.ElementTree.fromstring(read(path))
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")

    def draw(self, state):
        with tempfile.TemporaryDirectory() as folder:
            return [os.path.basename(path) for path in pictures.draw(planted_matrix.write(folder, state), os.path.join(folder, "report"))]

    def only_a_fork(self):
        one = copy.deepcopy(self.state)
        one["cells"] = [cell for cell in one["cells"] if (cell["runtime"], cell["workers"], cell["size"]) == ("fork", 1, 20)]
        return one

    def test_matrix_py_draws_beside_its_json_and_says_where(self):
        with tempfile.TemporaryDirectory() as build:
            os.rename(planted_matrix.write(build, self.only_a_fork()), os.path.join(build, "matrix.json"))
            done = subprocess.run([sys.executable, os.path.join(planted_matrix.MATRIX, "matrix.py"), build, "--report"], capture_output=True,
                                  text=True, check=False)
            self.assertIn(f"Report: {build}/report/report.html", done.stdout, done.stderr)
            self.assertEqual(sorted(os.listdir(os.path.join(build, "report"))), ["program-fib.svg", "report.html"])

    def test_pictures_are_left_out_where_there_is_nothing_to_show(self):
        one = self.only_a_fork()
        self.assertEqual(self.draw(one), ["report.html", "program-fib.svg"])
        for cell in one["cells"]:
            cell["samples"], cell["status"] = [], "crashed"
        self.assertEqual(self.draw(one), ["report.html"])

    def test_what_cannot_be_drawn_is_refused_in_words(self):
        bad = os.path.join(self.folder.name, "bad.json")
        with open(bad, "w", encoding="utf-8") as file:
            file.write("{")
        for path, folder, message in ((bad, self.folder.name, "is not JSON"), ("/no/such.json", self.folder.name, "cannot be read"),
                                      (planted_matrix.write(self.folder.name), bad, "cannot be written")):
            done = subprocess.run([pictures.find_python(), os.path.join(planted_matrix.MATRIX, "pictures.py"), path, folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, message in done.stderr, "Traceback" in done.stderr), (2, True, False), done.stderr)


if __name__ == "__main__":
    if pictures.find_python() is None:
        print("skipped: this needs matplotlib (Debian: python3-matplotlib)")
        sys.exit(SKIPPED)
    unittest.main()
