// weft::promise and packaged_task: the giving ends of a future. std's, with std's errors. Callable
// from any; never switches.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/detail/at_thread_exit.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/future.hpp>

namespace weft {
namespace detail {

// A state, or a packaged_task's, in memory of a user's allocator.
template <class State, class Allocator>
class allocated final : public State {
 public:
  template <class... As>
  static allocated* make(const Allocator& allocator, As&&... arguments) {
    own_allocator own(allocator);
    struct memory {
      own_allocator& own;
      allocated* place;
      ~memory() {
        if (place != nullptr) std::allocator_traits<own_allocator>::deallocate(own, place, 1);
      }
    } held{own, std::to_address(std::allocator_traits<own_allocator>::allocate(own, 1))};
    ::new (held.place) allocated(own, std::forward<As>(arguments)...);
    return std::exchange(held.place, nullptr);
  }

 private:
  using own_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<allocated>;
  static_assert(std::is_pointer_v<typename std::allocator_traits<own_allocator>::pointer>,
                "weft::promise and packaged_task take allocators of plain pointers");

  template <class... As>
  explicit allocated(const own_allocator& allocator, As&&... arguments)
      : State(std::forward<As>(arguments)...), allocator_(allocator) {}
  void destroy() noexcept override {
    own_allocator own(std::move(allocator_));
    this->~allocated();
    std::allocator_traits<own_allocator>::deallocate(own, this, 1);
  }

  [[no_unique_address]] own_allocator allocator_;
};

// The giving end: its state, and whether the future has been handed out. One that goes without a
// result breaks its promise.
template <class T, class State = state<T>>
class giver {
 public:
  explicit giver(State* state) noexcept : state_(state) {}
  giver(giver&&) noexcept = default;
  giver& operator=(giver&& other) noexcept {
    if (this == &other) return *this;
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
  // Throws std::future_error: no_state.
  State* valid() const { return state_.valid(); }

  // The state, claimed: the caller of this satisfies it. Throws std::future_error: no_state,
  // promise_already_satisfied.
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

// A result that is there, and that its future gets when the calling thread ends.
template <class State>
class kept_result final : public exit_action {
 public:
  explicit kept_result(std::exception_ptr failure) noexcept : failure_(std::move(failure)) {}
  void keep(State* state) noexcept {
    state->retain();
    state_ = state_pointer<State>(state);
  }
  void fail(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
  void run() noexcept override {
    if (failure_ != nullptr) {
      state_->publish_failure(std::move(failure_));
    } else {
      state_->publish();
    }
  }

 private:
  state_pointer<State> state_;
  std::exception_ptr failure_;
};

}  // namespace detail

// The end of a future at which the result is set. A promise that is destroyed without a result is
// broken: the future throws broken_promise.
template <class T>
class promise {
 public:
  promise() : giver_(new detail::state<T>(1)) {}
  // Makes a promise whose shared state lies in memory of an allocator. Throws what the allocator
  // throws. Never switches. Callable from any.
  template <class Allocator>
  promise(std::allocator_arg_t, const Allocator& allocator)
      : giver_(detail::allocated<detail::state<T>, Allocator>::make(allocator, 1U)) {}
  // Takes over the other promise, which has no future then.
  promise(promise&&) noexcept = default;
  // Takes over the other promise. The promise that was here before is broken if it has no result.
  promise& operator=(promise&&) noexcept = default;

  // Returns the future; it can be called once. Throws std::future_error: no_state,
  // future_already_retrieved. Never switches. Callable from any.
  future<T> get_future() { return giver_.get_future(); }

  // Sets the value of the future. If the construction of the value throws, the promise remains as
  // it was. Throws std::future_error: no_state, promise_already_satisfied; and what that
  // construction throws. Never switches. Callable from any.
  template <class U = T>
    requires(std::is_reference_v<T> ? std::is_lvalue_reference_v<U> : std::is_constructible_v<T, U &&>)
  void set_value(U&& value) {
    give(std::forward<U>(value));
  }
  // Makes the future of a promise of void ready. Throws std::future_error: no_state,
  // promise_already_satisfied. Never switches. Callable from any.
  void set_value()
    requires std::is_void_v<T>
  {
    give();
  }
  // Sets an exception, which get() of the future throws. Throws std::future_error: no_state,
  // promise_already_satisfied. Never switches. Callable from any.
  void set_exception(std::exception_ptr failure) { giver_.claim()->publish_failure(std::move(failure)); }

  // Stores the value now, and makes the future ready when the calling thread has ended and the
  // values of its keys have been destroyed. Throws std::future_error: no_state,
  // promise_already_satisfied; what the construction of the value throws; and weft::error: again
  // (there are 1024 keys). Never switches. Callable from any.
  template <class... Us>
    requires(sizeof...(Us) == (std::is_void_v<T> ? 0 : 1))
  void set_value_at_thread_exit(Us&&... value) {
    keep_back([&](detail::state<T>* state) { state->store(std::forward<Us>(value)...); }, nullptr);
  }
  // Stores an exception now, and makes the future ready when the calling thread has ended and the
  // values of its keys have been destroyed. Throws std::future_error: no_state,
  // promise_already_satisfied; and weft::error: again (there are 1024 keys). Never switches.
  // Callable from any.
  void set_exception_at_thread_exit(std::exception_ptr failure) {
    keep_back([](detail::state<T>*) {}, std::move(failure));
  }

  // Exchanges two promises.
  void swap(promise& other) noexcept { std::swap(giver_, other.giver_); }
  // Exchanges two promises.
  friend void swap(promise& left, promise& right) noexcept { left.swap(right); }

 private:
  template <class Store>
  void keep_back(Store store, std::exception_ptr failure) {
    auto kept = std::make_unique<detail::kept_result<detail::state<T>>>(std::move(failure));
    detail::state<T>* const state = giver_.claim();
    try {
      store(state);
      detail::exit_actions::add(kept.get());
    } catch (...) {
      state->disclaim();
      throw;
    }
    kept.release()->keep(state);
  }
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

// A function whose result or exception is passed to a future. It takes one allocation.
template <class R, class... As>
class packaged_task<R(As...)> {
 public:
  packaged_task() noexcept : giver_(nullptr) {}
  // Packs a copy of a callable. Throws what copying it throws, and std::bad_alloc. Never switches.
  // Callable from any.
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, packaged_task> && std::is_invocable_r_v<R, std::decay_t<F>&, As...>)
  explicit packaged_task(F&& function) : giver_(new plain_task<std::decay_t<F>>(std::forward<F>(function))) {}
  // Packs a copy of a callable in memory of an allocator. Throws what copying it and what the
  // allocator throw. Never switches. Callable from any.
  template <class F, class Allocator>
    requires(!std::is_same_v<std::remove_cvref_t<F>, packaged_task> && std::is_invocable_r_v<R, std::decay_t<F>&, As...>)
  packaged_task(std::allocator_arg_t, const Allocator& allocator, F&& function)
      : giver_(allocated_task<std::decay_t<F>, Allocator>::pack(allocator, std::forward<F>(function))) {}
  // Takes over the other task, which is empty then.
  packaged_task(packaged_task&&) noexcept = default;
  // Takes over the other task. The future of the task that was here before is broken if that task
  // was not called.
  packaged_task& operator=(packaged_task&&) noexcept = default;

  // Tells whether the task holds a callable.
  bool valid() const noexcept { return giver_.has_state(); }
  // Returns the future; it can be called once. Throws std::future_error: no_state,
  // future_already_retrieved. Never switches. Callable from any.
  future<R> get_future() { return giver_.get_future(); }
  // Calls the callable, whose result or exception is set. Throws std::future_error: no_state,
  // promise_already_satisfied (it was called before). May switch if the callable does. Callable
  // from any.
  void operator()(As... arguments) { giver_.claim()->run(std::forward<As>(arguments)...); }
  // Gives the callable a new shared state, with a new future. The old future is broken if the
  // callable was not called. Throws std::future_error: no_state; std::bad_alloc; and what moving
  // the callable throws. Never switches. Callable from any.
  void reset() { giver_ = detail::giver<R, any_task>(giver_.valid()->renew()); }

  // Calls the callable now, and makes the future ready when the calling thread has ended and the
  // values of its keys have been destroyed. Throws std::future_error: no_state,
  // promise_already_satisfied; and weft::error: again (there are 1024 keys). May switch if the
  // callable does. Callable from any.
  void make_ready_at_thread_exit(As... arguments) {
    auto kept = std::make_unique<detail::kept_result<any_task>>(nullptr);
    any_task* const claimed = giver_.claim();
    try {
      detail::exit_actions::add(kept.get());
    } catch (...) {
      claimed->disclaim();
      throw;
    }
    detail::kept_result<any_task>* const added = kept.release();
    added->keep(claimed);
    added->fail(claimed->run_unpublished(std::forward<As>(arguments)...));
  }

  // Exchanges two tasks.
  void swap(packaged_task& other) noexcept { std::swap(giver_, other.giver_); }
  // Exchanges two tasks.
  friend void swap(packaged_task& left, packaged_task& right) noexcept { left.swap(right); }

 private:
  struct any_task : detail::state<R> {
    any_task() noexcept : detail::state<R>(1) {}
    virtual void run(As&&... arguments) noexcept = 0;
    // Returns what it threw.
    virtual std::exception_ptr run_unpublished(As&&... arguments) noexcept = 0;
    // Another state with the callable, which is moved out of this one.
    virtual any_task* renew() = 0;
  };

  template <class F>
  struct task : any_task {
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
    std::exception_ptr run_unpublished(As&&... arguments) noexcept override {
      std::exception_ptr thrown;
      detail::run_caught([&] { this->store_result(function, std::forward<As>(arguments)...); },
                         [&thrown](std::exception_ptr failure) { thrown = std::move(failure); });
      return thrown;
    }
    F function;
  };

  template <class F>
  struct plain_task final : task<F> {
    using task<F>::task;
    any_task* renew() override { return new plain_task(std::move(this->function)); }
  };

  template <class F, class Allocator>
  struct allocated_task : task<F> {
    template <class G>
    static any_task* pack(const Allocator& allocator, G&& function) {
      return detail::allocated<allocated_task, Allocator>::make(allocator, allocator, std::forward<G>(function));
    }
    template <class G>
    allocated_task(const Allocator& allocator, G&& from) : task<F>(std::forward<G>(from)), with(allocator) {}
    any_task* renew() override { return pack(with, std::move(this->function)); }
    [[no_unique_address]] Allocator with;
  };

  detail::giver<R, any_task> giver_;
};

}  // namespace weft
