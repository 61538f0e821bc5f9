// WEFT_TRACE: what each rank ran when, as one file for all ranks. A rank is a track of workers, and
// what it runs between two steps of its scheduler is a turn; before the turn of what it has stolen
// stand the phases of the steal. The records lie in rings in the ranks' shared memory. Where the
// ranks are forks of a launcher, that writes the file, since it outlives them; else rank 0 gets the
// rings of other nodes at the job's end, and brings their times to its own clock (far/clocks.hpp).
//
// A thread's number stays with it when its frames leave the stack in a join. A continuation that
// another rank takes has a new number there: the child, on the victim, keeps the old one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::dist {

// In the process that becomes the launcher, or a rank: reads the variables, and opens the file if
// no other process would have to. Without the variable there is no trace. Errors, told in one line:
// invalid, nomem.
status open_trace();
// Of memory behind each rank's shared part; 0: there is no trace.
std::size_t trace_bytes();
// In each rank, once start_far has run. Collective.
void start_trace();
// Collective, at a root's end.
void read_trace_clocks();

// Once the ranks have ended, in their launcher, or in a rank without one. status: the job's.
void write_trace(const net::job& job, int status);
// Collective, at the end of ranks that have no launcher of the job's: rank 0 writes the file.
void gather_trace(const net::job& job);

}  // namespace weft::dist

// A program for tests may define it: what it returns takes the place of a time of the clock of the
// node whose first rank that is.
extern "C" __attribute__((weak)) std::uint64_t weft_dist_change_time(int node, std::uint64_t time);
