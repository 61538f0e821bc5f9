#!/usr/bin/env python3
"""Looks at the pages of a made site in a browser, and tells which are wider than a screen of a given width. Chromium shows each page in a frame
of that width, which a page of this program's own measures.

usage: site_widths.py FOLDER [WIDTH...]"""

import functools
import html
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

WIDTHS = (360, 1280)
MEASURES = """<!doctype html><body><script>
const pages = PAGES, width = WIDTH, found = [];
function look(page) {
  return new Promise(resolve => {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:800px;border:0`;
    frame.onload = () => setTimeout(() => {
      const root = frame.contentDocument.documentElement;
      found.push([page, root.scrollWidth, frame.contentWindow.innerWidth]);
      frame.remove();
      resolve();
    }, 30);
    frame.src = page;
    document.body.append(frame);
  });
}
(async () => {
  for (const page of pages) await look(page);
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify(found);
  document.body.append(result);
})();
</script></body>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *arguments):
        """A browser that has what it wants ends the connection."""


def browser():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def measured(folder, pages, width):
    """[page, width of what it shows, width of the frame] of each page."""
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix="measures-", suffix=".html", encoding="utf-8") as page, \
            tempfile.TemporaryDirectory() as profile:
        page.write(MEASURES.replace("PAGES", json.dumps(pages)).replace("WIDTH", str(width)))
        page.flush()
        server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_address[1]}/{os.path.basename(page.name)}"
            command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--window-size=1400,1000",
                       f"--virtual-time-budget={2000 + 400 * len(pages)}", "--dump-dom", address]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
    result = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.S)
    if result is None:
        raise RuntimeError(f"the browser did not get to the end of {len(pages)} pages: {done.stderr[-2000:]}")
    return json.loads(html.unescape(result.group(1)))


def too_wide(folder, pages, width):
    """[page, what it needs] of each page that is wider than the screen, and how many were looked at."""
    found, part = [], 40
    for begin in range(0, len(pages), part):
        found += measured(folder, pages[begin : begin + part], width)
    return [[page, needed] for page, needed, shown in found if needed > shown], len(found)


def pages_in(folder, with_reference=True):
    found = sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names if name.endswith(".html"))
    return [page for page in found if with_reference or not page.startswith("reference/")]


if __name__ == "__main__":
    problems = 0
    for each in [int(text) for text in sys.argv[2:]] or WIDTHS:
        wide, count = too_wide(sys.argv[1], pages_in(sys.argv[1]), each)
        problems += len(wide)
        print(f"{each} pixels: {count} pages, {len(wide)} too wide", *[f"  {page}: {needed}" for page, needed in wide], sep="\n")
    sys.exit(problems > 0)
