#!/usr/bin/env python3
"""tools/package/make_release.py on a small repository: what a release has in it, that it is the same twice, and what is refused.

usage: make_release_test.py"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from outside import TOP, run

sys.path[:0] = [os.path.join(TOP, "tools", "package"), os.path.join(TOP, "tools", "lint"), os.path.join(TOP, "tests", "lint")]
import make_release as release  # noqa: E402 (it is found in the line above)
import release_test as planted  # noqa: E402 (of tests/lint: the files of a tree in step)


def git(folder, *words):
    return run("git", "-C", folder, "-c", "user.name=tests", "-c", "user.email=tests@localhost.invalid", "-c", "init.defaultBranch=main", *words)


@unittest.skipUnless(shutil.which("git"), "no git here")
class ReleaseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.tree = os.path.join(self.work, "tree")
        for path, text in planted.FILES.items():
            self.plant(path, text)
        git(self.work, "init", "-q", self.tree)
        self.commit("v0.3.1")
        before = release.TOP
        self.addCleanup(lambda: setattr(release, "TOP", before))
        release.TOP = self.tree

    def plant(self, path, text):
        full = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, tag):
        git(self.tree, "add", "-A")
        git(self.tree, "commit", "-q", "-m", "A tree")
        git(self.tree, "tag", "-f", tag)

    def made(self, name):
        return {os.path.basename(path): path for path in release.make(os.path.join(self.work, name), "v0.3.1")}

    def refused(self, words, tag="v0.3.1"):
        with self.assertRaisesRegex(RuntimeError, words):
            release.make(os.path.join(self.work, "refused"), tag)
        self.assertFalse(os.path.exists(os.path.join(self.work, "refused")))

    def test_what_is_in_it(self):
        files = self.made("release")
        self.assertEqual(set(files), {"weft-0.3.1.tar.gz", "weft-0.3.1.spdx.json", "SHA256SUMS"})
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=os.path.dirname(files["SHA256SUMS"]), check=True)
        with tarfile.open(files["weft-0.3.1.tar.gz"]) as archive:
            contents = {entry.name.removeprefix("weft-0.3.1/"): archive.extractfile(entry).read() for entry in archive if entry.isfile()}
        self.assertEqual({path: data.decode() for path, data in contents.items()}, planted.FILES)
        with open(files["weft-0.3.1.spdx.json"], encoding="utf-8") as file:
            bill = json.load(file)
        told = {entry["fileName"].removeprefix("./"): {sum_["algorithm"]: sum_["checksumValue"] for sum_ in entry["checksums"]} for entry in bill["files"]}
        self.assertEqual(told, {path: {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()} for path, data in contents.items()})
        names = {entry["SPDXID"] for kind in ("packages", "files") for entry in bill[kind]} | {"SPDXRef-DOCUMENT"}
        for relation in bill["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, names)
        self.assertEqual(bill["packages"][0]["versionInfo"], "0.3.1")

    def test_a_second_one_is_the_same(self):
        first, second = self.made("first"), self.made("second")
        for name, path in first.items():
            with open(path, "rb") as one, open(second[name], "rb") as other:
                self.assertEqual(one.read(), other.read(), name)

    def test_what_is_not_committed_is_left_out(self):
        self.plant("include/other.h", "not ready\n")
        self.assertIn("weft-0.3.1.tar.gz", self.made("release"))

    def test_a_tag_that_is_not_there_is_refused(self):
        self.refused("there is no tag v0.4.0", "v0.4.0")

    def test_an_empty_tag_is_refused(self):
        self.refused("the tag is empty", "")

    def test_a_folder_without_git_is_refused(self):
        """Also one inside another repository, whose tags are not its own."""
        copy = os.path.join(self.tree, "copy")
        shutil.copytree(os.path.join(self.tree, "include"), os.path.join(copy, "include"))
        release.TOP = copy
        self.refused("copy is no clone")
        shutil.rmtree(os.path.join(self.tree, ".git"))
        self.refused("copy is no clone")

    def test_a_tag_of_another_version_is_refused(self):
        git(self.tree, "tag", "v0.4.0")
        self.refused("v0.4.0 is for another version than 0.3.1", "v0.4.0")

    def test_an_unreleased_version_is_refused(self):
        self.plant("CHANGELOG.md", planted.FILES["CHANGELOG.md"].replace("2026-01-02", "2026-01-02, unreleased"))
        self.commit("v0.3.1")
        self.refused('"unreleased" is still in the heading of 0.3.1')

    def test_versions_that_disagree_are_refused(self):
        self.plant("CITATION.cff", "version: 0.3.0\n")
        self.commit("v0.3.1")
        self.refused("CITATION.cff: version is 0.3.0, and 0.3.1 is expected")


@unittest.skipUnless(shutil.which("make"), "no make here")
class MakeTest(unittest.TestCase):
    def told(self, *words, **environment):
        """The commands of words of make, which are not run."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name not in ("MFLAGS", "TAG", "MACHINE")}
        return subprocess.run(["make", "-n", "-C", TOP, *words], env=dict(clean, **environment), capture_output=True, text=True, check=True).stdout

    def test_variables_of_the_environment_choose_no_tag_and_no_machine(self):
        self.assertIn("--tag 'v1.2.3'", self.told("release", "TAG=v1.2.3"))
        self.assertIn("--tag ''", self.told("release", "TAG="))
        self.assertNotIn("--tag", self.told("release", TAG="v1.2.3"))
        for word in ("wheel", "tarball"):
            self.assertRegex(self.told(word, "MACHINE=aarch64"), "--machine '?aarch64")
            self.assertNotIn("--machine", self.told(word, MACHINE="aarch64"))


@unittest.skipUnless(shutil.which("git") and os.path.exists(os.path.join(TOP, ".git")), "no clone here")
class WholeTest(unittest.TestCase):
    def test_the_word_of_make_says_what_is_missing(self):
        done = subprocess.run([sys.executable, os.path.join(TOP, "tools", "package", "make_release.py"), "/nowhere", "--tag", "v99.0.0"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("make release: there is no tag v99.0.0", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
