// Boost.Context's fiber_ucontext.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/context/fiber_ucontext.hpp>: one of Boost's ways to switch, which Weft replaces: include <boost/context/fiber.hpp>"
