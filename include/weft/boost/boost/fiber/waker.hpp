// Boost.Fiber's waker, by Weft: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/boost/detail/fibers.hpp>
