// weft::thread: std::thread, but a lightweight one. Made in tens of nanoseconds; blocking it does not block an OS thread.
//
// An exception that leaves the function ends the program (std::terminate); weft::async of future.hpp carries it to get(). A closure
// that fits in a pointer costs no allocation, any other one. The stack is of 64 KiB unless attributes or WEFT_STACK_SIZE say more.
//
// Threads migrate between workers when they block or yield: what is bound to the OS thread (thread_local, std::mutex and the locks of
// other libraries, errno) must not be held across a call that may switch.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/chrono.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>

namespace weft {

// Of a ULT; an OS thread that Weft did not make has the empty id.
class thread_id {
 public:
  constexpr thread_id() noexcept = default;
  constexpr explicit thread_id(std::uint64_t value) noexcept : value_(value) {}
  constexpr std::uint64_t value() const noexcept { return value_; }
  friend constexpr auto operator<=>(thread_id, thread_id) noexcept = default;

  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, thread_id id) {
    return out << id.value_;
  }

 private:
  std::uint64_t value_ = 0;
};

inline constexpr int any_worker = WEFT_ANY_WORKER;

// As weft_thread_attr. weft::thread reader({.stack_bytes = 1 << 20, .name = "reader"}, read_all);
struct thread_attributes {
  std::size_t stack_bytes = 0;
  const char* name = nullptr;
  bool keep_fp = false;
  int worker = any_worker;
  weft_pool* pool = nullptr;
  unsigned priority = 0;

  weft_thread_attr to_c() const noexcept {
    weft_thread_attr c = WEFT_THREAD_ATTR_INIT;
    c.stack_bytes = stack_bytes;
    c.name = name;
    c.keep_fp = keep_fp;
    c.worker = worker;
    c.pool = pool;
    c.priority = priority;
    return c;
  }
};

namespace detail {

template <class T>
concept not_attributes = !std::same_as<std::remove_cvref_t<T>, thread_attributes>;

// attributes null: all defaults.
template <class F, class... As>
weft_thread* create_thread(const weft_thread_attr* attributes, F&& function, As&&... arguments) {
  weft_thread* created = nullptr;
  if constexpr (sizeof...(As) == 0 && fits_in_pointer<std::decay_t<F>>) {
    const std::decay_t<F> copy(std::forward<F>(function));
    check(weft_thread_create(run_packed<std::decay_t<F>>, pack(copy), attributes, &created), "weft_thread_create");
  } else {
    using call = bound_call<std::decay_t<F>, std::decay_t<As>...>;
    auto box = std::make_unique<call>(std::in_place, std::forward<F>(function), std::forward<As>(arguments)...);
    check(weft_thread_create(run_boxed<call>, box.get(), attributes, &created), "weft_thread_create");
    static_cast<void>(box.release());  // the thread's now
  }
  return created;
}

}  // namespace detail

class thread {
 public:
  using id = thread_id;
  using native_handle_type = weft_thread*;

  thread() noexcept = default;

  // Runs function(arguments...), each copied or moved as std::thread does, on some worker. Throws weft::error and what copying
  // throws. Callable from any. Never switches.
  template <class F, class... As>
    requires(!std::same_as<std::remove_cvref_t<F>, thread> && detail::not_attributes<F> &&
             std::invocable<std::decay_t<F>, std::decay_t<As>...>)
  explicit thread(F&& function, As&&... arguments)
      : handle_(detail::create_thread(nullptr, std::forward<F>(function), std::forward<As>(arguments)...)) {}

  template <class F, class... As>
    requires std::invocable<std::decay_t<F>, std::decay_t<As>...>
  explicit thread(const thread_attributes& attributes, F&& function, As&&... arguments) {
    const weft_thread_attr c = attributes.to_c();
    handle_ = detail::create_thread(&c, std::forward<F>(function), std::forward<As>(arguments)...);
  }

  thread(thread&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  thread& operator=(thread&& other) noexcept {
    if (joinable()) std::terminate();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }

  // As with std::thread, one that was neither joined nor detached ends the program.
  ~thread() {
    if (joinable()) std::terminate();
  }

  bool joinable() const noexcept { return handle_ != nullptr; }
  id get_id() const noexcept { return id(weft_thread_id(handle_)); }
  native_handle_type native_handle() const noexcept { return handle_; }
  static unsigned hardware_concurrency() noexcept { return weft_worker_count(); }

  // Waits for its end. May switch. From a ULT or outside. Throws weft::error: invalid (not joinable), deadlock (itself), cannot_block.
  void join() {
    detail::check(weft_thread_join(handle_), "weft_thread_join");
    handle_ = nullptr;
  }

  // True: it has ended and was joined. Never switches.
  bool try_join() { return joined(detail::check_unless(WEFT_BUSY, weft_thread_try_join(handle_), "weft_thread_try_join")); }

  // False: it has not ended by then. Otherwise as join.
  template <class Rep, class Period>
  bool try_join_for(const std::chrono::duration<Rep, Period>& interval) {
    return joined_in_time(weft_thread_join_until(handle_, detail::deadline_in(interval)));
  }
  template <class Clock, class Duration>
  bool try_join_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return joined_in_time(
        detail::attempt_until(deadline, [this](std::uint64_t ns) { return weft_thread_join_until(handle_, ns); }));
  }

  // Nobody will join it. Callable from any. Never switches. Throws weft::error: invalid (not joinable).
  void detach() {
    detail::check(weft_thread_detach(handle_), "weft_thread_detach");
    handle_ = nullptr;
  }

  void swap(thread& other) noexcept { std::swap(handle_, other.handle_); }
  friend void swap(thread& left, thread& right) noexcept { left.swap(right); }

 private:
  bool joined(bool has_ended) noexcept {
    if (has_ended) handle_ = nullptr;
    return has_ended;
  }
  bool joined_in_time(weft_status status) { return joined(detail::check_unless(WEFT_TIMEOUT, status, "weft_thread_join_until")); }

  weft_thread* handle_ = nullptr;
};

namespace this_thread {

inline thread_id get_id() noexcept { return thread_id(weft_thread_id(weft_self())); }

// Index of the worker that runs the caller now; -1 outside. Stale after the next call that may switch.
inline int worker() noexcept { return weft_worker_self(); }

// Lets other ready threads of this worker run; outside it yields the CPU. May switch.
inline void yield() noexcept { weft_yield(); }

// May switch: other threads use the worker meanwhile. Outside: sleeps in the kernel. Throws weft::error: cannot_block (a tasklet).
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& interval) {
  detail::check(weft_sleep_ns(detail::to_ns(interval)), "weft_sleep_ns");
}
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& deadline) {
  const auto sleep = [](std::uint64_t ns) {
    const weft_status status = weft_sleep_until(ns);
    return status == WEFT_OK ? WEFT_TIMEOUT : status;  // so that a clock that was set back is looked at again
  };
  detail::check_unless(WEFT_TIMEOUT, detail::attempt_until(deadline, sleep), "weft_sleep_until");
}

// Moves to a worker and stays there, or may leave again (any_worker). May switch. From a ULT. Throws weft::error: invalid (no such
// worker).
inline void pin(int worker) { detail::check(weft_pin(worker), "weft_pin"); }

// Up to 31 bytes, for reports. From a ULT or tasklet. Throws weft::error.
inline void set_name(const char* name) { detail::check(weft_thread_set_name(weft_self(), name), "weft_thread_set_name"); }

}  // namespace this_thread
}  // namespace weft

template <>
struct std::hash<weft::thread_id> {
  std::size_t operator()(weft::thread_id id) const noexcept { return std::hash<std::uint64_t>()(id.value()); }
};
