#!/usr/bin/env python3
"""What tools/test/mutate_source.py changes in a line, and what it leaves alone; and how a sample is drawn."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "test"))
import mutate_source as tool  # noqa: E402


def changes(line):
    return dict(tool.mutants_of_line(line))


class Lines(unittest.TestCase):
    def test_statements_are_deleted(self):
        self.assertEqual(changes("  lock_.unlock();  // the last access")["deleted"], "  ;")
        self.assertEqual(changes("  one->in.store(0, base::relaxed);")["deleted"], "  ;")
        self.assertEqual(changes("  w->after = after;")["deleted"], "  ;")
        for kept in ("  return found;", "  unsigned count = 0;", "  std::uint64_t seen;", "  break;", "#include <new>", "// a comment;"):
            self.assertNotIn("deleted", changes(kept), kept)

    def test_conditions_are_negated(self):
        self.assertEqual(changes("  if (is_set()) [[likely]]")["negated"], "  if (!(is_set())) [[likely]]")
        self.assertEqual(changes("  } else if (a == b) {")["negated"], "  } else if (!(a == b)) {")
        self.assertNotIn("negated", changes("  if constexpr (config::checked) seal = 0;"))

    def test_operators_and_numbers(self):
        found = changes("  while (count < most && first != nullptr) ++count;")
        self.assertEqual(found["'<' became '<='"], "  while (count <= most && first != nullptr) ++count;")
        self.assertEqual(found["'&&' became '||'"], "  while (count < most || first != nullptr) ++count;")
        self.assertEqual(found["'++' became '--'"], "  while (count < most && first != nullptr) --count;")
        self.assertEqual(changes("constexpr int most_rounds = 4;")["4 became 5"], "constexpr int most_rounds = 5;")

    def test_functions_return_at_once(self):
        self.assertIn("return;", changes("void condvar::signal() {")["returns at once"])
        self.assertIn("return {};", changes("bool semaphore::take() {")["returns at once"])


class Samples(unittest.TestCase):
    def test_a_seed_repeats_a_sample(self):
        first, again, other = (tool.sampled(30, seed, "src/sync/") for seed in (3, 3, 4))
        self.assertEqual([m.name() for m in first], [m.name() for m in again])
        self.assertNotEqual([m.name() for m in first], [m.name() for m in other])
        self.assertEqual(len(first), 30)

    def test_each_layer_has_some(self):
        layers = {m.path.split("/")[1] for m in tool.sampled(300, 1, "")}
        self.assertEqual(layers, set(tool.LAYERS))

    def test_other_folders_are_drawn_from(self):
        for folder in ("include", "dist", "net", "lang", "faces"):
            self.assertEqual({m.path.split("/")[0] for m in tool.sampled(20, 1, "", (folder,))}, {folder})

    def test_interval(self):
        low, high = tool.interval(92, 100)
        self.assertTrue(0.84 < low < 0.86 and 0.95 < high < 0.97)


if __name__ == "__main__":
    unittest.main()
