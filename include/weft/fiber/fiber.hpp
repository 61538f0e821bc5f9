// weft::fibers::fiber: Boost.Fiber's fiber, which is a thread of Weft.
//
// The library starts by itself: main is a fiber, and an OS thread runs all fibers that were made on
// it, one at a time and in the order in which they became ready, until algo::work_stealing asks for
// more workers; when the OS thread ends, it waits for them. A
// fiber that is joined before its first turn runs at once. An exception that leaves its function
// ends the program (std::terminate).
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <concepts>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/detail/context_stack.hpp>
#include <weft/fiber/detail/library.hpp>
#include <weft/fiber/exceptions.hpp>
#include <weft/fiber/policy.hpp>
#include <weft/thread.hpp>

namespace weft::fibers {

class fiber;

using context::default_stack;
using context::fixedsize_stack;
using context::pooled_fixedsize_stack;
using context::protected_fixedsize_stack;
using context::segmented_stack;

namespace detail {

// What a fiber may be made of, rather than copied from or told how to start by.
template <class F>
concept is_fiber_function = !std::same_as<std::remove_cvref_t<F>, fiber> && !std::same_as<std::remove_cvref_t<F>, launch> &&
                            !std::same_as<std::remove_cvref_t<F>, std::allocator_arg_t>;

}  // namespace detail

class fiber {
 public:
  using id = weft::thread_id;

  // No fiber: not joinable.
  fiber() noexcept = default;

  // Makes a fiber that will run function(arguments...), each copied or moved as std::thread does,
  // when its turn comes. Throws weft::error (no_memory; again: no OS thread or no more workers
  // could be had) and what copying throws. Never switches. Callable from a fiber or an OS thread,
  // on which the new fiber stays, except under work stealing.
  template <class F, class... As>
    requires(sizeof...(As) > 0 && detail::is_fiber_function<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
  [[gnu::always_inline]] fiber(F&& function, As&&... arguments)
      : fiber(launch::post, std::forward<F>(function), std::forward<As>(arguments)...) {}

  // Makes a fiber that will run function() when its turn comes. Reports name it by the place of this
  // call. Throws weft::error (no_memory; again: no OS thread or no more workers could be had) and what
  // copying throws. Never switches. Callable from a fiber or an OS thread.
  template <class F>
    requires(detail::is_fiber_function<F> && std::invocable<std::decay_t<F>>)
  fiber(F&& function, weft::detail::caller made_by = weft::detail::caller())
      : fiber(launch::post, std::forward<F>(function), made_by) {}

  // Makes a fiber that runs function(arguments...), each copied or moved as std::thread does: with
  // launch::dispatch at once, with launch::post when its turn comes. Throws weft::error (no_memory;
  // again: no OS thread or no more workers could be had) and what copying throws. May switch with
  // launch::dispatch. Callable from a fiber or an OS thread, on which the new fiber stays, except
  // under work stealing.
  template <class F, class... As>
    requires(sizeof...(As) > 0 && detail::is_fiber_function<F> && std::invocable<std::decay_t<F>, std::decay_t<As>...>)
  [[gnu::always_inline]] fiber(launch policy, F&& function, As&&... arguments) {
    const weft_thread_attr attributes = detail::new_fiber(policy == launch::dispatch);
    handle_ = weft::detail::create_thread(weft::detail::caller::unknown(), &attributes, std::forward<F>(function),
                                          std::forward<As>(arguments)...);
    if (policy == launch::dispatch) detail::run_now(handle_);
  }
  // Makes a fiber that runs function(): with launch::dispatch at once, with launch::post when its
  // turn comes. Reports name it by the place of this call. Throws weft::error (no_memory; again: no
  // OS thread or no more workers could be had) and what copying throws. May switch with
  // launch::dispatch. Callable from a fiber or an OS thread, on which the new fiber stays, except
  // under work stealing.
  template <class F>
    requires(detail::is_fiber_function<F> && std::invocable<std::decay_t<F>>)
  fiber(launch policy, F&& function, weft::detail::caller made_by = weft::detail::caller()) {
    const weft_thread_attr attributes = detail::new_fiber(policy == launch::dispatch);
    handle_ = weft::detail::create_thread(made_by, &attributes, std::forward<F>(function));
    if (policy == launch::dispatch) detail::run_now(handle_);
  }

  // Makes a fiber with a stack of that size: weft::fibers::fixedsize_stack(bytes). Of an allocator of
  // the program's own the size alone counts: fibers have Weft's stacks. Throws weft::error (no_memory;
  // again: no OS thread or no more workers could be had) and what copying throws. May switch with
  // launch::dispatch. Callable from a fiber or an OS thread.
  template <weft::detail::any_stack Stack, class F, class... As>
  fiber(launch policy, std::allocator_arg_t, Stack&& stack, F&& function, As&&... arguments) {
    weft_thread_attr attributes = detail::new_fiber(policy == launch::dispatch);
    attributes.stack_bytes = weft::detail::size_of_stack(stack);
    handle_ = weft::detail::create_thread(weft::detail::caller::unknown(), &attributes, std::forward<F>(function),
                                          std::forward<As>(arguments)...);
    if (policy == launch::dispatch) detail::run_now(handle_);
  }
  // Makes a fiber with a stack of that size, which waits for its turn. Throws weft::error (no_memory;
  // again: no OS thread or no more workers could be had) and what copying throws. Never switches.
  // Callable from a fiber or an OS thread.
  template <weft::detail::any_stack Stack, class F, class... As>
  fiber(std::allocator_arg_t, Stack&& stack, F&& function, As&&... arguments)
      : fiber(launch::post, std::allocator_arg, std::forward<Stack>(stack), std::forward<F>(function),
              std::forward<As>(arguments)...) {}

  // Takes over the other fiber, which is not joinable then.
  fiber(fiber&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  // A fiber that is still joinable must not be assigned to: the program ends (std::terminate).
  fiber& operator=(fiber&& other) noexcept {
    if (joinable()) std::terminate();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  // A fiber that was neither joined nor detached ends the program (std::terminate).
  ~fiber() {
    if (joinable()) std::terminate();
  }

  // Whether it stands for a fiber that was neither joined nor detached. Never switches.
  bool joinable() const noexcept { return handle_ != nullptr; }
  // The fiber's id; the empty one where there is none. Never switches.
  id get_id() const noexcept { return id(weft_thread_id(handle_)); }

  // Waits for the fiber's end. Throws weft::error: invalid (not joinable), deadlock (itself),
  // cannot_block (a tasklet). May switch. Callable from a fiber or an OS thread.
  void join() {
    detail::run_first(handle_);
    weft::detail::check(weft_thread_join(handle_), "weft::fibers::fiber::join");
    handle_ = nullptr;
  }

  // Lets the fiber go on by itself; main's return waits for it. Throws weft::error: invalid (not
  // joinable). Never switches. Callable from any.
  void detach() {
    weft::detail::check(weft_thread_detach(handle_), "weft::fibers::fiber::detach");
    handle_ = nullptr;
  }

  // Exchanges what the two stand for. Never switches.
  void swap(fiber& other) noexcept { std::swap(handle_, other.handle_); }
  // Exchanges what the two stand for. Never switches.
  friend void swap(fiber& left, fiber& right) noexcept { left.swap(right); }
  // Fibers are ordered by their ids. Never switches.
  friend bool operator<(const fiber& left, const fiber& right) noexcept { return left.get_id() < right.get_id(); }

 protected:
  weft_thread* handle_ = nullptr;
};

}  // namespace weft::fibers
