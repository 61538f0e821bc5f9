// Tasks as bytes, for nodes that send and take them: task.cpp.
#pragma once

#include <cstddef>

#include "worker.hpp"

namespace weft::tascell_runtime {

// Lets a task hold bytes that malloc gave. False: no memory, and the bytes are freed.
bool adopt_bytes(task* to, std::byte* bytes, std::size_t offset, std::size_t size);
// Gives the packed bytes away, for a frame.
void* detach_bytes(task* from, const void** data, std::size_t* size);
void free_detached(void* bytes);
// Fills a taken task from its bytes, which go. False: it cannot be.
bool fill_taken(task* what);
// Packs the results of a taken task into its bytes. False: no memory.
bool pack_out_taken(task* what);

}  // namespace weft::tascell_runtime
