// boost::fibers::future, shared_future, promise, packaged_task and async: Weft's, with the errors
// that Boost.Fiber throws. Allocators are taken and not used: a state is one allocation.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/boost/detail/context.hpp>
#include <weft/boost/detail/errors.hpp>
#include <weft/fiber/future.hpp>

namespace boost {
namespace fibers {

using std::future_status;

template <class R>
class shared_future;

// What both kinds of readers do, over Weft's future.
template <class Inner>
class future_reader {
 public:
  // Whether there is a state.
  bool valid() const noexcept { return inner_.valid(); }
  // What the other side threw; null if there is a value. May switch.
  std::exception_ptr get_exception_ptr() const {
    check();
    inner_.wait();
    return weft::detail::failure_for_boost<future_uninitialized>(inner_.get_exception_ptr());
  }
  // Waits until there is a result. May switch.
  void wait() const {
    check();
    inner_.wait();
  }
  // Waits for an interval at most. May switch.
  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& interval) const {
    check();
    return inner_.wait_for(interval);
  }
  // Waits until the deadline at most. May switch.
  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& deadline) const {
    check();
    return inner_.wait_until(deadline);
  }

 protected:
  future_reader() noexcept = default;
  explicit future_reader(Inner&& from) noexcept : inner_(std::move(from)) {}
  void check() const {
    if (!valid()) throw future_uninitialized();
  }
  Inner inner_;
};

// The one reader of a result.
template <class R>
class future : public future_reader<weft::fibers::future<R>> {
  using reader = future_reader<weft::fibers::future<R>>;
  using reader::inner_;

 public:
  future() noexcept = default;
  // Of Weft's.
  future(weft::fibers::future<R>&& from) noexcept : reader(std::move(from)) {}

  // The result, once, or throws what the other side threw. May switch.
  R get() {
    return weft::detail::with_errors_of_boost<future_uninitialized>([this]() -> R { return inner_.get(); });
  }
  // The same result for several readers.
  shared_future<R> share() {
    reader::check();
    return shared_future<R>(std::move(*this));
  }

 private:
  friend class shared_future<R>;
};

// Several readers of a result.
template <class R>
class shared_future : public future_reader<weft::shared_future<R>> {
  using reader = future_reader<weft::shared_future<R>>;
  using reader::inner_;

 public:
  shared_future() noexcept = default;
  // Takes the result over.
  shared_future(future<R>&& from) : reader(from.valid() ? from.inner_.share() : weft::shared_future<R>()) {}

  // The result, or throws what the other side threw. May switch.
  decltype(auto) get() const {
    return weft::detail::with_errors_of_boost<future_uninitialized>([this]() -> decltype(auto) { return inner_.get(); });
  }
};

// The giving end.
template <class R>
class promise {
  using empty = promise_uninitialized;

 public:
  promise() = default;
  // Allocators are not used.
  template <class Allocator>
  promise(std::allocator_arg_t, Allocator) {}

  // The future, once.
  future<R> get_future() {
    return weft::detail::with_errors_of_boost<empty>([this] { return future<R>(weft::fibers::future<R>(inner_.get_future())); });
  }
  // Gives the value.
  template <class U = R>
    requires(!std::is_void_v<R>)
  void set_value(U&& value) {
    weft::detail::with_errors_of_boost<empty>([&] { inner_.set_value(std::forward<U>(value)); });
  }
  // Says that it is done.
  void set_value()
    requires std::is_void_v<R>
  {
    weft::detail::with_errors_of_boost<empty>([this] { inner_.set_value(); });
  }
  // Gives an exception.
  void set_exception(std::exception_ptr failure) {
    weft::detail::with_errors_of_boost<empty>([&] { inner_.set_exception(std::move(failure)); });
  }
  // Exchanges two promises.
  void swap(promise& other) noexcept { inner_.swap(other.inner_); }
  // Exchanges two promises.
  friend void swap(promise& left, promise& right) noexcept { left.swap(right); }

 private:
  weft::promise<R> inner_;
};

template <class Signature>
class packaged_task;

// A function whose result goes to a future.
template <class R, class... As>
class packaged_task<R(As...)> {
  using empty = packaged_task_uninitialized;

 public:
  packaged_task() noexcept = default;
  // Packs a copy of a callable.
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, packaged_task> && std::is_invocable_r_v<R, std::decay_t<F>&, As...>)
  explicit packaged_task(F&& function) : inner_(std::forward<F>(function)) {}
  // Allocators are not used.
  template <class Allocator, class F>
  packaged_task(std::allocator_arg_t, Allocator, F&& function) : inner_(std::forward<F>(function)) {}

  // Whether it holds a callable.
  bool valid() const noexcept { return inner_.valid(); }
  // The future, once.
  future<R> get_future() {
    return weft::detail::with_errors_of_boost<empty>([this] { return future<R>(weft::fibers::future<R>(inner_.get_future())); });
  }
  // Calls the callable.
  void operator()(As... arguments) {
    weft::detail::with_errors_of_boost<empty>([&] { inner_(std::forward<As>(arguments)...); });
  }
  // Gives the callable a new state, with a future of its own.
  void reset() {
    weft::detail::with_errors_of_boost<empty>([this] { inner_.reset(); });
  }
  // Exchanges two tasks.
  void swap(packaged_task& other) noexcept { inner_.swap(other.inner_); }
  // Exchanges two tasks.
  friend void swap(packaged_task& left, packaged_task& right) noexcept { left.swap(right); }

 private:
  weft::packaged_task<R(As...)> inner_;
};

// Calls a function in a new fiber; the future gets its result.
template <class F, class... As>
  requires(weft::fibers::detail::is_fiber_function<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
auto async(weft::fibers::launch policy, F&& function, As&&... arguments)
    -> future<std::invoke_result_t<std::decay_t<F>, std::decay_t<As>...>> {
  return weft::fibers::async(policy, weft::detail::fiber_function<std::decay_t<F>>{std::forward<F>(function)},
                             std::forward<As>(arguments)...);
}
// In a fiber with a stack of that size.
template <weft::detail::any_stack Stack, class F, class... As>
  requires std::invocable<std::decay_t<F>, std::decay_t<As>...>
auto async(weft::fibers::launch policy, std::allocator_arg_t tag, Stack&& stack, F&& function, As&&... arguments)
    -> future<std::invoke_result_t<std::decay_t<F>, std::decay_t<As>...>> {
  return weft::fibers::async(policy, tag, std::forward<Stack>(stack),
                             weft::detail::fiber_function<std::decay_t<F>>{std::forward<F>(function)},
                             std::forward<As>(arguments)...);
}
// In a fiber with a stack of that size; an allocator for the future's state is taken and not used.
template <weft::detail::any_stack Stack, class Allocator, class F, class... As>
  requires(!std::invocable<std::decay_t<Allocator>, std::decay_t<F>, std::decay_t<As>...> &&
           std::invocable<std::decay_t<F>, std::decay_t<As>...>)
auto async(weft::fibers::launch policy, std::allocator_arg_t tag, Stack&& stack, Allocator&&, F&& function, As&&... arguments)
    -> future<std::invoke_result_t<std::decay_t<F>, std::decay_t<As>...>> {
  return weft::fibers::async(policy, tag, std::forward<Stack>(stack),
                             weft::detail::fiber_function<std::decay_t<F>>{std::forward<F>(function)},
                             std::forward<As>(arguments)...);
}
// Calls a function in a new fiber, when its turn comes.
template <class F, class... As>
  requires(weft::fibers::detail::is_fiber_function<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
auto async(F&& function, As&&... arguments) -> future<std::invoke_result_t<std::decay_t<F>, std::decay_t<As>...>> {
  return weft::fibers::async(weft::fibers::launch::post, weft::detail::fiber_function<std::decay_t<F>>{std::forward<F>(function)},
                             std::forward<As>(arguments)...);
}

}  // namespace fibers
}  // namespace boost
