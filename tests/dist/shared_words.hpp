// A few words that all ranks of a test see: memory that the process has before libweft-dist forks
// the ranks. It has no name, so nothing of it stays, however the ranks end.
#pragma once

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

class shared_words {
 public:
  std::atomic<int>& operator[](int index) { return mapped[index]; }
  // For tests in which two ranks meet: yields only once that takes long.
  void spin_for(int index, int wanted) {
    constexpr int spins = 100'000;
    for (int i = 0; i < spins && mapped[index].load() != wanted; ++i) continue;
    wait_for(index, wanted);
  }
  void at_least(int index, int least) {
    while (mapped[index].load() < least) sched_yield();
  }
  void wait_for(int index, int wanted) {
    while (mapped[index].load() != wanted) sched_yield();
  }

  static void map() {
    void* const found = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) std::abort();
    mapped = static_cast<std::atomic<int>*>(found);
  }

 private:
  static inline std::atomic<int>* mapped;
};

// Before all constructors, that of the library, which forks, among them.
[[gnu::section(".preinit_array"), gnu::used]] static void (*const map_shared_words)() = shared_words::map;
