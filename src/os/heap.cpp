// See heap.hpp.
#include "os/heap.hpp"

#include <stdlib.h>

#include "os/fault.hpp"

namespace weft::os {

void* allocate(std::size_t bytes) { return fault::fails(call::heap) ? nullptr : calloc(1, bytes); }

void* reallocate(void* old, std::size_t bytes) { return fault::fails(call::heap) ? nullptr : realloc(old, bytes); }

}  // namespace weft::os
