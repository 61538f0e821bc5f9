#!/usr/bin/env python3
"""docs/guide/cpp-names.md has a row for every public name of Boost.Fiber, Context and Coroutine2. A row names what
Weft has, and a program of tests/api in which that is used; or it says "no", and why."""

import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FIBER = """fiber fiber::id fiber::properties fiber_properties launch is_launch_policy async future future::get_exception_ptr
shared_future promise packaged_task future_status future_errc future_error future_category future_uninitialized
future_already_retrieved broken_promise promise_already_satisfied promise_uninitialized packaged_task_uninitialized
fiber_error lock_error mutex timed_mutex recursive_mutex recursive_timed_mutex condition_variable condition_variable_any
cv_status barrier buffered_channel unbuffered_channel push try_push push_wait_for push_wait_until pop value_pop try_pop
pop_wait_for pop_wait_until close is_closed begin end channel_op_status fiber_specific_ptr use_scheduling_algorithm
algo::algorithm algo::algorithm_with_properties algo::round_robin algo::shared_work algo::work_stealing numa::topology
numa::node numa::pin_thread numa::algo::work_stealing initialize_thread has_ready_fibers context type waker wait_queue
default_stack fixedsize_stack protected_fixedsize_stack pooled_fixedsize_stack segmented_stack
make_stack_allocator_wrapper this_fiber::get_id this_fiber::yield this_fiber::sleep_for this_fiber::sleep_until
this_fiber::properties cuda::waitfor_all hip::waitfor_all""".split()
CONTEXT = "fiber continuation callcc resume resume_with preallocated stack_context stack_traits".split()
COROUTINE = "coroutine asymmetric_coroutine pull_type push_type".split()


def sections(page):
    """{heading: [(Boost's names, Weft's cell, test's cell)]}"""
    found = {}
    rows = []
    for line in page.splitlines():
        if line.startswith("## "):
            rows = found.setdefault(line[3:], [])
        elif line.startswith("| `"):
            boost, weft, test = (cell.strip() for cell in line.strip("| ").split(" |", 2) + [""] * (2 - line.strip("| ").count(" |")))
            rows.append((re.findall(r"`([^`]+)`", boost), weft, test))
    return found


def complaints(page, of_tests):
    """What is missing in a page; of_tests gives the text of a program of tests/api, or None."""
    found = sections(page)
    for heading, names in (("Boost.Fiber", FIBER), ("Boost.Context", CONTEXT), ("Boost.Coroutine2", COROUTINE)):
        there = [name for row in found.get(heading, []) for name in row[0]]
        for name in names:
            if name not in there:
                yield f"{heading}: no row for {name}"
        for row in found.get(heading, []):
            yield from complaints_of(heading, row, of_tests)


def complaints_of(heading, row, of_tests):
    boost, weft, test = row
    if weft.startswith("no"):
        if not weft.startswith("no: ") or test:
            yield f"{heading}: {boost[0]}: a row that says no has a reason and no test"
        return
    text = of_tests(test.strip("`"))
    if text is None:
        yield f"{heading}: {boost[0]}: there is no program {test}"
        return
    names = [name.split("::")[-1] for name in re.findall(r"`([^`]+)`", weft)]
    if not any(re.search(rf"\b{name}\b", text) for name in names):
        yield f"{heading}: {boost[0]}: {test} does not use {weft}"


def program(name):
    path = os.path.join(TOP, "tests", "api", name)
    if not name or not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


class NamesTest(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(TOP, "docs", "guide", "cpp-names.md"), encoding="utf-8") as page:
            self.page = page.read()

    def test_every_name_has_a_row_that_is_true(self):
        self.assertEqual(list(complaints(self.page, program)), [])

    def test_what_is_missing_is_found(self):
        without = re.sub(r"^\| `value_pop` .*\n", "", self.page, flags=re.MULTILINE)
        self.assertEqual(list(complaints(without, program)), ["Boost.Fiber: no row for value_pop"])
        other = self.page.replace("| `value_pop` | `value_pop` |", "| `value_pop` | `no_such_name` |")
        self.assertEqual(len(list(complaints(other, program))), 1)
        nowhere = self.page.replace("`value_pop` | `cpp_channel.cpp` |", "`value_pop` | `gone.cpp` |")
        self.assertEqual(len(list(complaints(nowhere, program))), 1)
        silent = self.page.replace("| `callcc` | `context::callcc` | `cpp_context.cpp` |", "| `callcc` | no | |")
        self.assertEqual(len(list(complaints(silent, program))), 1)


if __name__ == "__main__":
    unittest.main()
