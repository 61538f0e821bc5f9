// Waiting for a condition that only polling can see: weft/polled.h says how.
//
//     weft::wait_poll([&] { return cudaStreamQuery(stream) != cudaErrorNotReady; });
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <concepts>

#include <weft/polled.h>
#include <weft/weft.h>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>

namespace weft {

namespace detail {

template <class F>
weft_status wait_poll_until(F& is_done, std::uint64_t deadline_ns) {
  const auto call = [](void* what) noexcept -> bool { return (*static_cast<F*>(what))(); };
  return weft_wait_poll(call, const_cast<void*>(static_cast<const void*>(&is_done)), deadline_ns);
}

}  // namespace detail

// Waits until is_done() returns true. Workers call it, one at a time and in no thread's name: it
// must not wait, call Weft, or throw, which ends the program. Throws weft::error: cannot_block (a
// tasklet, a callback). May switch. Callable from any.
template <class F>
  requires std::predicate<F&>
void wait_poll(F&& is_done) {
  detail::check(detail::wait_poll_until(is_done, WEFT_FOREVER), "weft_wait_poll");
}

// Waits until is_done() returns true, for an interval at most; then it is not called any more.
// Workers call it, one at a time and in no thread's name: it must not wait, call Weft, or throw,
// which ends the program. Returns false if is_done() did not return true in that time. Throws
// weft::error: cannot_block (a tasklet, a callback). May switch. Callable from any.
template <class F, class Rep, class Period>
  requires std::predicate<F&>
bool wait_poll_for(F&& is_done, const std::chrono::duration<Rep, Period>& interval) {
  return detail::check_unless(WEFT_TIMEOUT, detail::wait_poll_until(is_done, detail::deadline_in(interval)), "weft_wait_poll");
}

// Waits until is_done() returns true, until the deadline at most; then it is not called any more.
// Workers call it, one at a time and in no thread's name: it must not wait, call Weft, or throw,
// which ends the program. Returns false if is_done() did not return true by then. Throws
// weft::error: cannot_block (a tasklet, a callback). May switch. Callable from any.
template <class F, class Clock, class Duration>
  requires std::predicate<F&>
bool wait_poll_until(F&& is_done, const std::chrono::time_point<Clock, Duration>& deadline) {
  const auto attempt = [&is_done](std::uint64_t ns) { return detail::wait_poll_until(is_done, ns); };
  return detail::check_unless(WEFT_TIMEOUT, detail::attempt_until(deadline, attempt), "weft_wait_poll");
}

}  // namespace weft
