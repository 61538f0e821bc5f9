// Boost.Fiber's detail/spinlock_status.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/fiber/detail/spinlock_status.hpp>: Boost's own lock: use std::mutex between OS threads and boost::fibers::mutex between fibers"
