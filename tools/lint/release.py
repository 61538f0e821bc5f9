#!/usr/bin/env python3
"""What a release needs: the places that tell the version tell the same, each header that is installed names its license, the others have it
by REUSE.toml, and PROVENANCE.md has a row for each interface that was declared anew.

usage: release.py [folder]"""

import os
import re
import sys

import sources

LICENSE = "BSD-3-Clause"
TAG = "-".join(("SPDX", "License", "Identifier"))  # so that a reader of licenses does not take this line for one
SPDX = f"{TAG}: {LICENSE}"
VERSION_H = "include/weft/version.h"
HEADING = re.compile(r"(?m)^## \[([\d.]+)\] - (\d{4}-\d\d-\d\d)(, unreleased)?$")
INSTALLED_PARTS = ("include", "inline", "runtime", "weft")  # folders of a face
MANUAL = ("docs/man/weft.1", "docs/man/weft.7")


def read(top, path):
    return sources.read(top, path) if os.path.exists(os.path.join(top, path)) else ""


def version_of(top):
    found = re.search(r'#define WEFT_VERSION "(\d+\.\d+\.\d+)"', read(top, VERSION_H))
    return found.group(1) if found else ""


def soversion(version):
    """What the libraries' names end in: until 1.0 each minor version may change the binary interface."""
    major, minor, _ = version.split(".")
    return f"{major}.{minor}" if major == "0" else major


def newest_heading(top):
    """Of the changelog: version, date, and whether it is released."""
    found = HEADING.search(read(top, "CHANGELOG.md"))
    return (found.group(1), found.group(2), found.group(3) is None) if found else ("", "", False)


def told_elsewhere(top, version):
    """(where, what it tells, what it is to tell) of each place that tells the version, or a part of it."""
    minor = ".".join(version.split(".")[:2])
    places = [(f"{VERSION_H}: WEFT_VERSION_{name}", (re.findall(rf"(?m)^#define WEFT_VERSION_{name} (\d+)$", read(top, VERSION_H)) or [""])[0], number)
              for name, number in zip(("MAJOR", "MINOR", "PATCH"), version.split("."))]
    changelog, date, _ = newest_heading(top)
    places.append(("CHANGELOG.md: the newest heading", changelog, version))
    places += [(f"{page}: its date", (re.findall(r'(?m)^\.TH \S+ \d "([^"]*)"', read(top, page)) or [""])[0], date) for page in MANUAL]
    places.append(("CITATION.cff: version", (re.findall(r"(?m)^version: (\S+)$", read(top, "CITATION.cff")) or [""])[0], version))
    places.append(("debian/changelog", (re.findall(r"^weft \(([^)]*)\)", read(top, "debian/changelog")) or [""])[0], version))
    for path in sources.files(top, ["abi"], ".abi"):
        places.append((f"{path}: the library's name", (re.findall(r"soname='([^']*)'", read(top, path)) or [""])[0].partition(".so.")[2], soversion(version)))
    for path in sources.files(top, ["src", "faces"], ".map"):
        places.append((f"{path}: the version of its symbols", (re.findall(r"(?m)^WEFT_(?:[A-Z]+_)?([\d.]+) \{", read(top, path)) or [""])[0], minor))
    for name, told in re.findall(r"(?m)^Package: (lib\S+?)(\d+(?:\.\d+)*)$", read(top, "debian/control")):
        places.append((f"debian/control: {name}{told}", told, soversion(version)))
    recipe = read(top, "packaging/spack/packages/weft/package.py")
    if recipe and newest_heading(top)[2]:
        places.append(("packaging/spack/packages/weft/package.py: the newest version", (re.findall(r'version\("([\d.]+)"', recipe) or [""])[0], version))
    return places


def disagreements(top):
    version = version_of(top)
    if not version:
        return [f"{VERSION_H}: there is no WEFT_VERSION of three numbers"]
    return [f"{where} is {told or 'missing'}, and {wanted} is expected" for where, told, wanted in told_elsewhere(top, version) if told != wanted]


def installed_headers(top):
    """Also what other trees compile, and modules in source."""
    faces = os.path.join(top, "faces")
    folders = ["include", *(f"faces/{name}/{part}" for name in sorted(os.listdir(faces) if os.path.isdir(faces) else ()) for part in INSTALLED_PARTS)]
    return sources.files(top, folders, (".h", ".hpp", ".ipp")) + sources.files(top, ["faces"], ".f90")


def unlicensed(top):
    problems = [f"{path}: no line has {SPDX}; the line of its guard is the place" for path in installed_headers(top) if SPDX not in read(top, path)]
    table = read(top, "REUSE.toml")
    if 'path = "**"' not in table or f'{TAG} = "{LICENSE}"' not in table:
        problems.append(f"REUSE.toml: it is to give all files {SPDX}")
    if read(top, f"LICENSES/{LICENSE}.txt") != read(top, "LICENSE"):
        problems.append(f"LICENSES/{LICENSE}.txt is to be the same as LICENSE")
    return problems


def untold_provenance(top):
    """Folders of interfaces that others named first, without a row."""
    told = read(top, "PROVENANCE.md")
    faces = os.path.join(top, "faces")
    named = [f"faces/{name}" for name in sorted(os.listdir(faces)) if os.path.isdir(os.path.join(faces, name)) and name != "common"]
    named += ["include/weft/boost", "include/weft/fiber"]
    return [f"PROVENANCE.md: no row names {name}" for name in named if os.path.isdir(os.path.join(top, name)) and f"`{name}`" not in told]


def check(top):
    return disagreements(top) + unlicensed(top) + untold_provenance(top)


if __name__ == "__main__":
    folder = sources.top_from_arguments()
    sys.exit(sources.finish("release", check(folder), f"version {version_of(folder)}, {len(installed_headers(folder))} installed headers"))
