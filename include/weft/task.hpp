// weft::task: C++20 coroutines on Weft's workers, which wait without a thread.
//
//   weft::task<int> answer(weft::future<int> number, weft::mutex& guard) {
//     const auto hold = co_await weft::async_lock(guard);
//     co_return co_await std::move(number) + 1;
//   }
//   int main() {
//     const weft::runtime runtime;
//     return weft::sync_wait(answer(weft::async(compute), guard));
//   }
//
// A task begins when it is awaited, by co_await, sync_wait or spawn. It runs on the stack of its
// caller until it waits. When the wait is over, a tasklet of the worker that ended it goes on, and
// any worker may steal that tasklet. So a coroutine must not block: a call of Weft that would have
// to wait throws weft::error (cannot_block). `co_await weft::on_thread(f)` calls f in a ULT, where
// it may. A coroutine takes no memory but its frame, and a wait takes none.
//
// Awaitable are tasks, futures, threads (which are joined), and what the functions async_...
// return, in coroutines of other libraries too. Waits of a task end at once when a stop is
// requested of the token with which spawn or sync_wait began it; they then throw weft::stopped.
// What need not wait is not ended. A sleep ends so, too, when the runtime ends: it then throws
// weft::error (ended), and later sleeps throw not_initialized; after runtime::drop, which drops the
// unit that would resume it, the coroutine stays suspended.
//
// A coroutine may be destroyed while it waits for what does not come meanwhile: the wait leaves
// nothing behind. If what it waited for has come, the program ends with a message, and also if tasks
// of when_all, when_any or an async_scope (tasks.hpp) in it have not ended.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <version>

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/channel.hpp>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/pending.hpp>
#include <weft/detail/resumption.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/sources.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/mutex.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace weft {

template <class T = void>
class task;

namespace detail {

// Where the result lies until it is asked for.
template <class T>
class task_promise : public task_promise_base {
  using stored = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>;

 public:
  task<T> get_return_object() noexcept;
  template <class U = T>
    requires(std::is_reference_v<T> ? std::is_lvalue_reference_v<U> : std::constructible_from<T, U>)
  void return_value(U&& value) {
    if constexpr (std::is_reference_v<T>) {
      value_.emplace(std::addressof(value));
    } else {
      value_.emplace(std::forward<U>(value));
    }
  }
  T take() {
    rethrow();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(**value_);
    } else {
      return std::move(*value_);
    }
  }

 private:
  std::optional<stored> value_;
};

template <>
class task_promise<void> : public task_promise_base {
 public:
  inline task<void> get_return_object() noexcept;
  static void return_void() noexcept {}
  void take() const { rethrow(); }
};

}  // namespace detail

// A coroutine that returns a T, which may be a reference or void. The object owns the coroutine.
template <class T>
class [[nodiscard]] task {
 public:
  // As std::coroutine_traits asks for.
  using promise_type = detail::task_promise<T>;
  // What co_await returns.
  using value_type = T;

  // No coroutine.
  task() noexcept = default;
  // Takes over the other's coroutine.
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  // Takes over the other's coroutine; the one that was here is destroyed.
  task& operator=(task&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    frame_ = std::exchange(other.frame_, nullptr);
    return *this;
  }
  // Destroys the coroutine, which has not begun, has ended, or waits.
  ~task() { destroy(); }

  // Returns true if there is a coroutine. Never switches. Callable from any.
  bool valid() const noexcept { return frame_ != nullptr; }

  // Returns an awaitable, once: co_await begins the coroutine, waits for its end, and returns or
  // throws what the coroutine returned or threw. Throws weft::error: invalid (there is no
  // coroutine). Never switches. Callable from any.
  auto operator co_await() && { return detail::task_awaiter<promise_type>(valid_frame()); }

 private:
  friend promise_type;
  template <class U>
  friend class detail::spawned;
  template <class U>
  friend class detail::waited_for;
  friend struct detail::task_access;

  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> valid_frame() const {
    if (frame_ == nullptr) detail::fail(WEFT_INVALID, "weft::task: it has no coroutine: it was moved from, or awaited before");
    return frame_;
  }
  void destroy() noexcept {
    if (frame_ != nullptr) frame_.destroy();
  }

  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

// What spawn's future refers to: the state owns the task until that has ended.
template <class T>
class spawned final : public state<T>, private resumption, private task_end {
 public:
  spawned(task<T>&& one, task_token token)
      : state<T>(2), resumption{begin}, task_end{ended}, token_(std::move(token)), task_(std::move(one)) {
    auto& promise = task_.valid_frame().promise();
    promise.end = this;
    promise.token = &token_;
  }

  weft_status start() noexcept { return this->try_post(); }

 private:
  static void begin(resumption* self) noexcept {
    const auto frame = static_cast<spawned*>(self)->task_.frame_;
    run_task(frame, frame.promise());
  }
  static void ended(task_end* self, runner&) noexcept {
    auto* const mine = static_cast<spawned*>(self);
    {
      const task<T> last = std::move(mine->task_);
      run_caught([&] { mine->store_result([&]() -> T { return last.frame_.promise().take(); }); },
                 [&](std::exception_ptr failure) { mine->keep_failure(std::move(failure)); });
    }  // the frame goes before the result is told
    mine->publish();
    mine->release();
  }

  task_token token_;
  task<T> task_;
};

// The task that a sync_wait waits for, in its frame.
template <class T>
class waited_for final : private task_end {
 public:
  waited_for(task<T>&& one, task_token token) : task_end{ended}, token_(std::move(token)), task_(std::move(one)) {}

  T get() {
    const auto frame = task_.valid_frame();
    frame.promise().end = this;
    frame.promise().token = &token_;
    run_task(frame, frame.promise());
    // Nothing else can end this wait, and the task refers to this frame.
    while (weft_event_wait(&has_ended_) != WEFT_OK) weft_yield();
    return frame.promise().take();
  }

 private:
  static void ended(task_end* self, runner&) noexcept { weft_event_set(&static_cast<waited_for*>(self)->has_ended_); }

  task_token token_;
  task<T> task_;
  weft_event has_ended_ = WEFT_EVENT_INIT;
};

template <class Awaitable>
using awaited_t = decltype(std::declval<decltype(awaiter_of(std::declval<Awaitable>()))>().await_resume());

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;

template <class Awaitable>
task<awaited_t<Awaitable>> as_task(Awaitable&& one) {
  co_return co_await std::forward<Awaitable>(one);
}

template <class Awaitable>
decltype(auto) wait_here(Awaitable&& one, task_token token) {
  if (weft_thread_is_tasklet(weft_self())) {
    fail(WEFT_CANNOT_BLOCK, "weft::sync_wait: the caller is a tasklet or a coroutine, which must not wait");
  }
  if constexpr (is_task<std::remove_cvref_t<Awaitable>>) {
    return waited_for<typename Awaitable::value_type>(std::move(one), std::move(token)).get();
  } else {
    return waited_for<awaited_t<Awaitable>>(as_task(std::forward<Awaitable>(one)), std::move(token)).get();
  }
}

template <class T>
future<T> spawn_with(task<T>&& one, task_token token) {
  auto* const made = new spawned<T>(std::move(one), std::move(token));
  future<T> out{state_pointer<state<T>>(made)};
  if (const weft_status status = made->start(); status != WEFT_OK) [[unlikely]] {
    made->release();
    fail(status, "weft::spawn");
  }
  return out;
}

}  // namespace detail

// Begins a task, or awaits what a coroutine could await, and waits for its end; returns or throws
// what it returned or threw. A task runs in the caller until it waits. May switch. From a ULT or
// outside. Throws weft::error: cannot_block (a tasklet, whatever the task does), invalid.
template <detail::awaitable Awaitable>
decltype(auto) sync_wait(Awaitable&& one) {
  return detail::wait_here(std::forward<Awaitable>(one), detail::task_token());
}
// Begins a task in a tasklet. Returns a future of what the task returns or throws; nothing depends
// on whether the future is kept. One allocation. Throws weft::error, and std::bad_alloc. Never
// switches. Callable from any.
template <class T>
[[nodiscard]] future<T> spawn(task<T> one) {
  return detail::spawn_with(std::move(one), detail::task_token());
}

#if defined(__cpp_lib_jthread)

// As sync_wait(one); when a stop is requested, the waits of the task end.
template <detail::awaitable Awaitable>
decltype(auto) sync_wait(Awaitable&& one, std::stop_token token) {
  return detail::wait_here(std::forward<Awaitable>(one), std::move(token));
}
// Begins a task in a tasklet, whose waits end when a stop is requested. Returns a future of what
// the task returns or throws; nothing depends on whether the future is kept. One allocation. Throws
// weft::error, and std::bad_alloc. Never switches. Callable from any.
template <class T>
[[nodiscard]] future<T> spawn(task<T> one, std::stop_token token) {
  return detail::spawn_with(std::move(one), std::move(token));
}
// Returns an awaitable, for a coroutine that is a weft::task: co_await returns the token with which
// the task was begun, and does not wait. Never switches. Callable from any.
inline detail::token_awaiter current_stop_token() noexcept { return {}; }

#endif

// ---- what coroutines can await ------------------------------------------------------------------

// Returns an awaitable: co_await waits for the result of the future, and takes the value, once.
// co_await throws what the other side threw; std::future_error: no_state; weft::stopped (a stop of
// the task was requested). Never switches. Callable from any.
template <class T>
[[nodiscard]] auto operator co_await(future<T>& one) noexcept {
  return detail::source_awaiter<detail::future_source<future<T>&>>(one);
}
// Returns an awaitable, which keeps the future: co_await waits for the result, and takes the value,
// once. co_await throws what the other side threw; std::future_error: no_state; weft::stopped (a
// stop of the task was requested). Never switches. Callable from any.
template <class T>
[[nodiscard]] auto operator co_await(future<T>&& one) noexcept {
  return detail::source_awaiter<detail::future_source<future<T>>>(std::move(one));
}
// Returns an awaitable: co_await waits for the result, and returns a reference to the value.
// co_await throws what the other side threw; std::future_error: no_state; weft::stopped (a stop of
// the task was requested). Never switches. Callable from any.
template <class T>
[[nodiscard]] auto operator co_await(const shared_future<T>& one) noexcept {
  return detail::source_awaiter<detail::future_source<const shared_future<T>&>>(one);
}
// Returns an awaitable, which keeps the future: co_await waits for the result, and returns a copy
// of the value. co_await throws what the other side threw; std::future_error: no_state;
// weft::stopped (a stop of the task was requested). Never switches. Callable from any.
template <class T>
[[nodiscard]] auto operator co_await(shared_future<T>&& one) noexcept {
  return detail::source_awaiter<detail::future_source<shared_future<T>>>(std::move(one));
}
// Returns an awaitable: co_await waits for the end of a thread, and joins it. co_await throws
// weft::error: invalid (not joinable), deadlock (the thread is the caller); weft::stopped (a stop
// of the task was requested). Never switches. Callable from any.
[[nodiscard]] inline auto operator co_await(thread& one) noexcept { return detail::source_awaiter<detail::thread_source>(one); }

// Returns an awaitable: co_await waits until the event is set. co_await throws weft::stopped (a
// stop of the task was requested). Never switches. Callable from any.
[[nodiscard]] inline auto async_wait(weft_event& event) noexcept { return detail::source_awaiter<detail::event_source>(&event); }
// Returns an awaitable: co_await waits until the latch is open. co_await throws weft::stopped (a
// stop of the task was requested). Never switches. Callable from any.
[[nodiscard]] inline auto async_wait(latch& one) noexcept {
  return detail::source_awaiter<detail::event_source>(one.native_handle());
}
// Returns an awaitable: co_await waits for a token, and takes it. co_await throws weft::stopped (a
// stop of the task was requested). Never switches. Callable from any.
template <std::ptrdiff_t LeastMax>
[[nodiscard]] auto async_acquire(counting_semaphore<LeastMax>& semaphore) noexcept {
  return detail::source_awaiter<detail::semaphore_source>(semaphore.native_handle());
}
// Returns an awaitable: co_await waits until the mutex is free, locks it, and returns a
// std::unique_lock. The lock belongs to no thread: it may be unlocked on any worker, and the
// coroutine may wait while it holds it. co_await throws weft::stopped (a stop of the task was
// requested). Never switches. Callable from any.
[[nodiscard]] inline auto async_lock(mutex& one) noexcept {
  return detail::source_awaiter<detail::mutex_source<mutex, std::unique_lock<mutex>, WEFT_AWAIT_MUTEX>>(one);
}
// Returns an awaitable: co_await waits until the mutex is free, locks it to write, and returns a
// std::unique_lock. co_await throws weft::stopped (a stop of the task was requested). Never
// switches. Callable from any.
[[nodiscard]] inline auto async_lock(shared_mutex& one) noexcept {
  using source = detail::mutex_source<shared_mutex, std::unique_lock<shared_mutex>, WEFT_AWAIT_RWLOCK_WRITE>;
  return detail::source_awaiter<source>(one);
}
// Returns an awaitable: co_await waits until no writer holds or awaits the mutex, locks it to read,
// and returns a std::shared_lock. co_await throws weft::stopped (a stop of the task was requested).
// Never switches. Callable from any.
[[nodiscard]] inline auto async_lock_shared(shared_mutex& one) noexcept {
  using source = detail::mutex_source<shared_mutex, std::shared_lock<shared_mutex>, WEFT_AWAIT_RWLOCK_READ>;
  return detail::source_awaiter<source>(one);
}
// Returns an awaitable: co_await waits for a value, and returns a std::optional with it, which is
// empty when the channel is closed and empty. co_await throws weft::stopped (a stop of the task was
// requested), and what moving the value throws. Never switches. Callable from any.
template <class T>
[[nodiscard]] auto async_pop(detail::basic_channel<T>& channel) noexcept {
  return detail::source_awaiter<detail::pop_source<T>>(channel);
}
// Returns an awaitable: co_await pushes a value, waits for room, and returns success or closed. The
// value lies in the coroutine's frame meanwhile; a value that was not pushed is destroyed. Throws
// what moving the value throws; co_await throws weft::stopped, too, when a stop of the task is
// requested. Never switches. Callable from any.
template <class T, class U>
  requires std::constructible_from<T, U>
[[nodiscard]] auto async_push(detail::basic_channel<T>& channel, U&& value) {
  return detail::source_awaiter<detail::push_source<T>>(channel, std::forward<U>(value));
}
// Returns an awaitable: co_await waits for an interval. The interval begins with this call.
// co_await throws weft::stopped (a stop of the task was requested); weft::error: not_initialized
// (no runtime runs), ended (the runtime ended before the deadline). Never switches. Callable from
// any.
template <class Rep, class Period>
[[nodiscard]] auto async_sleep_for(const std::chrono::duration<Rep, Period>& interval) {
  return detail::source_awaiter<detail::deadline_source>(detail::deadline_in(interval));
}
// Returns an awaitable: co_await waits until the deadline. co_await throws weft::stopped (a stop of
// the task was requested); weft::error: not_initialized (no runtime runs), ended (the runtime ended
// before the deadline). Never switches. Callable from any.
template <class Duration>
[[nodiscard]] auto async_sleep_until(const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) {
  return detail::source_awaiter<detail::deadline_source>(detail::to_ns(deadline.time_since_epoch()));
}

// Returns an awaitable: co_await continues the coroutine in a tasklet of the runtime: on any
// worker, or on the one, or in the pool, that attributes name. It always leaves the caller, and
// runs behind what is ready there. co_await throws weft::error: not_initialized, no_memory,
// invalid. Never switches. Callable from any.
[[nodiscard]] inline auto resume_on(const runtime&, const thread_attributes& attributes = {}) noexcept {
  return detail::moving_awaiter(attributes.to_c());
}

// Returns an awaitable: co_await calls a copy of function in a ULT, where it may block, and returns
// or throws what it returned or threw. The coroutine goes on in that ULT until it waits again. A
// stop does not end the call. Throws what copying function throws; co_await throws weft::error,
// too, if the ULT cannot be made. Never switches. Callable from any.
template <class F>
  requires std::invocable<std::decay_t<F>&>
[[nodiscard]] auto on_thread(F&& function) {
  return detail::thread_awaiter<std::decay_t<F>>(std::forward<F>(function), WEFT_THREAD_ATTR_INIT);
}
// Returns an awaitable: co_await calls a copy of function in a ULT with attributes, where it may
// block, and returns or throws what it returned or threw. The coroutine goes on in that ULT until
// it waits again. A stop does not end the call. Throws what copying function throws; co_await
// throws weft::error, too, if the ULT cannot be made. Never switches. Callable from any.
template <class F>
  requires std::invocable<std::decay_t<F>&>
[[nodiscard]] auto on_thread(const thread_attributes& attributes, F&& function) {
  return detail::thread_awaiter<std::decay_t<F>>(std::forward<F>(function), attributes.to_c());
}

}  // namespace weft
