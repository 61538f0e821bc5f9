// weft::fibers::barrier: Boost.Fiber's, over weft_barrier.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <cstdint>

#include <weft/fiber/exceptions.hpp>
#include <weft/sync.hpp>

namespace weft::fibers {

// A place where a fixed number of fibers wait for each other, again and again.
class barrier {
 public:
  // Makes a barrier for a number of fibers. Throws fiber_error: invalid (0 of them, or more than
  // 2^32-1). Never switches. Callable from any.
  explicit barrier(std::size_t initial) {
    const auto parties = initial <= UINT32_MAX ? static_cast<std::uint32_t>(initial) : 0;
    weft::detail::check(weft_barrier_init(&barrier_, parties), "weft_barrier_init");
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // Waits until all have come. Returns true for exactly one of them. Throws weft::error: cannot_block
  // (a tasklet). May switch. Callable from a fiber or an OS thread.
  bool wait() {
    bool is_last = false;
    weft::detail::check(weft_barrier_wait(&barrier_, &is_last), "weft_barrier_wait");
    return is_last;
  }

 private:
  weft_barrier barrier_;
};

}  // namespace weft::fibers
