// Counts of what workers have done. They are kept where something slow happens anyway (worker.hpp,
// runtime.hpp, the stacks' depot); what would have to be counted on a hot path is not counted.
#pragma once

#include <weft/weft.h>

#include "base/status.hpp"

namespace weft::sched {

struct runtime;

// Adds nothing to *out but sets all its counts. worker: an index, or WEFT_ANY_WORKER. Errors:
// invalid. Any OS thread, while the runtime lives.
status read_stats(runtime* rt, int worker, weft_stats* out);

// Sets all counts of *out. Any OS thread, while the runtime lives.
void count_units(runtime* rt, weft_counts* out);

// WEFT_STATS: a table on stderr. Nothing happens unless the settings ask for it. Before the workers
// end.
void print_stats(runtime* rt);

}  // namespace weft::sched
