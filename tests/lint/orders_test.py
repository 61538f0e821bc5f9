import unittest

import planted
import orders

GOOD = """
struct slot {
  void put(int value) {
    // [Q1] release: publishes the value; pairs with [Q2]
    ready_.store(value, base::release);
    count_.fetch_add(1, base::relaxed);
  }
  int get() {
    return ready_.load(base::acquire);  // [Q2] acquire: sees the value; pairs with [Q1]
  }
  void sleep() {
    base::fence_seq_cst();  // [Q3] fence: asleep before the look; pairs with [Q4]
  }
  bool wake(int seen) {
    // What a waker does, told first.
    // [Q4] acq_rel: takes the sleeper, whose
    // words it sees; pairs with [Q3]
    return ready_.compare_exchange_strong(seen, 0, base::acq_rel,
                                          base::relaxed);
  }
  base::atomic<int> ready_{0};
  base::atomic<int> count_{0};
};
"""


class OrdersTest(planted.PlantedTest):
    def problems_after(self, old="", new=""):
        self.assertIn(old, GOOD)
        self.plant("docs/protocols/Q.md", "# Q\n")
        self.plant("src/queue/slot.hpp", GOOD.replace(old, new) if old else GOOD)
        return orders.check(self.top)[0]

    def test_tags_that_pair_pass(self):
        self.assertEqual(self.problems_after(), [])

    def test_an_operation_without_an_order_is_found(self):
        self.assert_found(self.problems_after("(1, base::relaxed)", "(1)"), "slot.hpp:6: fetch_add does not name")

    def test_an_operator_on_an_atomic_is_found(self):
        self.assert_found(self.problems_after("count_.fetch_add(1, base::relaxed)", "count_++"), "operator on the atomic count_")

    def test_a_missing_tag_is_found(self):
        found = self.problems_after("    // [Q1] release: publishes the value; pairs with [Q2]\n", "")
        self.assertTrue(any("store release has no tag" in problem for problem in found), found)
        self.assertTrue(any("[Q2] pairs with [Q1], which is nowhere" in problem for problem in found), found)

    def test_a_tag_of_another_order_is_found(self):
        found = self.problems_after("ready_.store(value, base::release)", "ready_.store(value, base::seq_cst)")
        self.assertTrue(any("store seq_cst has no tag of that order" in problem for problem in found), found)

    def test_a_one_sided_pair_is_found(self):
        self.assert_found(self.problems_after("sees the value; pairs with [Q1]", "pairs with [Q4]") [:1], "does not name it")

    def test_a_tag_used_twice_is_found(self):
        found = self.problems_after("[Q3] fence", "[Q2] fence")
        self.assertTrue(any("[Q2] is already at" in problem for problem in found), found)

    def test_a_tag_beside_nothing_is_found(self):
        found = self.problems_after("    return ready_.load(base::acquire);  //", "    return ready_.load(base::relaxed);  //")
        self.assert_found(found, "tag [Q2] stands at no operation")

    def test_a_fence_without_a_tag_is_found(self):
        found = self.problems_after("// [Q3] fence: asleep before the look; pairs with [Q4]", "")
        self.assertTrue(any("fence_seq_cst has no tag" in problem for problem in found), found)

    def test_a_letter_without_a_page_is_found(self):
        self.plant("src/queue/other.hpp", GOOD.replace("[Q", "[Z").replace("struct slot", "struct other"))
        self.assertTrue(all("docs/protocols/Z.md is missing" in problem for problem in self.problems_after()))
        self.assertEqual(len(self.problems_after()), 4)


if __name__ == "__main__":
    unittest.main()
