// The kernel's side of restartable stores (arch/restart.hpp): rseq(2), which the C library
// registers for every OS thread (glibc 2.35), and membarrier(2), PRIVATE_EXPEDITED_RSEQ, Linux
// 5.10.
//
// Both sides must agree that restartable stores are in use, also about words that were marked
// before: so they are switched on in two steps, with a heavy fence between. They stay on for the
// life of the process.
#pragma once

#include <cstddef>

#include "base/atomic.hpp"

namespace weft::os {

namespace detail {
[[gnu::visibility("hidden")]] extern constinit base::atomic<std::ptrdiff_t> restart_area;
[[gnu::visibility("hidden")]] extern constinit base::atomic<bool> restarts_may_be_used;
}  // namespace detail

// After register_asymmetric_fence() succeeded; repeating it is harmless. False: this system cannot,
// they may not be used.
bool enable_restartable_stores(bool machine_has_them);

// Where the calling OS thread keeps the address of its sequence, relative to its thread pointer. 0:
// not in use.
inline std::ptrdiff_t restart_area() {
  // [L8] acquire: sees each mark that was made without a look, or before it; pairs with [L9]
  return detail::restart_area.load(base::acquire);
}

// Asked after a word was changed: whether an OS thread may be in the middle of a restartable store
// to it.
inline bool needs_restart_fence() {
  // [L6] light fence: the change before the look; pairs with [L7]
  base::light_fence();
  return detail::restarts_may_be_used.load(base::relaxed);
}

// Some microseconds: interrupts every running OS thread of the process.
void restart_fence();

}  // namespace weft::os
