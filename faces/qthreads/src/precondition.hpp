// Tasks that become ready once words are full: until then a task is a record without a stack, and
// an awaiter waits at its first word that is empty.
#pragma once

#include <cstddef>

#include <weft/ext.h>

namespace weft::qthreads {

// Pushes the unit to its pool once all words are full; features are those of qthread_spawn. False:
// no memory, and nothing was done.
bool start_when_full(weft_thread* unit, weft_pool* home, std::size_t count, void** words, unsigned features);

}  // namespace weft::qthreads
