// The end of a runtime: by the main task, or by another OS thread than the one that began it.
//
// Only the OS thread of the main task can end Weft's runtime. Another one that calls qthread_finalize
// ends all that tasks can see of it: no task of a pool runs any more, calls answer as before
// qthread_initialize, and the workers are gone except worker 0, on which the main task stands. The
// rest is done when that OS thread calls qthread_finalize or qthread_initialize, or ends. Meanwhile
// worker 0 serves the pool of the main task, which may wait in a call; of other tasks only those get
// there that waited at the end, belong to that pool, and are woken later.
//
// With the scheduler weft, tasks without a shepherd are in no pool, and no call stops them: those that
// are ready go on, on worker 0, where calls of qthread.h answer as before qthread_initialize.
#pragma once

#include "runtime.hpp"

namespace weft::qthreads {

// Starts and ends, one after the other: while an object lives, others wait in the constructor. No
// lock is held meanwhile, since the main task ends inside.
class change {
 public:
  change();
  ~change();
  change(const change&) = delete;
  change& operator=(const change&) = delete;
};

// Ends it when the calling OS thread, that of the main task, ends. False: no memory, or no key.
bool watch_own_thread(runtime* all);

// By the main task. Where the program's own runtime goes on, tasks that have not ended stay in the
// pools for ever.
void end(runtime* all, weft_finalize_mode mode);

// The main task's OS thread is done with Weft's runtime, of which it was a worker.
void leave_core(const runtime* all, weft_finalize_mode mode);

void end_from_outside(runtime* all);

// What is left of those that ended inside the program's own runtime, once that has ended.
void free_kept();

// The runtime that another OS thread has ended, if the caller is the main task of it.
runtime* left_to_caller();
// There is one, whosever it is.
bool is_one_left();

}  // namespace weft::qthreads
