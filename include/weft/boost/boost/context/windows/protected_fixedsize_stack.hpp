// Boost.Context's windows/protected_fixedsize_stack.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/context/windows/protected_fixedsize_stack.hpp>: Weft does not run on Windows: include <boost/context/protected_fixedsize_stack.hpp>"
