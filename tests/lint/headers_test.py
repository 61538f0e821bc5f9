import os
import unittest

import planted
import headers


class HeadersTest(planted.PlantedTest):
    def problems(self):
        return headers.check(self.top)[0]

    def test_a_header_that_leans_on_its_includer_is_found(self):
        self.plant("src/mem/slab.hpp", "#pragma once\ninline std::size_t bytes() { return 1; }\n")
        self.assert_found(self.problems(), "src/mem/slab.hpp (C++20) does not compile alone")

    def test_only_the_build_compiles_a_header_that_its_source_includes_first(self):
        leaning = "#pragma once\ninline std::size_t bytes() { return 1; }\n"
        self.plant("src/mem/slab.hpp", leaning)
        self.plant("src/mem/slab.cpp", '// A slab.\n#include "mem/slab.hpp"\n#include <cstddef>\n')
        self.assertEqual(self.problems(), [])
        self.plant("src/mem/slab.cpp", '#include <cstddef>\n#include "mem/slab.hpp"\n')
        self.assert_found(self.problems(), "src/mem/slab.hpp (C++20) does not compile alone")

    def test_a_public_header_that_is_no_c_is_found(self):
        self.plant("include/weft/a.h", "enum class colour { red };\n")
        self.assert_found(self.problems(), "include/weft/a.h (C11)")

    def test_a_public_header_that_is_no_cxx_is_found(self):
        self.plant("include/weft/a.h", "int weft_f(int *restrict class);\n")
        self.assert_found(self.problems(), "include/weft/a.h (C++20)")

    def test_a_header_that_another_includes_first_is_compiled_with_that(self):
        self.plant("src/base/a.hpp", "#pragma once\nusing number = int;\n")
        self.plant("src/base/b.hpp", '// Why.\n#pragma once\n\n#include "base/a.hpp"\ninline number one = 1;\n')
        self.assertEqual(headers.check(self.top), ([], 1, 1))
        self.plant("src/base/a.hpp", "#pragma once\ninline std::size_t bytes() { return 1; }\n")
        self.assert_found(self.problems(), "src/base/b.hpp (C++20) does not compile alone")
        self.plant("src/base/b.hpp", '#pragma once\nextern int one;\n#include "base/a.hpp"\n')
        self.assertEqual(headers.check(self.top)[1], 2)

    def test_a_header_of_includes_alone_is_not_compiled(self):
        self.plant("include/weft/a.h", "int weft_f(void);\n")
        self.plant("include/weft/all.h", "/* All. */\n#include <weft/a.h>\n")
        self.assertEqual(headers.check(self.top), ([], 2, 2))  # a.h as C and as C++
        self.plant("include/weft/all.h", "#include <weft/missing.h>\n")
        self.assertEqual(len(self.problems()), 2)

    def test_what_passed_is_compiled_again_when_an_include_changed(self):
        self.plant("src/base/a.hpp", "#pragma once\nusing number = int;\n")
        self.plant("src/base/b.hpp", '#pragma once\n#include <cstddef>\n\n#include "base/a.hpp"\ninline number one = 1;\n')
        self.assertEqual(headers.check(self.top), ([], 2, 2))
        self.assertEqual(headers.check(self.top), ([], 2, 0))
        self.plant("src/base/a.hpp", "#pragma once\nusing other = int;\n")
        os.utime(os.path.join(self.top, "src/base/a.hpp"), (1, 1))
        self.assert_found(self.problems(), "src/base/b.hpp (C++20)")


if __name__ == "__main__":
    unittest.main()
