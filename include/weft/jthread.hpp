// weft::jthread: std::jthread, but a lightweight one; and sleeps that a stop ends. Stops are std's:
// std::stop_token, stop_source, stop_callback. condition_variable_any::wait and weft::on_stop of
// select take the token, too.
//
//   weft::jthread poller([](std::stop_token token) {
//     while (weft::this_thread::sleep_for(token, 100ms)) poll();
//   });  // asked to stop, and joined, at the end of its block
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <version>

#if !defined(__cpp_lib_jthread)
#include "weft/jthread.hpp needs std::stop_token: libc++ 20, or compile with -fexperimental-library"  // stands for an #error
#endif

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>
#include <weft/thread.hpp>

namespace weft {

// Owns a thread, which is asked to stop, and joined, when the object is destroyed.
class jthread {
 public:
  // What get_id() returns.
  using id = thread::id;
  // What native_handle() returns.
  using native_handle_type = thread::native_handle_type;

  jthread() noexcept : source_(std::nostopstate) {}

  // Runs function(token, arguments...) if it can be called so, else function(arguments...), in a
  // new thread. function and arguments are copied or moved as by std::jthread. Throws weft::error
  // and what copying throws. Never switches. Callable from any.
  template <class F, class... As>
    requires(!std::same_as<std::remove_cvref_t<F>, jthread> && detail::not_attributes<F>)
  explicit jthread(F&& function, As&&... arguments)
      : thread_(start<thread>(source_, std::forward<F>(function), std::forward<As>(arguments)...)) {}

  // Runs function(token, arguments...) if it can be called so, else function(arguments...), in a
  // new thread that has the given attributes. Throws weft::error and what copying throws. Never
  // switches. Callable from any.
  template <class F, class... As>
  explicit jthread(const thread_attributes& attributes, F&& function, As&&... arguments)
      : thread_(start<thread>(source_, attributes, std::forward<F>(function), std::forward<As>(arguments)...)) {}

  // Takes over the other object's thread. The other object is then not joinable.
  jthread(jthread&&) noexcept = default;
  // Takes over the other object's thread. A thread that this object owned before is asked to stop,
  // and joined.
  jthread& operator=(jthread&& other) noexcept {
    if (this == &other) return *this;
    end();
    source_ = std::move(other.source_);
    thread_ = std::move(other.thread_);
    return *this;
  }
  // Asks the thread to stop, and waits for its end. May switch. A tasklet that would have to wait
  // ends the program.
  ~jthread() { end(); }

  // Tells whether the object owns a thread that was neither joined nor detached.
  bool joinable() const noexcept { return thread_.joinable(); }
  // Waits until the thread has ended, and joins it. Throws weft::error: invalid (not joinable),
  // deadlock (the thread is the caller), cannot_block (a tasklet, and the thread has not ended).
  // May switch. Callable from any.
  void join() { thread_.join(); }
  // Detaches the thread: it frees itself when it ends, and cannot be joined. Throws weft::error:
  // invalid (not joinable). Never switches. Callable from any.
  void detach() { thread_.detach(); }
  // Returns the id of the thread; the empty id if it is not joinable.
  id get_id() const noexcept { return thread_.get_id(); }
  // Returns the thread of the C interface; null if it is not joinable.
  native_handle_type native_handle() const noexcept { return thread_.native_handle(); }
  // Returns how many workers there are; 0 while the runtime does not run.
  static unsigned hardware_concurrency() noexcept { return thread::hardware_concurrency(); }

  // Returns the stop source of the thread's token.
  std::stop_source get_stop_source() noexcept { return source_; }
  // Returns the thread's stop token.
  std::stop_token get_stop_token() const noexcept { return source_.get_token(); }
  // Asks the thread to stop. Returns true for the first request. Never switches. Callable from any.
  bool request_stop() noexcept { return source_.request_stop(); }

  // Exchanges two threads.
  void swap(jthread& other) noexcept {
    std::swap(source_, other.source_);
    thread_.swap(other.thread_);
  }
  // Exchanges two threads.
  friend void swap(jthread& left, jthread& right) noexcept { left.swap(right); }

 private:
  template <class Thread, class F, class... As>
    requires detail::not_attributes<F>
  static Thread start(const std::stop_source& source, F&& function, As&&... arguments) {
    if constexpr (thread_function<F, std::stop_token, As...>) {
      return Thread(std::forward<F>(function), source.get_token(), std::forward<As>(arguments)...);
    } else {
      return Thread(std::forward<F>(function), std::forward<As>(arguments)...);
    }
  }
  template <class Thread, class F, class... As>
  static Thread start(const std::stop_source& source, const thread_attributes& attributes, F&& function, As&&... arguments) {
    if constexpr (thread_function<F, std::stop_token, As...>) {
      return Thread(attributes, std::forward<F>(function), source.get_token(), std::forward<As>(arguments)...);
    } else {
      return Thread(attributes, std::forward<F>(function), std::forward<As>(arguments)...);
    }
  }

  void end() noexcept {
    if (!joinable()) return;
    request_stop();
    try {
      thread_.join();
    } catch (const error& failed) {
      if (failed.code() != errc::ended) std::terminate();
      thread_.detach();  // the end of the runtime has dropped it
    }
  }

  std::stop_source source_;
  thread thread_;
};

namespace detail {

// True: the deadline passed before a stop was requested.
inline bool sleep_until_stop(const std::stop_token& token, std::uint64_t deadline_ns) {
  constexpr std::uint32_t by_stop = 1;
  channel_waiter me(deadline_ns, false);
  weft_status status = WEFT_OK;
  {
    const std::stop_callback wake(token, channel_decision{&me, by_stop});
    status = me.wait("sleep");
  }
  return !check_unless(WEFT_TIMEOUT, status, "weft::this_thread::sleep");
}

}  // namespace detail

namespace this_thread {

// Sleeps for an interval, or until a stop is requested. Returns true if the interval is over.
// Throws weft::error: cannot_block (the caller is a tasklet). May switch. Callable from a ULT or
// outside.
template <class Rep, class Period>
bool sleep_for(const std::stop_token& token, const std::chrono::duration<Rep, Period>& interval) {
  return detail::sleep_until_stop(token, detail::deadline_in(interval));
}
// Sleeps until the deadline, or until a stop is requested. Returns true if the deadline has passed.
// Throws weft::error: cannot_block (the caller is a tasklet). May switch. Callable from a ULT or
// outside.
template <class Clock, class Duration>
bool sleep_until(const std::stop_token& token, const std::chrono::time_point<Clock, Duration>& deadline) {
  const auto sleep = [&token](std::uint64_t ns) {
    return detail::sleep_until_stop(token, ns) ? WEFT_TIMEOUT : WEFT_OK;  // so that a clock that was set back is looked at again
  };
  return !detail::check_unless(WEFT_TIMEOUT, detail::attempt_until(deadline, sleep), "weft::this_thread::sleep_until");
}

}  // namespace this_thread
}  // namespace weft
