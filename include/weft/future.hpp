// weft::future and shared_future: a result that comes later, from a promise, a packaged_task
// (promise.hpp) or an async call (async.hpp). std's, with std's errors: std::future_error,
// std::future_errc, std::future_status.
//
// then calls a function with the future in a ULT of its own, once the result has come. when_all and
// when_any are in when.hpp; coroutines wait by co_await (task.hpp).
//
// get and wait* may switch; from a ULT or outside. Besides what the other side threw, they throw
// weft::error: cannot_block (a tasklet that would have to wait). The rest never switches.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/caller.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>

namespace weft {

using std::future_errc;
using std::future_error;
using std::future_status;

template <class T>
class future;
template <class T>
class shared_future;

namespace detail {

struct future_access;
template <class Source, class F>
auto chain(Source source, F&& function, caller made_by);

inline future_status as_future_status(weft_status status, const char* call) {
  return check_unless(WEFT_TIMEOUT, status, call) ? future_status::ready : future_status::timeout;
}

}  // namespace detail

// A future with one reader. Unlike a future of std::async, a future of weft::async does not wait
// when it is destroyed: the thread goes on by itself.
template <class T>
class future {
 public:
  future() noexcept = default;
  // Makes a future of a shared state. It is for Weft's own headers. runner is null, or a thread
  // that the reader joins, and that no longer uses state when it ends.
  explicit future(detail::state_pointer<detail::state<T>> state, weft_thread* runner = nullptr) noexcept
      : state_(std::move(state)), runner_(runner) {}
  // Takes over the other future, which is then empty.
  future(future&& other) noexcept : state_(std::move(other.state_)), runner_(other.take_runner()) {}
  // Takes over the other future, which is then empty.
  future& operator=(future&& other) noexcept {
    let_runner_go();
    state_ = std::move(other.state_);
    runner_.store(other.take_runner(), std::memory_order_relaxed);
    return *this;
  }
  ~future() { let_runner_go(); }

  // Tells whether the future has a shared state: its result is still to come, or get() has not
  // taken it.
  bool valid() const noexcept { return static_cast<bool>(state_); }
  // Returns true if the result has been set. Throws std::future_error: no_state. Never switches.
  // Callable from any.
  bool is_ready() const { return state_.valid()->is_ready(); }

  // Waits until the result is set, and takes it: the future is empty afterwards, so that get() can
  // be called once. Returns the value. Throws the exception that was set; std::future_error:
  // no_state; weft::error: cannot_block (a tasklet that would have to wait). May switch. Callable
  // from any.
  T get() {
    wait_alone();
    const auto last = std::move(state_);
    return last->take();
  }

  // Waits until the result is set. The future keeps the result. Returns the exception that get()
  // would throw, or null. Throws std::future_error: no_state; weft::error: cannot_block (a tasklet
  // that would have to wait). May switch. Callable from any.
  std::exception_ptr get_exception_ptr() const {
    wait();
    return state_->failure();
  }

  // Waits until the result is set. Any number of threads may wait at one future. Throws
  // std::future_error: no_state; weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  void wait() const {
    wait_after([](weft_thread*) {});
  }
  // Waits until the result is set, for an interval at most. Returns ready or timeout. Throws
  // std::future_error: no_state; weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& interval) const {
    return detail::as_future_status(wait_until_ns(detail::deadline_in(interval)), "weft::future::wait_for");
  }
  // Waits until the result is set, until the deadline at most. Returns ready or timeout. Throws
  // std::future_error: no_state; weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& deadline) const {
    const auto attempt = [this](std::uint64_t ns) { return wait_until_ns(ns); };
    return detail::as_future_status(detail::attempt_until(deadline, attempt), "weft::future::wait_until");
  }

  // Returns a shared_future of the result. This future is then empty.
  shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

  // Calls a copy of function with this future, in a ULT of its own, once the result is set. This
  // future is then empty.
  //
  // Returns a future of what that call returns or throws, which is not unwrapped: if that is a
  // future, the result is a future of a future. If the ULT cannot be created, the returned future
  // throws weft::error. Throws std::future_error: no_state; weft::error; and what copying function
  // throws. Never switches. Callable from any.
  template <class F>
    requires std::invocable<std::decay_t<F>&, future<T>>
  [[nodiscard]] auto then(F&& function, detail::caller made_by = detail::caller()) {
    return detail::chain(std::move(*this), std::forward<F>(function), made_by);
  }

 protected:
  // Returns the thread that the reader joins, or null. A wait of another thread may join it
  // meanwhile.
  weft_thread* runner() const noexcept { return runner_.load(std::memory_order_relaxed); }
  // As wait; the caller that joins the runner calls before(runner) first.
  template <class Before>
  void wait_after(Before before) const {
    detail::state<T>* const state = state_.valid();
    if (state->is_ready()) return;
    claimed_runner mine(*this);
    if (mine.get() == nullptr) return state->wait();
    before(mine.get());
    detail::check(unless_dropped(mine.join_until(WEFT_FOREVER)), "weft_thread_join");
  }

 private:
  friend class shared_future<T>;
  friend struct detail::future_access;

  // Of several threads that wait, the one that takes the runner joins it, and the others wait for
  // the result. A join that fails puts it back.
  class claimed_runner {
   public:
    explicit claimed_runner(const future& of) noexcept
        : of_(of), runner_(of.runner() != nullptr ? of.runner_.exchange(nullptr, std::memory_order_acquire) : nullptr) {}
    claimed_runner(const claimed_runner&) = delete;
    claimed_runner& operator=(const claimed_runner&) = delete;
    ~claimed_runner() {
      // release: the next one that claims it does so after this one has let it go
      if (runner_ != nullptr) of_.runner_.store(runner_, std::memory_order_release);
    }
    weft_thread* get() const noexcept { return runner_; }
    weft_status join_until(std::uint64_t deadline_ns) noexcept {
      // Without a deadline a runner that has not started runs right here, without a switch.
      const weft_status status =
          deadline_ns == WEFT_FOREVER ? weft_thread_join(runner_) : weft_thread_join_until(runner_, deadline_ns);
      if (status == WEFT_OK) runner_ = nullptr;
      return status;
    }

   private:
    const future& of_;
    weft_thread* runner_;
  };

  // A runner that the end of the runtime has dropped sets no result any more.
  static weft_status unless_dropped(weft_status joined) {
    if (joined == WEFT_ENDED) throw std::future_error(std::future_errc::broken_promise);
    return joined;
  }
  weft_status wait_until_ns(std::uint64_t deadline_ns) const {
    detail::state<T>* const state = state_.valid();
    if (state->is_ready()) return WEFT_OK;
    claimed_runner mine(*this);
    return mine.get() == nullptr ? state->wait_until_ns(deadline_ns) : unless_dropped(mine.join_until(deadline_ns));
  }
  // As wait, by the only thread that uses the future.
  void wait_alone() {
    detail::state<T>* const state = state_.valid();
    weft_thread* const mine = runner();
    if (mine == nullptr) return state->wait();
    detail::check(unless_dropped(weft_thread_join(mine)), "weft_thread_join");
    runner_.store(nullptr, std::memory_order_relaxed);
  }
  weft_thread* take_runner() noexcept {
    weft_thread* const mine = runner();
    runner_.store(nullptr, std::memory_order_relaxed);
    return mine;
  }
  // It cannot fail: the handle is ours and was not joined.
  void let_runner_go() noexcept {
    if (weft_thread* const mine = take_runner(); mine != nullptr) static_cast<void>(weft_thread_detach(mine));
  }

  detail::state_pointer<detail::state<T>> state_;
  mutable std::atomic<weft_thread*> runner_ = nullptr;  // waiting is const, as with std
};

// A future with any number of readers, each of which has a copy of it.
template <class T>
class shared_future {
 public:
  shared_future() noexcept = default;
  // Takes over a future, which is then empty.
  shared_future(future<T>&& from) noexcept {  // as std's: no need to say it
    from.let_runner_go();                     // several may wait, and only one could join
    state_ = std::move(from.state_);
  }

  // Tells whether the future has a shared state.
  bool valid() const noexcept { return static_cast<bool>(state_); }
  // Returns true if the result has been set. Throws std::future_error: no_state. Never switches.
  // Callable from any.
  bool is_ready() const { return state_.valid()->is_ready(); }

  // Waits until the result is set. The future keeps the result. Returns a reference to the value.
  // Throws the exception that was set; std::future_error: no_state; weft::error: cannot_block (a
  // tasklet that would have to wait). May switch. Callable from any.
  std::add_lvalue_reference_t<const T> get() const {
    wait();
    return state_->look();
  }

  // Waits until the result is set. Returns the exception that get() would throw, or null. Throws
  // std::future_error: no_state; weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  std::exception_ptr get_exception_ptr() const {
    wait();
    return state_->failure();
  }

  // Waits until the result is set. Throws std::future_error: no_state; weft::error: cannot_block (a
  // tasklet that would have to wait). May switch. Callable from any.
  void wait() const { state_.valid()->wait(); }
  // Waits until the result is set, for an interval at most. Returns ready or timeout. Throws
  // std::future_error: no_state; weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& interval) const {
    return detail::as_future_status(state_.valid()->wait_until_ns(detail::deadline_in(interval)),
                                    "weft::shared_future::wait_for");
  }
  // Waits until the result is set, until the deadline at most. Returns ready or timeout. Throws
  // std::future_error: no_state; weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& deadline) const {
    detail::state<T>* const state = state_.valid();
    const auto attempt = [state](std::uint64_t ns) { return state->wait_until_ns(ns); };
    return detail::as_future_status(detail::attempt_until(deadline, attempt), "weft::shared_future::wait_until");
  }

  // Calls a copy of function with a copy of this future, in a ULT of its own, once the result is
  // set. Returns a future of what that call returns or throws, which is not unwrapped. If the ULT
  // cannot be created, the returned future throws weft::error. Throws std::future_error: no_state;
  // weft::error; and what copying function throws. Never switches. Callable from any.
  template <class F>
    requires std::invocable<std::decay_t<F>&, shared_future<T>>
  [[nodiscard]] auto then(F&& function, detail::caller made_by = detail::caller()) const {
    return detail::chain(*this, std::forward<F>(function), made_by);
  }

 private:
  friend struct detail::future_access;

  detail::state_pointer<detail::state<T>> state_;
};

namespace detail {

// For continuations. The state of a future that has none is refused by std::future_error: no_state.
struct future_access {
  template <class T>
  static state<T>* state_of(const future<T>& one) {
    return one.state_.valid();
  }
  template <class T>
  static state<T>* state_of(const shared_future<T>& one) {
    return one.state_.valid();
  }
  template <class T>
  static bool attach(const future<T>& one, continuation* what) noexcept {
    return one.state_->attach(what);
  }
  template <class T>
  static bool attach(const shared_future<T>& one, continuation* what) noexcept {
    return one.state_->enlist(what);
  }
  template <class T>
  static bool detach(const future<T>& one, continuation* what) noexcept {
    return one.state_->detach(what);
  }
  template <class T>
  static bool detach(const shared_future<T>& one, continuation* what) noexcept {
    return one.state_->delist(what);
  }
  // The value of a future that is ready, or throws. Never switches.
  template <class T>
  static T take(future<T>& one) {
    const auto last = std::move(one.state_);
    weft_thread* const runner = one.take_runner();
    // The runner may be on its last steps still.
    if (runner != nullptr && weft_thread_try_join(runner) != WEFT_OK) static_cast<void>(weft_thread_detach(runner));
    return last->take();
  }
  template <class T>
  static std::add_lvalue_reference_t<const T> take(const shared_future<T>& one) {
    return one.state_->look();
  }
};

// The result of then: the state of the returned future, which waits for the source's.
template <class Source, class F, class R>
class chained_state final : public state<R>, private continuation {
 public:
  template <class G>
  chained_state(Source source, G&& function, caller made_by)
      : state<R>(2),
        continuation{start_late},
        source_(std::move(source)),
        function_(std::forward<G>(function)),
        made_by_(made_by) {}

  // The chain holds one reference until the function has returned.
  weft_status begin() noexcept { return future_access::attach(source_, this) ? WEFT_OK : start(); }

 private:
  static void start_late(continuation* self) noexcept {
    auto* const mine = static_cast<chained_state*>(self);
    const weft_status status = mine->start();
    if (status == WEFT_OK) return;
    mine->publish_failure(std::make_exception_ptr(error(status, "weft::future::then")));
    mine->release();
  }
  static void run(void* self) noexcept { static_cast<chained_state*>(self)->run_and_release(); }

  weft_status start() noexcept { return start_thread(run, this, nullptr, nullptr, made_by_); }
  void run_and_release() noexcept {
    run_caught(
        [this] {
          this->store_result(function_, std::move(source_));
          this->publish();
        },
        [this](std::exception_ptr failure) { this->publish_failure(std::move(failure)); });
    this->release();
  }

  Source source_;
  F function_;
  caller made_by_;
};

template <class Source, class F>
auto chain(Source source, F&& function, caller made_by) {
  using result = std::invoke_result_t<std::decay_t<F>&, Source>;
  using shared = chained_state<Source, std::decay_t<F>, result>;
  future_access::state_of(source);
  auto* const made = new shared(std::move(source), std::forward<F>(function), made_by);
  future<result> out{state_pointer<state<result>>(made)};
  if (const weft_status status = made->begin(); status != WEFT_OK) [[unlikely]] {
    made->release();
    fail(status, "weft_thread_create");
  }
  return out;
}

}  // namespace detail
}  // namespace weft
