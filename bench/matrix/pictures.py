#!/usr/bin/env python3
"""Draws what a comparison holds: one HTML file that needs nothing else, and its pictures as SVG files. matrix.py calls it.

    bench/matrix/pictures.py FILE.json FOLDER

Needs matplotlib (Debian: python3-matplotlib). Exit status: 0 done, 2 the file cannot be drawn or the folder not be written."""

import functools
import os
import subprocess
import sys

import state as states
from runners import Problem

SYSTEM_PYTHON = "/usr/bin/python3"  # which Debian's package is for, whatever python3 is found first
PAGE = "report.html"


def has_matplotlib(python):
    try:
        done = subprocess.run([python, "-c", "import matplotlib"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@functools.cache
def find_python():
    """One that can draw; None when there is none."""
    return next((python for python in dict.fromkeys((sys.executable, SYSTEM_PYTHON)) if has_matplotlib(python)), None)


def draw(path, folder):
    """Of the comparison in this file; the paths of what was written, the page first."""
    python = find_python()
    if python is None:
        raise Problem("no pictures: matplotlib is not installed; Debian's package is python3-matplotlib (./dev bench installs it)")
    done = subprocess.run([python, os.path.abspath(__file__), path, folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"no pictures: {done.stderr.strip()}")
    return done.stdout.splitlines()


def write(path, text):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Problem(f"{path} cannot be written: {error.strerror}") from None
    print(path)


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    try:
        state = states.load(sys.argv[1])
        import page  # needs matplotlib, which those who call draw() need not have

        text, pictures = page.make(state)
        write(os.path.join(sys.argv[2], PAGE), text)
        for picture in pictures:
            write(os.path.join(sys.argv[2], f"{picture.name}.svg"), '<?xml version="1.0" encoding="utf-8"?>\n' + picture.svg)
    except Problem as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
