#!/usr/bin/env python3
"""The guide's index names each page of the guide once and by its title; the guide as one text has all pages whole; and what makes and checks
the site (tools/docs) does so: the site itself is made in site_test.py.

usage: guide_test.py"""

import os
import re
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools", "docs"))
import guide  # noqa: E402
import make_site  # noqa: E402
import site_links  # noqa: E402

FOLDER = os.path.join(TOP, "docs", "guide")


class IndexTest(unittest.TestCase):
    def test_each_page_is_named_once(self):
        there = sorted(name for name in os.listdir(FOLDER) if name.endswith(".md") and name != "README.md")
        self.assertEqual(sorted(guide.pages()), there)

    def test_pages_are_named_by_their_titles(self):
        for title, page in re.findall(r"^\| \[([^]]+)\]\((\S+)\)", guide.read("docs/guide/README.md"), re.MULTILINE):
            self.assertEqual(guide.read(f"docs/guide/{page}").split("\n")[0], f"# {title}")

    def test_groups_keep_their_order(self):
        text = "# T\n\n## One\n\n| page | on |\n|---|---|\n| [A](a.md) | x |\n| [B](b.md) | y |\n\n## Two\n\n| [C](c.md) | z |\n"
        self.assertEqual(guide.groups(text), [("One", ["a.md", "b.md"]), ("Two", ["c.md"])])


class OneTextTest(unittest.TestCase):
    def test_it_has_each_page_whole_and_one_title(self):
        whole = guide.whole()
        for page in ("README.md", *(f"docs/guide/{page}" for page in guide.pages())):
            text = guide.read(page)
            self.assertEqual(whole.count(f"<!-- {page} -->"), 1)
            part = whole.split(f"<!-- {page} -->\n\n")[1].split("\n<!-- docs/guide/")[0]
            self.assertEqual(re.sub(r"(?m)^#+ ", "", part).split(), re.sub(r"(?m)^#+ ", "", text).split(), page)
        prose = re.sub(r"(?ms)^```.*?^```$", "", whole)
        self.assertEqual(len(re.findall(r"^# ", prose, re.MULTILINE)), 1)

    def test_code_stays_as_it_is(self):
        self.assertEqual(guide.deeper("# A\n\n```sh\n# a comment\n```\n\n## B\n"), "## A\n\n```sh\n# a comment\n```\n\n### B\n")


class LinksOfTheSiteTest(unittest.TestCase):
    def test_links_lead_to_pages_readmes_and_files(self):
        files = set()
        text = "[a](cpp.md#x) [b](../../examples) [c](../../bench/matrix) [d](../../LICENSE) [e](https://x.example) [f](#g) [`h`](../../cmake/)\n"
        text += "\n    [code](../../LICENSE2)\n\n```sh\n[code](../../LICENSE3)\n```\n"
        made = make_site.linked("docs/guide/page.md", text, files)
        self.assertEqual(made, "[a](cpp.md#x) [b](../../examples/README.md) c [d](../../LICENSE) [e](https://x.example) [f](#g) `h`\n"
                         "\n    [code](../../LICENSE2)\n\n```sh\n[code](../../LICENSE3)\n```\n")
        self.assertEqual(files, {"LICENSE"})

    def test_what_sphinx_reads_has_each_page_in_a_list(self):
        with tempfile.TemporaryDirectory() as folder:
            make_site.stage(folder)
            listed = set()
            for name in ("index", "decisions", "reference"):
                with open(os.path.join(folder, f"{name}.md"), encoding="utf-8") as page:
                    for tree in re.findall(r"```\{toctree\}\n(.*?)```", page.read(), re.DOTALL):
                        listed |= {line.lstrip("/") for line in tree.split("\n") if line and not line.startswith(":")}
            pages = {path.removesuffix(".md") for path in make_site.markdown_files()}
            self.assertEqual(pages - listed, set())
            self.assertEqual({each for each in listed if not os.path.exists(os.path.join(folder, f"{each}.md"))}, set())

    def test_planted_faults_are_found(self):
        with tempfile.TemporaryDirectory() as site:
            for name, text in (
                ("index.html", '<a href="sub/a.html#there">a</a> <a href="https://nowhere.example">x</a> <img src="no.svg">'),
                ("sub/a.html", '<h1 id="there">A</h1> <a href="../index.html">up</a> <a href="../index.html#no">x</a> <a href="#gone">y</a>'),
                ("lost.html", "<p>alone</p>"),
            ):
                os.makedirs(os.path.dirname(os.path.join(site, name)), exist_ok=True)
                with open(os.path.join(site, name), "w", encoding="utf-8") as page:
                    page.write(text)
            pages = site_links.pages_of(site)
            self.assertEqual(list(site_links.broken(site, pages)), [("index.html", "no.svg"), ("sub/a.html", "../index.html#no"), ("sub/a.html", "#gone")])
            self.assertEqual(list(site_links.without_a_way_back(pages)), ["lost.html"])
            self.assertEqual(site_links.out_of_reach(pages), ["lost.html"])


if __name__ == "__main__":
    unittest.main()
