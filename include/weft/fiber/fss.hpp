// weft::fibers::fiber_specific_ptr: Boost.Fiber's is weft::thread_specific_ptr.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/exceptions.hpp>
#include <weft/specific.hpp>

namespace weft::fibers {

// A pointer that each fiber has for itself.
template <class T>
using fiber_specific_ptr = weft::thread_specific_ptr<T>;

}  // namespace weft::fibers
