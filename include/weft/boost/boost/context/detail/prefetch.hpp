// Boost.Context's detail/prefetch.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error "weft/boost has no <boost/context/detail/prefetch.hpp>: a part of Boost.Context's inside, which Weft replaces as a whole"
