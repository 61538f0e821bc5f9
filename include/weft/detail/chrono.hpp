// From std::chrono to the nanoseconds of weft.h.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <chrono>
#include <cstdint>
#include <ratio>
#include <type_traits>

#include <weft/weft.h>

namespace weft::detail {

// Rounded up, since a wait is never shorter than was asked; nothing below 0, nor for a duration that
// is not a number; what does not fit waits for ever.
template <class Rep, class Period>
constexpr std::uint64_t to_ns(const std::chrono::duration<Rep, Period>& interval) {
  using namespace std::chrono;
  if (!(interval > interval.zero())) return 0;  // NaN is not above it
  // Compared as double: the integer product would already have overflowed.
  if (duration<double, std::nano>(interval).count() >= 0x1p64) return WEFT_FOREVER;
  return ceil<duration<std::uint64_t, std::nano>>(interval).count();
}

template <class Rep, class Period>
std::uint64_t deadline_in(const std::chrono::duration<Rep, Period>& interval) {
  return weft_deadline_in(to_ns(interval));
}

// What is left until then; 0 when it has come. Far times are told apart as double: their difference
// may overflow.
template <class Clock, class Duration>
std::uint64_t ns_until(const std::chrono::time_point<Clock, Duration>& deadline) {
  using seconds = std::chrono::duration<double>;
  constexpr seconds far(0x1p31);
  const auto now = Clock::now();
  const seconds left = seconds(deadline.time_since_epoch()) - seconds(now.time_since_epoch());
  if (left < -far) return 0;
  return left > far ? to_ns(left) : to_ns(deadline - now);
}

// One wait: attempt(deadline_ns) waits and returns a status. On Linux std::chrono::steady_clock is
// the clock of weft_now_ns(). Other clocks can be set meanwhile: there it may end too early.
template <class Clock, class Duration, class Attempt>
weft_status attempt_once(const std::chrono::time_point<Clock, Duration>& deadline, Attempt attempt) {
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    return attempt(to_ns(deadline.time_since_epoch()));
  } else {
    return attempt(weft_deadline_in(ns_until(deadline)));
  }
}

// A timeout counts only when the clock itself says that its time has come.
template <class Clock, class Duration, class Attempt>
weft_status attempt_until(const std::chrono::time_point<Clock, Duration>& deadline, Attempt attempt) {
  for (;;) {
    const weft_status status = attempt_once(deadline, attempt);
    if (status != WEFT_TIMEOUT || std::is_same_v<Clock, std::chrono::steady_clock> || ns_until(deadline) == 0) return status;
  }
}

}  // namespace weft::detail
