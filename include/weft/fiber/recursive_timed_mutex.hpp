// weft::fibers::recursive_timed_mutex: Boost.Fiber's is weft::recursive_timed_mutex.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/exceptions.hpp>
#include <weft/mutex.hpp>

namespace weft::fibers {

using weft::recursive_timed_mutex;

}  // namespace weft::fibers
