#!/usr/bin/env python3
"""Builds the Debian packages twice: they are the same, bit for bit; lintian finds no error and no warning in them.
As root, where debootstrap is, they are installed in a root that has nothing else, debian/tests/programs runs there, and once they are removed
nothing of theirs is left.

usage: debian_packages.py"""

import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from outside import TOP, run

LEFT_BY_OTHERS = ("/var/", "/etc/ld.so.cache", "/tmp/", "/root/", "/proc/", "/sys/", "/dev/", "/usr/share/info/dir")


def packages_in(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".deb"))


def what_the_tests_need():
    """The packages that debian/tests/control names, those that are built here left out."""
    with open(os.path.join(TOP, "debian", "tests", "control"), encoding="utf-8") as file:
        line = re.search(r"(?m)^Depends: @, ((?:.|\n )*)$", file.read()).group(1)
    return re.split(r",\s*", line)


def files_in(root):
    found = {os.path.join("/", os.path.relpath(os.path.join(folder, name), root)) for folder, _, names in os.walk(root) for name in names}
    return {path for path in found if not path.startswith(LEFT_BY_OTHERS)}


class DebianPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        built, cls.first, cls.second, cls.root = (os.path.join(folder.name, name) for name in ("built", "first", "second", "root"))
        for kept in (cls.first, cls.second):  # in one folder: its name is in the command, which finds the headers of its build there
            run(sys.executable, os.path.join(TOP, "tools", "setup", "deb.py"), built)
            os.rename(built, kept)

    def test_a_second_build_is_the_same(self):
        self.assertEqual(packages_in(self.first), packages_in(self.second))
        different = [name for name in packages_in(self.first)
                     if not filecmp.cmp(os.path.join(self.first, name), os.path.join(self.second, name), shallow=False)]
        self.assertEqual(different, [])

    @unittest.skipUnless(shutil.which("lintian"), "no lintian here")
    def test_lintian_finds_nothing(self):
        changes = next(name for name in os.listdir(self.first) if name.endswith(".changes"))
        run("lintian", "--fail-on", "error,warning", "--allow-root", os.path.join(self.first, changes))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("debootstrap"), "no root, or no debootstrap, here")
    def test_installed_in_a_bare_root(self):
        run("debootstrap", "--variant=minbase", "bookworm", self.root)
        self.inside("apt-get update")
        self.inside("apt-get install -y --no-install-recommends " + " ".join(what_the_tests_need()))
        before = files_in(self.root)
        shutil.copytree(self.first, os.path.join(self.root, "tmp", "packages"))
        self.inside("apt-get install -y --no-install-recommends $(ls /tmp/packages/*.deb | grep -v -- -dbgsym_)")
        for name in ("examples", "tests", "debian", "docs"):
            shutil.copytree(os.path.join(TOP, name), os.path.join(self.root, "tmp", "sources", name), symlinks=True)
        self.inside("cd /tmp/sources && debian/tests/programs")
        self.inside("apt-get remove -y libweft-dev")
        self.inside("! weft tascell /tmp/sources/examples/tascell/fib.tc 2>/tmp/said && grep 'install the headers' /tmp/said")
        self.inside("apt-get purge -y --auto-remove 'libweft*' 'weft-*'")
        self.assertEqual(files_in(self.root) - before, set())

    def inside(self, line):
        """What a line of shell prints that a new user's root runs."""
        command = ["unshare", "--mount", "--pid", "--fork", "sh", "-c",
                   'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" sh -ec "$1"', self.root, line]
        done = subprocess.run(command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done.stdout


if __name__ == "__main__":
    unittest.main()
