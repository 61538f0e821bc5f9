// weft::barrier: std's, with a completion function, for ULTs and OS threads mixed.
//
//   weft::barrier all(4, [&]() noexcept { next_round(); });
//
// Each phase ends when as many arrivals as expected have come: the last one calls the completion
// function, and then lets those go on that wait. Calls that wait may switch; from a ULT or outside.
// A tasklet that would have to wait throws weft::error, cannot_block, before it arrives.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/error.hpp>

namespace weft {
namespace detail {

struct barrier_access;

}  // namespace detail
namespace detail {

struct no_completion {
  void operator()() const noexcept {}
};

}  // namespace detail

// A barrier at which a number of callers wait for each other, phase after phase.
template <class CompletionFunction = detail::no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<CompletionFunction&>, "a barrier's completion function must be noexcept");

 public:
  // Names the phase in which the caller has arrived.
  class arrival_token {
   public:
    // Takes over the other token.
    arrival_token(arrival_token&&) noexcept = default;
    // Takes over the other token.
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend class barrier;
    explicit arrival_token(std::uint32_t phase) noexcept : phase_(phase) {}
    std::uint32_t phase_;
  };

  // Returns the largest number of arrivals that a phase can expect.
  static constexpr std::ptrdiff_t max() noexcept { return INT32_MAX; }

  // Makes a barrier whose phases each expect a number of arrivals. function is called at the end of
  // each phase. Throws weft::error: invalid (expected is 0 or below, or above max()), and what
  // copying function throws. Never switches. Callable from any.
  explicit barrier(std::ptrdiff_t expected, CompletionFunction function = CompletionFunction())
      : completion_(std::move(function)), expected_(expected), missing_(expected) {
    if (expected < 1 || expected > max()) detail::fail(WEFT_INVALID, "weft::barrier: expected is not in 1 to max()");
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // Counts `update` arrivals of the caller, and does not wait. Returns a token of the phase, for
  // wait(). Throws weft::error: invalid (update is below 1, or above the number of missing
  // arrivals). Never switches, unless the completion function does. Callable from any.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1) {
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    static_cast<void>(arrive_in(phase, update));
    return arrival_token(phase);
  }
  // Waits until the token's phase has ended. Throws weft::error: cannot_block (a tasklet that would
  // have to wait). May switch. Callable from any.
  void wait(arrival_token&& arrival) const {
    // acquire: what came before the arrivals of that phase, and its completion; pairs with the
    // release in end_phase
    while (phase_.load(std::memory_order_acquire) == arrival.phase_)
      detail::check_unless(WEFT_AGAIN, weft_word_wait(&phase_, sizeof phase_, arrival.phase_, WEFT_FOREVER), "weft_word_wait");
  }
  // Arrives, and waits until the phase has ended. Returns true for exactly one caller of each
  // phase: the one that arrived last. Throws weft::error: cannot_block (a tasklet that would have
  // to wait; it has not arrived then), invalid (the phase expects no more arrivals). May switch.
  // Callable from any.
  bool arrive_and_wait() {
    refuse_tasklet();
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrive_in(phase, 1)) return true;
    wait(arrival_token(phase));
    return false;
  }
  // Arrives, and reduces by one the number of arrivals that later phases expect. Throws
  // weft::error: invalid (the phase expects no more arrivals). Never switches, unless the
  // completion function does. Callable from any.
  void arrive_and_drop() {
    expected_.fetch_sub(1, std::memory_order_relaxed);  // the arrival publishes it
    static_cast<void>(arrive_in(phase_.load(std::memory_order_relaxed), 1));
  }

 private:
  friend struct detail::barrier_access;

  // Counts arrivals in a phase. Returns true if they were the last ones, so that the phase has
  // ended.
  bool arrive_in(std::uint32_t phase, std::ptrdiff_t update) {
    if (update < 1) detail::fail(WEFT_INVALID, "weft::barrier::arrive: update is below 1");
    std::ptrdiff_t missing = missing_.load(std::memory_order_relaxed);
    do {
      if (missing < update) detail::fail(WEFT_INVALID, "weft::barrier::arrive: the phase expects fewer arrivals");
      // acq_rel: the last arrival sees what came before the others, for the completion function
    } while (!missing_.compare_exchange_weak(missing, missing - update, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (missing != update) return false;
    end_phase(phase);
    return true;
  }
  void end_phase(std::uint32_t phase) {
    completion_();
    missing_.store(expected_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    // release: all of the above, for the callers that wait or arrive next. A waiter may destroy the
    // barrier at once.
    phase_.store(phase + 1, std::memory_order_release);
    weft_word_wake(&phase_, SIZE_MAX);
  }

  // It would have arrived by the time that its wait is refused.
  static void refuse_tasklet() {
    const weft_thread* const self = weft_self();
    if (self != nullptr && weft_thread_is_tasklet(self)) {
      detail::fail(WEFT_CANNOT_BLOCK, "weft::barrier::arrive_and_wait: the caller is a tasklet, which must not wait");
    }
  }

  [[no_unique_address]] CompletionFunction completion_;
  std::atomic<std::ptrdiff_t> expected_;  // of each phase
  std::atomic<std::ptrdiff_t> missing_;   // of this one
  std::atomic<std::uint32_t> phase_ = 0;
};

namespace detail {

// For coroutines: an arrival, and the wait for the end of its phase, apart.
struct barrier_access {
  template <class F>
  static std::atomic<std::uint32_t>& phase_of(barrier<F>& one) noexcept {
    return one.phase_;
  }
  // True: it was the last arrival of the phase.
  template <class F>
  static bool arrive_in(barrier<F>& one, std::uint32_t phase) {
    return one.arrive_in(phase, 1);
  }
};

}  // namespace detail
}  // namespace weft
