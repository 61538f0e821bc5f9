// Boost.Fiber's numa/pin_thread, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/fibers.hpp>
