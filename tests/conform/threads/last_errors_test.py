#!/usr/bin/env python3
"""threads_last_error(), for each cause of each Errors in the headers of the threads interface: a program provokes it (last_errors.c), and the
text begins with the function's name, names the argument, and says one cause. What no program can provoke is listed below, with the reason.

usage: last_errors_test.py TOP PROGRAM IMPLEMENTATION [PROGRAM IMPLEMENTATION...]"""

import os
import re
import subprocess
import sys

TOP, RUNS = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.path.join(TOP, "tools", "docs"))
import errors

# (implementation, function, status, cause) as patterns, and why no line is wanted for them.
EXCUSED = [
    (".*", "threads_list_add", "THREADS_NOMEM", ".*", "one task more needs memory that runs out"),
    (".*", ".*", "THREADS_(NOMEM|AGAIN)", "|the system refused .*", "memory and OS threads do not run out here"),
    (".*", ".*", ".*", "config.counts may help|every implementation has at least 32", "says what follows, and is no cause"),
    (".*", "threads_start", "THREADS_UNSUPPORTED", ".*", "needs another library: environment_test.py"),
    ("weft inlined|fifo inlined|pool inlined", ".*", "THREADS_NOT_STARTED", ".*", "undefined where calls are inlined"),
    (".*", "threads_join", "THREADS_CANNOT_BLOCK", ".*", "of argobots and qthreads"),
    (".*", "threads_lock_.*", "THREADS_CANNOT_BLOCK", ".*", "of tasklets and callbacks of libweft's"),
    (".*", ".*", ".*", ".*, where the implementation notices", "these notice it in checked builds, or not"),
    ("weft.*", "threads_key_set", "THREADS_UNSUPPORTED", ".*", "weft keeps values of callers outside"),
    ("(fifo|pool).*", "threads_counts", "THREADS_UNSUPPORTED", ".*", "these count always"),
]


def is_excused(*what):
    return any(all(re.fullmatch(pattern, given) for pattern, given in zip(patterns, what)) for patterns in EXCUSED)


def arguments_of(text):
    parts = errors.split(text[text.index("(") + 1 : text.rindex(")")], ",")
    return [re.search(r"\(\*(\w+)\)", part).group(1) if "(*" in part else re.search(r"(\w+)$", part).group(1) for part in parts]


def wrong_text(function, cause, text, arguments):
    """What is wrong with a text, or None."""
    if not text.startswith(f"{function}: "):
        return "does not begin with the function"
    null = re.fullmatch(r"(\w+) is null", cause)
    if null and text != f"{function}: argument {null.group(1)}: it is null":
        return f"does not say that {null.group(1)} is null"
    named = re.match(r"\w+: argument (\w+)", text)
    if named and named.group(1) not in arguments:
        return f"names {named.group(1)}, which is no argument"
    return None


def check(program, implementation, wanted, functions):
    run = subprocess.run([program, implementation], capture_output=True, text=True, timeout=60, check=False)
    if run.returncode != 0:
        return [f"{program} {implementation}: status {run.returncode}\n{run.stderr}"]
    name = implementation if program.endswith("table") else f"{implementation} inlined"
    found, problems = set(), []
    for line in run.stdout.splitlines():
        function, status, cause, text = line.split("\t")
        found.add((function, status, cause))
        if (status, cause) not in wanted.get(function, []):
            problems.append(f"{name}: {function} {status} ({cause}): no header says that it fails so")
            continue
        wrong = wrong_text(function, cause, text, arguments_of(functions[function].text))
        problems += [f'{name}: {function} {status} ({cause}): "{text}" {wrong}'] if wrong else []
    missing = [(function, *each) for function, causes in wanted.items() for each in causes if (function, *each) not in found]
    problems += [f"{name}: {' '.join(each)}: nothing provokes it" for each in missing if not is_excused(name, *each)]
    print(f"{name}: {len(found)} causes, {len(missing)} excused or missing")
    return problems


def main():
    folder = os.path.join(TOP, "faces", "threads", "include", "weft_threads")
    wanted, functions = errors.of_folder(folder), errors.functions_of(folder)
    problems = []
    for program, implementation in zip(RUNS[::2], RUNS[1::2]):
        problems += check(program, implementation, wanted, functions)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
