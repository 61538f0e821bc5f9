// weft::condition_variable_any: std's, for locks of any type, and with waits that a stop ends.
// Waiters are woken in the order of their coming. A wait returns only after a notification, at its
// deadline, or at a stop, with one exception: if its deadline is on a clock that is not steady, and
// the clock was set back during the wait, it may return no_timeout without a notification.
//
// The waiting calls may switch; from a ULT or outside, the lock held; it is held again when they
// return or throw. They throw weft::error: cannot_block (a tasklet), and what a predicate throws. A
// lock that cannot be locked again ends the program. Tokens are std::stop_token: a stop that is
// requested wakes at once, without waiting for a lock. notify_* never switch; callable from any.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/stop.hpp>
#include <weft/error.hpp>

namespace weft {

using std::cv_status;

// A condition variable: callers wait at it for a change that is made under a lock of any type.
class condition_variable_any {
 public:
  condition_variable_any() noexcept = default;
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;

  // Wakes the caller that has waited longest, if there is one.
  void notify_one() noexcept {
    lock_.lock();
    detail::channel_place* const first = queue_.claim_first();
    lock_.unlock();
    if (first != nullptr) first->finish(detail::channel_waiter::outcome::done);
  }
  // Wakes all callers that wait.
  void notify_all() noexcept {
    detail::channel_place* claimed = nullptr;
    lock_.lock();
    queue_.claim_all(&claimed);
    lock_.unlock();
    detail::finish_all(claimed, detail::channel_waiter::outcome::done);
  }

  // Waits for a notification. The caller holds the lock, which the call releases while it waits,
  // and holds again when it returns or throws. Throws weft::error: cannot_block (the caller is a
  // tasklet); and what locking throws. May switch. Callable from a ULT or outside.
  template <class Lock>
  void wait(Lock& lock) {
    detail::check(wait_once(lock, WEFT_FOREVER, nullptr), "weft::condition_variable_any");
  }
  // Waits until predicate() returns true; the predicate is called with the lock held. The caller
  // holds the lock, which the call releases while it waits, and holds again when it returns or
  // throws. Throws weft::error: cannot_block (the caller is a tasklet); and what locking and the
  // predicate throw. May switch. Callable from a ULT or outside.
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate predicate) {
    while (!predicate()) wait(lock);
  }
  // Waits until predicate() returns true, or until a stop is requested. The caller holds the lock,
  // which the call releases while it waits, and holds again when it returns or throws. Returns what
  // the predicate returned last. Throws weft::error: cannot_block (the caller is a tasklet); and
  // what locking and the predicate throw. May switch. Callable from a ULT or outside.
  template <class Lock, class Predicate>
  bool wait(Lock& lock, detail::stop_token token, Predicate predicate) {
    while (!token.stop_requested()) {
      if (predicate()) return true;
      detail::check(wait_once(lock, WEFT_FOREVER, &token), "weft::condition_variable_any");
    }
    return predicate();
  }

  // Waits for a notification, or until the deadline passes. The caller holds the lock, which the
  // call releases while it waits, and holds again when it returns or throws. Returns timeout if the
  // deadline has passed without a notification, else no_timeout. Throws weft::error: cannot_block
  // (the caller is a tasklet); and what locking throws. May switch. Callable from a ULT or outside.
  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& deadline) {
    return as_cv_status(attempt_once(lock, deadline, nullptr), deadline);
  }
  // Waits until predicate() returns true, or until the deadline passes. The caller holds the lock,
  // which the call releases while it waits, and holds again when it returns or throws. Returns what
  // the predicate returned last. Throws weft::error: cannot_block (the caller is a tasklet); and
  // what locking and the predicate throw. May switch. Callable from a ULT or outside.
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& deadline, Predicate predicate) {
    while (!predicate()) {
      if (wait_until(lock, deadline) == cv_status::timeout) return predicate();
    }
    return true;
  }
  // Waits until predicate() returns true, a stop is requested, or the deadline passes. The caller
  // holds the lock, which the call releases while it waits, and holds again when it returns or
  // throws. Returns what the predicate returned last. Throws weft::error: cannot_block (the caller
  // is a tasklet); and what locking and the predicate throw. May switch. Callable from a ULT or
  // outside.
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, detail::stop_token token, const std::chrono::time_point<Clock, Duration>& deadline,
                  Predicate predicate) {
    while (!token.stop_requested()) {
      if (predicate()) return true;
      if (as_cv_status(attempt_once(lock, deadline, &token), deadline) == cv_status::timeout) return predicate();
    }
    return predicate();
  }

  // Waits for a notification, for an interval at most. The caller holds the lock, which the call
  // releases while it waits, and holds again when it returns or throws. Returns timeout if the
  // interval has passed without a notification, else no_timeout. Throws weft::error: cannot_block
  // (the caller is a tasklet); and what locking throws. May switch. Callable from a ULT or outside.
  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& interval) {
    return wait_until(lock, end_of(interval));
  }
  // Waits until predicate() returns true, for an interval at most. The caller holds the lock, which
  // the call releases while it waits, and holds again when it returns or throws. Returns what the
  // predicate returned last. Throws weft::error: cannot_block (the caller is a tasklet); and what
  // locking and the predicate throw. May switch. Callable from a ULT or outside.
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& interval, Predicate predicate) {
    return wait_until(lock, end_of(interval), std::move(predicate));
  }
  // Waits until predicate() returns true, a stop is requested, or the interval is over. The caller
  // holds the lock, which the call releases while it waits, and holds again when it returns or
  // throws. Returns what the predicate returned last. Throws weft::error: cannot_block (the caller
  // is a tasklet); and what locking and the predicate throw. May switch. Callable from a ULT or
  // outside.
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, detail::stop_token token, const std::chrono::duration<Rep, Period>& interval, Predicate predicate) {
    return wait_until(lock, std::move(token), end_of(interval), std::move(predicate));
  }

 private:
  using steady_ns = std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<std::uint64_t, std::nano>>;
  static constexpr std::uint32_t by_stop = 2;  // notifications decide 1

  template <class Rep, class Period>
  static steady_ns end_of(const std::chrono::duration<Rep, Period>& interval) {
    return steady_ns(std::chrono::duration<std::uint64_t, std::nano>(detail::deadline_in(interval)));
  }

  template <class Lock, class Clock, class Duration>
  weft_status attempt_once(Lock& lock, const std::chrono::time_point<Clock, Duration>& deadline,
                           const detail::stop_token* token) {
    return detail::attempt_once(deadline, [&](std::uint64_t ns) { return wait_once(lock, ns, token); });
  }

  template <class Clock, class Duration>
  static cv_status as_cv_status(weft_status status, const std::chrono::time_point<Clock, Duration>& deadline) {
    if constexpr (!std::is_same_v<Clock, std::chrono::steady_clock>) {
      if (status == WEFT_TIMEOUT && detail::ns_until(deadline) != 0) return cv_status::no_timeout;
    }
    return detail::check_unless(WEFT_TIMEOUT, status, "weft::condition_variable_any") ? cv_status::no_timeout
                                                                                      : cv_status::timeout;
  }

  void delist(detail::channel_place* place) noexcept {
    lock_.lock();
    queue_.remove(place);
    lock_.unlock();
  }

  // If the caller's lock throws, the caller leaves the queue.
  template <class Lock>
  void give_up(Lock& lock, detail::channel_waiter* me, detail::channel_place* place) {
    struct guard {
      condition_variable_any* at;
      detail::channel_waiter* me;
      detail::channel_place* place;
      ~guard() {
        if (at == nullptr) return;
        if (!me->decide(detail::channel_waiter::given_up)) static_cast<void>(me->wait("condition"));
        at->delist(place);
      }
    } at_failure{this, me, place};
    lock.unlock();
    at_failure.at = nullptr;
  }

  // The caller stands in the queue before it gives its lock up, so that no notification misses it.
  template <class Lock>
  weft_status wait_once(Lock& lock, std::uint64_t deadline_ns, const detail::stop_token* token) {
    detail::channel_waiter me(deadline_ns, token == nullptr);
    detail::channel_place place(&me);
    lock_.lock();
    queue_.push_back(&place);
    lock_.unlock();
    give_up(lock, &me, &place);
    struct lock_again {
      Lock& lock;
      ~lock_again() { lock.lock(); }  // NOLINT(bugprone-exception-escape): as std's
    } const at_the_end{lock};
    detail::stop_link link;
    if (token != nullptr) link.arm(*token, detail::channel_decision{&me, by_stop});
    const weft_status status = me.wait("condition");
    link.disarm();
    if (status != WEFT_OK || me.decision() == by_stop) delist(&place);
    return status;
  }

  detail::channel_lock lock_;
  detail::channel_queue queue_;  // guarded by lock_
};

}  // namespace weft
