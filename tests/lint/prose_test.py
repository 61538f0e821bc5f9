import unittest

import planted
import prose

LONG = "word " * 21 + "end"


class ProseTest(planted.PlantedTest):
    def problems(self, text):
        self.plant("docs/a.md", text)
        return prose.check(self.top)[0]

    def test_lines_of_100_columns_pass(self):
        self.assertEqual(self.problems("w" * 49 + " " + "w" * 50 + "\n"), [])

    def test_a_long_line_is_found(self):
        self.assert_found(self.problems("# Title\n\n" + LONG + "\n"), "docs/a.md:3: 108 columns")

    def test_a_long_item_is_found(self):
        self.assert_found(self.problems("- short\n- " + LONG + "\n"), "docs/a.md:2: 110 columns")

    def test_an_item_that_goes_on_is_prose(self):
        self.assert_found(self.problems("  - item\n    " + LONG + "\n"), "docs/a.md:2: 112 columns")

    def test_code_and_tables_may_be_long(self):
        self.assertEqual(self.problems(f"```c\n{LONG}\n```\n\n    {LONG}\n    {LONG}\n\n| {LONG} |\n"), [])

    def test_what_follows_code_is_prose(self):
        self.assert_found(self.problems(f"~~~\n```\n{LONG}\n~~~\n{LONG}\n"), "docs/a.md:5: 108 columns")

    def test_an_address_may_be_long(self):
        self.assertEqual(self.problems("https://" + "a" * 120 + "\n"), [])

    def test_the_guide_has_plain_order(self):
        for text in ("An overflow is told at once.\n", "- Of several faults the first counts.\n", "It ends. What a loop runs is a procedure.\n"):
            self.plant("docs/guide/a.md", text)
            self.assert_found(prose.check(self.top)[0], "docs/guide/a.md:1: \"")
        self.plant("docs/guide/a.md", "# What a thread costs\n\nThe page told what a loop runs, and of several others. What it finds is reported.\n\n    it is told\n")
        self.assertEqual(prose.check(self.top)[0], [])
        self.assertEqual(self.problems("An overflow is told at once.\n"), [])

    def test_a_comment_that_names_nothing_that_acts_is_found(self):
        self.plant("src/mem/slab.hpp", "#pragma once\nint one();  // as docs/who.md says\n/* Freed by\n * whoever comes. */\n")
        self.assert_found(self.problems(""), 'src/mem/slab.hpp:4: name what acts instead of "whoever"')
        self.plant("src/mem/slab.hpp", "#pragma once\nint who();  // its owner\n")
        self.plant("tests/api/check.h", "/* Lets others run, whoever\n * the caller is. */\nvoid breathe(void);\n")
        self.assert_found(self.problems(""), 'tests/api/check.h:1: name what acts instead of "whoever"')
        self.plant("tests/api/check.h", "/* Lets others run. */\nvoid nobody(void);\n")
        self.assertEqual(self.problems(""), [])


if __name__ == "__main__":
    unittest.main()
