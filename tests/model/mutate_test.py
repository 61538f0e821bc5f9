#!/usr/bin/env python3
"""What mutate.py tries, and in which order."""

import subprocess
import tempfile
import unittest
from unittest import mock

import mutate
import mutate_explorer

MUTANTS = [mutate.Mutant(f"{letter}{number}", "queue/slot.hpp", number, "release -> relaxed", True, f"{letter}{number}", "")
           for letter, count in (("A", 30), ("B", 1), ("D", 2), ("Z", 20)) for number in range(1, count + 1)]


def tags(count, seed):
    return [mutant.tag for mutant in mutate.sampled(MUTANTS, count, seed)]


class Sample(unittest.TestCase):
    def test_a_seed_says_all(self):
        self.assertEqual(tags(9, 7), tags(9, 7))
        self.assertGreater(len({tuple(tags(4, seed)) for seed in range(20)}), 1)

    def test_every_letter_comes_before_any_comes_twice(self):
        for seed in range(20):
            self.assertEqual(["A", "B", "D", "Z"], sorted(tag[0] for tag in tags(4, seed)))
            self.assertEqual(["A", "A", "B", "D", "D", "Z", "Z"], sorted(tag[0] for tag in tags(7, seed)))

    def test_none_comes_twice_and_any_may_come(self):
        self.assertEqual(sorted(mutant.tag for mutant in MUTANTS), sorted(tags(99, 1)))
        self.assertEqual({mutant.tag for mutant in MUTANTS}, {tag for seed in range(1000) for tag in tags(4, seed)})

    def test_the_commit_is_the_seed(self):
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=mutate.ROOT, capture_output=True, text=True, check=False).stdout
        if not head:
            self.skipTest("no commit")
        self.assertTrue(head.startswith(f"{mutate.seed_of_commit():08x}"))

    def test_without_git_it_is_chance(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(mutate, "ROOT", folder):
            self.assertNotEqual(mutate.seed_of_commit(), mutate.seed_of_commit())


class Rules(unittest.TestCase):
    def test_every_rule_stands_in_the_explorer_once(self):
        for rule in mutate_explorer.RULES:
            self.assertNotEqual(mutate_explorer.text_of(rule[1]), mutate_explorer.broken(rule))


class Models(unittest.TestCase):
    def order(self, mutant, known):
        builder = mutate.Builder.__new__(mutate.Builder)
        builder.models = {name: ["unit"] for name in ("A_model.cpp", "D_deep_model.cpp", "D_model.cpp")}
        builder.depends = {"unit": {mutant.path}}
        builder.texts = {"A_model.cpp": '{"A last unit", 3}', "D_deep_model.cpp": '{"D two", 3}', "D_model.cpp": '{"D one", 3}'}
        return builder.models_for(mutant, known)

    def test_own_letter_first(self):
        mutant = mutate.Mutant("D1", "queue/slot.hpp", 1, "release -> relaxed", True, "D1", "")
        self.assertEqual(["D_deep_model.cpp", "D_model.cpp", "A_model.cpp"], self.order(mutant, ""))
        self.assertEqual(["D_deep_model.cpp", "D_model.cpp", "A_model.cpp"], self.order(mutant, "signal 11"))

    def test_before_it_whoever_noticed_last_time(self):
        mutant = mutate.Mutant("D1", "queue/slot.hpp", 1, "release -> relaxed", True, "D1", "")
        self.assertEqual("D_model.cpp", self.order(mutant, "D one (data race)")[0])
        self.assertEqual("A_model.cpp", self.order(mutant, "A last unit (deadlock)")[0])

    def test_the_table_is_read(self):
        mutant = mutate.Mutant("D1", "queue/slot.hpp", 1, "release -> relaxed", True, "D1", "")
        rows = [mutate.in_table(mutant) + "D one (data race) |"]
        self.assertEqual("D one (data race)", mutate.noticed_before(mutant, rows))
        self.assertEqual("", mutate.noticed_before(mutant, []))


class Units(unittest.TestCase):
    def test_a_model_over_a_face_has_its_stand_ins(self):
        units = mutate.units_of("Z_init_model.cpp")
        self.assertLess({"tests/model/abt_stand_ins.cpp", "tests/model/face_stand_ins.cpp"}, set(units))
        self.assertNotIn("tests/model/core_stand_ins.cpp", units)
        self.assertEqual("argobots", mutate.face_of_unit("tests/model/Z_init_model.cpp").name)

    def test_and_those_of_the_core_if_it_needs_them(self):
        units = mutate.units_of("Q_join_model.cpp")
        self.assertLess({"tests/model/qthread_stand_ins.cpp", "tests/model/core_stand_ins.cpp", "src/sync/feb.cpp"}, set(units))
        self.assertEqual("qthreads", mutate.face_of_unit("faces/qthreads/src/task.cpp").name)
        self.assertIsNone(mutate.face_of_unit("src/sync/feb.cpp"))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
