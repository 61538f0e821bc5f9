// weft::async: calls a function in a thread of its own; the future gets its result or its
// exception. One allocation.
//
//   weft::future<int> left = weft::async(fib, n - 1);
//   const int right = fib(n - 2);
//   return left.get() + right;
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/callable.hpp>
#include <weft/detail/caller.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/launch.hpp>
#include <weft/thread.hpp>

namespace weft {
namespace detail {

// Held by the thread and by the future.
template <class Call, class R>
class async_state final : public state<R> {
 public:
  template <class... As>
  explicit async_state(As&&... arguments) : state<R>(2), call_(std::in_place, std::forward<As>(arguments)...) {}

  static void run(void* self) noexcept { static_cast<async_state*>(self)->run_and_release(); }

 private:
  void run_and_release() noexcept {
    run_caught(
        [this] {
          this->store_result(call_);
          this->publish();
        },
        [this](std::exception_ptr failure) { this->publish_failure(std::move(failure)); });
    this->release();
  }

  Call call_;
};

// Void for what cannot be called: the error is then that of async's constraint.
template <class F, class... As>
struct async_call {
  using result = void;
};
template <class F, class... As>
  requires thread_function<F, As...>
struct async_call<F, As...> {
  using result = std::invoke_result_t<std::decay_t<F>, std::decay_t<As>...>;
};
template <class F, class... As>
using async_result = typename async_call<F, As...>::result;

// Part of its callers, as create_thread.
template <class F, class... As>
[[gnu::always_inline]] inline future<async_result<F, As...>> start_async_by(launch policy, caller made_by,
                                                                            const weft_thread_attr* attributes, F&& function,
                                                                            As&&... arguments) {
  using result = async_result<F, As...>;
  using shared = async_state<bound_call<std::decay_t<F>, std::decay_t<As>...>, result>;
  auto* const made = new shared(std::forward<F>(function), std::forward<As>(arguments)...);
  weft_thread* runner = nullptr;
  const weft_status status = start_thread(shared::run, made, attributes, &runner, made_by);
  if (status != WEFT_OK) [[unlikely]] {
    made->release();
    made->release();
    fail(status, "weft_thread_create");
  }
  future<result> started(state_pointer<state<result>>(made), runner);
  start_by(policy, runner);
  return started;
}

template <class F, class... As>
[[gnu::always_inline]] inline future<async_result<F, As...>> start_async(caller made_by, const weft_thread_attr* attributes,
                                                                         F&& function, As&&... arguments) {
  return start_async_by(launch::post, made_by, attributes, std::forward<F>(function), std::forward<As>(arguments)...);
}

}  // namespace detail

// Calls function(arguments...) in a thread of its own. function and arguments are copied or moved
// as by std::thread. Returns a future of its result or exception. Throws weft::error and what
// copying throws. Never switches. Callable from any.
template <class F, class... As>
  requires(sizeof...(As) > 0 && detail::not_attributes<F> && thread_function<F, As...>)
[[nodiscard, gnu::always_inline]] inline future<detail::async_result<F, As...>> async(F&& function, As&&... arguments) {
  return detail::start_async(detail::caller::unknown(), nullptr, std::forward<F>(function), std::forward<As>(arguments)...);
}

// Calls function(arguments...) in a thread that has the given attributes. function and arguments
// are copied or moved as by std::thread. Returns a future of its result or exception. Throws
// weft::error and what copying throws. Never switches. Callable from any.
template <class F, class... As>
  requires(sizeof...(As) > 0 && thread_function<F, As...>)
[[nodiscard, gnu::always_inline]] inline future<detail::async_result<F, As...>> async(const thread_attributes& attributes,
                                                                                      F&& function, As&&... arguments) {
  const weft_thread_attr c = attributes.to_c();
  return detail::start_async(detail::caller::unknown(), &c, std::forward<F>(function), std::forward<As>(arguments)...);
}

// Calls a copy of function in a thread of its own. Reports name the thread by the place of this
// call. Returns a future of its result or exception. Throws weft::error and what copying throws.
// Never switches. Callable from any.
template <class F>
  requires(detail::not_attributes<F> && thread_function<F>)
[[nodiscard]] future<detail::async_result<F>> async(F&& function, detail::caller made_by = detail::caller()) {
  return detail::start_async(made_by, nullptr, std::forward<F>(function));
}

// Calls a copy of function in a thread that has the given attributes. Reports name the thread by
// the place of this call. Returns a future of its result or exception. Throws weft::error and what
// copying throws. Never switches. Callable from any.
template <class F>
  requires thread_function<F>
[[nodiscard]] future<detail::async_result<F>> async(const thread_attributes& attributes, F&& function,
                                                    detail::caller made_by = detail::caller()) {
  const weft_thread_attr c = attributes.to_c();
  return detail::start_async(made_by, &c, std::forward<F>(function));
}

// Calls function(arguments...) in a thread of its own: with launch::dispatch at once, with
// launch::post when its turn comes. Returns a future of its result or exception. Throws weft::error
// and what copying throws. May switch with launch::dispatch. Callable from any.
template <class F, class... As>
  requires(sizeof...(As) > 0 && thread_function<F, As...>)
[[nodiscard, gnu::always_inline]] inline future<detail::async_result<F, As...>> async(launch policy, F&& function,
                                                                                      As&&... arguments) {
  return detail::start_async_by(policy, detail::caller::unknown(), nullptr, std::forward<F>(function),
                                std::forward<As>(arguments)...);
}
// Calls a copy of function in a thread of its own: with launch::dispatch at once, with launch::post
// when its turn comes. Reports name the thread by the place of this call. Returns a future of its
// result or exception. Throws weft::error and what copying throws. May switch with
// launch::dispatch. Callable from any.
template <class F>
  requires thread_function<F>
[[nodiscard]] future<detail::async_result<F>> async(launch policy, F&& function, detail::caller made_by = detail::caller()) {
  return detail::start_async_by(policy, made_by, nullptr, std::forward<F>(function));
}

}  // namespace weft
