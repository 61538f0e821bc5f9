#include "waiting.hpp"

namespace weft::abt {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

// Saturates: programs write "for ever" as the largest time.
std::int64_t in_ns(const timespec& time) {
  std::int64_t seconds_ns;
  std::int64_t sum;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(time.tv_sec), second_ns, &seconds_ns) ||
      __builtin_add_overflow(seconds_ns, static_cast<std::int64_t>(time.tv_nsec), &sum)) {
    return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
  }
  return sum;
}

}  // namespace

std::uint64_t deadline_at(const timespec& realtime) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t then_ns = in_ns(realtime);
  const std::int64_t now_ns = in_ns(now);
  if (then_ns <= now_ns) return 0;
  return then_ns == INT64_MAX ? WEFT_FOREVER : weft_deadline_in(static_cast<std::uint64_t>(then_ns - now_ns));
}

}  // namespace weft::abt
