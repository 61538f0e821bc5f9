#!/usr/bin/env python3
"""C and C++ files are as clang-format 19 writes them with .clang-format.

usage: format.py [--write] [folder]"""

import shutil
import subprocess
import sys

import sources

FOLDERS = ("src", "include", "tools", "tests", "bench", "examples", "dist", "net", "faces", "lang")


def run(top, write):
    tool = shutil.which("clang-format-19") or shutil.which("clang-format")
    if not tool:
        return ["clang-format-19 is not installed"], 0
    paths = sources.files(top, FOLDERS, (".c", ".h", ".cpp", ".hpp"))
    if not paths:
        return [], 0
    action = ["-i"] if write else ["--dry-run", "-Werror", "--ferror-limit=1"]
    done = subprocess.run([tool, *action, *paths], cwd=top, capture_output=True, text=True)
    wrong = [line for line in done.stderr.split("\n") if "error:" in line]
    if done.returncode != 0 and not wrong:
        wrong = [done.stderr]
    return wrong, len(paths)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    found, count = run(arguments[0] if arguments else sources.TOP, "--write" in sys.argv)
    if found:
        print("`make format` puts this right:")
    sys.exit(sources.finish("format", found, f"{count} files"))
