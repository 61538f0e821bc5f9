// Boost.Coroutine2's detail/pull_coroutine.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#error \
    "weft/boost has no <boost/coroutine2/detail/pull_coroutine.hpp>: a part of Boost.Coroutine2's inside: include <boost/coroutine2/all.hpp>"
