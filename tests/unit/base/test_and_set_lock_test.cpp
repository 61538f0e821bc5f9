#include "base/test_and_set_lock.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <cstring>
#include <thread>

using weft::base::test_and_set_lock;

namespace {

struct yielding {
  void lock() {
    word.lock([](unsigned) { sched_yield(); });
  }
  void unlock() { word.unlock(); }
  test_and_set_lock word;
};

}  // namespace

TEST_CASE("zero-filled memory is a lock that is free; one caller holds it") {
  alignas(test_and_set_lock) unsigned char memory[sizeof(test_and_set_lock)] = {};
  auto& lock = reinterpret_cast<test_and_set_lock&>(memory);
  CHECK(!lock.seems_held());
  CHECK(lock.try_lock());
  CHECK(lock.seems_held());
  CHECK(!lock.try_lock());
  CHECK(!lock.try_lock_alone());
  lock.unlock();
  CHECK(lock.try_lock_alone());
  CHECK(!lock.try_lock());
  lock.unlock();
  CHECK(!lock.seems_held());
}

TEST_CASE("a waiter passes the time in numbered rounds until the lock is free") {
  test_and_set_lock lock;
  unsigned rounds = 0;
  lock.lock([&](unsigned) { ++rounds; });
  CHECK(rounds == 0);
  lock.lock([&](unsigned round) {
    CHECK(round == rounds);
    if (++rounds == 5) lock.unlock();
  });
  CHECK(rounds == 5);
  CHECK(lock.seems_held());
}

TEST_CASE("one OS thread at a time is inside") {
  constexpr int rounds = 20000;
  yielding lock;
  int inside = 0;
  const auto count = [&] {
    for (int i = 0; i < rounds; ++i) {
      const weft::base::guard hold(lock);
      ++inside;
    }
  };
  std::thread other(count);
  count();
  other.join();
  CHECK(inside == 2 * rounds);
}
