// weft::fibers::timed_mutex: Boost.Fiber's is weft::timed_mutex.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/exceptions.hpp>
#include <weft/mutex.hpp>

namespace weft::fibers {

using weft::timed_mutex;

}  // namespace weft::fibers
