#!/usr/bin/env python3
"""Every header compiles alone: *.h of include/ and of faces' include/ as C11 and as C++20, the others as C++20. A header that a .cpp
of its folder includes first, as its own, is compiled alone by the build. What did not change since it last passed is not compiled again
(build/lint/headers.json).

usage: headers.py [folder]"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import sources

C = ["cc", "-x", "c", "-std=gnu11"]
CXX = ["c++", "-x", "c++", "-std=c++20"]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def other_machine(path):
    machine = os.uname().machine
    return any(f"/{name}/" in path for name in ("x86_64", "aarch64") if name != machine)


def is_for_programs(path):
    """Of a face: installed, whole by itself, and made of nothing but Weft."""
    return "/include/" in path and not any(f"/{name}/" in path for name in ("detail", "argobots", "qthreads"))


def folders_within(path):
    parts = path.split("/")
    if parts[0] == "faces":
        return ["-Iinclude", f"-I{'/'.join(parts[:2])}/include"]
    if parts[0] in ("net", "dist"):
        return ["-Iinclude", "-Isrc", "-I."]
    return ["-Iinclude"] + (["-Isrc"] if parts[0] == "src" else ["-Ibench"] if parts[0] == "bench" else [])


def is_first_in_its_source(top, path):
    source = os.path.splitext(path)[0] + ".cpp"
    try:
        with open(os.path.join(top, source), encoding="utf-8") as file:
            first = next((line for line in file if line.startswith("#include")), "")
    except OSError:
        return False
    return path.endswith(first.removeprefix("#include").strip().strip('"<>') or "none")


def jobs(top):
    """(name, command) for each header and language."""
    for path in sources.files(top, ["src", "include", "bench/harness", "faces", "net", "dist"], (".h", ".hpp")):
        if other_machine(path) or (path.startswith("faces/") and not is_for_programs(path)):
            continue
        within = folders_within(path)
        if path.startswith(("include/", "faces/")) and path.endswith(".h"):
            yield f"{path} (C11)", [*C, *WARNINGS, *within, "-include", path, "/dev/null"]
        if not is_first_in_its_source(top, path):
            yield f"{path} (C++20)", [*CXX, *WARNINGS, *within, "-include", path, "/dev/null"]


def stamp(top, dependencies):
    """What a header was made of when it passed, or None."""
    try:
        return [[path, os.stat(os.path.join(top, path)).st_mtime_ns] for path in dependencies]
    except OSError:
        return None


def compile_alone(top, command):
    """The compiler's complaint, or the project's files that went into it."""
    with tempfile.NamedTemporaryFile() as rule:
        run = subprocess.run([*command, "-MMD", "-MF", rule.name], cwd=top, capture_output=True, text=True)
        if run.returncode != 0:
            return run.stderr, None
        text = rule.read().decode().replace("\\\n", " ")
    return None, [path for path in text.split(":", 1)[1].split() if not path.startswith(("/usr/", "/dev/"))]


def check(top):
    memory = os.path.join(top, "build", "lint", "headers.json")
    try:
        with open(memory, encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError):
        known = {}
    todo, passed, problems = [], {}, []
    for name, command in jobs(top):
        before = known.get(name)
        if before and stamp(top, [path for path, _ in before]) == before:
            passed[name] = before
        else:
            todo.append((name, command))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: compile_alone(top, job[1]), todo)
        for (name, _), (complaint, dependencies) in zip(todo, results):
            if complaint:
                problems.append(f"{name} does not compile alone:\n{complaint}")
            else:
                passed[name] = stamp(top, dependencies)
    os.makedirs(os.path.dirname(memory), exist_ok=True)
    with open(memory, "w", encoding="utf-8") as file:
        json.dump(passed, file)
    return problems, len(passed) + len(problems), len(todo)


if __name__ == "__main__":
    found, total, compiled = check(sources.top_from_arguments())
    sys.exit(sources.finish("headers", found, f"{total} headers and languages, {compiled} compiled"))
