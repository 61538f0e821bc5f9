#!/usr/bin/env python3
"""libweft exports exactly what the public headers declare WEFT_API, and needs nothing but what libc and libgcc have: a C program
must not need the C++ library. It asks for no executable stack, and its relocations are bound at start and read-only then.

usage: symbols.py libweft.so libweft.a [folder]"""

import os
import re
import subprocess
import sys

import sources

OTHER_LIBRARIES = ("include/weft/dist.h", "include/weft/global.h", "include/weft/tascell.h",
                   "include/weft/tascell_lowered.h")  # libweft-dist, libweft-tascell define what they declare
DECLARED = re.compile(r"\bWEFT_API\b[^;{}()]*?\b(weft_\w+)\s*(?:\(|;|\[)")
# In libgcc or libc, yet a sign of C++ (mangled names, exceptions, guards) or of code that may unwind.
REFUSED = re.compile(r"^(_Z|__cxa_(?!finalize$|atexit$)|__gxx_|_Unwind_|__gcc_personality)")
# The linker's own and weak references of the compiler's start files.
ALWAYS = re.compile(r"^(_GLOBAL_OFFSET_TABLE_|_ITM_\w+|__gmon_start__|__cxa_finalize|_DYNAMIC|__tls_get_addr|__dso_handle)$")

# What the shared library with checks defines in front of the C library: src/see/os_locks.cpp.
IN_FRONT_OF_LIBC = {f"pthread_mutex_{verb}" for verb in ("lock", "trylock", "timedlock", "clocklock", "unlock")}

# Weak references to what a sanitizer's run-time library has: null where the program was not built with one.
SANITIZERS = re.compile(r"^__(asan|tsan|sanitizer)_\w+$")


def nm(path, *options):
    """{name: type} of a library's symbols."""
    run = subprocess.run(["nm", "-P", *options, path], capture_output=True, text=True)
    if run.returncode != 0:
        raise OSError(f"nm cannot read {path}: {run.stderr.strip()}")
    found = {}
    for line in run.stdout.split("\n"):
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1:
            found[words[0].split("@")[0]] = words[1]
    return found


def declared(top):
    names = set()
    for path in sources.files(top, ["include"], ".h"):
        if path in OTHER_LIBRARIES:
            continue
        names.update(DECLARED.findall(sources.without_comments(sources.read(top, path))))
    return names


def available():
    """Everything that libc (with what it links into each program), the dynamic linker and libgcc define."""
    names = set()
    for library, options in (("libc.so.6", ["-D"]), ("ld-linux-x86-64.so.2", ["-D"]), ("ld-linux-aarch64.so.1", ["-D"]), ("libgcc.a", []), ("libc_nonshared.a", [])):
        path = subprocess.run(["cc", f"-print-file-name={library}"], capture_output=True, text=True).stdout.strip()
        if os.path.exists(path):  # else the C library is another processor's
            names.update(name for name, kind in nm(path, *options).items() if kind not in "Uw")
    return names


def check_needed(what, symbols, allowed):
    problems = []
    for name in sorted(symbols):
        if ALWAYS.match(name) or (SANITIZERS.match(name) and symbols[name] in "wv"):
            continue
        if REFUSED.match(name):
            problems.append(f"{what}: needs {name} of the C++ run time")
        elif name not in allowed:
            problems.append(f"{what}: needs {name}, which neither libc nor libgcc has")
    return problems


def check_hardening(what):
    """As SECURITY.md says."""
    told = subprocess.run(["readelf", "-lWd", what], capture_output=True, text=True).stdout
    problems = []
    if not re.search(r"GNU_STACK .* RW  ", told):
        problems.append(f"{what}: asks for an executable stack; mark each assembler file by .note.GNU-stack")
    if "TEXTREL" in told:
        problems.append(f"{what}: has text relocations; compile all of it with -fPIC")
    if "GNU_RELRO" not in told or not re.search(r"FLAGS.*\bNOW\b", told):
        problems.append(f"{what}: its relocations stay writable; link it with -z relro and -z now")
    return problems


def check(top, shared, archive):
    exports = {name for name, kind in nm(shared, "-D", "--defined-only").items() if kind != "A"}
    if IN_FRONT_OF_LIBC <= exports:  # all of them, or none
        exports -= IN_FRONT_OF_LIBC
    wanted = declared(top)
    problems = [f"{shared}: {name} is declared WEFT_API, but not exported" for name in sorted(wanted - exports)]
    problems += [f"{shared}: exports {name}, which no public header declares" for name in sorted(exports - wanted)]
    problems += check_hardening(shared)
    allowed = available()
    problems += check_needed(shared, nm(shared, "-D", "--undefined-only"), allowed)
    own = nm(archive, "--defined-only")
    needed = {name: kind for name, kind in nm(archive, "--undefined-only").items() if name not in own}
    problems += check_needed(archive, needed, allowed)
    return problems, len(exports)


if __name__ == "__main__":
    found, count = check(sys.argv[3] if len(sys.argv) > 3 else sources.TOP, sys.argv[1], sys.argv[2])
    sys.exit(sources.finish("symbols", found, f"{count} exported"))
