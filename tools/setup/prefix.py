#!/usr/bin/env python3
"""What `make install` says of the folder that it installs to.

usage: prefix.py may-write PREFIX   before: whether it may be written; otherwise a line with the
                                    cure, and exit status 1
       prefix.py words PREFIX       after: runs ldconfig where the loader looks into the prefix, and
                                    prints the lines that a shell needs to find what was installed;
                                    also for an installed tree that was moved

With DESTDIR in the environment the tree is only being packed: no ldconfig, no lines."""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

DEFAULT = "/usr/local"
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def nearest(path):
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path


def may_write(prefix):
    below = os.environ.get("DESTDIR", "") + prefix
    if os.path.realpath(os.path.join(below, "include")) == os.path.join(TOP, "include"):
        print(f"make install: {below} is the folder of Weft's sources, which an installation would overwrite.\n"
              "  Name another folder: ./dev install PREFIX=$HOME/weft", file=sys.stderr)
        return 1
    for folder in (below, *(os.path.join(below, name) for name in ("bin", "include", "lib", "share"))):
        place = nearest(folder)
        if not (os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)):
            given = "" if prefix == DEFAULT else f" PREFIX={shlex.quote(prefix)}"
            print(f"make install: {place} cannot be written by this user.\n"
                  f"  Either install as root: sudo ./dev install{given}\n"
                  "  or to a folder of your own: ./dev install PREFIX=$HOME/weft", file=sys.stderr)
            return 1
    return 0


def answer(*command):
    """What a command prints, in an environment that knows nothing of the prefix. Empty if it is not there or fails."""
    unset = ("PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "LD_LIBRARY_PATH")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    found = shutil.which(command[0], path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        return ""
    done = subprocess.run([found, *command[1:]], env=environment, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def loader_searches(folder):
    places = re.findall(r"(?m)^(/[^:]*):", answer("ldconfig", "-N", "-X", "-v"))
    return os.path.realpath(folder) in map(os.path.realpath, places)


def tell_loader(folder):
    """Lines for the user, if it could not be done."""
    answer("ldconfig")
    known = re.findall(r"(?m)^\s*libweft\.so.* => (.*)$", answer("ldconfig", "-p"))
    if os.path.realpath(folder) in (os.path.realpath(os.path.dirname(path)) for path in known):
        return []
    return ["", "The loader does not know the libraries yet. As root, once:", "", "  ldconfig"]


def search_lines(prefix, libraries):
    """Lines of shell, for what does not look into this prefix by itself."""
    lines = []
    found = answer("pkg-config", "--variable=pcfiledir", "weft").strip()
    if not found or os.path.realpath(found) != os.path.realpath(os.path.join(libraries, "pkgconfig")):
        lines.append(("PKG_CONFIG_PATH", os.path.join(libraries, "pkgconfig")))
    if prefix not in ("/usr", DEFAULT):
        lines.append(("CMAKE_PREFIX_PATH", prefix))
    commands = os.path.join(prefix, "bin")
    if os.path.isdir(commands) and commands not in os.environ.get("PATH", "").split(":"):
        lines.append(("PATH", commands))
    return [f"  export {name}={shlex.quote(value)}${{{name}:+:${name}}}" for name, value in lines]


def words(prefix):
    if os.environ.get("DESTDIR"):
        return 0
    found = sorted(glob.glob(os.path.join(glob.escape(prefix), "lib*", "pkgconfig", "weft.pc"))
                   + glob.glob(os.path.join(glob.escape(prefix), "lib*", "*", "pkgconfig", "weft.pc")))
    if not found:
        print(f"{prefix}: Weft is not installed there", file=sys.stderr)
        return 1
    libraries = os.path.dirname(os.path.dirname(found[0]))
    said = [f"Weft is installed in {prefix}."]
    searched = loader_searches(libraries)
    lines = search_lines(prefix, libraries)
    if lines:
        said += ["A shell finds it after these lines:", "", *lines, ""]
    with open(found[0], encoding="utf-8") as package:
        tells = "-Wl,-rpath" in package.read()
    # A tree that was installed where the loader looks, and was moved from there, has no run path.
    add = "" if searched or tells else f"--define-variable=run_path=-Wl,-rpath,{shlex.quote(libraries)} "
    takes = "eval " if " " in prefix else ""  # pkg-config quotes the space, which the shell has to read
    said += ["A program is built by", "", f"  {takes}cc program.c -o program $(pkg-config {add}--cflags --libs weft)"]
    if searched:
        said += tell_loader(libraries)
    else:
        said += ["", "The loader does not look there, so that a program must be told where its library is.",
                 "The line above does that; without pkg-config the words are:", "",
                 f"  -I{shlex.quote(prefix)}/include -L{shlex.quote(libraries)} -Wl,-rpath,{shlex.quote(libraries)} -lweft"]
    print("\n".join(said))
    return 0


def main(arguments):
    verbs = {"may-write": may_write, "words": words}
    if len(arguments) != 2 or arguments[0] not in verbs:
        print(__doc__, file=sys.stderr)
        return 2
    return verbs[arguments[0]](os.path.abspath(arguments[1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
