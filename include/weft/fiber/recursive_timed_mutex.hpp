// weft::fibers::recursive_timed_mutex: Boost.Fiber's is weft::recursive_timed_mutex.
#pragma once

#include <weft/fiber/exceptions.hpp>
#include <weft/mutex.hpp>

namespace weft::fibers {

using weft::recursive_timed_mutex;

}  // namespace weft::fibers
