// The C library's heap, behind the fault seam: for small things that are made rarely (keys' values,
// pools, sources). Callable wherever malloc is; not in signal handlers.
#pragma once

#include <cstddef>

namespace weft::os {

// Zeroed, aligned as malloc's; given back by free(3). Null: no memory.
void* allocate(std::size_t bytes);

// realloc(3): what is new is not zeroed; on failure null, and old is as it was.
void* reallocate(void* old, std::size_t bytes);

}  // namespace weft::os
