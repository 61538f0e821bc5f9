// Boost.Context's stack_context, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/contexts.hpp>
