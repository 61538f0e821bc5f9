// weft::fibers::async, future, shared_future, promise and packaged_task: Boost.Fiber's names for
// Weft's own, with std's errors (std::future_error).
//
// get and wait* may switch, and are callable from a fiber or an OS thread. Besides what the other
// side threw, they throw weft::error: cannot_block (a tasklet that would have to wait). The other
// calls never switch.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <chrono>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/async.hpp>
#include <weft/fiber/detail/library.hpp>
#include <weft/fiber/exceptions.hpp>
#include <weft/fiber/fiber.hpp>
#include <weft/fiber/policy.hpp>
#include <weft/future.hpp>
#include <weft/promise.hpp>

namespace weft::fibers {

using std::future_status;

template <class T>
using promise = weft::promise<T>;
template <class Signature>
using packaged_task = weft::packaged_task<Signature>;
template <class T>
using shared_future = weft::shared_future<T>;

// One reader. It does not wait when it is destroyed. A fiber whose result is waited for before its
// first turn runs at once.
template <class T>
class future : public weft::future<T> {
 public:
  future() noexcept = default;
  // What promise and packaged_task give.
  future(weft::future<T>&& from) noexcept : weft::future<T>(std::move(from)) {}
  // For async.
  future(launch policy, weft::future<T>&& from) noexcept : weft::future<T>(std::move(from)) {
    if (policy == launch::dispatch) detail::run_now(this->runner());
  }

  // Waits for the value and returns it; callable once. Throws what the other side threw,
  // std::future_error, and weft::error: cannot_block (a tasklet). May switch. Callable from a fiber
  // or an OS thread.
  T get() {
    detail::run_first(this->runner());
    return weft::future<T>::get();
  }
  // Waits until get would not wait. Throws std::future_error (no state), and weft::error:
  // cannot_block (a tasklet). May switch. Callable from a fiber or an OS thread.
  void wait() const { this->wait_after(detail::run_first); }
};

// Calls function(arguments...), each copied or moved as std::thread does, in a new fiber: with
// launch::dispatch at once, with launch::post when its turn comes. Returns a future of its result
// or its exception, which may be dropped: the fiber goes on by itself. Throws weft::error
// (no_memory; again: no OS thread or no more workers could be had) and what copying throws. May
// switch with launch::dispatch. Callable from a fiber or an OS thread, on which the new fiber
// stays, except under work stealing.
template <class F, class... As>
  requires(sizeof...(As) > 0 && detail::is_fiber_function<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
[[gnu::always_inline]] inline future<weft::detail::async_result<F, As...>> async(launch policy, F&& function, As&&... arguments) {
  const weft_thread_attr attributes = detail::new_fiber(policy == launch::dispatch);
  return {policy, weft::detail::start_async(weft::detail::caller::unknown(), &attributes, std::forward<F>(function),
                                            std::forward<As>(arguments)...)};
}
// Calls a copy of function in a new fiber: with launch::dispatch at once, with launch::post when
// its turn comes. Reports name the fiber by the place of this call. Returns a future of its result
// or its exception, which may be dropped: the fiber goes on by itself. Throws weft::error
// (no_memory; again: no OS thread or no more workers could be had) and what copying throws. May
// switch with launch::dispatch. Callable from a fiber or an OS thread, on which the new fiber
// stays, except under work stealing.
template <class F>
  requires(detail::is_fiber_function<F> && std::invocable<std::decay_t<F>>)
future<weft::detail::async_result<F>> async(launch policy, F&& function, weft::detail::caller made_by = weft::detail::caller()) {
  const weft_thread_attr attributes = detail::new_fiber(policy == launch::dispatch);
  return {policy, weft::detail::start_async(made_by, &attributes, std::forward<F>(function))};
}

// Calls function(arguments...) in a new fiber with a stack of that size:
// weft::fibers::fixedsize_stack(bytes). Of an allocator of the program's own the size alone counts:
// fibers have Weft's stacks. Returns a future of its result or its exception. Throws weft::error
// (no_memory; again: no OS thread or no more workers could be had) and what copying throws. May
// switch with launch::dispatch. Callable from a fiber or an OS thread.
template <weft::detail::any_stack Stack, class F, class... As>
  requires std::invocable<std::decay_t<F>, std::decay_t<As>...>
future<weft::detail::async_result<F, As...>> async(launch policy, std::allocator_arg_t, Stack&& stack, F&& function,
                                                   As&&... arguments) {
  weft_thread_attr attributes = detail::new_fiber(policy == launch::dispatch);
  attributes.stack_bytes = weft::detail::size_of_stack(stack);
  return {policy, weft::detail::start_async(weft::detail::caller::unknown(), &attributes, std::forward<F>(function),
                                            std::forward<As>(arguments)...)};
}

// Calls function(arguments...), each copied or moved as std::thread does, in a new fiber, when the
// fiber's turn comes. Returns a future of its result or its exception, which may be dropped: the
// fiber goes on by itself. Throws weft::error (no_memory; again: no OS thread or no more workers
// could be had) and what copying throws. Never switches. Callable from a fiber or an OS thread, on
// which the new fiber stays, except under work stealing.
template <class F, class... As>
  requires(sizeof...(As) > 0 && detail::is_fiber_function<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
[[gnu::always_inline]] inline future<weft::detail::async_result<F, As...>> async(F&& function, As&&... arguments) {
  return async(launch::post, std::forward<F>(function), std::forward<As>(arguments)...);
}
// Calls a copy of function in a new fiber, when the fiber's turn comes. Reports name the fiber by
// the place of this call. Returns a future of its result or its exception, which may be dropped:
// the fiber goes on by itself. Throws weft::error (no_memory; again: no OS thread or no more
// workers could be had) and what copying throws. Never switches. Callable from a fiber or an OS
// thread, on which the new fiber stays, except under work stealing.
template <class F>
  requires(detail::is_fiber_function<F> && std::invocable<std::decay_t<F>>)
future<weft::detail::async_result<F>> async(F&& function, weft::detail::caller made_by = weft::detail::caller()) {
  return async(launch::post, std::forward<F>(function), made_by);
}

}  // namespace weft::fibers
