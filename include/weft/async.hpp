// weft::async: calls a function in a thread of its own; the future gets its result or its exception. One allocation.
//
//   weft::future<int> left = weft::async(fib, n - 1);
//   const int right = fib(n - 2);
//   return left.get() + right;
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/thread.hpp>

namespace weft {
namespace detail {

// Held by the thread and by the future.
template <class R, class Call>
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

template <class F, class... As>
using async_result = std::invoke_result_t<std::decay_t<F>, std::decay_t<As>...>;

template <class F, class... As>
future<async_result<F, As...>> start_async(const weft_thread_attr* attributes, F&& function, As&&... arguments) {
  using result = async_result<F, As...>;
  using shared = async_state<result, bound_call<std::decay_t<F>, std::decay_t<As>...>>;
  auto* const made = new shared(std::forward<F>(function), std::forward<As>(arguments)...);
  weft_thread* runner = nullptr;
  const weft_status status = weft_thread_create(shared::run, made, attributes, &runner);
  if (status != WEFT_OK) [[unlikely]] {
    made->release();
    made->release();
    fail(status, "weft_thread_create");
  }
  return future<result>(state_pointer<state<result>>(made), runner);
}

}  // namespace detail

// function and arguments are copied or moved as std::thread does. Throws weft::error and what copying throws. Callable from any.
// Never switches.
template <class F, class... As>
  requires(detail::not_attributes<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
[[nodiscard]] future<detail::async_result<F, As...>> async(F&& function, As&&... arguments) {
  return detail::start_async(nullptr, std::forward<F>(function), std::forward<As>(arguments)...);
}

template <class F, class... As>
  requires std::invocable<std::decay_t<F>, std::decay_t<As>...>
[[nodiscard]] future<detail::async_result<F, As...>> async(const thread_attributes& attributes, F&& function, As&&... arguments) {
  const weft_thread_attr c = attributes.to_c();
  return detail::start_async(&c, std::forward<F>(function), std::forward<As>(arguments)...);
}

}  // namespace weft
