// weft::invoke: calls several functions, possibly in parallel.
//
//   weft::invoke([&] { sort(left); }, [&] { sort(right); });
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

#include <weft/detail/first_failure.hpp>
#include <weft/fork.hpp>

namespace weft {
namespace detail {

// The calls from Index on: the later ones are a fork, so that a worker alone calls all in their order.
template <std::size_t Index, class Calls>
void invoke_from(const Calls& calls, first_failure& failure) noexcept {
  const auto call = [&] { failure.call(Index, std::get<Index>(calls)); };
  if constexpr (Index + 1 == std::tuple_size_v<Calls>) {
    call();
  } else {
    auto later = fork([&calls, &failure]() noexcept { invoke_from<Index + 1>(calls, failure); });
    call();
    later.join();
  }
}

}  // namespace detail

// Returns when all have returned; what they return is ignored. If some throw, the exception of the first of them, in the order of the
// arguments, leaves when all have ended; those after it may have been skipped (dropped_exceptions.hpp tells of the others). Children
// may do what forks may (hot.h). May switch. Callable from any; in a tasklet and outside it calls them in order.
template <class... Functions>
  requires(sizeof...(Functions) > 0 && (std::invocable<Functions&> && ...))
void invoke(Functions&&... functions) {
  detail::first_failure failure;
  detail::invoke_from<0>(std::tuple<Functions&...>(functions...), failure);
  failure.rethrow();
}

}  // namespace weft
