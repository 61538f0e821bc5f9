// Boost.Fiber's numa/algo/work_stealing, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/fibers.hpp>
