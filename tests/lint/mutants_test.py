import unittest

import planted
import mutants

SOURCE = """
// [Q1] release: publishes the value; pairs with [Q2]
inline void put() { ready.store(1, base::release); }
// [Q2] acquire: sees the value; pairs with [Q1]
inline int get() { return ready.load(base::acquire); }
"""
ROWS = ["| Q1 | `queue/slot.hpp` | release -> relaxed | Q put and got (data race) |",
        "| Q2 | `queue/slot.hpp` | acquire -> relaxed | SURVIVED (accepted: why) |"]


class MutantsTest(planted.PlantedTest):
    def problems_with(self, rows):
        self.plant("src/queue/slot.hpp", SOURCE)
        self.plant(mutants.TABLE, "| tag | file |\n|---|---|\n" + "\n".join(rows) + "\n")
        return mutants.check(self.top)[0]

    def test_a_row_for_each_passes(self):
        self.assertEqual(self.problems_with(ROWS), [])

    def test_a_missing_row_is_found_with_the_command_that_makes_it(self):
        self.assert_found(self.problems_with(ROWS[:1]), "no row for Q2 (acquire -> relaxed): run tests/model/mutate.py")

    def test_a_row_for_what_is_gone_is_found(self):
        gone = "| Q3 | `queue/slot.hpp` | release -> relaxed | Q put and got (data race) |"
        self.assert_found(self.problems_with([*ROWS, gone]), "a row for what is not there: | Q3 ")

    def test_a_missing_row_of_a_half_is_found(self):
        self.plant("src/queue/both.hpp", "// [Q3] acq_rel: takes and gives; pairs with [Q1]\ninline int swap() { return ready.exchange(2, base::acq_rel); }\n")
        rows = [*ROWS, *(f"| Q3 | `queue/both.hpp` | acq_rel -> {order} | Q swapped (data race) |" for order in ("relaxed", "acquire"))]
        self.assert_found(self.problems_with(rows), "no row for Q3 (acq_rel -> release): run tests/model/mutate.py")

    def test_the_face_needs_rows_too(self):
        self.plant("faces/argobots/src/slot.cpp", "// [Z1] release: publishes the value; pairs with [Z2]\nready.store(1, std::memory_order_release);\n")
        self.assert_found(self.problems_with(ROWS), "no row for Z1 (release -> relaxed): run tests/model/mutate.py")


if __name__ == "__main__":
    unittest.main()
