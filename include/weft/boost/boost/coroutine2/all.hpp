// Boost.Coroutine2's all, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/contexts.hpp>
