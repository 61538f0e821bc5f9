// boost::fibers and boost::this_fiber: all of it.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <weft/boost/detail/algorithms.hpp>
#include <weft/boost/detail/channels.hpp>
#include <weft/boost/detail/context.hpp>
#include <weft/boost/detail/errors.hpp>
#include <weft/boost/detail/fiber.hpp>
#include <weft/boost/detail/futures.hpp>
#include <weft/boost/detail/inside.hpp>
#include <weft/boost/detail/mutexes.hpp>
#include <weft/boost/detail/scheduling.hpp>
#include <weft/boost/detail/stacks.hpp>
#include <weft/boost/detail/threads.hpp>
#include <weft/boost/detail/values.hpp>
#include <weft/boost/detail/wakers.hpp>
#include <weft/fiber/all.hpp>

namespace boost {
namespace fibers {

// What is declared here by itself hides Weft's.
using namespace weft::fibers;

namespace algo {

using weft::fibers::algo::work_stealing;

}  // namespace algo
}  // namespace fibers
}  // namespace boost
