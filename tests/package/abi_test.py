#!/usr/bin/env python3
"""The shared libraries of a build folder against what abi/ notes of their binary interface, and changes that are planted: in a small
library, which is built for it, and in the notes. tools/package/abi.py must tell those that programs notice from those that they do not.

usage: abi_test.py build-folder"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from outside import CC, SO_VERSION, TOP, run

sys.path.insert(0, os.path.join(TOP, "tools", "package"))
import abi  # noqa: E402 (it is found in the line above)

HEADER = """#include <stdio.h>
typedef struct box { long words[2]; } box;
typedef enum colour { RED, GREEN } colour;
typedef struct hidden hidden;
typedef struct calls { void (*paint)(box *, colour); int (*wash)(box *); } calls;
int box_open(box *, long);
void box_paint(box *, colour);
hidden *box_inside(const calls *);
"""
SOURCE = """#include "box.h"
struct hidden { int inside; };
int box_open(box *b, long n) { return (int)(b->words[0] + n); }
void box_paint(box *b, colour c) { b->words[1] = (long)c; }
hidden *box_inside(const calls *c) { return (hidden *)c; }
"""
OF_ASSEMBLER = re.compile(r"^weft_\w+_in_place$")


class PlantedTest(unittest.TestCase):
    """Of a library of three functions."""

    @classmethod
    def setUpClass(cls):
        if abi.lacks_types(BUILD):
            raise unittest.SkipTest(abi.lacks_types(BUILD))
        cls.noted = cls.built(HEADER, SOURCE)

    @staticmethod
    def built(header, source, soname="libbox.so.0.1", folder_name="box", options=()):
        with tempfile.TemporaryDirectory() as place:
            folder = os.path.join(place, folder_name)
            os.makedirs(os.path.join(folder, "public"))
            for path, text in ((os.path.join("public", "box.h"), header), ("box.c", source)):
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text)
            library = os.path.join(folder, "libbox.so")
            run(CC, "-g", *options, "-shared", "-fPIC", "-I", os.path.join(folder, "public"), os.path.join(folder, "box.c"), "-o", library,
                f"-Wl,-soname,{soname}")
            return abi.interface(library, os.path.join(folder, "public"))

    def verdict(self, header=HEADER, source=SOURCE, **how):
        return abi.compared(self.noted, self.built(header, source, **how))

    def test_another_folder_makes_no_difference(self):
        self.assertEqual(self.built(HEADER, SOURCE, folder_name="another folder/box"), self.noted)
        self.assertNotIn("/tmp", self.noted)

    def test_what_no_program_notices_is_no_change(self):
        self.assertEqual(self.verdict(HEADER.replace("long)", "long count)"), SOURCE.replace("int inside;", "int inside, more;")).change, "")
        self.assertEqual(self.verdict("/* a line */\n" + HEADER, SOURCE.replace("n)", "count)").replace("+ n", "+ count"), options=("-O2",)).change, "")

    def test_a_function_more_is_no_break(self):
        found = self.verdict(HEADER + "void box_close(box *);\n", SOURCE + "void box_close(box *b) { b->words[0] = 0; }\n")
        self.assertEqual(found.change, "more")
        self.assertIn("box_close", found.report)

    def test_breaks_are_found_and_named(self):
        without_paint = re.sub(r"void box_paint.*\n", "", HEADER), re.sub(r"void box_paint.*\n", "", SOURCE)
        for name, header, source in (
            ("box", HEADER.replace("words[2]", "words[3]"), SOURCE),
            ("box_open", HEADER.replace("box *, long", "box *, int"), SOURCE.replace("long n", "int n")),
            ("box_open", HEADER.replace("int box_open", "long box_open"), SOURCE.replace("int box_open", "long box_open")),
            ("colour", HEADER.replace("RED, GREEN", "GREEN, RED"), SOURCE),
            ("wash", HEADER.replace("int (*wash)(box *)", "int (*wash)(box *, int)"), SOURCE),
            ("wash", HEADER.replace("int (*wash)(box *);", ""), SOURCE),
            ("box_paint", *without_paint),
        ):
            with self.subTest(name, header=header):
                found = self.verdict(header, source)
                self.assertEqual(found.change, "other")
                self.assertIn(name, found.report)

    def test_a_break_beside_a_function_more_is_found(self):
        found = self.verdict(HEADER.replace("words[2]", "words[3]") + "void box_close(box *);\n", SOURCE + "void box_close(box *b) { b->words[0] = 0; }\n")
        self.assertEqual(found.change, "other")

    def test_only_a_new_minor_version_lets_a_released_interface_change(self):
        text = self.built(HEADER.replace("words[2]", "words[3]"), SOURCE)
        broken = abi.compared(self.noted, text)
        self.assertFalse(abi.may_note(self.noted, broken, text, released=True))
        self.assertTrue(abi.may_note(self.noted, broken, text, released=False))
        of_next = text.replace("libbox.so.0.1", "libbox.so.0.2")
        self.assertTrue(abi.may_note(self.noted, abi.compared(self.noted, of_next), of_next, released=True))
        self.assertTrue(abi.may_note(self.noted, abi.Verdict("more"), text, released=True))
        self.assertTrue(abi.may_note("", abi.Verdict("other"), text, released=True))


class NotesTest(unittest.TestCase):
    """Of Weft's own libraries."""

    @classmethod
    def setUpClass(cls):
        if abi.lacks_types(BUILD):
            raise unittest.SkipTest(abi.lacks_types(BUILD))
        cls.built = {name: abi.built_interface(BUILD, name) for name in abi.LIBRARIES}

    def test_the_libraries_are_as_noted(self):
        done = subprocess.run([sys.executable, os.path.join(TOP, "tools", "package", "abi.py"), BUILD], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_notes_are_of_this_minor_version(self):
        for name in abi.LIBRARIES:
            self.assertEqual(abi.soname(abi.noted_interface(name)), f"{name}.so.{SO_VERSION}")

    def test_notes_name_no_folder(self):
        for name in abi.LIBRARIES:
            self.assertEqual(re.findall(r"path='[^']*/[^']*'", abi.noted_interface(name)), [], name)

    def test_each_exported_function_is_noted_with_its_types(self):
        for name, text in self.built.items():
            symbols = re.search(r"(?s)<elf-function-symbols>(.*?)</elf-function-symbols>", text).group(1)
            exported = set(re.findall(r"elf-symbol name='([^']*)'", symbols))
            told = set(re.findall(r"<function-decl name='[^']*' mangled-name='[^']*'[^>]* elf-symbol-id='([^'@]*)", text))
            self.assertTrue(told)
            without = {symbol for symbol in exported - told if not OF_ASSEMBLER.match(symbol)}
            self.assertEqual(without, set(), f"{name}: compiled without full debug information: see cmake/interface_types.cmake")

    def planted(self, name, old, new):
        """The verdict on a library if its notes had another text."""
        noted = self.built[name]
        self.assertIn(old, noted)
        return abi.compared(noted.replace(old, new), noted)

    def test_breaks_of_weft_are_found(self):
        mutex = "<class-decl name='weft_mutex' size-in-bits='384'"
        found = self.planted("libweft", mutex, mutex.replace("384", "320"))
        self.assertEqual(found.change, "other")
        self.assertIn("weft_mutex", found.report)
        line = next(line for line in self.built["libweft"].splitlines(keepends=True) if "elf-symbol name='weft_yield'" in line)
        self.assertEqual(self.planted("libweft", line, "").change, "more")
        self.assertEqual(self.planted("libweft", line, line + line.replace("weft_yield", "weft_gone")).change, "other")
        self.assertEqual(self.planted("libweft", f"soname='libweft.so.{SO_VERSION}'", "soname='libweft.so.0.0'").change, "other")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)  # names what is skipped, and why
