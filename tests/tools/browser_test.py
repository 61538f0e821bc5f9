#!/usr/bin/env python3
"""The report of bench/matrix in a real browser: every picture is there and seen, no text of it is cut off or covers another, nothing is
loaded from anywhere. Exit status 77, which is a skipped test, where there is no Chromium or no matplotlib."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import planted_matrix

import pictures

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PICTURES = ["standings", "costs", "scaling", "memory", "sizes", "program-fib", "program-fib-cutoff", "program-quicksort", "program-blocked"]
LIMIT_S = 60
SKIPPED = 77

# Runs before the page's policy forbids it; writes what it found where --dump-dom shows it.
MEASURE = """<script>
const blocked = [];
addEventListener("securitypolicyviolation", event => blocked.push(event.blockedURI));
addEventListener("load", () => {
  const rectangle = element => { const at = element.getBoundingClientRect(); return [at.left, at.top, at.right, at.bottom]; };
  const figures = [...document.querySelectorAll("figure[data-picture]")].map(figure => {
    const svg = figure.querySelector("svg");
    return {name: figure.dataset.picture, place: rectangle(svg), marks: svg.querySelectorAll("path, use").length,
            texts: [...svg.querySelectorAll("text")].map(text => ({text: text.textContent, place: rectangle(text)}))};
  });
  const found = document.createElement("pre");
  found.id = "measured";
  found.textContent = JSON.stringify({figures, blocked, loaded: performance.getEntriesByType("resource").map(entry => entry.name),
                                      wide: document.documentElement.scrollWidth - innerWidth});
  document.body.append(found);
});
</script>"""


def find_browser():
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def overlap(one, other):
    """Of two rectangles: how far they reach into each other, across and down, the smaller of both."""
    return min(min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1]))


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.page = pictures.draw(planted_matrix.write(cls.folder.name), os.path.join(cls.folder.name, "report"))[0]
        cls.measured = cls.measure()

    @classmethod
    def browse(cls, page, *options):
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run([find_browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                   "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "--window-size=1100,1400", *options,
                                   f"file://{page}"], capture_output=True, text=True, timeout=LIMIT_S, check=False)

    @classmethod
    def measure(cls):
        with open(cls.page, encoding="utf-8") as file:
            text = file.read()
        copy = os.path.join(cls.folder.name, "measured.html")
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text.replace("<head>", "<head>" + MEASURE, 1))
        done = cls.browse(copy, "--dump-dom")
        found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
        if found is None:
            raise AssertionError(f"the browser shows no measures: {done.stdout[-500:]}{done.stderr[-2000:]}")
        return json.loads(html.unescape(found.group(1)))

    def test_every_picture_is_seen(self):
        self.assertEqual([figure["name"] for figure in self.measured["figures"]], PICTURES)
        for figure in self.measured["figures"]:
            left, top, right, bottom = figure["place"]
            self.assertGreater(right - left, 800, figure["name"])
            self.assertGreater(bottom - top, 120, figure["name"])
            self.assertGreater(figure["marks"], 10, figure["name"])
            self.assertGreater(len(figure["texts"]), 8, figure["name"])

    def test_no_text_is_cut_off(self):
        for figure in self.measured["figures"]:
            left, top, right, bottom = figure["place"]
            for each in figure["texts"]:
                place = each["place"]
                self.assertTrue(place[2] > place[0] and left <= place[0] and top <= place[1] and place[2] <= right and place[3] <= bottom,
                                (figure["name"], each, figure["place"]))

    def test_no_text_covers_another(self):
        for figure in self.measured["figures"]:
            texts = figure["texts"]
            covered = [(one["text"], other["text"]) for number, one in enumerate(texts) for other in texts[:number]
                       if overlap(one["place"], other["place"]) > 3]
            self.assertEqual(covered, [], figure["name"])

    def test_nothing_is_loaded(self):
        self.assertEqual((self.measured["loaded"], self.measured["blocked"]), ([], []))

    def test_the_page_is_not_wider_than_the_window(self):
        self.assertLessEqual(self.measured["wide"], 0)

    def test_a_screenshot_shows_the_colours_of_the_runtimes(self):
        shot = os.path.join(self.folder.name, "shot.png")
        done = self.browse(self.page, f"--screenshot={shot}")
        self.assertTrue(os.path.exists(shot), done.stderr)
        script = ("import sys, collections, PIL.Image\n"
                  "pixels = PIL.Image.open(sys.argv[1]).convert('RGB').getdata()\n"
                  "for colour, count in collections.Counter(pixels).most_common(4000): print('#%02x%02x%02x' % colour, count)")
        counted = subprocess.run([pictures.find_python(), "-c", script, shot], capture_output=True, text=True, check=True).stdout
        counts = {colour: int(count) for colour, count in map(str.split, counted.splitlines())}
        for runtime, colour in self.colours().items():
            self.assertGreater(counts.get(colour, 0), 100, (runtime, sorted(counts.items(), key=lambda each: -each[1])[:9]))

    def colours(self):
        script = "import style; print(*(style.colour_of(name) for name in ('fork', 'ult')))"
        done = subprocess.run([pictures.find_python(), "-c", script], capture_output=True, text=True, check=True, cwd=planted_matrix.MATRIX)
        return dict(zip(("fork", "ult"), done.stdout.split()))


if __name__ == "__main__":
    if find_browser() is None or pictures.find_python() is None:
        print("skipped: this needs Chromium and matplotlib (Debian: chromium, python3-matplotlib)")
        sys.exit(SKIPPED)
    unittest.main()
