// weft_finalize tells of OS threads that stay adopted.
#include <algorithm>
#include <cstdint>

#include "base/assert.hpp"
#include "life/adopted.hpp"
#include "queue/spinlock.hpp"
#include "thread/thread.hpp"
#include "worker/clock.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t patience_ns = 1'000'000'000;
constexpr std::uint64_t first_pause_ns = 20'000, longest_pause_ns = 10'000'000;

unsigned count_adopted(runtime* rt) {
  const queue::guard hold(rt->workers_lock);
  return rt->adopted_count;
}

}  // namespace

void tell_of_those_left(runtime* rt) {
  const std::uint64_t end_ns = now_ns() + patience_ns;
  std::uint64_t pause_ns = first_pause_ns;
  while (count_adopted(rt) != 0 && now_ns() < end_ns) {
    static_cast<void>(sleep_until(now_ns() + pause_ns));
    pause_ns = std::min(2 * pause_ns, longest_pause_ns);
  }
  const unsigned left = count_adopted(rt);
  if (left == 0) return;
  base::report(
      "weft_finalize waits for %u OS thread%s that weft_worker_adopt made %s (the first switch to a context calls it, with the "
      "headers for Boost); cure: end or join them, or call weft_worker_leave on them, before weft_finalize",
      left, left == 1 ? "" : "s", left == 1 ? "a worker" : "workers");
}

}  // namespace weft::sched
