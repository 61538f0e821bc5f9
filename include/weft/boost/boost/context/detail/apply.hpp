// Boost.Context's detail/apply, by Weft: docs/guide/boost-fiber.md.
#pragma once

#include <weft/boost/detail/contexts.hpp>
