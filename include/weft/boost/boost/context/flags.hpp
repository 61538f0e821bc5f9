// Boost.Context's flags.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error "weft/boost has no <boost/context/flags.hpp>: a tag of Boost's execution_context, which Boost has no more: use resume_with"
