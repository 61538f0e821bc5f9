// Boost.Fiber's stack_allocator_wrapper, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/fibers.hpp>
