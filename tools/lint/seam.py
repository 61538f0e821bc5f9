#!/usr/bin/env python3
"""Whatever libweft needs of the system either asks the fault seam first, or is in the seam's list of what is not asked, with the reason.
Both are in src/os/fault.hpp: the functions behind a call stand behind its name in the enumeration.

usage: seam.py libweft.a [folder]"""

import re
import subprocess
import sys

import sources
import symbols

SEAM = "src/os/fault.hpp"
# Fail for no reason of the system's, or have nothing to fail in.
PURE = re.compile(r"mem(?!fd_)\w+|str\w+|(v?s|__isoc\d+_s)n?(printf|scanf)|qsort\w*|free|sig(add|empty|fill)set|_*environ|__errno_location|"
                  r"program_invocation_name|__libc_single_threaded|__progname_full|__rseq_\w+|__stack_chk_fail|_*fortify\w*|"
                  r"__sigsetjmp|__pthread_(un)?register_cancel|__pthread_unwind_next")  # of pthread_cleanup_push
ALIASES = {"__register_atfork": "pthread_atfork"}
DECLARES = re.compile(r"^(?!.*\breturn $)[\w:*&<> ]*\w[*&]* $")  # before a function's name
OWN_WORDS = ("open", "read", "write", "close")  # the core's own functions in headers
LINES_BEFORE = 6  # in which the seam is asked


def asked(text):
    """{function: the calls as which it is asked}, from the enumeration."""
    listed = re.search(r"enum class call[^{]*\{(.*?)\}", text, re.DOTALL).group(1)
    found = {}
    for call, comment in re.findall(r"^\s*(\w+),(?:\s*//(.*))?$", listed, re.MULTILINE):
        for function in comment.replace(",", " ").split() or [call]:
            found.setdefault(function, set()).add(call)
    return found


def not_asked(text):
    """(function, the only file in which it is not, or an empty string), from the list."""
    comment = re.search(r"^// Not asked.*?^//$", text, re.DOTALL | re.MULTILINE).group(0)
    found = set()
    for entry in re.split(r"\n// - ", comment)[1:]:
        for name in entry.replace("\n//", "").split(": ")[0].split(","):
            function, _, file = name.strip().partition(" in ")
            found.add((function, file))
    return found


def needed(archive):
    """{function: the files that need it, by their names} of libc's."""
    own = set(symbols.nm(archive, "--defined-only"))
    found = {}
    for line in subprocess.run(["nm", "-P", "-A", "--undefined-only", archive], capture_output=True, text=True).stdout.split("\n"):
        match = re.match(r".*\[(.*?)(?:\.o|\.c\w*)*\]: (\S+) ", line)
        if match is None or match.group(2) in own or symbols.ALWAYS.match(match.group(2)) or symbols.SANITIZERS.match(match.group(2)):
            continue
        found.setdefault(ALIASES.get(match.group(2), match.group(2)), set()).add(match.group(1))
    return {name: files for name, files in found.items() if not PURE.fullmatch(name)}


def uses(lines, function):
    """(index of a line, function) of its calls; of syscall the number's name."""
    for number, line in enumerate(lines):
        for match in re.finditer(rf"(?<![\w.>:~])(?:::)?{function}\s*\((\w*)", line):
            if not DECLARES.match(line[: match.start()]):
                yield number, match.group(1) if function == "syscall" else function


def is_asked_before(lines, number, calls):
    for back in range(number, max(number - LINES_BEFORE, -1), -1):
        if back != number and (not lines[back].strip() or lines[back].startswith("}")):
            return False
        if any(re.search(rf"fails\([\w:]*call::{call}\)", lines[back]) for call in calls):
            return True
    return False


def uses_below(top, need):
    """(path, lines, index, function) of each call of what is needed."""
    for path in sources.files(top, ["src"], (".cpp", ".hpp")):
        lines = sources.without_comments(sources.read(top, path)).split("\n")
        stem = re.sub(r"\.\w+$", "", path.rsplit("/", 1)[-1])
        for name, files in need.items():
            if (name not in OWN_WORDS) if path.endswith(".hpp") else (stem in files):
                yield from ((path, lines, number, function) for number, function in uses(lines, name))


def check(top, archive):
    text = sources.read(top, SEAM)
    known, listed, need = asked(text), not_asked(text), needed(archive)
    used = list(uses_below(top, need))
    named = set(known) | {name for name, _ in listed}
    problems = [f"{SEAM}: {function} is needed, and neither asked nor in the list of what is not"
                for function in sorted({*need, *(function for *_, function in used)} - named - {"syscall"})]
    problems += [f"{SEAM}: nobody needs {function}" for function in sorted(named - {function for *_, function in used})]
    for path, lines, number, function in used:
        exempt = {(function, ""), (function, path.removeprefix("src/"))} & listed
        if function in named and not exempt and not is_asked_before(lines, number, known.get(function, ())):
            problems.append(f"{path}:{number + 1}: {function} does not ask the fault seam: see {SEAM}")
    return problems, len(need)


if __name__ == "__main__":
    found, count = check(sys.argv[2] if len(sys.argv) > 2 else sources.TOP, sys.argv[1])
    sys.exit(sources.finish("seam", found, f"{count} functions of the system"))
