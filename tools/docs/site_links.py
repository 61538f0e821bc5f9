#!/usr/bin/env python3
"""Whether each link of a made site leads somewhere: to a file of the site, and to a place that it names in that file; and whether each page has
a way back to the first one. Addresses of other machines are not asked.

usage: site_links.py FOLDER"""

import os
import sys
import urllib.parse
from html.parser import HTMLParser


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.links, self.places = [], set()
        with open(path, encoding="utf-8", errors="replace") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def pages_of(top):
    found = {}
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                found[os.path.relpath(path, top)] = Page(path)
    return found


def target_of(page, link):
    """(path in the site, place) of a link, or None for what is not here."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = urllib.parse.unquote(parts.path)
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    return path, urllib.parse.unquote(parts.fragment)


def broken(top, pages):
    """(page, link) of each link that leads nowhere."""
    for page, content in sorted(pages.items()):
        for link in content.links:
            target = target_of(page, link)
            if target is None:
                continue
            path, place = target
            is_there = os.path.isfile(os.path.join(top, path))
            if is_there and place and path in pages and place not in pages[path].places:
                is_there = False
            if not is_there:
                yield page, link


def without_a_way_back(pages):
    """Pages that do not link to the site's first page."""
    for page, content in sorted(pages.items()):
        if page != "index.html" and all((target_of(page, link) or ("", ""))[0] != "index.html" for link in content.links):
            yield page


def out_of_reach(pages):
    """Pages to which no chain of links leads from the first one."""
    seen, ahead = set(), ["index.html"]
    while ahead:
        page = ahead.pop()
        if page in seen or page not in pages:
            continue
        seen.add(page)
        ahead += [target[0] for target in (target_of(page, link) for link in pages[page].links) if target]
    return sorted(set(pages) - seen)


if __name__ == "__main__":
    made = pages_of(sys.argv[1])
    problems = [f"{page}: {link} leads nowhere" for page, link in broken(sys.argv[1], made)]
    problems += [f"{page}: no way back to index.html" for page in without_a_way_back(made)]
    print("\n".join(problems))
    print(f"{len(made)} pages, {sum(len(page.links) for page in made.values())} links, {len(problems)} problems")
    print("not reached by links:", *out_of_reach(made))
    sys.exit(bool(problems))
