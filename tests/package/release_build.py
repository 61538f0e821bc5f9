#!/usr/bin/env python3
"""Builds the sources as a release has them, as root: without git, without a network, out of a folder that cannot be written to and whose
name has spaces, as one of another such name; installs to the prefix /usr below a DESTDIR; and runs C and C++ programs against that.

usage: release_build.py"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from outside import CC, CXX, HERE, LIBWEFT, TOP, bare, needed, run

sys.path.insert(0, os.path.join(TOP, "tools", "setup"))
import deb  # noqa: E402 (it is found in the line above)

ALONE = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
TARGETS = ("weft", "weft_static", "weft_checked", "weft_checked_static", "net/all", "dist/all", "faces/all", "lang/all", "tools/weft/all")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "not root here, or no unshare")
class ReleaseBuild(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = os.path.join(folder.name, "with a space")
        cls.sources, cls.build, cls.root = (os.path.join(cls.work, name) for name in ("the sources", "the build", "the root"))
        cls.tools = os.path.join(cls.work, "tools")
        os.makedirs(cls.tools)
        deb.copy_sources(cls.sources)
        cls.git_was_asked = os.path.join(cls.work, "git-was-asked")
        with open(os.path.join(cls.tools, "git"), "w", encoding="utf-8") as stand_in:
            stand_in.write(f'#!/bin/sh\ntouch "{cls.git_was_asked}"\nexit 127\n')
        os.chmod(os.path.join(cls.tools, "git"), 0o755)
        cls.alone("cmake", "-G", "Ninja", "-S", cls.sources, "-B", cls.build, "-DCMAKE_INSTALL_PREFIX=/usr", "-DWEFT_TESTS=OFF")
        cls.alone("cmake", "--build", cls.build, "--target", *TARGETS)
        for component in ((), ("--component", "checked")):
            cls.alone("cmake", "--install", cls.build, *component, DESTDIR=cls.root)

    @classmethod
    def alone(cls, *command, **environment):
        words = ["unshare", "--mount", "--net", "sh", "-c", ALONE, cls.sources, *command]
        path = os.pathsep.join((cls.tools, os.environ["PATH"]))
        done = subprocess.run(words, env=bare(PATH=path, **environment), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")

    def libraries(self):
        return next(folder for folder, _, names in os.walk(os.path.join(self.root, "usr")) if LIBWEFT in names and "checked" not in folder)

    def test_git_is_not_asked(self):
        self.assertFalse(os.path.exists(self.git_was_asked))

    def test_all_is_below_the_prefix(self):
        self.assertEqual(os.listdir(self.root), ["usr"])

    def test_no_file_names_the_folder_of_the_root(self):
        for folder, _, names in os.walk(self.root):
            for path in (os.path.join(folder, name) for name in names if name.endswith((".pc", ".cmake", ".py"))):
                with open(path, encoding="utf-8") as file:
                    self.assertNotIn(self.root, file.read(), path)

    def test_programs_of_c_and_cxx(self):
        libraries = self.libraries()
        for language, compiler in (("c", CC), ("cpp", CXX)):
            program = os.path.join(self.work, f"program {language}")
            line = f'eval {compiler} \'"$1"\' -o \'"$2"\' "$(pkg-config --cflags --libs weft)"'
            run("sh", "-c", line, "sh", os.path.join(HERE, "project", language, f"hello.{language}"), program,
                PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"))
            self.assertIn(LIBWEFT, needed(program))
            self.assertIn("42", run(program, LD_LIBRARY_PATH=libraries))

    def test_the_command(self):
        run(os.path.join(self.root, "usr", "bin", "weft"), "demo", "--quick", "--dir", os.path.join(TOP, "docs", "guide"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
