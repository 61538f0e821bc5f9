// Memory that several processes share, and mappings at chosen addresses. Callable from any OS
// thread; nothing here keeps state. All sizes, offsets and addresses are whole pages.
//
// A memory file has no name in any folder: it is gone when the last process that has it open or
// mapped is gone, however that process ended.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace weft::os {

// A file in memory of this size, which reads as zero and takes memory when it is touched; closed at
// exec(2). `name` is what /proc/PID/maps shows. Less than 0: refused, errno says why.
int make_memory_file(const char* name, std::size_t bytes);
void close_memory_file(int descriptor);

// Address space that nothing else may be mapped into; it cannot be read or written yet. `at` null:
// anywhere. Null: refused; errno is EEXIST where another mapping lies at `at`.
void* hold_addresses(void* at, std::size_t bytes);

// A part of a memory file, readable and writable, shared with the other processes that map it: at
// held addresses, which it replaces, or anywhere when `held` is null. Null: refused.
void* map_memory_file(void* held, std::size_t bytes, int descriptor, std::size_t offset);

// Undoes hold_addresses or map_memory_file.
void unmap_addresses(void* base, std::size_t bytes);

// Touches the pages of the range and keeps them in memory. Errors: nomem (the limit RLIMIT_MEMLOCK,
// or no memory), unsupported; errno says why.
status lock_memory(void* base, std::size_t bytes);

}  // namespace weft::os
