#!/usr/bin/env python3
"""clang-tidy over the sources of the core and of net/, and the headers that they include; .clang-tidy has the checks.

usage: tidy.py build-folder-of-clang [folder]"""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

import sources


def core_files(top, build):
    """Sources of the core, and of net/, that this build compiles."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        compiled = {os.path.relpath(entry["file"], top) for entry in json.load(file)}
    return sorted(path for path in compiled if path.startswith(("src/", "net/")) and path.endswith(".cpp"))


def check(top, build):
    tool = shutil.which("clang-tidy-19") or shutil.which("clang-tidy")
    if not tool:
        return ["clang-tidy-19 is not installed"], 0

    def tidy(path):
        command = [tool, "-p", build, "--quiet", "--warnings-as-errors=*", path]
        done = subprocess.run(command, cwd=top, capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip() if done.returncode != 0 else None

    paths = core_files(top, build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [complaint for complaint in pool.map(tidy, paths) if complaint], len(paths)


if __name__ == "__main__":
    found, count = check(os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else sources.TOP, os.path.abspath(sys.argv[1]))
    sys.exit(sources.finish("tidy", found, f"{count} files"))
