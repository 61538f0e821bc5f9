// Boost.Fiber's future/future_status, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/fibers.hpp>
