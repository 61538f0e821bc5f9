// The start and the end of a runtime.
#pragma once

#include <weft/weft.h>

#include "base/status.hpp"

namespace weft::sched {

struct runtime;
struct waiter;

status start(const weft_config* config, void (*finalize)());
// Waits for the last unit, ends the workers. The caller is the OS thread that started it.
void finish(runtime* rt);
// Takes the records of waits that are dropped off the tables that outlive runtimes.
using forget_waiters = void (*)(bool (*is_dropped)(const void* state, const waiter* one), const void* state);
// WEFT_DROP: does not wait for units that are ready or blocked. Errors: busy (an OS thread is
// adopted; nothing was done).
status finish_dropping(runtime* rt, forget_waiters forget);

}  // namespace weft::sched
