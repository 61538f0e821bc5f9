#!/usr/bin/env python3
"""What cannot move to another process is refused where a fork or a root captures it, by a sentence that names the cure.

usage: captures_test.py COMPILER INCLUDE     by its option -fsyntax-only"""

import subprocess
import sys
import unittest

COMPILER, INCLUDE = sys.argv[1:3]
FORK = ("weft::fork in a program of ranks", "weft::global", "is_migratable")
# What each line makes the compiler say; fork.hpp comes first, so that it is dist.hpp that refuses.
BAD = (
    ("long f1(std::vector<long> v) { return weft::fork([v] { return v[0]; }).join(); }", FORK),
    ("void f2() { weft::fork(std::function<void()>([] {})).join(); }", FORK),
    ("void f3(std::string s) { auto forked = weft::fork([s] {}); }", FORK),
    ("struct other { long value = 1; other() = default; other(const other& from) : value(from.value) {} void operator()() const {} };", ()),
    ("void f4(other one) { weft::fork(one).join(); }", FORK),
    ("int f5(std::vector<int> v) { return weft::dist::root([v] { return v[0]; }); }", ("weft::dist::root", "captures", "weft::global")),
    ("void f6() { (void)weft::dist::root([] { return std::string(); }); }", ("weft::dist::root", "the result", "global heap")),
    ("void f7(std::string s) { weft::dist::discard([s] {}); }", ("weft::dist::discard", "weft::global")),
)
GOOD = """
struct wide { long words[16]; };
long f1(wide w) { return weft::fork([w] { return w.words[3]; }).join(); }
struct own { long value = 1; own() = default; own(const own& from) : value(from.value) {} long operator()() const { return value; } };
template <> inline constexpr bool weft::dist::is_migratable<own> = true;
long f2(own one) { return weft::fork(one).join(); }
"""


def compile_all(text, *headers):
    source = "".join(f"#include <{each}>\n" for each in (*headers, "functional", "string", "vector")) + text
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", INCLUDE, "-x", "c++", "-"], input=source, capture_output=True, text=True,
                          timeout=100, check=False)
    return done.returncode, done.stderr


class CapturesTest(unittest.TestCase):
    def test_what_is_refused(self):
        status, err = compile_all("\n".join(text for text, _ in BAD) + "\n", "weft/fork.hpp", "weft/dist.hpp")
        said = [line for line in err.splitlines() if "error: static assertion failed" in line]
        wanted = [words for _, words in BAD if words]
        self.assertEqual((status != 0, len(said)), (True, len(wanted)), err)
        for line, words in zip(said, wanted):
            for each in words:
                self.assertIn(each, line)

    def test_what_is_right(self):
        self.assertEqual(compile_all(GOOD, "weft/dist.hpp"), (0, ""))

    def test_threads_share_what_they_like(self):
        self.assertEqual(compile_all(BAD[0][0] + "\n", "weft/fork.hpp"), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
