#!/usr/bin/env python3
"""Builds Debian packages of the sources that git knows here, as they are now, or of the whole folder where there is no git.

usage: deb.py FOLDER   the packages are put there; what was in FOLDER is removed, if an earlier run made it"""

import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
MARK = "made-by-deb.py"  # a file that tells that the folder is ours to remove
COMMANDS = {"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "doxygen": "doxygen"}


def sources():
    """Paths from the top folder of what the packages are built from."""
    listed = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False)
    if b"debian/control\0" in listed.stdout:  # else another repository around this folder answers
        return [name for name in os.fsdecode(listed.stdout).split("\0") if name and os.path.lexists(os.path.join(TOP, name))]
    found = []
    for folder, folders, names in os.walk(TOP):
        folders[:] = [name for name in folders if os.path.relpath(os.path.join(folder, name), TOP) not in ("build", ".git")]
        found += [os.path.relpath(os.path.join(folder, name), TOP) for name in names]
    return found


def copy_sources(folder):
    for name in sources():
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(TOP, name), target, follow_symlinks=False)


def clear(folder):
    """False if something else than an earlier run wrote to the folder."""
    if os.path.exists(folder) and os.listdir(folder):
        if not os.path.exists(os.path.join(folder, MARK)):
            return False
        shutil.rmtree(folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, MARK), "w", encoding="utf-8"):
        return True


def main(folder):
    missing = [f"{command} (Debian's {package})" for command, package in COMMANDS.items() if shutil.which(command) is None]
    if missing:
        print(f"make deb: {', '.join(missing)} cannot be found; ./dev deb installs what it needs", file=sys.stderr)
        return 1
    if not clear(folder):
        print(f"make deb: {folder} has files that an earlier run did not make; name an empty folder: ./dev deb FOLDER=...", file=sys.stderr)
        return 1
    with open(os.path.join(TOP, "include", "weft", "version.h"), encoding="utf-8") as header:
        version = re.search(r'WEFT_VERSION "(.*)"', header.read()).group(1)
    tree = os.path.join(folder, f"weft-{version}")
    copy_sources(tree)
    options = os.environ.get("DEB_BUILD_OPTIONS", f"parallel={os.cpu_count()}")
    log_path = os.path.join(folder, "build.log")
    print(f"make deb: building the packages (some minutes), {os.path.relpath(log_path)} has what is said", flush=True)
    with open(log_path, "wb") as log:
        done = subprocess.run(["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=tree, stdout=log, stderr=log, check=False,
                              env=dict(os.environ, DEB_BUILD_OPTIONS=options))
    if done.returncode != 0:
        with open(log_path, encoding="utf-8", errors="replace") as log:
            print("".join(line[:200] + "\n" for line in log.read().splitlines()[-20:]), end="", file=sys.stderr)
        print(f"make deb: dpkg-buildpackage failed, see {log_path}", file=sys.stderr)
        return 1
    shutil.rmtree(tree)
    packages = sorted(name for name in os.listdir(folder) if name.endswith(".deb") and "-dbgsym_" not in name)
    print("\n".join(["", *packages, "", f"To install those for C and C++ and the weft command, as root, in {folder}:", "",
                     f"  apt-get install ./libweft0.1_{version}_*.deb ./libweft-dev_{version}_*.deb ./weft-tools_{version}_*.deb"]))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
