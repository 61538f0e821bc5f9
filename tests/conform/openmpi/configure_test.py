#!/usr/bin/env python3
"""The component's configure.m4, made into a configure by autoconf with a stand-in for Open MPI's package check: other versions of Open MPI
are refused with both versions named, as are a folder without Weft and a Weft without the threads interface.

usage: configure_test.py SOURCE"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))

CONFIGURE_AC = """AC_INIT([stand-in], [1])
AC_PROG_CC
AC_ARG_WITH([threads])
OPAL_MAJOR_VERSION=${{version%.*}}
OPAL_MINOR_VERSION=${{version#*.}}
AC_DEFUN([OAC_CHECK_PACKAGE], [AS_IF([test "$has_weft" = yes], [$6], [$7])])
m4_include([{component}/configure.m4])
MCA_opal_threads_weft_COMPILE_MODE([], [opal], [threads], [mode])
MCA_opal_threads_weft_CONFIG([happy=1], [happy=0])
MCA_opal_threads_weft_POST_CONFIG([$happy])
echo "happy $happy, type $opal_thread_type_found, headers $opal_weft_headers"
"""


class ConfigureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(cls.folder.cleanup)
        text = CONFIGURE_AC.format(component=SOURCE / "faces/openmpi/weft")
        pathlib.Path(cls.folder.name, "configure.ac").write_text(text, encoding="utf-8")
        subprocess.run(["autoconf", "--warnings=none"], cwd=cls.folder.name, check=True)

    def configured(self, version, *options, has_weft="yes"):
        done = subprocess.run(["./configure", "--cache-file=cache", *options], cwd=self.folder.name, capture_output=True, text=True, check=False,
                              env={**os.environ, "version": version, "has_weft": has_weft})
        return done.returncode, done.stdout, done.stderr

    def test_the_two_versions_are_taken(self):
        for version in ("5.0", "6.0"):
            status, said, wrong = self.configured(version, "--with-threads=weft")
            self.assertEqual((status, wrong), (0, ""))
            self.assertIn("happy 1, type weft, headers threads_weft\n", said)

    def test_other_versions_are_refused(self):
        for version in ("5.1", "7.0"):
            status, said, wrong = self.configured(version, "--with-threads=weft")
            self.assertEqual(status, 1, said)
            self.assertIn(f"is for Open MPI 5.0 and 6.0, and this is {version}.", wrong)

    def test_other_threads_are_left_alone(self):
        status, said, wrong = self.configured("5.1", "--with-threads=pthreads", has_weft="no")
        self.assertEqual((status, wrong), (0, ""))
        self.assertIn("happy 0", said)

    def test_a_missing_weft_is_named(self):
        status, _, wrong = self.configured("5.0", "--with-threads=weft", has_weft="no")
        self.assertEqual(status, 1)
        self.assertIn("no Weft was found. Say where it is installed by --with-weft=FOLDER.", wrong)

    def test_a_missing_interface_is_named(self):
        status, _, wrong = self.configured("5.0", "--with-threads=weft", "--enable-weft-choice", "ac_cv_header_weft_threads_lock_h=no")
        self.assertEqual(status, 1)
        self.assertIn("--enable-weft-choice: the Weft that was found has no libweft-threads", wrong)


if __name__ == "__main__":
    if shutil.which("autoconf") is None:
        print("skipped: no autoconf")
        sys.exit(77)
    unittest.main()
