#include "queue/spinlock.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

TEST_CASE("a spinlock is held by one at a time, by more OS threads than CPUs") {
  constexpr int holders = 8, rounds = 20000;
  weft::queue::spinlock lock;
  long guarded = 0;
  std::vector<std::thread> threads;
  for (int who = 0; who < holders; ++who) {
    threads.emplace_back([&, who] {
      for (int i = 0; i < rounds; ++i) {
        if ((i + who) % 3 == 0) {
          while (!lock.try_lock()) std::this_thread::yield();
          ++guarded;
          lock.unlock();
        } else {
          const weft::queue::guard hold(lock);
          ++guarded;
        }
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(guarded == long{holders} * rounds);
}

TEST_CASE("try_lock says whether") {
  weft::queue::spinlock lock;
  CHECK(lock.try_lock());
  CHECK_FALSE(lock.try_lock());
  lock.unlock();
  CHECK(lock.try_lock());
  lock.unlock();
}

}  // namespace
