// Boost.Fiber's properties.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once

#error "weft/boost has no <boost/fiber/properties.hpp>: schedulers of a program's own are written on <weft/scheduling.hpp>"
