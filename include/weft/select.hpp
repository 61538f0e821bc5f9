// weft::select: waits at several channels at once, and for conditions that only polling can see,
// and does exactly one of the things that it was given.
//
//   weft::select(weft::on_pop(requests, [&](request r) { serve(r); }),
//                weft::on_push(results, next, [&] { next = make_next(); }),
//                weft::on_polled([&] { return is_idle(stream); }, [&] { launch_next(); }),
//                weft::after(50ms, [&] { report_idle(); }));
//
// If several branches are ready, each of them is chosen with the same probability. A branch of a
// channel that is closed (for a pop: closed and empty) takes no part, unless it has a function for
// that case. weft::otherwise makes select a call that never waits.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/channel.hpp>
#include <weft/detail/channel_core.hpp>
#include <weft/detail/polled_wait.hpp>
#include <weft/detail/selection.hpp>
#include <weft/detail/stop.hpp>
#include <weft/error.hpp>

namespace weft {
namespace detail {

struct no_function {};

template <class T, class Popped, class Closed>
class pop_branch final : public channel_branch {
 public:
  template <class F, class G>
  pop_branch(channel_core<T>& core, F&& popped, G&& closed)
      : channel_branch(&core.lock()), core_(core), popped_(std::forward<F>(popped)), closed_(std::forward<G>(closed)) {}

  readiness look() override {
    value_.reset();
    step_ = core_.pop_step(target_);
    if (step_.status == channel_op_status::success) return readiness::ready;
    if (step_.status == channel_op_status::empty) return readiness::waits;
    return has_closed ? readiness::ready : readiness::closed;
  }
  void settle() override {
    if (step_.status == channel_op_status::success) core_.settle_pop(step_, target_);
  }
  void enlist() noexcept override {
    place.value = &target_;
    core_.enlist_popper(&place);
  }
  void delist() noexcept override { core_.delist_popper(&place); }
  void run() override {
    if (value_) return static_cast<void>(std::invoke(popped_, std::move(*value_)));
    if constexpr (has_closed) std::invoke(closed_);
  }
  bool has_ended(channel_waiter::outcome result) noexcept override {
    if (result == channel_waiter::outcome::closed) return has_closed;
    return result == channel_waiter::outcome::done;
  }

 private:
  static constexpr bool has_closed = !std::same_as<Closed, no_function>;

  channel_core<T>& core_;
  std::optional<T> value_;
  pop_target<T> target_{&value_};
  typename channel_core<T>::step step_{};
  [[no_unique_address]] Popped popped_;
  [[no_unique_address]] Closed closed_;
};

// Value is T, or T&& where the caller's own object is moved once the branch is chosen.
template <class T, class Value, class Pushed, class Closed>
class push_branch final : public channel_branch {
 public:
  template <class V, class F, class G>
  push_branch(channel_core<T>& core, V&& value, F&& pushed, G&& closed)
      : channel_branch(&core.lock()),
        core_(core),
        value_(std::forward<V>(value)),
        pushed_(std::forward<F>(pushed)),
        closed_(std::forward<G>(closed)) {}

  readiness look() override {
    step_ = core_.push_step(value_);
    is_pushed_ = step_.status == channel_op_status::success;
    if (is_pushed_) return readiness::ready;
    if (step_.status == channel_op_status::full) return readiness::waits;
    return has_closed ? readiness::ready : readiness::closed;
  }
  void settle() override {
    if (is_pushed_) core_.settle_push(step_, value_);
  }
  void enlist() noexcept override {
    place.value = std::addressof(value_);
    core_.enlist_pusher(&place);
  }
  void delist() noexcept override { core_.delist_pusher(&place); }
  void run() override {
    if (is_pushed_) return static_cast<void>(std::invoke(pushed_));
    if constexpr (has_closed) std::invoke(closed_);
  }
  bool has_ended(channel_waiter::outcome result) noexcept override {
    is_pushed_ = result == channel_waiter::outcome::done;
    return is_pushed_ || (result == channel_waiter::outcome::closed && has_closed);
  }

 private:
  static constexpr bool has_closed = !std::same_as<Closed, no_function>;

  channel_core<T>& core_;
  Value value_;
  typename channel_core<T>::step step_{};
  bool is_pushed_ = false;
  [[no_unique_address]] Pushed pushed_;
  [[no_unique_address]] Closed closed_;
};

template <class F>
class timer_branch final : public branch {
 public:
  template <class G>
  timer_branch(std::uint64_t deadline, G&& function) : function_(std::forward<G>(function)) {
    kind = branch_kind::timer;
    deadline_ns = deadline;
  }
  void run() override { std::invoke(function_); }

 private:
  [[no_unique_address]] F function_;
};

template <class F>
class otherwise_branch final : public branch {
 public:
  template <class G>
  explicit otherwise_branch(std::in_place_t, G&& function) : function_(std::forward<G>(function)) {
    kind = branch_kind::otherwise;
  }
  void run() override { std::invoke(function_); }

 private:
  [[no_unique_address]] F function_;
};

template <class F>
class stop_branch final : public branch {
 public:
  template <class G>
  stop_branch(stop_token token, G&& function) : token_(std::move(token)), function_(std::forward<G>(function)) {
    kind = branch_kind::stop;
  }
  bool is_stopped() const noexcept override { return token_.stop_requested(); }
  void arm(channel_waiter* waiter) override { link_.arm(token_, channel_decision{waiter, number}); }
  void disarm() noexcept override { link_.disarm(); }
  void run() override { std::invoke(function_); }

 private:
  stop_token token_;
  stop_link link_;
  [[no_unique_address]] F function_;
};

template <class Condition, class F>
class polled_branch final : public branch {
 public:
  template <class C, class G>
  polled_branch(C&& is_done, G&& function)
      : is_done_(std::forward<C>(is_done)), wait_(ask, this), function_(std::forward<G>(function)) {
    kind = branch_kind::polled;
  }
  bool has_come() noexcept override { return is_done_(); }
  void arm(channel_waiter* waiter) override { wait_.arm(channel_decision{waiter, number}); }
  void disarm() noexcept override { wait_.disarm(); }
  bool has_ended(channel_waiter::outcome result) noexcept override { return result == channel_waiter::outcome::done; }
  void run() override { std::invoke(function_); }

 private:
  static bool ask(void* self) noexcept { return static_cast<polled_branch*>(self)->has_come(); }

  [[no_unique_address]] Condition is_done_;
  polled_wait wait_;
  [[no_unique_address]] F function_;
};

}  // namespace detail

// Returns a branch of select that pops a value, and calls popped(value). closed, if it is there, is
// called instead when the channel is closed and empty. Throws what moving the functions throws.
// Never switches. Callable from any.
template <class T, class Popped, class Closed = detail::no_function>
  requires std::invocable<Popped&, T>
[[nodiscard]] auto on_pop(detail::basic_channel<T>& channel, Popped&& popped, Closed&& closed = {}) {
  return detail::pop_branch<T, std::decay_t<Popped>, std::decay_t<Closed>>(
      detail::channel_access::core_of(channel), std::forward<Popped>(popped), std::forward<Closed>(closed));
}

// Returns a branch of select that pushes a value, and calls pushed(). A value that can be moved
// from is moved only if the branch is chosen, and must live until then. closed, if it is there, is
// called instead when the channel is closed. Throws what moving the functions throws. Never
// switches. Callable from any.
template <class T, class V, class Pushed, class Closed = detail::no_function>
  requires std::constructible_from<T, V> && std::invocable<Pushed&>
[[nodiscard]] auto on_push(detail::basic_channel<T>& channel, V&& value, Pushed&& pushed, Closed&& closed = {}) {
  using held = std::conditional_t<std::same_as<V, T>, T&&, T>;
  return detail::push_branch<T, held, std::decay_t<Pushed>, std::decay_t<Closed>>(
      detail::channel_access::core_of(channel), std::forward<V>(value), std::forward<Pushed>(pushed),
      std::forward<Closed>(closed));
}

// Returns a branch of select that is chosen if no other branch was ready for an interval. Throws
// what moving the functions throws. Never switches. Callable from any.
template <class Rep, class Period, std::invocable F>
[[nodiscard]] auto after(const std::chrono::duration<Rep, Period>& interval, F&& function) {
  return detail::timer_branch<std::decay_t<F>>(detail::deadline_in(interval), std::forward<F>(function));
}

// Returns a branch of select that is chosen if no other branch was ready until the deadline. Throws
// what moving the functions throws. Never switches. Callable from any.
template <class Duration, std::invocable F>
[[nodiscard]] auto after(const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline, F&& function) {
  return detail::timer_branch<std::decay_t<F>>(detail::to_ns(deadline.time_since_epoch()), std::forward<F>(function));
}

// Returns a branch of select that is chosen once is_done() has returned true. As with
// weft::wait_poll, workers call is_done, one at a time and in no thread's name, as long as select
// waits: it must not wait, call Weft, or throw, which ends the program. Another branch may be
// chosen after it has returned true, so it must change nothing. While no runtime runs, the caller
// of select polls, at least every millisecond. Throws what moving the functions throws. Never
// switches. Callable from any.
template <std::predicate C, std::invocable F>
[[nodiscard]] auto on_polled(C&& is_done, F&& function) {
  return detail::polled_branch<std::decay_t<C>, std::decay_t<F>>(std::forward<C>(is_done), std::forward<F>(function));
}

// Returns a branch of select that is chosen if no other branch is ready now. Throws what moving the
// functions throws. Never switches. Callable from any.
template <std::invocable F>
[[nodiscard]] auto otherwise(F&& function) {
  return detail::otherwise_branch<std::decay_t<F>>(std::in_place, std::forward<F>(function));
}

// Returns a branch of select that is chosen at once when a stop is requested, before all others.
// The token is a std::stop_token. Throws what moving the functions throws. Never switches. Callable
// from any.
template <std::invocable F>
[[nodiscard]] auto on_stop(detail::stop_token token, F&& function) {
  return detail::stop_branch<std::decay_t<F>>(std::move(token), std::forward<F>(function));
}

// Waits until a branch is ready, and does what it says. The branch's function runs after everything
// else, so it may use the channels. Returns the branch's number, from 0 in the order of the
// arguments. Throws weft::error: ended (all channels are closed, and there is no other branch),
// cannot_block (a tasklet that would have to wait); what moving a value and the function throw. May
// switch. Callable from a ULT or outside; from a tasklet if a branch is ready or there is
// weft::otherwise.
template <class... Branches>
  requires(std::derived_from<std::remove_cvref_t<Branches>, detail::branch> && ...)
std::size_t select(Branches&&... branches) {
  static_assert(sizeof...(Branches) != 0, "weft::select needs a branch: on_pop, on_push, after, on_polled, otherwise or on_stop");
  if constexpr (sizeof...(Branches) != 0) {
    std::array<detail::branch*, sizeof...(Branches)> all{&branches...};
    std::array<detail::branch*, sizeof...(Branches)> order{};
    return detail::selection(all.data(), order.data(), all.size()).run();
  }
}

}  // namespace weft
