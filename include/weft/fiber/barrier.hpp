// weft::fibers::barrier: Boost.Fiber's, over weft::barrier.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/fiber/exceptions.hpp>
#include <weft/sync.hpp>

namespace weft::fibers {

// A place where a fixed number of fibers wait for each other, again and again.
class barrier {
 public:
  // Makes a barrier for a number of fibers. Throws fiber_error: invalid (0 of them, or more than
  // 2^32-1).
  explicit barrier(std::size_t initial) : barrier_(initial <= UINT32_MAX ? static_cast<std::uint32_t>(initial) : 0) {}

  // Waits until all have come. True for exactly one of them.
  bool wait() { return barrier_.arrive_and_wait(); }

 private:
  weft::barrier barrier_;
};

}  // namespace weft::fibers
