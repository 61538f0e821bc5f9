// What weft::fibers throws, under the names that programs for Boost.Fiber catch. fiber_error and
// lock_error are weft::error, a std::system_error whose code compares equal to the std::errc that
// Boost throws. future_error is std's, which is no fiber_error.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <future>

#include <weft/error.hpp>

namespace weft::fibers {

using fiber_error = weft::error;
using lock_error = weft::error;
using std::future_errc;
using std::future_error;

}  // namespace weft::fibers
