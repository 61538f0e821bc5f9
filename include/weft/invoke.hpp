// weft::invoke: calls several functions, possibly in parallel.
//
//   weft::invoke([&] { sort(left); }, [&] { sort(right); });
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

#include <weft/callable.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/fork.hpp>

namespace weft {
namespace detail {

template <std::size_t Index, class Calls>
void invoke_from(const Calls& calls, first_failure& failure) noexcept;

// The calls from Index on, of which reports name the first one, Next.
template <class Next, std::size_t Index, class Calls>
struct later_calls {
  const Calls* calls;
  first_failure* failure;
  void operator()() const noexcept { invoke_from<Index>(*calls, *failure); }
};

// The calls from Index on: the later ones are a fork, so that a worker alone calls all in their
// order.
template <std::size_t Index, class Calls>
void invoke_from(const Calls& calls, first_failure& failure) noexcept {
  const auto call = [&] { failure.call(Index, std::get<Index>(calls)); };
  if constexpr (Index + 1 == std::tuple_size_v<Calls>) {
    call();
  } else {
    using next = std::remove_reference_t<std::tuple_element_t<Index + 1, Calls>>;
    auto later = fork(later_calls<next, Index + 1, Calls>{&calls, &failure});
    call();
    later.join();
  }
}

}  // namespace detail

// Calls all the functions, possibly in parallel, and returns when all of them have returned. Their
// results are ignored. The functions may do what forks may do (hot.h).
//
// Throws what a function throws, after all have ended: of several exceptions that of the function
// that is first among them in the order of the arguments. Functions after that one may have been
// skipped; dropped_exceptions.hpp counts the other exceptions. May switch. Callable from any; in a
// tasklet and outside, the functions are called in order.
template <class... Functions>
  requires(sizeof...(Functions) > 0)
void invoke(Functions&&... functions) {
  constexpr bool are_children = (child_function<Functions> && ...);
  static_assert(are_children, "weft::child_function: weft::invoke calls functions without arguments");
  if constexpr (are_children) {
    detail::first_failure failure;
    detail::invoke_from<0>(std::tuple<Functions&...>(functions...), failure);
    failure.rethrow();
  }
}

}  // namespace weft
