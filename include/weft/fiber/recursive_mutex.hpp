// weft::fibers::recursive_mutex: Boost.Fiber's is weft::recursive_mutex.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/exceptions.hpp>
#include <weft/mutex.hpp>

namespace weft::fibers {

using weft::recursive_mutex;

}  // namespace weft::fibers
