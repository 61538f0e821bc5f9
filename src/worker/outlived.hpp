// Threads that outlive their runtime: they have ended, or were dropped (WEFT_DROP), but the program
// holds a handle that it has neither joined nor detached, such as a weft::future of async.
//
// Their blocks stay where they are when the runtime ends, until the handle is joined or detached:
// no later runtime uses that memory, so that a handle is never taken for another thread's. Such a
// unit has ended, is_known, and has these details, so that each way to free a unit leads to the
// long one (run/end.cpp), which asks. Joins and ends of other units pay nothing.
// docs/decisions/0084-handles-outlive-the-runtime.md
#pragma once

#include <cstdint>

#include "mem/slab.hpp"
#include "unit/details.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

struct runtime;

extern details details_of_outlived;
extern details details_of_dropped;  // of those that have not ended: joins fail, and let nothing go

inline bool was_dropped(const unit* one) { return details_if_any(one) == &details_of_dropped; }
inline bool is_outlived(const unit* one) {
  const details* const known = details_if_any(one);
  return known != nullptr && (known == &details_of_outlived || known == &details_of_dropped);
}

// Of a unit that has not ended, and never will: its handle stays good. Before leave_unjoined, after
// which join_word::end lets those see it that wait for it or come to detach it.
void leave_dropped(unit* one);

// Ends the runtime's units, of which those that have a handle stay. No worker lives.
void leave_unjoined(runtime* rt);

// The id that a starting runtime gives first: those of threads that outlived another are not given
// again. 1 is the adopted caller's.
std::uint64_t first_id();

// By the join or detach of such a unit.
void let_outlived_go(unit* one);

}  // namespace weft::sched
