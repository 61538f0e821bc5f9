// Calls that wait in the kernel, made by a thread that does not keep its worker meanwhile:
// weft/blocking.h says how.
//
//     const ssize_t read = weft::blocking([&] { return ::read(file, bytes, sizeof bytes); });
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/blocking.h>
#include <weft/error.hpp>

#include <utility>

namespace weft {

namespace detail {

class blocking_region {
 public:
  blocking_region() { check(weft_blocking_begin(), "weft_blocking_begin"); }
  ~blocking_region() { static_cast<void>(weft_blocking_end()); }
  blocking_region(const blocking_region&) = delete;
  blocking_region& operator=(const blocking_region&) = delete;
};

}  // namespace detail

// The result of function(), called in a blocking region: on the caller's OS thread, which is no
// worker meanwhile. errno is as function left it. Exceptions of the function pass. May switch, once
// the function has returned. Callable from anywhere but a tasklet or callback. Throws weft::error:
// cannot_block (the function was not called).
template <class Function>
decltype(auto) blocking(Function&& function) {
  const detail::blocking_region region;
  return std::forward<Function>(function)();
}

}  // namespace weft
