// Boost.Fiber's future/detail/shared_state_object.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/fiber/future/detail/shared_state_object.hpp>: the inside of Boost's futures: use boost::fibers::promise and packaged_task"
