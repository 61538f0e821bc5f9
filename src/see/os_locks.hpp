// Counts the locks of OS threads (pthread_mutex_t, and so std::mutex) that a worker's OS thread
// holds, for leaving.hpp. Checked builds without a sanitizer define the functions of the C library
// that take and give such locks, in front of it: each counts, and calls the C library's. What the C
// library takes itself is not counted, nor what a program takes that is linked with -static.
#pragma once

namespace weft::sched {

// Before the first lock is counted.
void prepare_to_count_locks();

}  // namespace weft::sched
