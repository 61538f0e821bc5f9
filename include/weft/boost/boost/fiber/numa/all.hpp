// Boost.Fiber's numa/all.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once

#error "weft/boost has no <boost/fiber/numa/all.hpp>: schedulers of a program's own are written on <weft/scheduling.hpp>"
