#!/usr/bin/env python3
"""Makes a site of what is written here: the guide, the reference of the headers, decisions, protocols, maps of interfaces, and the pictures
of the last comparison, with a search. Sphinx makes it, in an environment of Python in FOLDER/venv (site_packages.txt).

usage: make_site.py FOLDER   the site is then in FOLDER/html"""

import filecmp
import glob
import html
import os
import re
import shutil
import subprocess
import sys

import guide
import site_links

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = guide.TOP
LINK = re.compile(r"(?<!!)\[((?:[^]\[]|\[[^]]*\])*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(?ms)^```.*?^```$|(?:^ {4}[^\n]*\n)+")
CONFIGURATION = """
project = "Weft"
release = {version!r}
html_title = "Weft " + release
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "furo"
html_extra_path = ["../extra"]
html_static_path = ["../static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_show_copyright = False
myst_heading_anchors = 6
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
"""
STYLE = """/* Nothing is wider than a narrow screen: long names break, and what cannot break scrolls by itself. */
article code, article a, article td, article h1, article h2, article h3 { overflow-wrap: anywhere; }
article img { max-width: 100%; height: auto; }
"""
REFERENCE_STYLE = """/* As above, for Doxygen's pages; on a narrow screen its tables become lines. */
body, .contents { overflow-wrap: anywhere; }
.contents, .memproto, .memdoc, pre.fragment, div.fragment { overflow-x: auto; }
table.memname, table.memname td { white-space: normal; }
.memItemLeft, .memItemRight, .memTemplItemLeft, .memTemplItemRight { white-space: normal; }
@media (max-width: 600px) {
  .memberdecls, .memberdecls tbody, .memberdecls tr, .memberdecls td { display: block; width: auto; text-align: left; }
  div.header .summary { float: none; display: block; width: auto; }
  #titlearea td { width: auto; }
}
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}{done.stderr[-8000:]}make site: {' '.join(command[:4])} failed")
    return done.stdout


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def markdown_files():
    """Paths of the project's pages, relative to its folder."""
    for folder, folders, names in os.walk(TOP):
        folders[:] = sorted(name for name in folders if name not in ("build", ".git") and not name.startswith("."))
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), TOP)


def outside_code(text, change):
    """The text with its prose changed, and its blocks of code as they are."""
    kept, begin = [], 0
    for block in CODE.finditer(text):
        kept += [change(text[begin : block.start()]), block.group()]
        begin = block.end()
    return "".join([*kept, change(text[begin:])])


def linked(page, text, linked_files):
    """Links that lead somewhere in the site: to pages, to a folder's README, and to other files, which are noted in linked_files."""

    def change(match):
        words, target = match.groups()
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return match.group()
        full = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if os.path.isdir(os.path.join(TOP, full)):
            is_page = os.path.exists(os.path.join(TOP, full, "README.md"))
            return f"[{words}]({os.path.join(path, 'README.md')})" if is_page else words
        if not path.endswith(".md"):
            linked_files.add(full)
            return f"[{words}]({path})"
        return match.group()

    return outside_code(text, lambda prose: LINK.sub(change, prose))


def toctree(caption, entries, depth=1):
    lines = "\n".join(entry.removesuffix(".md") for entry in entries)
    return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: {depth}\n:hidden:\n\n{lines}\n```\n"


def listed(title, text, entries):
    """A page that lists others."""
    lines = "\n".join("/" + entry.removesuffix(".md") for entry in entries)
    return f"# {title}\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n{lines}\n```\n"


def pictures(folder):
    """The page of pictures of the last ./dev bench, which are copied beside it."""
    drawn = sorted(glob.glob(os.path.join(TOP, "build", "bench", "report", "*.svg")))
    text = "# Pictures of the last comparison\n\n"
    if not drawn:
        return text + "There are none yet: `./dev bench` compares Weft with the other runtimes of a machine, and\ndraws what it measured.\n"
    text += "What `./dev bench` measured last on the machine that made this site.\n"
    for path in drawn:
        name = os.path.basename(path)
        shutil.copy(path, os.path.join(folder, name))
        text += f"\n## {os.path.splitext(name)[0].replace('_', ' ').replace('-', ' ')}\n\n![{name}]({name})\n"
    return text


def stage(pages):
    """Writes what Sphinx reads."""
    shutil.rmtree(pages, ignore_errors=True)
    paths, files = list(markdown_files()), set()
    for path in paths:
        write(os.path.join(pages, path), linked(path, guide.read(path), files))
    for path in files:
        if os.path.exists(os.path.join(TOP, path)):
            os.makedirs(os.path.dirname(os.path.join(pages, path)), exist_ok=True)
            shutil.copy(os.path.join(TOP, path), os.path.join(pages, path))
    maps = [path for path in paths if path.endswith("/MAP.md")]
    decisions, protocols = (sorted((path for path in paths if path.startswith(f"docs/{each}/")), key=lambda path: not path.endswith("README.md"))
                            for each in ("decisions", "protocols"))
    write(os.path.join(pages, "reference.md"), listed(
        "Reference", 'The <a href="reference/index.html">reference of the C and C++ headers</a> has a search of its own; by\n'
        '<a href="reference/files.html">header</a>, by <a href="reference/annotated.html">type</a>, by '
        '<a href="reference/globals.html">name</a>.\n\n'
        "The maps say of each function of another library's interface what it is made of, and which test\ncalls it.", maps))
    write(os.path.join(pages, "decisions.md"), listed("Decisions", "Larger choices: context, options, choice, what would reverse it.", decisions))
    write(os.path.join(pages, "pictures.md"), pictures(pages))
    of_guide = [os.path.join("docs", "guide", page) for page in guide.pages()]
    first = ["README.md", "docs/guide/README.md", "CHANGELOG.md", "pictures.md"]
    in_nav = {*maps, *decisions, *protocols, *of_guide, *first}
    rest = [path for path in paths if path not in in_nav]
    trees = toctree("Weft", ["README.md", "docs/guide/README.md", "reference.md", "pictures.md", "CHANGELOG.md"])
    trees += "".join(toctree(title, [os.path.join("docs", "guide", page) for page in of_group]) for title, of_group in guide.groups())
    trees += toctree("How it is made", ["decisions.md", *protocols, *rest])
    write(os.path.join(pages, "index.md"), "# Weft\n\nLightweight threads for C, C++ and Fortran on Linux.\n\n"
          "- [Why, install, first program](README.md)\n- [The guide](docs/guide/README.md), and "
          '<a href="llms-full.txt">all of it as one text</a>\n- [The reference](reference.md)\n- [What has changed](CHANGELOG.md)\n\n' + trees)
    version = re.search(r'WEFT_VERSION "(.*)"', guide.read("include/weft/version.h")).group(1)
    write(os.path.join(pages, "conf.py"), CONFIGURATION.format(version=version))


def up_from(page):
    """The site's first page, from a page of the reference."""
    return "../" * (page.count("/") + 1) + "index.html"


def reference(folder):
    """Doxygen's pages in folder/reference, each of which leads back to the site."""
    style = os.path.join(folder, "..", "reference.css")
    write(style, REFERENCE_STYLE)
    settings = guide.read(os.path.join("docs", "Doxyfile"))
    settings += f'\nOUTPUT_DIRECTORY = "{folder}"\nHTML_OUTPUT = reference\nGENERATE_TREEVIEW = NO\nHTML_EXTRA_STYLESHEET = "{style}"\n'
    run("doxygen", "-", input=settings, cwd=TOP)
    for path in glob.glob(os.path.join(glob.escape(folder), "reference", "**", "*.html"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        back = f'<div style="padding: 4px 8px"><a href="{up_from(os.path.relpath(path, os.path.join(folder, "reference")))}">Weft: guide and search</a></div>'
        write(path, re.sub(r"(<body[^>]*>)", lambda match: match.group() + back, text, count=1))
    made = os.path.join(folder, "reference")
    for page, link in site_links.broken(made, site_links.pages_of(made)):  # Doxygen 1.9 names a few places that it does not make
        if link != up_from(page):
            path = os.path.join(made, page)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            write(path, text.replace(f' href="{html.escape(link)}"', ""))


def environment(folder):
    """The Python that has Sphinx."""
    python = os.path.join(folder, "bin", "python")
    wanted = os.path.join(HERE, "site_packages.txt")
    noted = os.path.join(folder, "site_packages.txt")
    if not os.path.exists(noted) or not filecmp.cmp(noted, wanted, shallow=False):
        shutil.rmtree(folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", folder)  # Debian's python3-venv
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted)
        shutil.copy(wanted, noted)
    return python


def build(folder, with_reference=True):
    folder = os.path.abspath(folder)
    python = environment(os.path.join(folder, "venv"))
    stage(os.path.join(folder, "pages"))
    extra = os.path.join(folder, "extra")
    shutil.rmtree(extra, ignore_errors=True)
    write(os.path.join(extra, "llms-full.txt"), guide.whole())
    write(os.path.join(folder, "static", "site.css"), STYLE)
    if with_reference:
        reference(extra)
    made = os.path.join(folder, "html")
    shutil.rmtree(made, ignore_errors=True)
    run(python, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", os.path.join(folder, "trees"), os.path.join(folder, "pages"), made)
    return made


if __name__ == "__main__":
    print(f"file://{build(sys.argv[1])}/index.html")
