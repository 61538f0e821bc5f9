import unittest

import planted
import sizes


def function(head, lines):
    return head + " {\n" + "  work();\n" * (lines - 2) + "}\n"


class SizesTest(planted.PlantedTest):
    def problems(self, path, text):
        self.plant(path, text)
        return sizes.check(self.top)[0]

    def test_short_ones_pass(self):
        self.assertEqual(sizes.check(self.top), ([], []))
        self.assertEqual(self.problems("src/a.cpp", function("void f()", 60)), [])

    def test_a_long_function_is_found(self):
        self.assert_found(self.problems("src/a.cpp", function("void f()", 61)), "src/a.cpp:1: f: 61 lines")

    def test_a_long_function_is_warned_of_first(self):
        self.plant("src/a.cpp", function("void f()", 41))
        problems, warnings = sizes.check(self.top)
        self.assertEqual((len(problems), len(warnings)), (0, 1))

    def test_long_methods_in_templates_and_namespaces_are_found(self):
        text = (
            'namespace a::b {\nextern "C" {\ntemplate <class T>\nclass alignas(64) c final : d<e> {\n public:\n  int x{1};\n'
            + function("  T m(int a = 1) const noexcept", 70)
            + "  enum class k { one, two };\n  const char* s = \"{(\";  // {\n};\n}\n"
            + function("static auto g(x y) -> int", 80)
            + "}\n"
        )
        found = self.problems("src/a.hpp", text)
        self.assertEqual([problem.split(": ")[1] for problem in found], ["m", "g"])

    def test_a_long_class_is_no_function(self):
        text = "template <class R, class... A>\nclass task<R(A...)> {\n" + "  int x;\n" * 70 + function("  R operator()(A... a)", 61) + "};\n"
        self.assert_found(self.problems("src/a.hpp", text), "operator(): 61 lines")

    def test_constructors_operators_and_tests_are_functions(self):
        for head in ("one::one(int a) : a_(a), b_{2}", "bool operator==(x a, x b)", 'TEST_CASE("a long { one")'):
            with self.subTest(head):
                self.assertEqual(len(self.problems("src/a.cpp", function(head, 61))), 1)

    def test_a_long_python_function_is_found(self):
        self.assert_found(self.problems("tools/a.py", "def f():\n" + "    pass\n" * 60), "f: 61 lines")

    def test_a_long_file_is_found(self):
        self.assert_found(self.problems("src/a.S", "nop\n" * 601), "src/a.S: 601 lines")

    def test_an_exception_needs_a_reason(self):
        self.plant("src/a.S", "nop\n" * 601)
        self.plant("tools/lint/sizes.toml", '[[exception]]\nwhat = "src/a.S"\nlines = 700\nreason = "a table"\n')
        self.assertEqual(sizes.check(self.top)[0], [])
        self.plant("tools/lint/sizes.toml", '[[exception]]\nwhat = "src/a.S"\nlines = 700\n')
        self.assertEqual(len(sizes.check(self.top)[0]), 2)


if __name__ == "__main__":
    unittest.main()
