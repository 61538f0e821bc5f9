#include "faces/common/spinlock.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

TEST_CASE("a spinlock is held by one at a time, by more OS threads than CPUs") {
  constexpr int holders = 8, rounds = 20000;
  weft::face::spinlock lock;
  long guarded = 0;
  std::vector<std::thread> threads;
  for (int each = 0; each < holders; ++each) {
    threads.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        const weft::face::guard hold(lock);
        ++guarded;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(guarded == long{holders} * rounds);
}
