#!/usr/bin/env python3
"""Makes the site as `./dev site` does, and looks at it: each link leads somewhere, each page has a way back and is reached, the search knows
names, the guide is there as one text, and in a browser no page is wider than a screen of 360 or 1280 pixels. Needs the package index the
first time. Run by `make check-deep`.

usage: site_test.py FOLDER"""

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
import site_widths  # noqa: E402


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = make_site.build(FOLDER)
        cls.pages = site_links.pages_of(cls.site)

    def test_each_link_leads_somewhere(self):
        print(f"figure: pages of the site = {len(self.pages)}")
        print(f"figure: links of the site = {sum(len(page.links) for page in self.pages.values())}")
        self.assertEqual(list(site_links.broken(self.site, self.pages)), [])

    def test_each_page_has_a_way_back_and_is_reached(self):
        self.assertEqual(list(site_links.without_a_way_back(self.pages)), [])
        lost = site_links.out_of_reach(self.pages)  # Doxygen's indexes are in a menu that a script makes
        self.assertEqual([page for page in lost if not page.startswith("reference/")], [])
        for page in guide.pages():
            self.assertIn(f"docs/guide/{page.removesuffix('.md')}.html", self.pages)

    def test_the_search_knows_names(self):
        with open(os.path.join(self.site, "searchindex.js"), encoding="utf-8") as index:
            text = index.read()
        for word in ("weft_parallel_for", "gfortran", "membarrier"):
            self.assertIn(word, text)
        self.assertTrue(os.path.exists(os.path.join(self.site, "reference", "search", "search.js")))

    def test_the_guide_is_there_as_one_text(self):
        with open(os.path.join(self.site, "llms-full.txt"), encoding="utf-8") as text:
            self.assertEqual(text.read(), guide.whole())

    @unittest.skipUnless(site_widths.browser(), "no browser here")
    def test_no_page_is_wider_than_its_screen(self):
        own = site_widths.pages_in(self.site, with_reference=False)
        of_reference = [page for page in site_widths.pages_in(self.site) if page.startswith("reference/") and "_8h" in page or "classweft" in page]
        for width in site_widths.WIDTHS:
            wide, count = site_widths.too_wide(self.site, own + of_reference[::10], width)
            self.assertGreater(count, 200)
            self.assertEqual(wide, [], width)

    @unittest.skipUnless(site_widths.browser(), "no browser here")
    def test_a_planted_wide_page_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, width in (("wide.html", 700), ("narrow.html", 300)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as page:
                    page.write(f'<!doctype html><body style="margin:0"><div style="width:{width}px">x</div>')
            self.assertEqual(site_widths.too_wide(folder, ["narrow.html", "wide.html"], 360), ([["wide.html", 700]], 2))

    def test_names_of_this_machine_are_not_in_pages(self):
        for page in ("index.html", "docs/guide/fortran.html"):
            with open(os.path.join(self.site, page), encoding="utf-8") as file:
                self.assertIsNone(re.search(re.escape(TOP) + r"\b", file.read()))


if __name__ == "__main__":
    FOLDER = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
