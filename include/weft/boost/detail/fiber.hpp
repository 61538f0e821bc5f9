// boost::fibers::fiber: Weft's, with the properties that algorithms of the program's give; and
// boost::this_fiber.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include <weft/boost/detail/context.hpp>
#include <weft/boost/detail/errors.hpp>
#include <weft/fiber/fiber.hpp>
#include <weft/fiber/operations.hpp>

namespace weft::detail {

// The properties of a context as a P. Throws fiber_error: operation_not_permitted.
template <class P>
P& properties_of(boost::fibers::context* of) {
  boost::fibers::fiber_properties* const all = of != nullptr ? of->get_properties() : nullptr;
  if (P* const wanted = dynamic_cast<P*>(all); wanted != nullptr) return *wanted;
  throw boost::fibers::fiber_error(
      std::make_error_code(std::errc::operation_not_permitted),
      all == nullptr ? "boost fiber: no properties: the fiber has ended, or its OS thread uses no algorithm_with_properties"
                     : "boost fiber: the fiber's properties are of another class");
}

}  // namespace weft::detail

namespace boost {
namespace fibers {

class fiber;

// What a fiber may be made of, rather than copied from or told how to start by.
template <class F, class... As>
concept fiber_callable = !std::same_as<std::remove_cvref_t<F>, fiber> && weft::fibers::detail::is_fiber_function<F> &&
                         std::invocable<std::decay_t<F>, std::decay_t<As>...>;

// A fiber, as weft::fibers::fiber is.
class fiber : public weft::fibers::fiber {
  using base = weft::fibers::fiber;
  using launch = weft::fibers::launch;
  template <class F>
  using function_of = weft::detail::fiber_function<std::decay_t<F>>;

 public:
  // No fiber: not joinable.
  fiber() noexcept = default;
  // A new fiber that will run function(arguments...). Throws weft::error (no_memory; again) and what
  // copying throws. Never switches.
  template <class F, class... As>
    requires(sizeof...(As) > 0 && fiber_callable<F, As...>)
  fiber(F&& function, As&&... arguments)
      : base(launch::post, function_of<F>{std::forward<F>(function)}, std::forward<As>(arguments)...) {}
  // A new fiber that will run function(). Reports name it by the place of this call.
  template <class F>
    requires fiber_callable<F>
  fiber(F&& function, weft::detail::caller made_by = weft::detail::caller())
      : base(launch::post, function_of<F>{std::forward<F>(function)}, made_by) {}
  // With launch::dispatch the new fiber starts at once, and the call may switch.
  template <class F, class... As>
    requires(sizeof...(As) > 0 && fiber_callable<F, As...>)
  fiber(launch policy, F&& function, As&&... arguments)
      : base(policy, function_of<F>{std::forward<F>(function)}, std::forward<As>(arguments)...) {}
  // As above, of a function without arguments.
  template <class F>
    requires fiber_callable<F>
  fiber(launch policy, F&& function, weft::detail::caller made_by = weft::detail::caller())
      : base(policy, function_of<F>{std::forward<F>(function)}, made_by) {}
  // A fiber with a stack of that size.
  template <weft::detail::any_stack Stack, class F, class... As>
  fiber(launch policy, std::allocator_arg_t tag, Stack&& stack, F&& function, As&&... arguments)
      : base(policy, tag, std::forward<Stack>(stack), function_of<F>{std::forward<F>(function)}, std::forward<As>(arguments)...) {
  }
  // A fiber with a stack of that size, which waits for its turn.
  template <weft::detail::any_stack Stack, class F, class... As>
  fiber(std::allocator_arg_t tag, Stack&& stack, F&& function, As&&... arguments)
      : base(tag, std::forward<Stack>(stack), function_of<F>{std::forward<F>(function)}, std::forward<As>(arguments)...) {}

  // The properties of the fiber, which must not have ended. Never switches. Throws fiber_error:
  // operation_not_permitted (it has none, or none of this class).
  template <class P>
  P& properties() {
    return weft::detail::properties_of<P>(weft::detail::contexts::find(handle_));
  }
};

}  // namespace fibers
namespace this_fiber {

using namespace weft::this_fiber;

// The properties of the calling fiber, which may be an OS thread's own flow of control: that yields
// first, if no algorithm has seen it. Throws fiber_error: operation_not_permitted (the OS thread
// uses no algorithm_with_properties, or P is another class).
template <class P>
P& properties() {
  if (fibers::context::active()->get_properties() == nullptr) yield();
  return weft::detail::properties_of<P>(fibers::context::active());
}

}  // namespace this_fiber
}  // namespace boost
