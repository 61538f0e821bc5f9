// weft::async_select: select for coroutines, and pushes and pops with a deadline.
//
//   co_await weft::async_select(weft::on_pop(requests, [&](request r) { accepted = r; }),
//                               weft::after(50ms, [&] { is_idle = true; }));
//   const auto status = co_await weft::async_pop_for(requests, next, 50ms);
//
// The branches are those of select.hpp. They lie in the coroutine's frame: await the call in the
// expression in which it is made. A stop of the task (weft::stopped) ends each wait at once, before
// any branch was chosen. None of these calls takes memory. With g++ 12, give a lambda that captures
// objects with destructors a name, and move it.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weft/channel.hpp>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/selection_source.hpp>
#include <weft/select.hpp>

namespace weft {
namespace detail {

// One pop, and its deadline.
template <class T>
class timed_pop {
  struct take {
    timed_pop* of;
    void operator()(T&& value) const {
      of->to_ = std::move(value);
      of->status_ = channel_op_status::success;
    }
  };
  struct say {
    timed_pop* of;
    channel_op_status status;
    void operator()() const noexcept { of->status_ = status; }
  };

 protected:
  timed_pop(basic_channel<T>& channel, T& to, std::uint64_t deadline_ns)
      : to_(to),
        pop_(channel_access::core_of(channel), take{this}, say{this, channel_op_status::closed}),
        late_(deadline_ns, say{this, channel_op_status::timeout}) {}

  std::array<branch*, 2> branches() noexcept { return {&pop_, &late_}; }
  channel_op_status status() const noexcept { return status_; }

 private:
  T& to_;
  channel_op_status status_ = channel_op_status::timeout;
  pop_branch<T, take, say> pop_;
  timer_branch<say> late_;
};

// One push, and its deadline.
template <class T>
class timed_push {
  struct say {
    timed_push* of;
    channel_op_status status;
    void operator()() const noexcept { of->status_ = status; }
  };

 protected:
  template <class U>
  timed_push(basic_channel<T>& channel, U&& value, std::uint64_t deadline_ns)
      : push_(channel_access::core_of(channel), std::forward<U>(value), say{this, channel_op_status::success},
              say{this, channel_op_status::closed}),
        late_(deadline_ns, say{this, channel_op_status::timeout}) {}

  std::array<branch*, 2> branches() noexcept { return {&push_, &late_}; }
  channel_op_status status() const noexcept { return status_; }

 private:
  channel_op_status status_ = channel_op_status::timeout;
  push_branch<T, T, say, say> push_;
  timer_branch<say> late_;
};

template <class Timed>
class timed_call_source : private Timed, public select_source<2> {
 public:
  template <class... As>
  explicit timed_call_source(As&&... arguments) : Timed(std::forward<As>(arguments)...), select_source<2>(Timed::branches()) {}
  channel_op_status result() {
    static_cast<void>(select_source<2>::result());
    return Timed::status();
  }
};

template <class Duration>
std::uint64_t steady_ns(const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) {
  return to_ns(deadline.time_since_epoch());
}

}  // namespace detail

// Returns an awaitable: co_await waits until a branch is ready, does what it says, and returns its
// number, from 0 in the order of the arguments. The branches, and what they refer to, must live
// until the wait is over. co_await throws weft::error: ended (all channels are closed, and there is
// no other branch; the runtime ended before a deadline, or while it polled), not_initialized (a
// branch has a deadline, and no runtime runs); weft::stopped (a stop of the task was requested);
// what moving a value and the branch's function throw. Never switches. Callable from any.
template <class... Branches>
  requires(sizeof...(Branches) != 0 && (std::derived_from<std::remove_cvref_t<Branches>, detail::branch> && ...))
[[nodiscard]] auto async_select(Branches&&... branches) noexcept {
  using source = detail::select_source<sizeof...(Branches)>;
  return detail::source_awaiter<source>(std::array<detail::branch*, sizeof...(Branches)>{&branches...});
}

// Returns an awaitable: co_await pops a value into the caller's object `value`, and waits for it
// until the deadline at most. It returns success, closed or timeout. co_await throws weft::error:
// ended (the runtime ended before the deadline), not_initialized (no runtime runs); weft::stopped
// (a stop of the task was requested); and what moving a value throws. Never switches. Callable from
// any.
template <class T, class Duration>
  requires std::is_move_assignable_v<T>
[[nodiscard]] auto async_pop_until(detail::basic_channel<T>& channel, T& value,
                                   const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) {
  using source = detail::timed_call_source<detail::timed_pop<T>>;
  return detail::source_awaiter<source>(channel, value, detail::steady_ns(deadline));
}
// Returns an awaitable: co_await pops a value into the caller's object `value`, and waits for it
// for an interval at most. The interval begins with this call. It returns success, closed or
// timeout. co_await throws weft::error: ended (the runtime ended before the deadline),
// not_initialized (no runtime runs); weft::stopped (a stop of the task was requested); and what
// moving a value throws. Never switches. Callable from any.
template <class T, class Rep, class Period>
  requires std::is_move_assignable_v<T>
[[nodiscard]] auto async_pop_for(detail::basic_channel<T>& channel, T& value,
                                 const std::chrono::duration<Rep, Period>& interval) {
  using source = detail::timed_call_source<detail::timed_pop<T>>;
  return detail::source_awaiter<source>(channel, value, detail::deadline_in(interval));
}

// Returns an awaitable: co_await pushes a value, and waits for room until the deadline at most. The
// value lies in the coroutine's frame meanwhile; a value that was not pushed is destroyed. It
// returns success, closed or timeout. co_await throws weft::error: ended (the runtime ended before
// the deadline), not_initialized (no runtime runs); weft::stopped (a stop of the task was
// requested); and what moving a value throws. Never switches. Callable from any.
template <class T, class U, class Duration>
  requires std::constructible_from<T, U>
[[nodiscard]] auto async_push_until(detail::basic_channel<T>& channel, U&& value,
                                    const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) {
  using source = detail::timed_call_source<detail::timed_push<T>>;
  return detail::source_awaiter<source>(channel, std::forward<U>(value), detail::steady_ns(deadline));
}
// Returns an awaitable: co_await pushes a value, and waits for room for an interval at most. The
// interval begins with this call. The value lies in the coroutine's frame meanwhile; a value that
// was not pushed is destroyed. It returns success, closed or timeout. co_await throws weft::error:
// ended (the runtime ended before the deadline), not_initialized (no runtime runs); weft::stopped
// (a stop of the task was requested); and what moving a value throws. Never switches. Callable from
// any.
template <class T, class U, class Rep, class Period>
  requires std::constructible_from<T, U>
[[nodiscard]] auto async_push_for(detail::basic_channel<T>& channel, U&& value,
                                  const std::chrono::duration<Rep, Period>& interval) {
  using source = detail::timed_call_source<detail::timed_push<T>>;
  return detail::source_awaiter<source>(channel, std::forward<U>(value), detail::deadline_in(interval));
}

}  // namespace weft
