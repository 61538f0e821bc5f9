// How coroutines wait for locks, tokens and events with a deadline, at condition variables, and at
// barriers.
//
//   auto hold = co_await weft::async_lock(guard);
//   co_await weft::async_wait(changed, hold, [&] { return is_full; });
//   if (!co_await weft::async_acquire_for(tokens, 50ms)) co_return;
//
// None of these calls switches. What they return is awaited in a coroutine, by which the wait
// begins; a deadline that is an interval begins with the call. co_await throws weft::stopped when a
// stop of the task is requested, and weft::error: not_initialized (a deadline, and no runtime
// runs), ended (the runtime ended before the deadline). After any of these nothing was taken.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <weft/weft.h>
#include <weft/barrier.hpp>
#include <weft/condition_variable.hpp>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/sources.hpp>
#include <weft/mutex.hpp>
#include <weft/sync.hpp>
#include <weft/task.hpp>

namespace weft {
namespace detail {

template <class Rep, class Period>
std::uint64_t end_ns(const std::chrono::duration<Rep, Period>& interval) {
  return deadline_in(interval);
}
template <class Duration>
std::uint64_t end_ns(const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) {
  return to_ns(deadline.time_since_epoch());
}

template <class T>
inline constexpr bool is_interval = false;
template <class Rep, class Period>
inline constexpr bool is_interval<std::chrono::duration<Rep, Period>> = true;
template <class T>
inline constexpr bool is_steady_time = false;
template <class Duration>
inline constexpr bool is_steady_time<std::chrono::time_point<std::chrono::steady_clock, Duration>> = true;

// A std::chrono::duration.
template <class T>
concept interval = is_interval<T>;
// A time point of std::chrono::steady_clock.
template <class T>
concept steady_time = is_steady_time<T>;

using lock_source = mutex_source<mutex, std::unique_lock<mutex>, WEFT_AWAIT_MUTEX>;
using write_lock_source = mutex_source<shared_mutex, std::unique_lock<shared_mutex>, WEFT_AWAIT_RWLOCK_WRITE>;
using read_lock_source = mutex_source<shared_mutex, std::shared_lock<shared_mutex>, WEFT_AWAIT_RWLOCK_READ>;

// A notification. The lock is given up once the wait is in the queue, so that none is missed.
class condition_source : public object_source {
 public:
  condition_source(condition_variable& at, std::unique_lock<mutex>& lock, std::uint64_t deadline_ns) noexcept
      : object_source(at.native_handle(), WEFT_AWAIT_CONDITION, deadline_ns), lock_(lock) {}

  static bool is_ready() noexcept { return false; }
  bool arm(notice* to) {
    struct gives_up {  // after the wait is armed this source may be gone
      mutex* one;
      ~gives_up() { one->unlock(); }
    } const at_the_end{lock_.release()};
    return object_source::arm(to);
  }
  // True: notified.
  bool result() const noexcept { return !is_late(); }

 private:
  std::unique_lock<mutex>& lock_;
};

// The end of a barrier's phase. The arrival is a part of co_await.
template <class CompletionFunction>
class barrier_source : public object_source {
 public:
  explicit barrier_source(barrier<CompletionFunction>& at) noexcept
      : object_source(&barrier_access::phase_of(at), WEFT_AWAIT_WORD_4), barrier_(at) {}

  bool is_ready() {
    phase_ = word().load(std::memory_order_relaxed);
    set_value(phase_);
    is_last_ = barrier_access::arrive_in(barrier_, phase_);
    return is_last_ || has_ended();
  }
  bool must_retry() const noexcept { return !has_ended(); }
  bool result() const noexcept { return is_last_; }

 private:
  std::atomic<std::uint32_t>& word() const noexcept { return barrier_access::phase_of(barrier_); }
  // acquire: what came before the arrivals of the phase; pairs with the barrier's end_phase
  bool has_ended() const noexcept { return word().load(std::memory_order_acquire) != phase_; }

  barrier<CompletionFunction>& barrier_;
  std::uint32_t phase_ = 0;
  bool is_last_ = false;
};

inline void check_owns(const std::unique_lock<mutex>& lock) {
  if (!lock.owns_lock()) fail(WEFT_NOT_OWNER, "weft::async_wait: the std::unique_lock owns no mutex");
}

// Waits once, and locks again, also if the wait throws: a stop does not end that.
inline task<bool> wait_for_condition(condition_variable& at, std::unique_lock<mutex>& lock, std::uint64_t deadline_ns) {
  check_owns(lock);
  mutex& guard = *lock.mutex();
  std::exception_ptr failure;
  bool is_notified = false;
  try {
    is_notified = co_await source_awaiter<condition_source>(at, lock, deadline_ns);
  } catch (...) {
    failure = std::current_exception();
  }
  if (lock.mutex() == nullptr) lock = co_await source_awaiter<lock_source, false>(guard);
  if (failure != nullptr) std::rethrow_exception(failure);
  co_return is_notified;
}

}  // namespace detail

// ---- locks, tokens and events, with a deadline --------------------------------------------------

// Returns an awaitable: co_await waits until the mutex is free, and locks it, for an interval at
// most. The interval begins with this call. It returns a std::unique_lock, which owns the mutex
// unless the time was over first. The lock belongs to no thread: it may be unlocked on any worker.
// co_await throws weft::stopped (a stop of the task was requested); weft::error: not_initialized
// (no runtime runs), ended (the runtime ended before the deadline); nothing was taken then. Never
// switches. Callable from any.
template <detail::interval End>
[[nodiscard]] auto async_lock_for(mutex& one, const End& interval) {
  return detail::source_awaiter<detail::lock_source>(one, detail::end_ns(interval));
}
// Returns an awaitable: co_await waits until the mutex is free, and locks it, until the deadline at
// most. It returns a std::unique_lock, which owns the mutex unless the time was over first. The
// lock belongs to no thread: it may be unlocked on any worker. co_await throws weft::stopped (a
// stop of the task was requested); weft::error: not_initialized (no runtime runs), ended (the
// runtime ended before the deadline); nothing was taken then. Never switches. Callable from any.
template <detail::steady_time End>
[[nodiscard]] auto async_lock_until(mutex& one, const End& deadline) {
  return detail::source_awaiter<detail::lock_source>(one, detail::end_ns(deadline));
}

// Returns an awaitable: co_await waits until the mutex is free, and locks it to write, for an
// interval at most. The interval begins with this call. It returns a std::unique_lock, which owns
// the mutex unless the time was over first. co_await throws weft::stopped (a stop of the task was
// requested); weft::error: not_initialized (no runtime runs), ended (the runtime ended before the
// deadline); nothing was taken then. Never switches. Callable from any.
template <detail::interval End>
[[nodiscard]] auto async_lock_for(shared_mutex& one, const End& interval) {
  return detail::source_awaiter<detail::write_lock_source>(one, detail::end_ns(interval));
}
// Returns an awaitable: co_await waits until the mutex is free, and locks it to write, until the
// deadline at most. It returns a std::unique_lock, which owns the mutex unless the time was over
// first. co_await throws weft::stopped (a stop of the task was requested); weft::error:
// not_initialized (no runtime runs), ended (the runtime ended before the deadline); nothing was
// taken then. Never switches. Callable from any.
template <detail::steady_time End>
[[nodiscard]] auto async_lock_until(shared_mutex& one, const End& deadline) {
  return detail::source_awaiter<detail::write_lock_source>(one, detail::end_ns(deadline));
}

// Returns an awaitable: co_await waits until no writer holds or awaits the mutex, and locks it to
// read, for an interval at most. The interval begins with this call. It returns a std::shared_lock,
// which owns the mutex unless the time was over first. co_await throws weft::stopped (a stop of the
// task was requested); weft::error: not_initialized (no runtime runs), ended (the runtime ended
// before the deadline); nothing was taken then. Never switches. Callable from any.
template <detail::interval End>
[[nodiscard]] auto async_lock_shared_for(shared_mutex& one, const End& interval) {
  return detail::source_awaiter<detail::read_lock_source>(one, detail::end_ns(interval));
}
// Returns an awaitable: co_await waits until no writer holds or awaits the mutex, and locks it to
// read, until the deadline at most. It returns a std::shared_lock, which owns the mutex unless the
// time was over first. co_await throws weft::stopped (a stop of the task was requested);
// weft::error: not_initialized (no runtime runs), ended (the runtime ended before the deadline);
// nothing was taken then. Never switches. Callable from any.
template <detail::steady_time End>
[[nodiscard]] auto async_lock_shared_until(shared_mutex& one, const End& deadline) {
  return detail::source_awaiter<detail::read_lock_source>(one, detail::end_ns(deadline));
}

// Returns an awaitable: co_await waits for a token, and takes it, for an interval at most. The
// interval begins with this call. It returns true if it took one. co_await throws weft::stopped (a
// stop of the task was requested); weft::error: not_initialized (no runtime runs), ended (the
// runtime ended before the deadline); nothing was taken then. Never switches. Callable from any.
template <std::ptrdiff_t LeastMax, detail::interval End>
[[nodiscard]] auto async_acquire_for(counting_semaphore<LeastMax>& semaphore, const End& interval) {
  using source = detail::timed_source<detail::semaphore_source>;
  return detail::source_awaiter<source>(semaphore.native_handle(), detail::end_ns(interval));
}
// Returns an awaitable: co_await waits for a token, and takes it, until the deadline at most. It
// returns true if it took one. co_await throws weft::stopped (a stop of the task was requested);
// weft::error: not_initialized (no runtime runs), ended (the runtime ended before the deadline);
// nothing was taken then. Never switches. Callable from any.
template <std::ptrdiff_t LeastMax, detail::steady_time End>
[[nodiscard]] auto async_acquire_until(counting_semaphore<LeastMax>& semaphore, const End& deadline) {
  using source = detail::timed_source<detail::semaphore_source>;
  return detail::source_awaiter<source>(semaphore.native_handle(), detail::end_ns(deadline));
}

// Returns an awaitable: co_await waits until the latch is open, for an interval at most. The
// interval begins with this call. It returns true if it is open. co_await throws weft::stopped (a
// stop of the task was requested); weft::error: not_initialized (no runtime runs), ended (the
// runtime ended before the deadline); nothing was taken then. Never switches. Callable from any.
template <detail::interval End>
[[nodiscard]] auto async_wait_for(latch& one, const End& interval) {
  return detail::source_awaiter<detail::timed_source<detail::event_source>>(one.native_handle(), detail::end_ns(interval));
}
// Returns an awaitable: co_await waits until the latch is open, until the deadline at most. It
// returns true if it is open. co_await throws weft::stopped (a stop of the task was requested);
// weft::error: not_initialized (no runtime runs), ended (the runtime ended before the deadline);
// nothing was taken then. Never switches. Callable from any.
template <detail::steady_time End>
[[nodiscard]] auto async_wait_until(latch& one, const End& deadline) {
  return detail::source_awaiter<detail::timed_source<detail::event_source>>(one.native_handle(), detail::end_ns(deadline));
}

// Returns an awaitable: co_await waits until the event is set, for an interval at most. The
// interval begins with this call. It returns true if it is set. co_await throws weft::stopped (a
// stop of the task was requested); weft::error: not_initialized (no runtime runs), ended (the
// runtime ended before the deadline); nothing was taken then. Never switches. Callable from any.
template <detail::interval End>
[[nodiscard]] auto async_wait_for(weft_event& event, const End& interval) {
  return detail::source_awaiter<detail::timed_source<detail::event_source>>(&event, detail::end_ns(interval));
}
// Returns an awaitable: co_await waits until the event is set, until the deadline at most. It
// returns true if it is set. co_await throws weft::stopped (a stop of the task was requested);
// weft::error: not_initialized (no runtime runs), ended (the runtime ended before the deadline);
// nothing was taken then. Never switches. Callable from any.
template <detail::steady_time End>
[[nodiscard]] auto async_wait_until(weft_event& event, const End& deadline) {
  return detail::source_awaiter<detail::timed_source<detail::event_source>>(&event, detail::end_ns(deadline));
}

// ---- condition variables ------------------------------------------------------------------------
//
// The lock is one that the coroutine took by async_lock. It is given up during the wait, and held
// again when co_await returns or throws: a stop ends the wait for the notification, and not that
// for the lock. A call takes two allocations, the frames of coroutines; with a predicate it takes one,
// and one for each notification. co_await throws weft::error: not_owner (the std::unique_lock owns no
// mutex); nothing was waited for then.

// Returns an awaitable: co_await waits for a notification. lock is one that the coroutine took by
// async_lock; co_await releases it during the wait, and holds it again when it returns or throws.
// Two allocations. co_await throws weft::stopped (a stop of the task was requested); weft::error:
// not_owner (lock owns no mutex; nothing was waited for then). Never switches. Callable from any.
[[nodiscard]] inline task<> async_wait(condition_variable& at, std::unique_lock<mutex>& lock) {
  static_cast<void>(co_await detail::wait_for_condition(at, lock, WEFT_FOREVER));
}
// Returns an awaitable: co_await waits until a copy of predicate, which is called with the lock
// held, returns true. lock is one that the coroutine took by async_lock; co_await releases it
// during the wait, and holds it again when it returns or throws. One allocation, and one for each
// notification. co_await throws weft::stopped (a stop of the task was requested); weft::error:
// not_owner (lock owns no mutex; nothing was waited for then); and what the predicate throws. Never
// switches. Callable from any.
template <std::predicate Predicate>
[[nodiscard]] task<> async_wait(condition_variable& at, std::unique_lock<mutex>& lock, Predicate predicate) {
  detail::check_owns(lock);
  while (!predicate()) static_cast<void>(co_await detail::wait_for_condition(at, lock, WEFT_FOREVER));
}

namespace detail {

inline task<std::cv_status> wait_once_until(condition_variable& at, std::unique_lock<mutex>& lock, std::uint64_t deadline_ns) {
  co_return co_await wait_for_condition(at, lock, deadline_ns) ? std::cv_status::no_timeout : std::cv_status::timeout;
}
template <class Predicate>
task<bool> wait_until_true(condition_variable& at, std::unique_lock<mutex>& lock, std::uint64_t deadline_ns,
                           Predicate predicate) {
  check_owns(lock);
  bool is_late = false;
  bool result = predicate();
  while (!result && !is_late) {
    is_late = !co_await wait_for_condition(at, lock, deadline_ns);
    result = predicate();
  }
  co_return result;
}

}  // namespace detail

// Returns an awaitable: co_await waits for a notification, for an interval at most. The interval
// begins with this call. It returns a std::cv_status. lock is one that the coroutine took by
// async_lock; co_await releases it during the wait, and holds it again when it returns or throws.
// Two allocations. co_await throws weft::stopped (a stop of the task was requested); weft::error:
// not_owner (lock owns no mutex; nothing was waited for then), not_initialized (no runtime runs),
// ended (the runtime ended before the deadline). Never switches. Callable from any.
template <detail::interval End>
[[nodiscard]] task<std::cv_status> async_wait_for(condition_variable& at, std::unique_lock<mutex>& lock, const End& interval) {
  return detail::wait_once_until(at, lock, detail::end_ns(interval));
}
// Returns an awaitable: co_await waits until a copy of predicate, which is called with the lock
// held, returns true, for an interval at most. The interval begins with this call. It returns what
// the predicate returned last. lock is one that the coroutine took by async_lock; co_await releases
// it during the wait, and holds it again when it returns or throws. One allocation, and one for
// each notification. co_await throws weft::stopped (a stop of the task was requested); weft::error:
// not_owner (lock owns no mutex; nothing was waited for then), not_initialized (no runtime runs),
// ended (the runtime ended before the deadline); and what the predicate throws. Never switches.
// Callable from any.
template <detail::interval End, std::predicate Predicate>
[[nodiscard]] task<bool> async_wait_for(condition_variable& at, std::unique_lock<mutex>& lock, const End& interval,
                                        Predicate predicate) {
  return detail::wait_until_true(at, lock, detail::end_ns(interval), std::move(predicate));
}
// Returns an awaitable: co_await waits for a notification, until the deadline at most. It returns a
// std::cv_status. lock is one that the coroutine took by async_lock; co_await releases it during
// the wait, and holds it again when it returns or throws. Two allocations. co_await throws
// weft::stopped (a stop of the task was requested); weft::error: not_owner (lock owns no mutex;
// nothing was waited for then), not_initialized (no runtime runs), ended (the runtime ended before
// the deadline). Never switches. Callable from any.
template <detail::steady_time End>
[[nodiscard]] task<std::cv_status> async_wait_until(condition_variable& at, std::unique_lock<mutex>& lock, const End& deadline) {
  return detail::wait_once_until(at, lock, detail::end_ns(deadline));
}
// Returns an awaitable: co_await waits until a copy of predicate, which is called with the lock
// held, returns true, until the deadline at most. It returns what the predicate returned last. lock
// is one that the coroutine took by async_lock; co_await releases it during the wait, and holds it
// again when it returns or throws. One allocation, and one for each notification. co_await throws
// weft::stopped (a stop of the task was requested); weft::error: not_owner (lock owns no mutex;
// nothing was waited for then), not_initialized (no runtime runs), ended (the runtime ended before
// the deadline); and what the predicate throws. Never switches. Callable from any.
template <detail::steady_time End, std::predicate Predicate>
[[nodiscard]] task<bool> async_wait_until(condition_variable& at, std::unique_lock<mutex>& lock, const End& deadline,
                                          Predicate predicate) {
  return detail::wait_until_true(at, lock, detail::end_ns(deadline), std::move(predicate));
}

// ---- barriers -----------------------------------------------------------------------------------

// Returns an awaitable: co_await arrives at the barrier, and waits until the phase has ended. It
// returns true for exactly one caller of each phase: the one that arrived last. A stop ends the
// wait; the arrival stays counted. co_await throws weft::stopped (a stop of the task was
// requested); weft::error: invalid (the phase expects no more arrivals). Never switches. Callable
// from any.
template <class CompletionFunction>
[[nodiscard]] auto async_arrive_and_wait(barrier<CompletionFunction>& at) noexcept {
  return detail::source_awaiter<detail::barrier_source<CompletionFunction>>(at);
}

}  // namespace weft
