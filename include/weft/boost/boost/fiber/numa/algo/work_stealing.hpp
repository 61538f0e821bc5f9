// Boost.Fiber's numa/algo/work_stealing.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once

#error \
    "weft/boost has no <boost/fiber/numa/algo/work_stealing.hpp>: schedulers of a program's own are written on <weft/scheduling.hpp>"
