// Boost.Coroutine2's detail/config, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/contexts.hpp>
