#!/usr/bin/env python3
"""The stand-in for Chapel's header and MAP.md agree about what a layer defines; each row of MAP.md names tests that call every function of the
row; and the layer's sources define each. See ../face_map.py.

usage: map_test.py"""

import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import face_map

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(face_map.TOP, "faces", "chapel", "runtime", "src", "tasks", "weft")
BY_CHAPEL = {"chpl_task_getenvNumThreadsPerLocale", "chpl_task_getEnvCallStackSize", "chpl_task_getDefaultCallStackSize"}
HEADERS = (os.path.join(HERE, "stand_ins", "1.24", "chpl-tasks.h"), os.path.join(SOURCES, "weft-layer.h"),
           os.path.join(face_map.TOP, "faces", "chapel", "runtime", "include", "tasks", "weft", "chpl-tasks-impl.h"))
DECLARATION = re.compile(r"^\w[\w ]*?\*?\b(chpl_(?:task|sync)_\w+)\([^{;]*\);", re.MULTILINE)


class MapTest(unittest.TestCase):
    def declared(self):
        return set(DECLARATION.findall("".join(face_map.sources.without_comments(face_map.read(path)) for path in HEADERS))) - BY_CHAPEL

    def rows(self, version="1.24"):
        usual, _, others = face_map.read(face_map.TOP, "faces", "chapel", "MAP.md").partition("## The interface of 1.3")
        older, _, newer = others.partition("## The interface of 2.9")
        for line in {"1.24": usual, "1.3": older, "2.9": newer}[version].split("\n"):
            if line.startswith("| `chpl_"):
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                yield re.findall(r"`(chpl_\w+)`", cells[0]), re.findall(r"`([\w.]+)`", cells[-1])

    def test_there_are_as_many_functions_as_in_chapel(self):
        self.assertEqual(len(self.declared()), 35)  # 34 of 1.24, and chpl_task_addTask of 1.25

    def test_the_map_has_each_once(self):
        self.assertEqual(sorted(name for names, _ in self.rows() for name in names), sorted(self.declared()))

    def test_each_is_called_by_a_test_that_its_row_names(self):
        for names, tests in self.rows():
            text = "".join(face_map.read(HERE, test) for test in tests)
            for name in names:
                with self.subTest(name):
                    self.assertRegex(text, rf"\b{name}\(")

    def test_the_map_has_the_native_sync_variables(self):
        defined = set(re.findall(r"static inline int (qthread_\w+)\(", face_map.read(HEADERS[2])))
        mapped = set(re.findall(r"`(qthread_\w+)`", face_map.read(face_map.TOP, "faces", "chapel", "MAP.md")))
        self.assertEqual(len(defined), 10)  # those that ChapelSyncvar.chpl declares
        self.assertEqual(mapped, defined)
        for name in defined:
            with self.subTest(name):
                self.assertIn(f"{name}(", face_map.read(HERE, "native.c"))

    def test_the_map_has_what_1_3_has_besides(self):
        text = face_map.read(HERE, "stand_ins", "1.3", "chpltasks.h")
        besides = {name for name in re.findall(r"\b(chpl_\w+)\(", text) if name not in self.declared()}
        mapped = {name for names, _ in self.rows("1.3") for name in names}
        self.assertEqual(besides - mapped, set())
        for name in mapped:
            with self.subTest(name):
                self.assertIn(f"{name}(", text)
                self.assertIn(f"{name}(", face_map.read(HERE, "lists_2011.c"))

    def test_the_map_has_what_2_9_has_besides(self):
        text = face_map.read(HERE, "stand_ins", "2.9", "chpl-tasks.h")
        mapped = {name for names, _ in self.rows("2.9") for name in names}
        self.assertEqual(mapped, set(re.findall(r"\b(chpl_rt_\w+)\(", text)) | {"chpl_task_createCommTask"})
        self.assertEqual(set(re.findall(r"^\w[\w ]*?\*?\b(chpl_task_\w+)\(", text, re.MULTILINE)) - self.declared(), BY_CHAPEL)
        for name in mapped:
            with self.subTest(name):
                self.assertIn(f"{name}(", face_map.read(HERE, "programs.c"))
                self.assertIn(f"{name}(", face_map.read(SOURCES, "tasks-weft-start.c") + face_map.read(SOURCES, "tasks-weft.c"))

    def test_the_layer_defines_each(self):
        text = "".join(face_map.read(path) for path in glob.glob(os.path.join(SOURCES, "*.c")))
        for name in self.declared():
            with self.subTest(name):
                self.assertRegex(text, rf"(?m)^\w[\w ]*\*?\b{name}\([^;]*{{")


if __name__ == "__main__":
    unittest.main()
