// Boost.Fiber's detail/config, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/fibers.hpp>
