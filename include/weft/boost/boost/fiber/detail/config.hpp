// Boost.Fiber's detail/config.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once

#error "weft/boost has no <boost/fiber/detail/config.hpp>: a part of Boost.Fiber's inside, which Weft replaces as a whole"
