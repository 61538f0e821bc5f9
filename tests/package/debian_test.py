#!/usr/bin/env python3
"""What debian/ says, against what a build folder installs: each file is in one package, each pattern has a file, each symbol that a library
exports is in its symbols file, and versions and packages' names are those of the library. The packages themselves are built by
debian_packages.py.

usage: debian_test.py build-folder"""

import fnmatch
import glob
import os
import re
import sys
import tempfile
import unittest

from outside import SO_VERSION, TOP, VERSION, run

DEBIAN = os.path.join(TOP, "debian")
ONLY_ASKED_FOR = re.compile(r"checked")  # a component that the packages install besides
GDB_BESIDE_THE_LIBRARY = re.compile(r"\.so\.[^/]*-gdb\.py$")  # in prefix /usr it is in gdb's own folder
ONLY_WITH = (re.compile(r"mpi"), re.compile(r"event"))  # what is not built where no MPI is, or no libevent


def text_of(name):
    with open(os.path.join(DEBIAN, name), encoding="utf-8") as file:
        return file.read()


def patterns():
    """{package: its patterns}, the architecture's folder left out."""
    found = {}
    for path in glob.glob(os.path.join(DEBIAN, "*.install")):
        with open(path, encoding="utf-8") as file:
            found[os.path.basename(path).removesuffix(".install")] = [line.replace("usr/lib/*/", "usr/lib/") for line in file.read().split()]
    return found


def matches(path, pattern):
    """As debhelper reads it: a folder stands for all that is in it, and * for no /."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def stanzas():
    return {stanza.split("\n", 1)[0].strip(): stanza for stanza in re.split(r"(?m)^Package:", text_of("control"))[1:]}


class DebianTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = folder.name
        run("cmake", "--install", BUILD, "--prefix", os.path.join(cls.root, "usr"))
        cls.files = sorted(os.path.relpath(os.path.join(folder, name), cls.root) for folder, _, names in os.walk(cls.root) for name in names)

    def test_each_installed_file_is_in_one_package(self):
        left_out = text_of("not-installed").split()
        for path in self.files:
            packages = [name for name, of_package in patterns().items() if any(matches(path, each) for each in of_package)]
            if GDB_BESIDE_THE_LIBRARY.search(path) or any(matches(path, each) for each in left_out):
                self.assertEqual(packages, [], path)
            else:
                self.assertEqual(len(packages), 1, f"{path} is in {packages or 'no package: name it in a debian/*.install'}")

    def test_each_pattern_has_a_file(self):
        left_out = [kind for kind in ONLY_WITH if not any(kind.search(os.path.basename(path)) for path in self.files if path.endswith(".so"))]
        for package, of_package in patterns().items():
            for pattern in of_package:
                if ONLY_ASKED_FOR.search(pattern) or "gdb/auto-load" in pattern or any(kind.search(pattern) for kind in left_out):
                    continue
                self.assertTrue(any(matches(path, pattern) for path in self.files), f"debian/{package}.install: nothing is {pattern}")

    def test_packages_are_those_of_control(self):
        built = set(patterns()) | {"weft-doc"}
        self.assertEqual(set(stanzas()), built)
        for name, stanza in stanzas().items():
            version = re.search(r"(\d+\.\d+)$", name)
            if version:  # a shared library: the name changes with the interface
                self.assertEqual(version.group(1), SO_VERSION, name)
                self.assertIn("Multi-Arch: same", stanza, name)
            elif name.endswith("-dev"):
                self.assertIn("(= ${binary:Version})", stanza, name)
            else:
                self.assertNotIn("Multi-Arch: same", stanza, name)

    def test_version_is_the_library_s(self):
        self.assertEqual(re.match(r"weft \((.*?)\) ", text_of("changelog")).group(1), VERSION)

    def test_exported_symbols_are_in_the_symbols_files(self):
        libraries = [path for path in self.files if re.search(r"usr/lib/[^/]*\.so\." + re.escape(SO_VERSION) + "$", path)]
        self.assertTrue(libraries)
        for path in libraries:
            name = os.path.basename(path)
            package = name.replace(".so.", "")
            with self.subTest(package):
                head, *lines = text_of(f"{package}.symbols").splitlines()
                self.assertEqual(head, f"{name} {package} #MINVER#")
                versions = [re.match(r" \(symver\)(\S+) \S+$", line) for line in lines]
                expressions = [re.match(r' \(regex\)"(.*)" \S+$', line) for line in lines]
                self.assertTrue(all(one or other for one, other in zip(versions, expressions)), lines)
                exported = re.findall(r"(?m)^\S* *[^U ] (\S+?)@@?(\S+)$|^\S* *[TDBRWVi] ([^@\s]+)$", run("nm", "-D", "--defined-only", os.path.join(self.root, path)))
                self.assertTrue(exported)
                for symbol, version, plain in exported:
                    if version and symbol == version:
                        continue  # the version itself
                    covered = version in [each.group(1) for each in versions if each] if version else any(
                        re.search(each.group(1), plain + "@Base") for each in expressions if each)
                    self.assertTrue(covered, f"{symbol or plain}@{version or 'Base'} is not in debian/{package}.symbols")


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
