// Boost.Fiber's future/detail/shared_state.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/fiber/future/detail/shared_state.hpp>: the inside of Boost's futures: use boost::fibers::promise and packaged_task"
