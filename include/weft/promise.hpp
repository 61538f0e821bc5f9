// weft::promise and packaged_task: the giving ends of a future. std's, with std's errors. Callable from any; never switches.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <functional>
#include <future>
#include <type_traits>
#include <utility>

#include <weft/detail/shared_state.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/future.hpp>

namespace weft {
namespace detail {

// The giving end: its state, and whether the future has been handed out. One that goes without a result breaks its promise.
template <class T, class State = state<T>>
class giver {
 public:
  explicit giver(State* state) noexcept : state_(state) {}
  giver(giver&&) noexcept = default;
  giver& operator=(giver&& other) noexcept {
    break_promise();
    state_ = std::move(other.state_);
    is_retrieved_ = other.is_retrieved_;
    return *this;
  }
  ~giver() { break_promise(); }

  future<T> get_future() {
    state_.valid();
    if (std::exchange(is_retrieved_, true)) throw std::future_error(std::future_errc::future_already_retrieved);
    state_->retain();
    return future<T>(state_pointer<state<T>>(state_.get()));
  }

  bool has_state() const noexcept { return static_cast<bool>(state_); }

  // The state, claimed: who calls this satisfies it. Throws std::future_error: no_state, promise_already_satisfied.
  State* claim() {
    State* const claimed = state_.valid();
    claimed->claim();
    return claimed;
  }

 private:
  void break_promise() noexcept {
    if (!state_ || state_->is_claimed() || !state_->is_shared()) return;
    state_->claim();
    state_->publish_failure(std::make_exception_ptr(std::future_error(std::future_errc::broken_promise)));
  }

  state_pointer<State> state_;
  bool is_retrieved_ = false;
};

}  // namespace detail

// The giving end of a future. One that goes without a result breaks its promise.
template <class T>
class promise {
 public:
  promise() : giver_(new detail::state<T>(1)) {}
  // Takes over the other promise, which has no future then.
  promise(promise&&) noexcept = default;
  // Takes over the other promise; the one that was here is broken if it has no result.
  promise& operator=(promise&&) noexcept = default;

  // The future, once. Throws std::future_error: no_state, future_already_retrieved.
  future<T> get_future() { return giver_.get_future(); }

  // Gives the value. If making the value throws, the promise is as it was. Throws
  // std::future_error: no_state, promise_already_satisfied.
  template <class U = T>
    requires(std::is_reference_v<T> ? std::is_lvalue_reference_v<U> : std::is_constructible_v<T, U &&>)
  void set_value(U&& value) {
    give(std::forward<U>(value));
  }
  // Says that it is done, for a promise of void. Throws as set_value(value) does.
  void set_value()
    requires std::is_void_v<T>
  {
    give();
  }
  // Gives an exception, which get() throws. Throws std::future_error: no_state,
  // promise_already_satisfied.
  void set_exception(std::exception_ptr failure) { giver_.claim()->publish_failure(std::move(failure)); }

  // Exchanges two promises.
  void swap(promise& other) noexcept { std::swap(giver_, other.giver_); }
  // Exchanges two promises.
  friend void swap(promise& left, promise& right) noexcept { left.swap(right); }

 private:
  template <class... Us>
  void give(Us&&... value) {
    struct claim_guard {
      detail::state<T>* state;
      ~claim_guard() {
        if (state != nullptr) state->disclaim();
      }
    } guard{giver_.claim()};
    guard.state->store(std::forward<Us>(value)...);
    std::exchange(guard.state, nullptr)->publish();
  }

  detail::giver<T> giver_;
};

template <class Signature>
class packaged_task;

// A function whose result or exception goes to a future. One allocation.
template <class R, class... As>
class packaged_task<R(As...)> {
 public:
  packaged_task() noexcept : giver_(nullptr) {}
  // Packs a copy of a callable. Throws what copying it throws, and std::bad_alloc.
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, packaged_task> && std::is_invocable_r_v<R, std::decay_t<F>&, As...>)
  explicit packaged_task(F&& function) : giver_(new task<std::decay_t<F>>(std::forward<F>(function))) {}
  // Takes over the other task, which is empty then.
  packaged_task(packaged_task&&) noexcept = default;
  // Takes over the other task; the promise of the one that was here is broken if it was not called.
  packaged_task& operator=(packaged_task&&) noexcept = default;

  // Whether it holds a callable.
  bool valid() const noexcept { return giver_.has_state(); }
  // The future, once. Throws std::future_error: no_state, future_already_retrieved.
  future<R> get_future() { return giver_.get_future(); }
  // Calls the callable. Throws std::future_error: no_state, promise_already_satisfied (it was
  // called before).
  void operator()(As... arguments) { giver_.claim()->run(std::forward<As>(arguments)...); }

  // Exchanges two tasks.
  void swap(packaged_task& other) noexcept { std::swap(giver_, other.giver_); }
  // Exchanges two tasks.
  friend void swap(packaged_task& left, packaged_task& right) noexcept { left.swap(right); }

 private:
  struct any_task : detail::state<R> {
    any_task() noexcept : detail::state<R>(1) {}
    virtual void run(As&&... arguments) noexcept = 0;
  };

  template <class F>
  struct task final : any_task {
    explicit task(const F& from) : function(from) {}
    explicit task(F&& from) : function(std::move(from)) {}
    void run(As&&... arguments) noexcept override {
      detail::run_caught(
          [&] {
            this->store_result(function, std::forward<As>(arguments)...);
            this->publish();
          },
          [this](std::exception_ptr failure) { this->publish_failure(std::move(failure)); });
    }
    F function;
  };

  detail::giver<R, any_task> giver_;
};

}  // namespace weft
