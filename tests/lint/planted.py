"""A folder of a few files in which a test plants a violation."""

import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "lint"))


class PlantedTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.top = self.folder.name
        self.addCleanup(self.folder.cleanup)

    def plant(self, path, text):
        full = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def assert_found(self, problems, words):
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])
