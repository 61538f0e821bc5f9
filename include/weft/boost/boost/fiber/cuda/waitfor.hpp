// Boost.Fiber's cuda/waitfor, by Weft: docs/guide/boost-fiber.md.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cuda.h>

#include <weft/boost/detail/fibers.hpp>
#include <weft/fiber/cuda/waitfor.hpp>
