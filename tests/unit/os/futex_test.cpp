#include "os/futex.hpp"

#include <doctest/doctest.h>

#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/thread.hpp"

using namespace weft;

namespace {

constexpr std::uint64_t ms = 1'000'000;

struct pair {
  base::atomic<std::uint32_t> word{0};
  base::atomic<std::uint32_t> asleep{0};
};

void* wait_for_one(void* argument) {
  auto* shared = static_cast<pair*>(argument);
  shared->asleep.fetch_add(1, base::relaxed);
  while (shared->word.load(base::relaxed) == 0) os::futex_wait(&shared->word, 0);
  return nullptr;
}

}  // namespace

TEST_CASE("a word that changed does not let its waiter sleep") {
  base::atomic<std::uint32_t> word{1};
  os::futex_wait(&word, 0);
  CHECK(os::futex_wait_until(&word, 0, UINT64_MAX));
}

TEST_CASE("a wait ends at its deadline, and says so") {
  base::atomic<std::uint32_t> word{0};
  const std::uint64_t start = os::now_ns();
  while (os::futex_wait_until(&word, 0, start + 20 * ms)) {
  }
  const std::uint64_t took = os::now_ns() - start;
  CHECK(took >= 20 * ms);
  CHECK(took < 2000 * ms);
  CHECK_FALSE(os::futex_wait_until(&word, 0, start));  // already over
}

TEST_CASE("wake ends the waits of several OS threads") {
  pair shared;
  os::os_thread waiters[3];
  for (auto& each : waiters) REQUIRE(os::start_thread(&each, wait_for_one, &shared, 0) == status::ok);
  while (shared.asleep.load(base::relaxed) != 3) os::yield_cpu();
  os::sleep_until(os::now_ns() + 5 * ms);
  shared.word.store(1, base::relaxed);
  os::futex_wake(&shared.word, 3);
  for (auto& each : waiters) os::join_thread(each);
}

TEST_CASE("waking nobody is fine") {
  base::atomic<std::uint32_t> word{0};
  os::futex_wake(&word, 1);
}

TEST_CASE("the asymmetric fence, where the kernel has it, can be registered twice and used") {
  const bool usable = os::register_asymmetric_fence();
  MESSAGE("membarrier: " << usable);
  CHECK(os::register_asymmetric_fence() == usable);
  if (usable) os::heavy_fence();
}

TEST_CASE("time goes on, and the coarse clock lags behind by ticks only") {
  const std::uint64_t before = os::now_ns();
  CHECK(os::coarse_ns() <= os::now_ns());
  CHECK(os::coarse_ns() + 50 * ms > before);
  os::sleep_until(before + 5 * ms);
  CHECK(os::now_ns() >= before + 5 * ms);
  os::sleep_until(0);
}
