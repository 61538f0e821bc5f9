#include "queue/biased_lock.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "os/fence.hpp"

namespace {

struct alignas(8) thief {
  std::atomic<long> answers{0};
};
using biased_lock = weft::queue::biased_lock<thief>;

TEST_CASE("the owner enters and leaves, and is told of a question once") {
  biased_lock lock;
  thief one;
  CHECK(lock.enter() == nullptr);
  lock.leave();
  CHECK(lock.try_enter());
  lock.leave();
  CHECK(lock.ask(&one));
  thief other;
  CHECK_FALSE(lock.ask(&other));
  CHECK_FALSE(lock.try_enter());
  CHECK(lock.enter() == &one);
  lock.leave();
  CHECK(lock.enter() == nullptr);
  lock.leave();
  CHECK(lock.ask(&other));
  CHECK(lock.retract(&other));
  CHECK_FALSE(lock.retract(&other));
  CHECK(lock.enter() == nullptr);
  lock.leave();
}

TEST_CASE("a raid while the owner is outside gets in, one while it is inside does not") {
  if (!weft::os::register_asymmetric_fence()) return;
  biased_lock lock;
  thief one;
  CHECK(lock.ask(&one));
  CHECK(lock.raid(&one) == biased_lock::raid_result::inside);
  lock.end_raid();
  CHECK(lock.enter() == nullptr);
  CHECK(lock.ask(&one));
  CHECK(lock.raid(&one) == biased_lock::raid_result::owner_busy);
  lock.leave();
  CHECK(lock.raid(&one) == biased_lock::raid_result::answered);  // there is no question any more
}

// What the lock guards is plain memory: TSan and the sums see a hole.
TEST_CASE("owner and thieves exclude each other") {
  if (!weft::os::register_asymmetric_fence()) return;
  constexpr long owner_rounds = 20000;
  biased_lock lock;
  long guarded = 0;
  std::atomic<bool> stop{false};
  std::atomic<long> raids{0};
  std::atomic<int> finished{0};
  thief thieves[2];
  std::vector<std::thread> threads;
  for (thief& self : thieves) {
    threads.emplace_back([&] {
      int patience = 0;
      while (!stop.load()) {
        const long before = self.answers.load();
        if (!lock.ask(&self)) {
          std::this_thread::yield();
          continue;
        }
        for (int i = 0; i < patience && self.answers.load() == before; ++i) weft::arch::pause();
        patience = patience == 0 ? 50 : 0;
        const auto result = lock.raid(&self);
        if (result == biased_lock::raid_result::inside) {
          const long seen = guarded;
          for (int i = 0; i < 20; ++i) weft::arch::pause();
          guarded = seen + 1;
          lock.end_raid();
          raids.fetch_add(1);
        } else if (result == biased_lock::raid_result::answered) {
          while (self.answers.load() == before) std::this_thread::yield();
        }
      }
      finished.fetch_add(1);
    });
  }
  long rounds = 0;
  for (; rounds < owner_rounds || raids.load() < 10; ++rounds) {
    thief* asked = lock.enter();
    const long seen = guarded;
    guarded = seen + 1;
    if (asked != nullptr) asked->answers.fetch_add(1);
    lock.leave();
    if (rounds % 512 == 0) std::this_thread::yield();  // on a busy machine each takes turns of all others
    for (int i = 0; rounds % 8 == 0 && i < 20; ++i) weft::arch::pause();
  }
  stop = true;
  while (finished.load() < 2) {  // thieves that asked last want an answer
    if (thief* asked = lock.enter(); asked != nullptr) asked->answers.fetch_add(1);
    lock.leave();
    std::this_thread::yield();
  }
  for (std::thread& each : threads) each.join();
  CHECK(guarded == rounds + raids.load());
}

}  // namespace
