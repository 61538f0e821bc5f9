#include "queue/biased_spinlock.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "os/fence.hpp"

namespace {

struct taker {};
constexpr weft::queue::bias_limits soon{4, 100, 2};
using lock_type = weft::queue::biased_spinlock<taker, soon>;

void come_for_it(lock_type& lock, const taker* who) {
  lock.lock(who);
  lock.unlock_and_lean_to(who);
}

void come_often(lock_type& lock, const taker* who) {
  for (int i = 0; i < 10; ++i) come_for_it(lock, who);
}

TEST_CASE("who comes often, nobody else in between, becomes the owner") {
  REQUIRE(weft::os::register_asymmetric_fence());
  lock_type lock;
  taker one, other;
  for (int i = 0; i < 10; ++i) {
    come_for_it(lock, &one);
    come_for_it(lock, &other);
  }
  CHECK_FALSE(lock.is_owner(&one));
  CHECK_FALSE(lock.is_owner(&other));
  come_often(lock, nullptr);
  CHECK_FALSE(lock.is_owner(nullptr));
  come_often(lock, &one);
  CHECK(lock.is_owner(&one));
  come_for_it(lock, &other);
  CHECK(lock.is_owner(&one));
}

TEST_CASE("others that come rarely leave the bias, those that come often end it; it comes back to the same one alone") {
  REQUIRE(weft::os::register_asymmetric_fence());
  lock_type lock;
  taker one, other;
  come_often(lock, &one);
  for (int visit = 0; visit < 10; ++visit) {
    for (unsigned i = 0; i < soon.entries_worth_a_fence; ++i) come_for_it(lock, &one);
    come_for_it(lock, &other);
  }
  CHECK(lock.is_owner(&one));
  come_for_it(lock, &other);
  come_for_it(lock, &other);
  CHECK_FALSE(lock.is_owner(&one));
  for (int i = 0; i < 100; ++i) come_often(lock, &other);
  CHECK_FALSE(lock.is_owner(&other));
  for (unsigned i = 0; i + 1 < 2 * soon.times_before_bias; ++i) {
    come_for_it(lock, &one);
    CHECK_FALSE(lock.is_owner(&one));
  }
  come_for_it(lock, &one);
  CHECK(lock.is_owner(&one));
}

TEST_CASE("a biased spinlock is held by one at a time, with an owner, without one, and when that changes") {
  REQUIRE(weft::os::register_asymmetric_fence());
  constexpr int rounds = 30, entries = 150, others = 3;
  int rounds_with_owner = 0;
  for (int round = 0; round < rounds; ++round) {
    lock_type lock;
    taker owner;
    long guarded = 0;
    std::atomic<int> left{others};
    std::vector<std::thread> threads;
    for (int who = 0; who < others; ++who) {
      threads.emplace_back([&] {
        for (int i = 0; i < entries; ++i) {
          lock.lock(nullptr);
          ++guarded;
          lock.unlock(nullptr);
          if (i % 50 == 0) std::this_thread::yield();
        }
        --left;
      });
    }
    long entered = 0;
    bool was_owner = false;
    for (; left != 0; ++entered) {
      lock.lock(&owner);
      was_owner = was_owner || lock.is_owner(&owner);
      ++guarded;
      lock.unlock_and_lean_to(&owner);
    }
    for (std::thread& each : threads) each.join();
    CHECK(guarded == entered + long{others} * entries);
    rounds_with_owner += was_owner ? 1 : 0;
  }
  CHECK(rounds_with_owner > 0);
}

}  // namespace
