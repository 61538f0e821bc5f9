// Boost.Fiber's stack_allocator_wrapper.hpp, which Weft refuses: docs/guide/boost-fiber.md.
#pragma once

#error \
    "weft/boost has no <boost/fiber/stack_allocator_wrapper.hpp>: the stacks of all fibers are replaced by weft_ext_set_stack_provider of <weft/ext.h>"
