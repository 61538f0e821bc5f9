// Memory that was not needed for some seconds goes back to the system a little at a time: workers
// without work do it before they sleep, and the keeper of the clock wakes up for it
// (docs/decisions/0160-idle-memory-decays.md).
#pragma once

#include <cstdint>

namespace weft::sched {

struct worker;

// A step, if one is due, of a worker that is about to sleep. True: something went, and work may
// have come meanwhile.
bool gives_idle_memory_back(const worker* w, std::uint64_t now_ns);

// Of a sleeper that has announced itself: until when it may sleep at most.
std::uint64_t time_for_idle_memory(const worker* w);

}  // namespace weft::sched
