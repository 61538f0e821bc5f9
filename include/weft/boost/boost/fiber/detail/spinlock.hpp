// Boost.Fiber's detail/spinlock, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/fibers.hpp>
