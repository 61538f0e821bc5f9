// Boost.Fiber's detail/context_spmc_queue.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/fiber/detail/context_spmc_queue.hpp>: the ready queue of Boost's work stealing: use a std::deque under a std::mutex"
