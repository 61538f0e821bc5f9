import os
import subprocess
import unittest

import planted
import symbols

HEADER = "#define WEFT_API __attribute__((visibility(\"default\")))\nWEFT_API int weft_one(int a);\n"
GOOD = '#include <stdlib.h>\nextern "C" int weft_one(int a) { return abs(a); }\n'


class SymbolsTest(planted.PlantedTest):
    def problems(self, code, header=HEADER, link=("-Wl,-z,now",)):
        self.plant("include/weft/weft.h", header)
        self.plant("a.cpp", code)
        run = lambda *command: subprocess.run(command, cwd=self.top, check=True)
        run("c++", "-fPIC", "-c", "a.cpp", "-o", "a.o")
        run("c++", "-shared", *link, "a.o", "-o", "libweft.so")
        run("ar", "rc", "libweft.a", "a.o")
        return symbols.check(self.top, os.path.join(self.top, "libweft.so"), os.path.join(self.top, "libweft.a"))[0]

    def test_what_is_declared_and_needs_libc_alone_passes(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_a_missing_export_is_found(self):
        self.assert_found(self.problems(GOOD, HEADER + "WEFT_API void *weft_two(void);\n"), "weft_two is declared WEFT_API, but not")

    def test_an_export_too_many_is_found(self):
        self.assert_found(self.problems(GOOD + 'extern "C" int helper = 1;\n'), "exports helper")

    def test_the_cxx_library_is_found(self):
        for code in ("int* leak(int a) { return new int(a); }", "void f() { throw 1; }", "int g(); int& h() { static int x = g(); return x; }"):
            with self.subTest(code):
                found = self.problems(GOOD + '#define HIDE __attribute__((visibility("hidden")))\n' + code)
                self.assertTrue(any("of the C++ run time" in problem for problem in found), found)

    def test_another_library_is_found(self):
        found = self.problems(GOOD + '#include <math.h>\n__attribute__((visibility("hidden"))) double f(double a) { return erf(a); }\n')
        self.assertTrue(found and all("needs erf, which neither libc nor libgcc has" in problem for problem in found), found)

    def test_a_library_that_is_not_hardened_is_found(self):
        self.assert_found(self.problems(GOOD, link=["-Wl,-z,now,-z,execstack"]), "asks for an executable stack")
        self.assert_found(self.problems(GOOD, link=["-Wl,-z,lazy"]), "relocations stay writable")
        self.assert_found(self.problems(GOOD, link=["-Wl,-z,now,-z,norelro"]), "relocations stay writable")

    def test_a_library_that_is_not_there_is_no_empty_one(self):
        with self.assertRaisesRegex(OSError, "nm cannot read .*libweft.a"):
            symbols.nm(os.path.join(self.top, "libweft.a"))


if __name__ == "__main__":
    unittest.main()
