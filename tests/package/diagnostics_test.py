#!/usr/bin/env python3
"""What compilers say of programs that are wrong: before C++20 the cure and nothing else; a function that does not fit one error, which
names the concept. With each of g++ and clang++ that is here.

usage: diagnostics_test.py"""

import glob
import os
import re
import shutil
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
COMPILERS = sorted({os.path.realpath(path) for path in map(shutil.which, ("c++", "g++", "clang++-19", "clang++")) if path})
CURE = "weft needs C++20: compile with -std=c++20"
WITH_EXCEPTIONS = "weft's C++ headers need exceptions: compile without -fno-exceptions"
ERROR = re.compile(r"(?m)^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$")


def diagnostics(compiler, standard, *arguments, program=None):
    command = [compiler, f"-std={standard}", "-fsyntax-only", f"-I{TOP}/include", *arguments]
    command += ["-x", "c++", "-"] if program else []
    return subprocess.run(command, input=program, env=dict(os.environ, LC_ALL="C"), capture_output=True, text=True, check=False).stderr


def blocks(said, file):
    """For each error: its text, all that is said around it, and the line of the program that it comes from. What g++ says before an
    error (In instantiation of..., required from...) belongs to it, as does all that both say after it."""
    starts = [match.start() for match in re.finditer(r"(?m)^(?!.*\bnote: )(?:In file included from|\S+: In |.*: error: )", said)]
    errors = list(ERROR.finditer(said))
    for number, error in enumerate(errors):
        previous = errors[number - 1].end() if number else 0
        following = errors[number + 1].start() if number + 1 < len(errors) else len(said)
        before = min((start for start in starts if previous <= start <= error.start()), default=error.start())
        after = min((start for start in starts if error.end() < start <= following), default=following)
        block = said[before:after]
        lines = [int(line) for line in re.findall(rf"(?m){re.escape(file)}:(\d+):\d+:", block)]
        yield error.group(3), block, lines[-1] if lines else None


class DiagnosticsTest(unittest.TestCase):
    def test_before_cxx20_the_cure_is_all_that_is_said(self):
        headers = sorted(os.path.basename(path) for path in glob.glob(f"{TOP}/include/weft/*.hpp"))
        self.assertIn("weft.hpp", headers)
        for compiler in COMPILERS:
            for header in headers:
                with self.subTest(compiler=compiler, header=header):
                    program = f"#include <weft/{header}>\nweft::thread one; int main() {{ weft::parallel_for(0, 1, one); }}\n"
                    said = diagnostics(compiler, "c++17", program=program)
                    self.assertEqual([CURE in error[2] for error in ERROR.findall(said)], [True], said)
                    self.assertNotIn("warning:", said)

    def test_without_exceptions_the_cure_is_all_that_is_said(self):
        for compiler in COMPILERS:
            for header in sorted(os.path.basename(path) for path in glob.glob(f"{TOP}/include/weft/*.hpp")):
                with self.subTest(compiler=compiler, header=header):
                    said = diagnostics(compiler, "c++20", "-fno-exceptions", program=f"#include <weft/{header}>\nint main() {{}}\n")
                    self.assertEqual([WITH_EXCEPTIONS in error[2] for error in ERROR.findall(said)], [True], said)

    def test_a_capture_that_cannot_migrate_is_one_error_with_the_cure(self):
        program = "#include <weft/dist.hpp>\n#include <vector>\nint f(std::vector<int> all) {\n  auto one = weft::fork([all] { return all[0]; });\n  return one.join();\n}\n"
        for compiler in COMPILERS:
            with self.subTest(compiler):
                said = diagnostics(compiler, "c++20", program=program)
                self.assertEqual(["captures a std::vector" in error[2] for error in ERROR.findall(said)], [True], said)

    def test_the_c_headers_need_no_cxx20(self):
        program = "#include <weft/weft.h>\n#include <weft/ext.h>\n#include <weft/debug.h>\n#include <weft/hot.h>\n#include <weft/loops.h>\n#include <weft/global.h>\n#include <weft/dist.h>\nint main() {}\n"
        for compiler in COMPILERS:
            for standard in ("c++11", "c++17"):
                self.assertEqual(diagnostics(compiler, standard, program=program), "", f"{compiler} {standard}")

    def test_a_function_that_does_not_fit_is_one_error_that_names_the_concept(self):
        file = os.path.join(HERE, "misuse", "parallel.cpp")
        with open(file, encoding="utf-8") as text:
            expected = {number: match.group(1) for number, line in enumerate(text, 1) if (match := re.search(r";\s+// (\S*(?:_|::)\S*)$", line))}
        self.assertGreater(len(expected), 30)
        for compiler in COMPILERS:
            with self.subTest(compiler):
                limit = ["-ferror-limit=0"] if "clang" in compiler else []
                said = diagnostics(compiler, "c++20", *limit, file)
                found = {}
                for message, block, line in blocks(said, file):
                    self.assertNotIn(line, found, f"a second error:\n{block}")
                    found[line] = (message, block)
                self.assertEqual(sorted(found), sorted(expected), said)
                for line, (message, block) in found.items():
                    self.assertIn(expected[line], message if expected[line].startswith("weft::") else block, block)
                    most = 105 if "weft::async(" in block else 40  # which has six overloads
                    self.assertLess(block.count("\n"), most, block)

    def test_what_cannot_lie_in_the_global_heap_is_one_error_that_says_so(self):
        uses = {"weft::dist::global<T>: T must be trivially copyable": "weft::dist::global<std::string>(1).get();",
                "weft::dist::shared_future<T>: T must be trivially copyable": "weft::dist::shared_future<std::string>::make(0).get();",
                "weft::dist::discard: the callable must be trivially copyable":
                    "weft::dist::discard([text = std::string()] { (void)text; });"}
        for compiler in COMPILERS:
            for cure, use in uses.items():
                with self.subTest(compiler=compiler, use=use):
                    program = f"#include <weft/dist.hpp>\n#include <string>\nvoid f() {{ (void){use} }}\n".replace("(void)weft::dist::discard",
                                                                                                          "weft::dist::discard")
                    said = diagnostics(compiler, "c++20", program=program)
                    self.assertEqual([cure in error[2] for error in ERROR.findall(said)], [True], said)

    def test_a_segmented_stack_is_one_error_with_the_cure(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                program = "#include <weft/context.hpp>\nweft::context::segmented_stack one(65536);\n"
                said = diagnostics(compiler, "c++20", program=program)
                self.assertEqual(["make a fixedsize_stack" in error[2] for error in ERROR.findall(said)], [True], said)

    def test_a_generic_body_that_does_not_fit_is_one_error_in_its_own_line(self):
        program = "#include <weft/parallel.hpp>\nvoid f(int* a) { weft::parallel_for(weft::range(0, 9), [&](auto i) {\n  a[i] = 1;\n}); }\n"
        for compiler in COMPILERS:
            with self.subTest(compiler):
                said = diagnostics(compiler, "c++20", program=program)
                self.assertEqual([error[:2] for error in ERROR.findall(said)], [("<stdin>", "3")], said)
                self.assertNotIn("type_traits", said)


if __name__ == "__main__":
    unittest.main()
