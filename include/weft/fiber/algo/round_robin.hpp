// weft::fibers::algo::round_robin: what a program has that asks for nothing. One OS thread runs all
// fibers, in the order in which they became ready. Asked for after work_stealing, it changes
// nothing.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/detail/library.hpp>

namespace weft::fibers::algo {

class round_robin {
 public:
  // Starts the library, for use_scheduling_algorithm. Throws weft::error where it cannot start. Never
  // switches. Callable from any.
  void weft_use() { detail::use(); }
};

}  // namespace weft::fibers::algo
