// Boost.Context's posix/protected_fixedsize_stack, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/contexts.hpp>
