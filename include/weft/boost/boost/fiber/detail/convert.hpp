// Boost.Fiber's detail/convert.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error "weft/boost has no <boost/fiber/detail/convert.hpp>: a part of Boost.Fiber's inside, which Weft replaces as a whole"
