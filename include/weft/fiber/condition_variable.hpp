// weft::fibers::condition_variable: Boost.Fiber's is weft::condition_variable, with
// std::unique_lock<weft::fibers::mutex>. Waiters are woken first come, first served, and only by a
// notification. condition_variable_any takes any lock.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/condition_variable.hpp>
#include <weft/condition_variable_any.hpp>
#include <weft/fiber/mutex.hpp>

namespace weft::fibers {

using weft::condition_variable;
using weft::condition_variable_any;
using weft::cv_status;

}  // namespace weft::fibers
