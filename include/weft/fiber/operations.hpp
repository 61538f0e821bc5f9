// weft::this_fiber, and weft::fibers::use_scheduling_algorithm. Boost.Fiber's, with its names.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <utility>

#include <weft/fiber/detail/library.hpp>
#include <weft/fiber/fiber.hpp>
#include <weft/thread.hpp>

namespace weft {
namespace this_fiber {

// The id of the calling fiber, main's included; the empty one on another OS thread than main's.
// Throws weft::error where the library cannot start. Never switches. Callable from any.
inline fibers::fiber::id get_id() {
  fibers::detail::use();
  return weft::this_thread::get_id();
}

// What a thread of Weft does: see <weft/thread.hpp>. A fiber that yields goes behind those that are
// ready.
using weft::this_thread::sleep_for;
using weft::this_thread::sleep_until;
using weft::this_thread::yield;

}  // namespace this_fiber

namespace fibers {

// Says how fibers are run from now on: Algorithm(arguments...) is algo::round_robin or
// algo::work_stealing, whose heads say what they do. Throws what their weft_use throws. May switch.
// Callable from a fiber or an OS thread.
template <class Algorithm, class... Arguments>
void use_scheduling_algorithm(Arguments&&... arguments) {
  static_assert(
      requires(Algorithm algorithm) { algorithm.weft_use(); },
      "weft::fibers runs algo::round_robin and algo::work_stealing; schedulers of your own are written on <weft/ext.h>");
  Algorithm(std::forward<Arguments>(arguments)...).weft_use();
}

}  // namespace fibers
}  // namespace weft
