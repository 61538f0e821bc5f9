// weft::fibers::launch: whether a new fiber waits for its turn or starts at once. Boost.Fiber's,
// with its names.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <type_traits>

namespace weft::fibers {

enum class launch {
  dispatch,  // the new fiber starts at once; the fiber that made it goes behind those that are ready
  post       // the new fiber goes behind those that are ready; the default
};

namespace detail {

template <class T>
struct is_launch_policy : std::is_same<T, launch> {};

}  // namespace detail
}  // namespace weft::fibers
