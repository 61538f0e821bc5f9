#include "sync/mutex.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace {

using weft::status;
using weft::sched::forever;
using weft::sync::mutex;

// What waiting callers leave in the word would slow every later lock down; that there were some
// stays.
std::uint32_t word_of(const mutex& one) {
  constexpr std::uint32_t contended = 16;
  std::uint32_t word;
  std::memcpy(&word, static_cast<const void*>(&one), sizeof word);
  return word & ~contended;
}

TEST_CASE("free, held, free") {
  mutex one;
  CHECK(one.lock(forever) == status::ok);
  CHECK(word_of(one) == 1);
  CHECK(one.try_lock() == status::busy);
  CHECK(one.unlock() == status::ok);
  CHECK(word_of(one) == 0);
}

TEST_CASE("no trace of contention is left") {
  mutex one;
  long count = 0;
  const auto work = [&] {
    for (int i = 0; i < 20'000; ++i) {
      REQUIRE(one.lock(forever) == status::ok);
      ++count;
      REQUIRE(one.unlock() == status::ok);
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  CHECK(count == 60'000);
  CHECK(word_of(one) == 0);
}

// The first to wait on a mutex must find out whether the holder is about to give it back by a plain
// store.
TEST_CASE("a mutex that was never contended loses nobody when it is contended first") {
  mutex::prepare();
  constexpr int count = 2000;
  std::vector<mutex> mutexes(count);
  std::vector<int> counts(count);
  const auto work = [&] {
    for (int i = 0; i < count; ++i) {
      for (int round = 0; round < 5; ++round) {
        REQUIRE(mutexes[static_cast<std::size_t>(i)].lock(forever) == status::ok);
        ++counts[static_cast<std::size_t>(i)];
        REQUIRE(mutexes[static_cast<std::size_t>(i)].unlock() == status::ok);
      }
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  for (int each : counts) REQUIRE(each == 15);
}

TEST_CASE("what a condition gives up it gets back, however deep") {
  alignas(mutex) unsigned char memory[sizeof(mutex)] = {8};  // recursive, as weft.h initialises it
  auto* one = reinterpret_cast<mutex*>(memory);
  for (int i = 0; i < 3; ++i) REQUIRE(one->lock(forever) == status::ok);
  std::uint32_t times_held = 0;
  REQUIRE(one->give_up(&times_held) == status::ok);
  CHECK(times_held == 3);
  CHECK(one->unlock() == status::not_owner);
  std::thread([&] {
    CHECK(one->lock(forever) == status::ok);
    CHECK(one->unlock() == status::ok);
  }).join();
  one->take_back(times_held);
  for (int i = 0; i < 3; ++i) CHECK(one->unlock() == status::ok);
  CHECK(one->unlock() == status::not_owner);
}

}  // namespace
