#!/usr/bin/env python3
"""Compares the binary interface (ABI) of each shared library of a build folder with what abi/ notes of it, by libabigail.

usage: abi.py BUILD           a change that programs can notice is an error: it needs a new minor version
       abi.py BUILD --write   notes the interface as it is now; refuses to note such a change for a version that was released

BUILD is of the preset release, made by gcc on x86-64: there the objects that define exported functions have full debug
information (cmake/interface_types.cmake). abi/NAME.abi is what abidw writes, without what depends on where and when the library
was built: folders, lines, names of parameters, the C library that it needs; in the order of its text."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
NOTED = os.path.join(TOP, "abi")
SUPPRESSIONS = os.path.join(NOTED, "suppressions.ini")
# Those between a program and its MPI export the functions of the installed MPI, which decides what they are.
LIBRARIES = {  # its path in a build folder, and the folder of its headers
    "libweft": ("libweft.so", "include/weft"),
    "libweft-abt": ("faces/argobots/libweft-abt.so", "faces/argobots/include"),
    "libweft-alpi": ("faces/alpi/libweft-alpi.so", "faces/alpi/include"),
    "libweft-qthread": ("faces/qthreads/libweft-qthread.so", "faces/qthreads/include"),
    "libweft-threads": ("faces/threads/libweft-threads.so", "faces/threads/include"),
    "libweft-dist": ("dist/libweft-dist.so", "include/weft"),
    "libweft-tascell": ("lang/runtime/libweft-tascell.so", "include/weft"),
}
CHANGED = 4  # a bit of abidiff's exit status


@dataclass
class Verdict:
    """Of a library against its notes: nothing changed, "more" (it has functions besides), or "other"."""

    change: str
    report: str = ""


def lacks_types(build):
    """Why no interface can be read from a build folder; empty if it can."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        settings = dict(re.findall(r"(?m)^(\w+):\w+=(.*)$", cache.read()))
    done = subprocess.run([settings.get("CMAKE_CXX_COMPILER") or "c++", "-dM", "-E", "-x", "c++", os.devnull], capture_output=True, text=True, check=False)
    if done.returncode != 0 or "__clang__" in done.stdout or "__GNUC__" not in done.stdout:
        return "the interface is noted from builds by gcc, and this one is not"
    if "__x86_64__" not in done.stdout:
        return "the interface is noted for x86-64"
    if settings.get("WEFT_CHECKED") == "ON" or settings.get("CMAKE_BUILD_TYPE") != "Release" or settings.get("WEFT_TESTS") != "ON":
        return "the interface is read from a build of the preset release"
    missing = [command for command in ("abidw", "abidiff") if shutil.which(command) is None]
    return f"{' and '.join(missing)} cannot be found (Debian's abigail-tools)" if missing else ""


def in_order(text):
    """The same with the parts of a corpus, and what each of them declares, in the order of the text: abidw's order depends on folders."""
    parts = re.findall(r"(?ms)^ <abi-instr .*?^ </abi-instr>\n", text)
    begin = text.index(parts[0]) if parts else 0
    for part in parts:
        text = text.replace(part, "", 1)
    made = []
    for part in parts:
        head, body = part.split("\n", 1)
        declared = re.split(r"(?m)^(?=  <\w)", body.removesuffix(" </abi-instr>\n"))
        made.append(f"{head}\n{''.join(sorted(declared))} </abi-instr>\n")
    return text[:begin] + "".join(sorted(made)) + text[begin:]


def normalised(text):
    """What abidw wrote, without what differs between two builds of the same sources, and without what abidiff does not read."""
    text = re.sub(r"(?s) *<elf-needed>.*?</elf-needed>\n", "", text)
    text = re.sub(r"(<abi-instr [^>]*path=')[^']*?([^/']*')", r"\1\2", text)
    text = re.sub(r" comp-dir-path='[^']*'", "", text)
    text = re.sub(r"(<parameter type-id='[^']*') name='[^']*'", r"\1", text)
    text = text.replace(" visibility='default'", "")
    return in_order(re.sub(r"(?m)^ +", lambda spaces: " " * (len(spaces[0]) // 2), text))


def interface(library, headers):
    """The interface of a library, as far as these headers (of folders, or files) tell it."""
    with tempfile.TemporaryDirectory() as folder:
        public = os.path.join(folder, "public")  # abidw compares the names of files alone
        os.mkdir(public)
        for place, _, names in os.walk(headers):
            for name in names:
                if name.endswith(".h"):
                    shutil.copy(os.path.join(place, name), os.path.join(public, name))
        written = os.path.join(folder, "written.abi")
        # The file is named as the program names it, wherever it lies; a link would lead abidw back.
        subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--exported-interfaces-only", "--drop-private-types",
                        "--type-id-style", "hash", "--headers-dir", public, "--out-file", written, os.path.realpath(library)],
                       check=True, env=dict(os.environ, LC_ALL="C"), stdin=subprocess.DEVNULL)
        with open(written, encoding="utf-8") as file:
            return normalised(file.read())


def soname(text):
    return re.search(r"soname='([^']*)'", text).group(1)


def compared(noted, built):
    """The verdict on two interfaces."""
    if noted == built:
        return Verdict("")
    if soname(noted) != soname(built):
        return Verdict("other", f"{soname(noted)} is noted, {soname(built)} is built\n")
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in (("noted", noted), ("built", built)):
            paths.append(os.path.join(folder, f"{name}.abi"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        reports = []
        for options in ([], ["--no-added-syms"]):
            done = subprocess.run(["abidiff", *options, "--suppressions", SUPPRESSIONS, *paths], capture_output=True, text=True, check=False,
                                  env=dict(os.environ, LC_ALL="C"), stdin=subprocess.DEVNULL)
            if done.returncode & 3:
                raise RuntimeError(f"abidiff: exit status {done.returncode}\n{done.stdout}{done.stderr}")
            if not done.returncode & CHANGED:
                return Verdict("more" if reports else "", "".join(reports))
            reports.append(done.stdout)
        return Verdict("other", reports[0])


def noted_path(name):
    return os.path.join(NOTED, f"{name}.abi")


def noted_interface(name):
    """Empty if there are no notes."""
    if not os.path.exists(noted_path(name)):
        return ""
    with open(noted_path(name), encoding="utf-8") as file:
        return file.read()


def built_interface(build, name):
    path, headers = LIBRARIES[name]
    library = os.path.join(build, path)
    if not os.path.exists(library):
        raise FileNotFoundError(f"{library} is not built; make abi builds it")
    return interface(library, os.path.join(TOP, headers))


def was_released():
    """Whether the version of the sources is one that programs may already have been built against."""
    with open(os.path.join(TOP, "include", "weft", "version.h"), encoding="utf-8") as header:
        version = re.search(r'WEFT_VERSION "(.*)"', header.read()).group(1)
    with open(os.path.join(TOP, "CHANGELOG.md"), encoding="utf-8") as changes:
        heading = re.search(rf"(?m)^## \[{re.escape(version)}\].*$", changes.read())
    return heading is None or not heading.group().endswith("unreleased")


def may_note(noted, verdict, built, released):
    """Whether --write may put the built interface into the place of the noted one."""
    return not (released and noted and verdict.change == "other" and soname(noted) == soname(built))


def write(build):
    for name in LIBRARIES:
        noted, built = noted_interface(name), built_interface(build, name)
        verdict = compared(noted, built) if noted else Verdict("other")
        if not may_note(noted, verdict, built, was_released()):
            print(f"{verdict.report}abi: {name} has changed for programs that are built already, and its version was released.\n"
                  "  Take the change back, or begin a new minor version (include/weft/version.h, CHANGELOG.md).", file=sys.stderr)
            return 1
        if noted != built:
            with open(noted_path(name), "w", encoding="utf-8") as file:
                file.write(built)
        print(f"abi/{name}.abi: {'written' if noted != built else 'as it was'}")
    return 0


def compare(build):
    failed = 0
    for name in LIBRARIES:
        noted, built = noted_interface(name), built_interface(build, name)
        verdict = compared(noted, built) if noted else Verdict("other", f"abi/{name}.abi is not there\n")
        if verdict.change == "other":
            failed += 1
            print(f"{verdict.report}abi: {name} has changed for programs that are built already.", file=sys.stderr)
        elif verdict.change == "more":
            print(f"{verdict.report}{name}: it has more than is noted, which no program notices; ./dev abi --write notes it")
        else:
            print(f"{name}: as noted")
    if failed:
        print("  Take the change back, or begin a new minor version (include/weft/version.h). A version that is not released yet may change:\n"
              "  ./dev abi --write notes the interface as it is now.", file=sys.stderr)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    why_not = lacks_types(arguments.build)
    if why_not:
        print(f"make abi: {why_not}", file=sys.stderr)
        return 1
    return (write if arguments.write else compare)(arguments.build)


if __name__ == "__main__":
    sys.exit(main())
