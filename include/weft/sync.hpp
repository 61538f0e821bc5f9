// Everything to wait with: the mutexes, the condition variable and the barrier, and here latch,
// semaphores and call_once. For ULTs and OS threads mixed. Each stays where it is while in use.
// (Latch and semaphore spell out their INIT of weft.h, whose C casts some compilers would mention
// in every user's program.)
//
// Calls that wait may switch; from a ULT or outside. They throw weft::error: cannot_block (a
// tasklet that would have to wait). The others never switch and may be called from any.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include <weft/weft.h>
#include <weft/barrier.hpp>
#include <weft/condition_variable.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>
#include <weft/mutex.hpp>

namespace weft {

// A latch: it opens once, after `count` count-downs.
class latch {
 public:
  // Makes a latch. If count is 0, the latch is open from the start.
  explicit latch(std::uint32_t count) noexcept : event_{{std::uint64_t{count} << 32, 0, 0, 0}} {
    if (count == 0) weft_event_set(&event_);
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // Subtracts count, and opens the latch at 0. Throws weft::error: invalid (count is more than is
  // left). Never switches. Callable from any.
  void count_down(std::uint32_t count = 1) { detail::check(weft_latch_count_down(&event_, count), "weft_latch_count_down"); }
  // Tells whether the latch is open.
  bool try_wait() const noexcept { return weft_event_is_set(&event_); }
  // Waits until the latch is open. Throws weft::error: cannot_block (a tasklet that would have to
  // wait). May switch. Callable from any.
  void wait() const { detail::check(weft_event_wait(&event_), "weft_event_wait"); }
  // Subtracts count, and waits until the latch is open. Throws weft::error: invalid (count is more
  // than is left), cannot_block (a tasklet that would have to wait). May switch. Callable from any.
  void arrive_and_wait(std::uint32_t count = 1) {
    count_down(count);
    wait();
  }
  // Returns the event of the C interface.
  weft_event* native_handle() noexcept { return &event_; }

 private:
  mutable weft_event event_;  // waiting is const, as with std
};

// A count of tokens that callers take and give back, first come, first served.
template <std::ptrdiff_t LeastMax = std::ptrdiff_t{UINT32_MAX}>
  requires(LeastMax >= 0 && LeastMax <= std::ptrdiff_t{UINT32_MAX})
class counting_semaphore {
 public:
  // Makes a semaphore that has `desired` tokens.
  constexpr explicit counting_semaphore(std::ptrdiff_t desired) noexcept
      : semaphore_{{static_cast<std::uint64_t>(desired), 0, 0, 0}} {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  // Returns the largest number of tokens that a semaphore can have.
  static constexpr std::ptrdiff_t max() noexcept { return UINT32_MAX; }

  // Adds `update` tokens. Throws weft::error: invalid (update is below 0, or the sum above max()).
  void release(std::ptrdiff_t update = 1) {
    const bool fits = update >= 0 && update <= max();
    detail::check(fits ? weft_semaphore_release(&semaphore_, static_cast<std::uint32_t>(update)) : WEFT_INVALID,
                  "weft_semaphore_release");
  }
  // Waits until there is a token, and takes it.
  void acquire() { detail::check(weft_semaphore_acquire(&semaphore_), "weft_semaphore_acquire"); }
  // Takes a token if there is one. Returns true if the caller has it.
  bool try_acquire() {
    return detail::check_unless(WEFT_BUSY, weft_semaphore_try_acquire(&semaphore_), "weft_semaphore_try_acquire");
  }

  // Waits for a token, for an interval at most. Returns true if the caller has a token.
  template <class Rep, class Period>
  bool try_acquire_for(const std::chrono::duration<Rep, Period>& interval) {
    return acquired_in_time(weft_semaphore_acquire_until(&semaphore_, detail::deadline_in(interval)));
  }
  // Waits for a token, until the deadline at most. Returns true if the caller has a token.
  template <class Clock, class Duration>
  bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    const auto attempt = [this](std::uint64_t ns) { return weft_semaphore_acquire_until(&semaphore_, ns); };
    return acquired_in_time(detail::attempt_until(deadline, attempt));
  }
  // The semaphore of the C interface.
  weft_semaphore* native_handle() noexcept { return &semaphore_; }

 private:
  static bool acquired_in_time(weft_status status) {
    return detail::check_unless(WEFT_TIMEOUT, status, "weft_semaphore_acquire_until");
  }

  weft_semaphore semaphore_;
};

// A semaphore that is meant for one token.
using binary_semaphore = counting_semaphore<1>;

// The flag of call_once. Unlike with weft_once, a function that throws leaves the flag unset, and
// the next caller calls its function.
class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class F, class... As>
  friend void call_once(once_flag& flag, F&& function, As&&... arguments);

  std::atomic<bool> is_done_ = false;
  mutex mutex_;  // held by the caller that runs the function
};

// Runs function(arguments...) once for each flag: the first caller runs it, and the other callers
// wait until it has returned. If the function throws, its caller throws that exception, and another
// caller runs its own function. Throws weft::error: cannot_block (a tasklet that would have to
// wait); and what function throws. May switch. Callable from any.
template <class F, class... As>
void call_once(once_flag& flag, F&& function, As&&... arguments) {
  // acquire: what the function did; pairs with the release below
  if (flag.is_done_.load(std::memory_order_acquire)) return;
  const std::lock_guard hold(flag.mutex_);
  if (flag.is_done_.load(std::memory_order_relaxed)) return;  // written under the mutex
  std::invoke(std::forward<F>(function), std::forward<As>(arguments)...);
  flag.is_done_.store(true, std::memory_order_release);
}

}  // namespace weft
