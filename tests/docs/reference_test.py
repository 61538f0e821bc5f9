#!/usr/bin/env python3
"""The reference that `make docs` makes: Doxygen has nothing to warn of, which includes each function of the C and C++ headers that has no text,
and the main page names each header. Exits with 77 where there is no Doxygen.

usage: reference_test.py"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def doxygen(top, out):
    """What Doxygen warns of in the headers beneath top. The reference is written to out as XML, in which the test can read."""
    with open(os.path.join(TOP, "docs", "Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    settings += f"\nOUTPUT_DIRECTORY = {out}\nGENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"
    return subprocess.run(["doxygen", "-"], input=settings, cwd=top, capture_output=True, text=True).stderr.splitlines()


class ReferenceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "out")
        self.top = os.path.join(folder.name, "top")

    def plant(self, name, text):
        """A folder with one header in the place of all."""
        os.makedirs(os.path.join(self.top, "include", "weft"))
        os.makedirs(os.path.join(self.top, "faces", "threads", "include", "weft_threads"))
        os.makedirs(os.path.join(self.top, "faces", "mpi", "include", "weft"))
        os.makedirs(os.path.join(self.top, "docs"))
        shutil.copy(os.path.join(TOP, "docs", "mainpage.md"), os.path.join(self.top, "docs"))
        os.symlink(os.path.join(TOP, "tools"), os.path.join(self.top, "tools"))
        with open(os.path.join(self.top, "include", "weft", name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_nothing_is_without_text(self):
        self.assertEqual(doxygen(TOP, self.out), [])
        found = set()
        for path in glob.glob(os.path.join(self.out, "xml", "*.xml")):
            root = xml.etree.ElementTree.parse(path).getroot()
            found |= {member.findtext("qualifiedname") or member.findtext("name") for member in root.iter("memberdef") if member.get("kind") == "function"}
        for name in ("weft_thread_create", "threads_start", "weft_fork", "weft_ext_park", "weft::thread::join", "weft::parallel_for", "weft::detail::mutex_base::lock"):
            self.assertIn(name, found)

    def test_a_c_function_without_text_is_found(self):
        self.plant("a.h", "/* Weft: a. */\n/* Does it. */\nWEFT_API void weft_do(void);\n\nWEFT_API void weft_undo(void);\n")
        found = doxygen(self.top, self.out)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], r"a\.h:5: (warning|error): Member weft_undo\(void\)")

    def test_a_cxx_function_without_text_is_found(self):
        self.plant("a.hpp", "// Weft: a.\nnamespace weft {\nnamespace detail {\nint hidden();\n}  // namespace detail\n\n// A door.\nclass door {\n public:\n"
                   "  // Opens it.\n  void open() {\n    // no text of shut\n    ++n_;\n  }\n  void shut();\n\n private:\n  int n_ = 0;\n};\n}  // namespace weft\n")
        found = doxygen(self.top, self.out)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], r"a\.hpp:15: (warning|error): Member shut\(\)")

    def test_the_main_page_names_every_header(self):
        with open(os.path.join(TOP, "docs", "mainpage.md"), encoding="utf-8") as page:
            named = re.findall(r"^\| (\S+) \|", page.read(), re.MULTILINE)
        folders = [os.path.join(TOP, "include", "weft"), os.path.join(TOP, "faces", "threads", "include", "weft_threads"),
                   os.path.join(TOP, "faces", "mpi", "include", "weft")]
        there = [name for folder in folders for name in os.listdir(folder) if name.endswith((".h", ".hpp"))]
        self.assertEqual(sorted(set(named) - {"header"}), sorted(there))


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("no Doxygen here")
        sys.exit(77)
    unittest.main()
