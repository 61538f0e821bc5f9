// weft::condition_variable: std's, with std::unique_lock<weft::mutex>. Waiters are woken in the
// order of their coming, and only by a notification; or by a clock that is not steady and was set
// back during the wait, which is no timeout yet: look at the predicate.
//
// The waiting calls may switch; from a ULT or outside, the lock held; it is held again when they
// return or throw. They throw weft::error: cannot_block (a tasklet), and what a predicate throws.
// notify_* never switch; callable from any.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>
#include <weft/mutex.hpp>

namespace weft {

using std::cv_status;

// A condition variable: callers wait at it for a change that is made under a weft::mutex.
class condition_variable {
 public:
  // What native_handle() returns.
  using native_handle_type = weft_cond*;

  constexpr condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  // Wakes the caller that has waited longest, if there is one.
  void notify_one() noexcept { weft_cond_signal(&cond_); }
  // Wakes all callers that wait.
  void notify_all() noexcept { weft_cond_broadcast(&cond_); }

  // Waits for a notification. The caller holds the lock, which the call releases while it waits,
  // and holds again when it returns or throws. Throws weft::error: cannot_block (the caller is a
  // tasklet). May switch. Callable from a ULT or outside.
  void wait(std::unique_lock<mutex>& lock) {
    detail::check(weft_cond_wait(&cond_, lock.mutex()->native_handle()), "weft_cond_wait");
  }
  // Waits until predicate() returns true; the predicate is called with the lock held. The caller
  // holds the lock, which the call releases while it waits, and holds again when it returns or
  // throws. Throws weft::error: cannot_block (the caller is a tasklet); and what the predicate
  // throws. May switch. Callable from a ULT or outside.
  template <class Predicate>
  void wait(std::unique_lock<mutex>& lock, Predicate predicate) {
    while (!predicate()) wait(lock);
  }

  // Waits for a notification, or until the deadline passes. The caller holds the lock, which the
  // call releases while it waits, and holds again when it returns or throws. Returns timeout if the
  // deadline has passed without a notification, else no_timeout. Throws weft::error: cannot_block
  // (the caller is a tasklet). May switch. Callable from a ULT or outside.
  template <class Clock, class Duration>
  cv_status wait_until(std::unique_lock<mutex>& lock, const std::chrono::time_point<Clock, Duration>& deadline) {
    const auto attempt = [&](std::uint64_t ns) { return weft_cond_wait_until(&cond_, lock.mutex()->native_handle(), ns); };
    const weft_status status = detail::attempt_once(deadline, attempt);
    if constexpr (!std::is_same_v<Clock, std::chrono::steady_clock>) {
      // Not to wait once more: a notification may have come when the waiter was no longer counted.
      if (status == WEFT_TIMEOUT && detail::ns_until(deadline) != 0) return cv_status::no_timeout;
    }
    return as_cv_status(status);
  }
  // Waits until predicate() returns true, or until the deadline passes. The caller holds the lock,
  // which the call releases while it waits, and holds again when it returns or throws. Returns what
  // the predicate returned last. Throws weft::error: cannot_block (the caller is a tasklet); and
  // what the predicate throws. May switch. Callable from a ULT or outside.
  template <class Clock, class Duration, class Predicate>
  bool wait_until(std::unique_lock<mutex>& lock, const std::chrono::time_point<Clock, Duration>& deadline, Predicate predicate) {
    while (!predicate()) {
      if (wait_until(lock, deadline) == cv_status::timeout) return predicate();
    }
    return true;
  }

  // Waits for a notification, for an interval at most. The caller holds the lock, which the call
  // releases while it waits, and holds again when it returns or throws. Returns timeout if the
  // interval has passed without a notification, else no_timeout. Throws weft::error: cannot_block
  // (the caller is a tasklet). May switch. Callable from a ULT or outside.
  template <class Rep, class Period>
  cv_status wait_for(std::unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& interval) {
    return wait_until_ns(lock, detail::deadline_in(interval));
  }
  // Waits until predicate() returns true, for an interval at most. The caller holds the lock, which
  // the call releases while it waits, and holds again when it returns or throws. Returns what the
  // predicate returned last. Throws weft::error: cannot_block (the caller is a tasklet); and what
  // the predicate throws. May switch. Callable from a ULT or outside.
  template <class Rep, class Period, class Predicate>
  bool wait_for(std::unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& interval, Predicate predicate) {
    const std::uint64_t deadline_ns = detail::deadline_in(interval);
    while (!predicate()) {
      if (wait_until_ns(lock, deadline_ns) == cv_status::timeout) return predicate();
    }
    return true;
  }

  // Returns the condition of the C interface.
  native_handle_type native_handle() noexcept { return &cond_; }

 private:
  cv_status wait_until_ns(std::unique_lock<mutex>& lock, std::uint64_t deadline_ns) {
    return as_cv_status(weft_cond_wait_until(&cond_, lock.mutex()->native_handle(), deadline_ns));
  }
  static cv_status as_cv_status(weft_status status) {
    return detail::check_unless(WEFT_TIMEOUT, status, "weft_cond_wait_until") ? cv_status::no_timeout : cv_status::timeout;
  }

  weft_cond cond_ = WEFT_COND_INIT;
};

}  // namespace weft
