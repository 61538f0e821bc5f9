import os
import shutil
import unittest

import planted
import format as format_lint
import sources


class FormatTest(planted.PlantedTest):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(sources.TOP, ".clang-format"), self.top)

    def test_a_file_out_of_form_is_found_and_put_right(self):
        self.plant("src/base/a.hpp", "inline int  one( ) {return 1;}\n")
        self.plant("src/base/b.hpp", "inline int two() { return 2; }\n")
        self.assert_found(format_lint.run(self.top, write=False)[0], "src/base/a.hpp:1")
        format_lint.run(self.top, write=True)
        self.assertEqual(format_lint.run(self.top, write=False), ([], 2))


if __name__ == "__main__":
    unittest.main()
