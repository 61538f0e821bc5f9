// weft::launch: whether a new thread waits for its turn or starts at once. Boost.Fiber's.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <type_traits>

#include <weft/weft.h>

namespace weft {

// How a new thread begins.
enum class launch {
  dispatch,  // the new thread starts at once; its maker goes behind those that are ready
  post       // the new thread is put into the queue; what happens without a policy
};

// Whether T is a launch policy.
template <class T>
struct is_launch_policy : std::is_same<std::remove_cvref_t<T>, launch> {};

namespace detail {

// A thief may have taken the new thread, and an OS thread outside or a tasklet has no turn to give:
// then it starts soon.
inline void start_by(launch policy, weft_thread* made) noexcept {
  if (policy == launch::dispatch) static_cast<void>(weft_yield_to(made));
}

}  // namespace detail
}  // namespace weft
