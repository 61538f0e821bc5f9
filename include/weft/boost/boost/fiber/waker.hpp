// Boost.Fiber's waker.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/fiber/waker.hpp>: how Boost's schedulers wake a fiber, under a lock of Boost's inside: use boost::fibers::condition_variable_any"
