// What programs on forks and loops call of the core besides the five symbols. There is no runtime
// of threads here: each rank has one worker, and no unit has a handle.
#include <weft/weft.h>

#include "dist/engine.hpp"

using weft::dist::all;

extern "C" {

unsigned weft_worker_count(void) { return weft::dist::here()->is_worker ? static_cast<unsigned>(all.job.ranks) : 0; }
int weft_worker_self(void) { return weft::dist::here()->is_worker ? all.job.rank : -1; }

weft_thread* weft_self(void) { return nullptr; }

}  // extern "C"
