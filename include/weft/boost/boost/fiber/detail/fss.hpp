// Boost.Fiber's detail/fss.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/fiber/detail/fss.hpp>: how Boost keeps values of fibers: use boost::fibers::fiber_specific_ptr of <boost/fiber/fss.hpp>"
