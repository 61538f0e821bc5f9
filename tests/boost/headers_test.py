#!/usr/bin/env python3
"""A program that includes a header of Boost.Fiber, Context or Coroutine2 gets Weft's, or an error that names the header; never the one of a
Boost that is installed beside.

usage: headers_test.py COMPILER"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = os.path.join(TOP, "include", "weft", "boost")
LIBRARIES = ("fiber", "context", "coroutine2")
COMPILER = "c++"

# What Boost 1.74 and 1.88 have outside of their folders detail/, whose own need is a program's: by these a program finds the others.
PUBLIC = """fiber/algo/algorithm fiber/algo/round_robin fiber/algo/shared_work fiber/algo/work_stealing fiber/all fiber/barrier
fiber/buffered_channel fiber/channel_op_status fiber/condition_variable fiber/context fiber/cuda/waitfor fiber/exceptions fiber/fiber
fiber/fixedsize_stack fiber/fss fiber/future fiber/future/async fiber/future/future fiber/future/future_status fiber/future/packaged_task
fiber/future/promise fiber/hip/waitfor fiber/mutex fiber/numa/algo/work_stealing fiber/numa/all fiber/numa/pin_thread fiber/numa/topology
fiber/operations fiber/policy fiber/pooled_fixedsize_stack fiber/properties fiber/protected_fixedsize_stack fiber/recursive_mutex
fiber/recursive_timed_mutex fiber/scheduler fiber/segmented_stack fiber/stack_allocator_wrapper fiber/timed_mutex fiber/type
fiber/unbuffered_channel fiber/waker context/continuation context/continuation_fcontext context/continuation_ucontext
context/continuation_winfib context/fiber context/fiber_fcontext context/fiber_ucontext context/fiber_winfib context/fixedsize_stack
context/flags context/pooled_fixedsize_stack context/posix/protected_fixedsize_stack context/posix/segmented_stack context/preallocated
context/protected_fixedsize_stack context/segmented_stack context/stack_context context/stack_traits
context/windows/protected_fixedsize_stack coroutine2/all coroutine2/coroutine coroutine2/fixedsize_stack coroutine2/pooled_fixedsize_stack
coroutine2/protected_fixedsize_stack coroutine2/segmented_stack""".split()


def headers_within(folder):
    """boost/fiber/..., of a folder that has a folder boost."""
    found = []
    for library in LIBRARIES:
        for at, _, names in os.walk(os.path.join(folder, "boost", library)):
            found += [os.path.relpath(os.path.join(at, name), folder) for name in names]
    return sorted(found)


def read(header):
    with open(os.path.join(OURS, header), encoding="utf-8") as file:
        return file.read()


def compiled(headers, *more):
    """The compiler's exit status and words for a program that includes some headers."""
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "program.cpp")
        with open(text, "w", encoding="utf-8") as file:
            file.write("".join(f"#include <{header}>\n" for header in headers) + "int main() {}\n")
        ours = [f"-I{OURS}", f"-I{os.path.join(TOP, 'include')}", f"-I{os.path.join(TOP, 'tests', 'api', 'stand_ins')}"]
        done = subprocess.run([COMPILER, "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", *more, *ours, text], capture_output=True,
                              text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr


class HeadersTest(unittest.TestCase):
    def setUp(self):
        self.all = headers_within(OURS)
        self.refused = [header for header in self.all if "#error" in read(header)]
        self.offered = [header for header in self.all if header not in self.refused]

    def test_every_public_header_is_there(self):
        self.assertEqual([name for name in PUBLIC if f"boost/{name}.hpp" not in self.all], [])

    def test_every_header_of_the_boost_beside_is_there(self):
        self.assertEqual([header for header in headers_within("/usr/include") if header not in self.all], [])

    def test_those_that_are_offered_compile_without_the_boost_beside(self):
        status, words = compiled(self.offered, "-M")
        self.assertEqual(status, 0, words)
        read_files = [os.path.realpath(path) for path in words.replace("\\\n", " ").split()]
        within = re.compile(rf"/boost/({'|'.join(LIBRARIES)})/")
        self.assertEqual([path for path in read_files if within.search(path) and not path.startswith(OURS)], [])
        status, words = compiled(self.offered)
        self.assertEqual((status, words), (0, ""))

    def test_those_that_are_refused_are_named_with_a_reason(self):
        status, words = compiled(self.refused)
        self.assertNotEqual(status, 0)
        told = set(re.findall(r"weft/boost has no <([^>]+)>: \w.{20,}", words))
        self.assertEqual([header for header in self.refused if header not in told], [])
        self.assertEqual(words.count("error:"), len(self.refused), words)

    def test_a_header_says_which_it_is(self):
        for header in self.all:
            library, name = header.removeprefix("boost/").split("/", 1)
            title = {"fiber": "Boost.Fiber", "context": "Boost.Context", "coroutine2": "Boost.Coroutine2"}[library]
            self.assertTrue(read(header).startswith(f"// {title}'s {os.path.splitext(name)[0]}"), header)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        COMPILER = sys.argv.pop(1)
    unittest.main()
