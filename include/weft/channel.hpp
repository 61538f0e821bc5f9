// weft::unbuffered_channel and buffered_channel: queues between threads, which end when they are
// closed. Boost.Fiber's, for ULTs and OS threads mixed, and for values that can only be moved.
//
//   weft::buffered_channel<std::string> lines(64);
//   weft::thread reader([&] { while (read(line)) lines.push(line); lines.close(); });
//   for (const std::string& each : lines) handle(each);
//
// Calls on each side are served in the order of their coming. push and pop wait: they may switch;
// from a ULT or outside, and from a tasklet that need not wait. They throw weft::error:
// cannot_block (a tasklet that would have to wait), and what moving a value throws; then the value
// is where it was. try_* and close never switch and may be called from any. A push that does not
// succeed leaves the value with the caller. Moving a value must not switch: a buffered channel
// moves values inside a spinlock.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/channel_core.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>

namespace weft {
namespace detail {

struct channel_access;

// What both channels can do.
template <class T>
class basic_channel {
  static_assert(std::is_object_v<T> && std::is_move_constructible_v<T>, "a channel's values are objects that can be moved");

 public:
  // The type of the values.
  using value_type = T;
  class iterator;

  basic_channel(const basic_channel&) = delete;
  basic_channel& operator=(const basic_channel&) = delete;

  // Waits until a pop has taken the value or, in a buffered channel, until there is room for it. A
  // value that was not pushed stays with the caller. Returns success or closed. Throws weft::error:
  // cannot_block (a tasklet that would have to wait); and what moving or copying the value throws:
  // then the value is where it was. May switch. Callable from any.
  channel_op_status push(T&& value) {
    if constexpr (core::is_plain) {
      return core_.push_plain(value);
    } else {
      return core_.push(value, WEFT_FOREVER);
    }
  }
  // Pushes a copy of a value, and waits as the push of a temporary does. Returns success or closed.
  // Throws weft::error: cannot_block (a tasklet that would have to wait); and what moving or
  // copying the value throws: then the value is where it was. May switch. Callable from any.
  channel_op_status push(const T& value)
    requires std::copy_constructible<T>
  {
    T copy(value);
    return push(std::move(copy));
  }
  // Pushes the value if a pop waits or there is room. Returns success, full or closed. Throws what
  // moving or copying the value throws: then the value is where it was. Never switches. Callable
  // from any.
  channel_op_status try_push(T&& value) { return core_.try_push(value); }
  // Pushes a copy of a value if a pop waits or there is room. Returns success, full or closed.
  // Throws what moving or copying the value throws: then the value is where it was. Never switches.
  // Callable from any.
  channel_op_status try_push(const T& value)
    requires std::copy_constructible<T>
  {
    T copy(value);
    return try_push(std::move(copy));
  }
  // Pushes the value, and waits for an interval at most. A value that was not pushed stays with the
  // caller. Returns success, closed or timeout. Throws weft::error: cannot_block (a tasklet that
  // would have to wait); and what moving or copying the value throws: then the value is where it
  // was. May switch. Callable from any.
  template <class U, class Rep, class Period>
    requires std::constructible_from<T, U>
  channel_op_status push_wait_for(U&& value, const std::chrono::duration<Rep, Period>& interval) {
    return push_until_ns(std::forward<U>(value), deadline_in(interval));
  }
  // Pushes the value, and waits until the deadline at most. A value that was not pushed stays with
  // the caller. Returns success, closed or timeout. Throws weft::error: cannot_block (a tasklet
  // that would have to wait); and what moving or copying the value throws: then the value is where
  // it was. May switch. Callable from any.
  template <class U, class Clock, class Duration>
    requires std::constructible_from<T, U>
  channel_op_status push_wait_until(U&& value, const std::chrono::time_point<Clock, Duration>& deadline) {
    return repeat_until(deadline, [&](std::uint64_t ns) { return push_until_ns(std::forward<U>(value), ns); });
  }

  // Waits for a value and moves it to `value`. Returns success, or closed: then no value is left
  // and none will come. Throws weft::error: cannot_block (a tasklet that would have to wait); and
  // what moving a value throws: then the value stays in the channel. May switch. Callable from any.
  channel_op_status pop(T& value)
    requires std::is_move_assignable_v<T>
  {
    if constexpr (core::is_plain) {
      const std::optional<T> popped = core_.pop_plain();
      if (!popped) return channel_op_status::closed;
      value = *popped;
      return channel_op_status::success;
    } else {
      return core_.pop(pop_target<T>(std::addressof(value)), WEFT_FOREVER);
    }
  }
  // Waits for a value. Returns it. Throws weft::error: ended (the channel is closed and empty),
  // cannot_block (a tasklet that would have to wait); and what moving a value throws: it stays in
  // the channel, except if the move that returns it throws. May switch. Callable from any.
  T value_pop() {
    std::optional<T> value = next();
    if (!value) fail(WEFT_ENDED, "weft::channel::value_pop: the channel is closed and empty");
    return std::move(*value);
  }
  // Pops a value if there is one. Returns success, empty or closed. Throws what moving the value
  // throws: then the value stays in the channel. Never switches. Callable from any.
  channel_op_status try_pop(T& value)
    requires std::is_move_assignable_v<T>
  {
    return core_.try_pop(pop_target<T>(std::addressof(value)));
  }
  // Pops a value, and waits for an interval at most. Returns success, closed or timeout. Throws
  // weft::error: cannot_block (a tasklet that would have to wait); and what moving a value throws:
  // then the value stays in the channel. May switch. Callable from any.
  template <class Rep, class Period>
  channel_op_status pop_wait_for(T& value, const std::chrono::duration<Rep, Period>& interval) {
    return core_.pop(pop_target<T>(std::addressof(value)), deadline_in(interval));
  }
  // Pops a value, and waits until the deadline at most. Returns success, closed or timeout. Throws
  // weft::error: cannot_block (a tasklet that would have to wait); and what moving a value throws:
  // then the value stays in the channel. May switch. Callable from any.
  template <class Clock, class Duration>
  channel_op_status pop_wait_until(T& value, const std::chrono::time_point<Clock, Duration>& deadline) {
    return repeat_until(deadline, [&](std::uint64_t ns) { return core_.pop(pop_target<T>(std::addressof(value)), ns); });
  }

  // Ends the channel: from now on each push returns closed, those that wait included; pops take
  // what is buffered, and then return closed. Closing it again does nothing.
  void close() noexcept { core_.close(); }
  // Whether close was called.
  bool is_closed() const noexcept { return core_.is_closed(); }

  // Returns the values as a range of one pass, until the channel is closed: begin and ++ wait for a
  // value. Throws weft::error: cannot_block (a tasklet that would have to wait); and what moving a
  // value throws: then the value stays in the channel. May switch. Callable from any.
  iterator begin() { return iterator(*this); }
  // The end of the values.
  iterator end() noexcept { return {}; }
  // Returns the values as a range of one pass, until the channel is closed. Throws weft::error:
  // cannot_block (a tasklet that would have to wait); and what moving a value throws: then the
  // value stays in the channel. May switch. Callable from any.
  friend iterator begin(basic_channel& channel) { return channel.begin(); }
  // The end of the values.
  friend iterator end(basic_channel& channel) noexcept { return channel.end(); }

 protected:
  explicit basic_channel(std::size_t capacity, waiting_pushers how = waiting_pushers::hand_over) : core_(capacity, how) {}
  // Closes the channel. Undefined: calls that are still to begin.
  ~basic_channel() { core_.close(); }

 private:
  using core = channel_core<T>;
  friend struct channel_access;

  // Nothing: the channel is closed and empty.
  std::optional<T> next() {
    if constexpr (core::is_plain) {
      return core_.pop_plain();
    } else {
      std::optional<T> value;
      static_cast<void>(core_.pop(pop_target<T>(&value), WEFT_FOREVER));
      return value;
    }
  }

  channel_op_status push_until_ns(T&& value, std::uint64_t deadline_ns) { return core_.push(value, deadline_ns); }
  channel_op_status push_until_ns(const T& value, std::uint64_t deadline_ns) {
    T copy(value);
    return core_.push(copy, deadline_ns);
  }

  // A timeout counts only when the clock itself says that its time has come.
  template <class Clock, class Duration, class Attempt>
  static channel_op_status repeat_until(const std::chrono::time_point<Clock, Duration>& deadline, Attempt attempt) {
    channel_op_status result{};
    attempt_until(deadline, [&](std::uint64_t ns) {
      result = attempt(ns);
      return result == channel_op_status::timeout ? WEFT_TIMEOUT : WEFT_OK;
    });
    return result;
  }

  core core_;
};

// For select.
struct channel_access {
  template <class T>
  static channel_core<T>& core_of(basic_channel<T>& channel) noexcept {
    return channel.core_;
  }
  template <class T>
  static const channel_core<T>& core_of(const basic_channel<T>& channel) noexcept {
    return channel.core_;
  }
};

// An input iterator: it holds one value.
template <class T>
class basic_channel<T>::iterator {
 public:
  // As std::iterator_traits has them.
  using iterator_category = std::input_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = T;
  using pointer = T*;
  using reference = T&;

  // The end.
  iterator() noexcept = default;
  // Waits for the first value. Throws weft::error: cannot_block (a tasklet that would have to
  // wait); and what moving a value throws: then the value stays in the channel. May switch.
  // Callable from any.
  explicit iterator(basic_channel& channel) : channel_(&channel) { advance(); }

  // The value.
  reference operator*() const noexcept { return *value_; }
  // The value's members.
  pointer operator->() const noexcept { return std::addressof(*value_); }
  // Waits for the next value. Returns the iterator. Throws weft::error: cannot_block (a tasklet
  // that would have to wait); and what moving a value throws: then the value stays in the channel.
  // May switch. Callable from any.
  iterator& operator++() {
    advance();
    return *this;
  }
  // Waits for the next value. Throws weft::error: cannot_block (a tasklet that would have to wait);
  // and what moving a value throws: then the value stays in the channel. May switch. Callable from
  // any.
  void operator++(int) { advance(); }
  // Two iterators are equal if both are at the end, or both at the same channel's values.
  friend bool operator==(const iterator& left, const iterator& right) noexcept { return left.channel_ == right.channel_; }

 private:
  void advance() {
    if constexpr (core::is_plain) {
      value_ = channel_->next();
      if (!value_) channel_ = nullptr;
    } else {
      value_.reset();
      if (channel_->core_.pop(pop_target<T>(&value_), WEFT_FOREVER) == channel_op_status::closed) channel_ = nullptr;
    }
  }

  basic_channel* channel_ = nullptr;  // null: the end
  mutable std::optional<T> value_;
};

}  // namespace detail

// A push meets a pop: the value goes from the one call to the other, and whichever comes first
// waits.
template <class T>
class unbuffered_channel : public detail::basic_channel<T> {
 public:
  unbuffered_channel() : detail::basic_channel<T>(0) {}
};

// Holds up to `capacity` values between push and pop.
template <class T>
class buffered_channel : public detail::basic_channel<T> {
 public:
  // Makes a channel with room for `capacity` values, any number from 1. Throws weft::error: invalid
  // (0), and std::bad_alloc. Never switches. Callable from any.
  explicit buffered_channel(std::size_t capacity) : detail::basic_channel<T>(valid(capacity)) {}
  // How many values it has room for.
  std::size_t capacity() const noexcept { return detail::channel_access::core_of(*this).capacity(); }

 protected:
  // For weft/boost.
  buffered_channel(std::size_t capacity, detail::waiting_pushers how) : detail::basic_channel<T>(valid(capacity), how) {}

 private:
  static std::size_t valid(std::size_t capacity) {
    if (capacity == 0) detail::fail(WEFT_INVALID, "weft::buffered_channel of capacity 0: use weft::unbuffered_channel");
    return capacity;
  }
};

}  // namespace weft
