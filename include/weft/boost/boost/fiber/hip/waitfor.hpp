// Boost.Fiber's hip/waitfor, by Weft: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <hip/hip_runtime.h>

#include <weft/boost/detail/fibers.hpp>
#include <weft/fiber/hip/waitfor.hpp>
