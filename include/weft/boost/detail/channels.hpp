// boost::fibers::buffered_channel and unbuffered_channel: Weft's, with what programs see of
// Boost's. A capacity is a power of two from 2 on, of which one place stays free, and a pusher that
// waited tries again when a pop has made room. Without a buffer a push returns after the popper has
// gone on, if that is a fiber of the same OS thread, also where the popper came first.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <system_error>
#include <type_traits>
#include <utility>

#include <weft/weft.h>

#include <weft/boost/detail/errors.hpp>
#include <weft/channel.hpp>

namespace boost {
namespace fibers {

template <class T>
class buffered_channel : public weft::buffered_channel<T> {
 public:
  // Throws fiber_error: invalid_argument (a capacity that is no power of two, or below 2).
  explicit buffered_channel(std::size_t capacity)
      : weft::buffered_channel<T>(places(capacity), weft::detail::waiting_pushers::try_again) {}

 private:
  static std::size_t places(std::size_t capacity) {
    if (capacity < 2 || !std::has_single_bit(capacity))
      throw fiber_error(std::make_error_code(std::errc::invalid_argument), "boost fiber: the capacity is no power of two");
    return capacity - 1;
  }
};

template <class T>
class unbuffered_channel : public weft::unbuffered_channel<T> {
  using inner = weft::unbuffered_channel<T>;

 public:
  // As Weft's; a pop that waited goes on first.
  weft::channel_op_status push(T&& value) {
    return push_first(value, [&] { return inner::push(std::move(value)); });
  }
  // As Weft's, of a copy; a pop that waited goes on first.
  weft::channel_op_status push(const T& value)
    requires std::copy_constructible<T>
  {
    T copy(value);
    return push(std::move(copy));
  }
  // As Weft's; a pop that waited goes on first.
  template <class U, class Rep, class Period>
    requires std::constructible_from<T, U>
  weft::channel_op_status push_wait_for(U&& value, const std::chrono::duration<Rep, Period>& interval) {
    held<U> kept(std::forward<U>(value));
    return push_first(kept, [&] { return inner::push_wait_for(std::move(kept), interval); });
  }
  // As Weft's; a pop that waited goes on first.
  template <class U, class Clock, class Duration>
    requires std::constructible_from<T, U>
  weft::channel_op_status push_wait_until(U&& value, const std::chrono::time_point<Clock, Duration>& deadline) {
    held<U> kept(std::forward<U>(value));
    return push_first(kept, [&] { return inner::push_wait_until(std::move(kept), deadline); });
  }

 private:
  // The caller's own object where it is a T to be moved: a push that fails leaves it there.
  template <class U>
  using held = std::conditional_t<std::same_as<U, T>, T&&, T>;

  // wait: what pushes if no pop waits.
  template <class Wait>
  weft::channel_op_status push_first(T& value, Wait wait) {
    const weft::channel_op_status result = inner::try_push(std::move(value));
    if (result == weft::channel_op_status::full) return wait();
    if (result == weft::channel_op_status::success) weft_yield();
    return result;
  }
};

}  // namespace fibers
}  // namespace boost
