#include "faces/common/spinlock.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>
#include <vector>

static thread_local weft::face::spinlock* unlocked_by_a_yield = nullptr;

// Instead of libc's.
extern "C" int sched_yield() noexcept {
  if (unlocked_by_a_yield != nullptr) unlocked_by_a_yield->unlock();
  return static_cast<int>(syscall(SYS_sched_yield));
}

TEST_CASE("a waiter gives its CPU to the holder") {
  weft::face::spinlock lock;
  lock.lock();
  unlocked_by_a_yield = &lock;
  lock.lock();  // for ever without a yield
  unlocked_by_a_yield = nullptr;
  lock.unlock();
}

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
