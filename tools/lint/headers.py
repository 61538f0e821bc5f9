#!/usr/bin/env python3
"""Every header compiles alone: *.h of include/ and of faces' include/ as C11 and as C++20, the others as C++20. A header that a .cpp
of its folder includes first, as its own, is compiled alone by the build; one that another header includes first is compiled alone with that
one. A header that is made of includes of such headers alone is not compiled, nor one that is but an error for a name that Weft has not. What did not change since it last passed is not compiled again
(build/lint/headers.json).

usage: headers.py [folder]"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import sources

C = ["cc", "-x", "c", "-std=gnu11"]
CXX = ["c++", "-x", "c++", "-std=c++20"]
INCLUDE = re.compile(r'#include ["<]([^">]+)[">]')
BEFORE_INCLUDES = re.compile(r"#pragma once|#(ifndef|define) \w+_H\b")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def other_machine(path):
    machine = os.uname().machine
    return any(f"/{name}/" in path for name in ("x86_64", "aarch64") if name != machine)


def is_for_programs(path):
    """Of a face: installed, whole by itself, and made of nothing but Weft."""
    return "/include/" in path and not any(f"/{name}/" in path for name in ("detail", "argobots", "qthreads"))


def folders_within(path):
    parts = path.split("/")
    if path.startswith("faces/mpi/include/"):  # for programs that have an MPI
        return ["-Iinclude", "-Ifaces/mpi/include", "-Itests/api/stand_ins"]
    if parts[0] == "faces":
        return ["-Iinclude", f"-I{'/'.join(parts[:2])}/include"]
    if "/fiber/cuda/" in path or "/fiber/hip/" in path:  # for programs that have the headers of CUDA or HIP
        return ["-Iinclude", "-Itests/api/stand_ins"]
    if parts[0] in ("net", "dist"):
        return ["-Iinclude", "-Isrc", "-I."]
    return ["-Iinclude"] + (["-Isrc"] if parts[0] == "src" else ["-Ibench"] if parts[0] == "bench" else [])


def lines_of(top, path):
    """Without comments and empty lines."""
    return [line for line in sources.without_comments(sources.read(top, path), keep_literals=True).split("\n") if line.strip()]


def first_include(top, path):
    """Nothing stands before it but #pragma once and the guard of C."""
    for line in lines_of(top, path):
        if match := INCLUDE.match(line):
            return match.group(1)
        if not BEFORE_INCLUDES.match(line):
            return None
    return None


def is_first_in_its_source(top, path):
    source = os.path.splitext(path)[0] + ".cpp"
    if not os.path.exists(os.path.join(top, source)):
        return False
    first = first_include(top, source)
    return first is not None and path.endswith(first)


def is_made_of_includes(top, path):
    """Of Weft's own headers, which are compiled; or of an error."""
    lines = [line for line in lines_of(top, path) if not line.startswith("#pragma once")]
    if lines and lines[0].startswith("#error ") and len(lines) == (2 if lines[0].endswith("\\") else 1):
        return True
    included = [INCLUDE.match(line) for line in lines]
    return bool(included) and all(match and os.path.exists(os.path.join(top, "include", match.group(1))) for match in included)


def all_jobs(top):
    """{(path, language): command}"""
    found = {}
    for path in sources.files(top, ["src", "include", "bench/harness", "faces", "net", "dist"], (".h", ".hpp")):
        if other_machine(path) or (path.startswith("faces/") and not is_for_programs(path)) or is_made_of_includes(top, path):
            continue
        if os.path.basename(path).startswith("asio") and not os.path.exists("/usr/include/boost/asio/version.hpp"):
            continue  # for programs that have Boost
        if path == "include/weft/parallel_scheduler.hpp":
            continue  # for programs that have std::execution or stdexec
        within = folders_within(path)
        if path.startswith(("include/", "faces/")) and path.endswith(".h"):
            found[path, "C11"] = [*C, *WARNINGS, *within, "-include", path, "/dev/null"]
        if not is_first_in_its_source(top, path):
            found[path, "C++20"] = [*CXX, *WARNINGS, *within, "-include", path, "/dev/null"]
    return found


def jobs(top):
    """(name, command) for each header and language that no other one stands for."""
    found = all_jobs(top)
    compiled_by_others = set()
    for path, language in found:
        first = first_include(top, path)
        folders = [option[2:] for option in folders_within(path)]
        target = next((other for folder in folders if (other := os.path.normpath(os.path.join(folder, first or ""))) != path and (other, language) in found), None)
        if target:
            compiled_by_others.add((target, language))
    for (path, language), command in found.items():
        if (path, language) not in compiled_by_others:
            yield f"{path} ({language})", command


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
