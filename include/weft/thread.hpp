// weft::thread: std::thread, but a lightweight one. Made in tens of nanoseconds; blocking it does
// not block an OS thread.
//
// An exception that leaves the function ends the program (std::terminate); weft::async of
// future.hpp carries it to get(). A closure that fits in a pointer costs no allocation, any other
// one. The stack is of 192 KiB unless attributes or WEFT_STACK_SIZE say more.
//
// Threads migrate between workers when they block or yield: what is bound to the OS thread
// (thread_local, std::mutex and the locks of other libraries, errno) must not be held across a call
// that may switch.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

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
#include <weft/callable.hpp>
#include <weft/detail/caller.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>
#include <weft/launch.hpp>

namespace weft {

// The id of a ULT. The id of an OS thread that Weft did not make is empty.
class thread_id {
 public:
  constexpr thread_id() noexcept = default;
  // Makes the id of a number that weft_thread_id returned.
  constexpr explicit thread_id(std::uint64_t value) noexcept : value_(value) {}
  // Returns the number; 0 for the empty id.
  constexpr std::uint64_t value() const noexcept { return value_; }
  // Ids are ordered by their numbers.
  friend constexpr auto operator<=>(thread_id, thread_id) noexcept = default;

  // Writes the number. Returns out. Throws what the stream throws. Never switches. Callable from
  // any.
  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, thread_id id) {
    return out << id.value_;
  }

 private:
  std::uint64_t value_ = 0;
};

// Stands for no worker in particular.
inline constexpr int any_worker = WEFT_ANY_WORKER;

// Stands for the worker that starts a thread: any one starts it, and only that one runs it.
inline constexpr int starting_worker = WEFT_STARTING_WORKER;

// The settings of weft_thread_attr, for C++. Example: weft::thread reader({.stack_bytes = 1 << 20,
// .name = "reader"}, read_all);
struct thread_attributes {
  std::size_t stack_bytes = 0;  // 0: the runtime's default
  const char* name = nullptr;   // copied, up to 31 bytes
  bool keep_fp = false;         // save and restore the FP control words at every switch
  int worker = any_worker;      // the worker that it is pinned to, or starting_worker
  weft_pool* pool = nullptr;    // null: the default queue
  unsigned priority = 0;        // for priority pools: 0 is the most urgent

  // Returns the attributes for weft_thread_create.
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

struct adopted {};  // says that a thread that exists is taken over

// What says how a thread begins comes before its function.
template <class T>
concept not_attributes =
    !std::same_as<std::remove_cvref_t<T>, thread_attributes> && !std::same_as<std::remove_cvref_t<T>, launch>;

// attributes null: all defaults.
// Part of its callers, so that reports say which of the user's functions made the thread.
template <class F, class... As>
[[gnu::always_inline]] inline weft_thread* create_thread(caller made_by, const weft_thread_attr* attributes, F&& function,
                                                         As&&... arguments) {
  constexpr bool is_function = thread_function<F, As...>;
  static_assert(is_function, "weft::thread_function: weft::thread calls its first argument with the others");
  weft_thread* created = nullptr;
  if constexpr (!is_function) {
    return created;
  } else if constexpr (sizeof...(As) == 0 && fits_in_pointer<std::decay_t<F>>) {
    const std::decay_t<F> copy(std::forward<F>(function));
    check(start_thread(run_packed<std::decay_t<F>>, pack(copy), attributes, &created, made_by), "weft_thread_create");
  } else {
    using call = bound_call<std::decay_t<F>, std::decay_t<As>...>;
    if constexpr (can_be_placed<call>) {
      call made(std::in_place, std::forward<F>(function), std::forward<As>(arguments)...);
      check(start_thread_with(made, attributes, &created, made_by), "weft_thread_create");
      return created;
    }
    auto box = std::make_unique<call>(std::in_place, std::forward<F>(function), std::forward<As>(arguments)...);
    check(start_thread(run_boxed<call>, box.get(), attributes, &created, made_by), "weft_thread_create");
    static_cast<void>(box.release());  // the thread's now
  }
  return created;
}

}  // namespace detail

// Owns a thread. It must be joined or detached before the object is destroyed.
class thread {
 public:
  // What get_id() returns.
  using id = thread_id;
  // What native_handle() returns.
  using native_handle_type = weft_thread*;

  thread() noexcept = default;

  // Runs function(arguments...), each copied or moved as std::thread does, on some worker. Throws
  // weft::error and what copying throws. Never switches. Callable from any.
  template <class F, class... As>
    requires(sizeof...(As) > 0 && !std::same_as<std::remove_cvref_t<F>, thread> && detail::not_attributes<F> &&
             !std::same_as<std::remove_cvref_t<F>, detail::adopted>)
  [[gnu::always_inline]] explicit thread(F&& function, As&&... arguments)
      : handle_(detail::create_thread(detail::caller::unknown(), nullptr, std::forward<F>(function),
                                      std::forward<As>(arguments)...)) {}

  // Runs a copy of function on some worker. Reports name the thread by the place of this call, such
  // as "main.cpp:31". Throws weft::error and what copying throws. Never switches. Callable from
  // any.
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, thread> && detail::not_attributes<F>)
  explicit thread(F&& function, detail::caller made_by = detail::caller())
      : handle_(detail::create_thread(made_by, nullptr, std::forward<F>(function))) {}

  // Runs a copy of function in a thread with attributes. Throws weft::error and what copying
  // throws. Never switches. Callable from any.
  template <class F>
  explicit thread(const thread_attributes& attributes, F&& function, detail::caller made_by = detail::caller()) {
    const weft_thread_attr c = attributes.to_c();
    handle_ = detail::create_thread(made_by, &c, std::forward<F>(function));
  }

  // Runs function(arguments...), each copied or moved as std::thread does, in a thread with
  // attributes. Throws weft::error and what copying throws. Never switches. Callable from any.
  template <class F, class... As>
    requires(sizeof...(As) > 0)
  [[gnu::always_inline]] explicit thread(const thread_attributes& attributes, F&& function, As&&... arguments) {
    const weft_thread_attr c = attributes.to_c();
    handle_ = detail::create_thread(detail::caller::unknown(), &c, std::forward<F>(function), std::forward<As>(arguments)...);
  }

  // Runs function(arguments...), each copied or moved as std::thread does: with launch::dispatch at
  // once, with launch::post when its turn comes. Throws weft::error and what copying throws. May
  // switch with launch::dispatch. Callable from any.
  template <class F, class... As>
    requires(sizeof...(As) > 0)
  [[gnu::always_inline]] thread(launch policy, F&& function, As&&... arguments)
      : thread(std::forward<F>(function), std::forward<As>(arguments)...) {
    detail::start_by(policy, handle_);
  }
  // Runs a copy of function: with launch::dispatch at once, with launch::post when its turn comes.
  // Reports name the thread by the place of this call. Throws weft::error and what copying throws.
  // May switch with launch::dispatch. Callable from any.
  template <class F>
  thread(launch policy, F&& function, detail::caller made_by = detail::caller())
      : handle_(detail::create_thread(made_by, nullptr, std::forward<F>(function))) {
    detail::start_by(policy, handle_);
  }

  // Takes over a thread of the C interface, which no other caller joins. For Weft's own headers.
  thread(detail::adopted, weft_thread* handle) noexcept : handle_(handle) {}

  // Takes over the other thread, which is not joinable then.
  thread(thread&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  // Takes over the other thread. If this object owns a joinable thread, the program ends.
  thread& operator=(thread&& other) noexcept {
    if (joinable()) std::terminate();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }

  // Ends the program, as std::thread does, if the thread was neither joined nor detached.
  ~thread() {
    if (joinable()) std::terminate();
  }

  // Tells whether the object owns a thread that was neither joined nor detached.
  bool joinable() const noexcept { return handle_ != nullptr; }
  // Returns the id of the thread; the empty id if it is not joinable.
  id get_id() const noexcept { return id(weft_thread_id(handle_)); }
  // Returns the thread of the C interface; null if it is not joinable.
  native_handle_type native_handle() const noexcept { return handle_; }
  // Returns how many workers there are; 0 while the runtime does not run.
  static unsigned hardware_concurrency() noexcept { return weft_worker_count(); }

  // Waits until the thread has ended, and joins it. Throws weft::error: invalid (not joinable),
  // deadlock (the thread is the caller), cannot_block (a tasklet, and the thread has not ended).
  // May switch. Callable from any.
  void join() {
    detail::check(weft_thread_join(handle_), "weft_thread_join");
    handle_ = nullptr;
  }

  // Joins the thread if it has ended. Returns true if it was joined. Throws weft::error: invalid
  // (not joinable). Never switches. Callable from any.
  bool try_join() { return joined(detail::check_unless(WEFT_BUSY, weft_thread_try_join(handle_), "weft_thread_try_join")); }

  // Waits until the thread has ended, for an interval at most, and joins it. Returns true if it was
  // joined, and false if it has not ended in that time. Throws weft::error: invalid (not joinable),
  // deadlock (the thread is the caller), cannot_block (a tasklet, and the thread has not ended).
  // May switch. Callable from any.
  template <class Rep, class Period>
  bool try_join_for(const std::chrono::duration<Rep, Period>& interval) {
    return joined_in_time(weft_thread_join_until(handle_, detail::deadline_in(interval)));
  }
  // Waits until the thread has ended, until the deadline at most, and joins it. Returns true if it
  // was joined, and false if it has not ended by then. Throws weft::error: invalid (not joinable),
  // deadlock (the thread is the caller), cannot_block (a tasklet, and the thread has not ended).
  // May switch. Callable from any.
  template <class Clock, class Duration>
  bool try_join_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return joined_in_time(
        detail::attempt_until(deadline, [this](std::uint64_t ns) { return weft_thread_join_until(handle_, ns); }));
  }

  // Detaches the thread: it frees itself when it ends, and cannot be joined. Throws weft::error:
  // invalid (not joinable). Never switches. Callable from any.
  void detach() {
    detail::check(weft_thread_detach(handle_), "weft_thread_detach");
    handle_ = nullptr;
  }

  // Exchanges two threads.
  void swap(thread& other) noexcept { std::swap(handle_, other.handle_); }
  // Exchanges two threads.
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

// Returns the caller's id; the empty id outside.
inline thread_id get_id() noexcept { return thread_id(weft_thread_id(weft_self())); }

// Returns the index of the worker that runs the caller now; -1 outside. A later call that may
// switch can change it.
inline int worker() noexcept { return weft_worker_self(); }

// Yields: runs other ready threads of this worker. Outside, it yields the CPU. May switch.
inline void yield() noexcept { weft_yield(); }
// Yields, and waits a little if no other thread is ready on this worker: for loops that wait for
// what no call of Weft reports. Throws weft::error: cannot_block (the caller is a tasklet). May
// switch. Callable from a ULT or outside.
inline void yield_or_wait() { detail::check(weft_yield_or_wait(WEFT_FOREVER), "weft_yield_or_wait"); }

// Yields to a thread, which this worker runs next in the caller's place; periodically the unit that
// has waited longest runs before it. Returns true if that thread ran. Returns false if it was not
// ready in this worker's queue or pools, or another unit of a pool had its turn; the caller then
// has yielded. Throws weft::error: invalid (not joinable, or it has ended), cannot_block (the
// caller is a tasklet, or outside). May switch. Callable from a ULT.
inline bool yield_to(const thread& next) {
  return detail::check_unless(WEFT_AGAIN, weft_yield_to(next.native_handle()), "weft_yield_to");
}

// Sleeps for an interval: the worker runs other threads meanwhile. Outside, the OS thread sleeps.
// Throws weft::error: cannot_block (the caller is a tasklet). May switch. Callable from a ULT or
// outside.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& interval) {
  detail::check(weft_sleep_ns(detail::to_ns(interval)), "weft_sleep_ns");
}
// Sleeps until the deadline: the worker runs other threads meanwhile. Outside, the OS thread
// sleeps. Throws weft::error: cannot_block (the caller is a tasklet). May switch. Callable from a
// ULT or outside.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& deadline) {
  const auto sleep = [](std::uint64_t ns) {
    const weft_status status = weft_sleep_until(ns);
    return status == WEFT_OK ? WEFT_TIMEOUT : status;  // so that a clock that was set back is looked at again
  };
  detail::check_unless(WEFT_TIMEOUT, detail::attempt_until(deadline, sleep), "weft_sleep_until");
}

// Pins the caller to a worker: the caller moves to it and stays there. any_worker ends the pinning.
// Throws weft::error: invalid (no such worker), busy (in the scope of a pinned, or created with
// starting_worker). May switch. Callable from a ULT.
inline void pin(int worker) { detail::check(weft_pin(worker), "weft_pin"); }

// Names the caller, for reports. Up to 31 bytes of the name are kept. Throws weft::error. Never
// switches. Callable from a ULT or tasklet.
inline void set_name(const char* name) { detail::check(weft_thread_set_name(weft_self(), name), "weft_thread_set_name"); }

}  // namespace this_thread

// A scope in which the caller stays on its OS thread: for calls of libraries that keep locks or
// state by OS thread while they call back. A wait, yield or end inside of it ends the program in the
// library with checks (weft_pinned_begin). Callable from anywhere; may switch where it begins.
// Throws weft::error: no_memory.
class pinned {
 public:
  pinned() { detail::check(weft_pinned_begin(), "weft_pinned_begin"); }
  ~pinned() { static_cast<void>(weft_pinned_end()); }
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;
};

}  // namespace weft

template <>
struct std::hash<weft::thread_id> {
  std::size_t operator()(weft::thread_id id) const noexcept { return std::hash<std::uint64_t>()(id.value()); }
};
