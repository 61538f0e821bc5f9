// Boost.Context's detail/exception.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/context/detail/exception.hpp>: the inside of Boost.Context: boost::context::detail::forced_unwind comes with <boost/context/fiber.hpp>"
