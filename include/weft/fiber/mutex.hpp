// weft::fibers::mutex: Boost.Fiber's mutex is weft::mutex. A fiber that waits leaves its OS thread
// to the others. What main locks before the library has started, it holds as a fiber, too.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/exceptions.hpp>
#include <weft/mutex.hpp>

namespace weft::fibers {

using weft::mutex;

}  // namespace weft::fibers
