#include "unit/timer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.hpp"

namespace {

using weft::sched::timer;
using weft::sched::timer_heap;
using weft::sched::timers;

TEST_CASE("random insertions and removals leave the least deadline first") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    weft::base::rng random(seed);
    std::vector<timer> all(200);
    std::vector<timer*> in, out;
    for (timer& each : all) out.push_back(&each);
    timer_heap heap;
    for (int step = 0; step < 5000; ++step) {
      const bool grows = random.below(1000) < (step % 1000 < 500 ? 650u : 350u);
      if ((grows && !out.empty()) || in.empty()) {
        timer* one = out.back();
        out.pop_back();
        one->deadline_ns = random.below(50);  // many equal ones
        heap.insert(one);
        in.push_back(one);
      } else {
        std::size_t at = random.below(static_cast<std::uint32_t>(in.size()));
        if (random.below(3) == 0) at = static_cast<std::size_t>(std::find(in.begin(), in.end(), heap.first()) - in.begin());
        heap.remove(in[at]);
        out.push_back(in[at]);
        in.erase(in.begin() + static_cast<std::ptrdiff_t>(at));
      }
      const auto least =
          std::min_element(in.begin(), in.end(), [](timer* a, timer* b) { return a->deadline_ns < b->deadline_ns; });
      REQUIRE((heap.first() == nullptr) == in.empty());
      if (!in.empty()) REQUIRE(heap.first()->deadline_ns == (*least)->deadline_ns);
    }
    std::uint64_t last = 0;
    while (heap.first() != nullptr) {
      REQUIRE(heap.first()->deadline_ns >= last);
      last = heap.first()->deadline_ns;
      heap.remove(heap.first());
    }
  }
}

TEST_CASE("what is due is taken in order; what is cancelled is not") {
  timers alarms;
  alarms.clear();
  CHECK(alarms.next_ns() == UINT64_MAX);
  std::vector<timer> all(100);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].deadline_ns = (i * 37) % 100 + 1;
    const bool is_first = all[i].deadline_ns < alarms.next_ns();
    CHECK(alarms.arm(&all[i]) == is_first);
  }
  CHECK(alarms.next_ns() == 1);
  for (std::size_t i = 0; i < all.size(); i += 3) alarms.cancel(&all[i]);
  for (std::size_t i = 0; i < all.size(); i += 3) alarms.cancel(&all[i]);  // again: nothing
  std::uint64_t last = 0;
  std::size_t taken = 0, refused = 0;
  for (std::uint64_t now : {0u, 1u, 50u, 1000u}) {
    timer* due = alarms.take_due(now, [&](timer* one) {
      refused += one->deadline_ns % 5 == 0;
      return one->deadline_ns % 5 != 0;
    });
    for (; due != nullptr; due = due->sibling, ++taken) {
      CHECK(due->deadline_ns <= now);
      CHECK(due->deadline_ns > last);
      CHECK_FALSE(due->is_armed);
      last = due->deadline_ns;
      CHECK((due - all.data()) % 3 != 0);
    }
  }
  CHECK(taken + refused == 66);
  CHECK(alarms.next_ns() == UINT64_MAX);
}

TEST_CASE("closed, it gives up what was meant, and arms no more of that") {
  timers alarms;
  alarms.clear();
  std::vector<timer> all(50);
  bool were_some = true;
  const auto is_even = [&](const timer* one) { return (one - all.data()) % 2 == 0; };
  const auto take_all = [&] { return alarms.close(is_even, [](timer*) { return true; }, &were_some); };
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].deadline_ns = (i * 37) % 50 + 1;
    bool is_first = false;
    const bool is_expected = all[i].deadline_ns < alarms.next_ns();
    if (is_even(&all[i])) {
      CHECK(alarms.arm_unless_closed(&all[i], &is_first));
      CHECK(is_first == is_expected);
    } else {
      CHECK(alarms.arm(&all[i]) == is_expected);
    }
  }
  alarms.cancel(&all[4]);
  std::size_t taken = 0;
  std::uint64_t last = 0;
  for (timer* one = take_all(); one != nullptr; one = one->sibling, ++taken) {
    CHECK(is_even(one));
    CHECK(!one->is_armed);
    CHECK(one->deadline_ns > last);
    last = one->deadline_ns;
  }
  CHECK(taken == 24);
  CHECK(were_some);
  bool is_first = false;
  CHECK_FALSE(alarms.arm_unless_closed(&all[0], &is_first));
  std::size_t others = 0;
  for (timer* one = alarms.take_due(1000, [](timer*) { return true; }); one != nullptr; one = one->sibling) ++others;
  CHECK(others == 25);
  CHECK(take_all() == nullptr);
  timers unused;
  static_cast<void>(unused.close(is_even, [](timer*) { return true; }, &were_some));
  CHECK_FALSE(were_some);
}

}  // namespace
