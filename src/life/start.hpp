// The start and the end of a runtime.
#pragma once

#include <weft/weft.h>

#include "base/status.hpp"

namespace weft::sched {

struct dropped_waits;
struct runtime;

status start(const weft_config* config, void (*finalize)());
// Waits for the last unit, ends the workers. The caller is the OS thread that started it.
void finish(runtime* rt);
// Takes the records of those waits off the tables that outlive runtimes.
using forget_waits = void (*)(const dropped_waits& dropped);
// WEFT_DROP: does not wait for units that are ready or blocked. Errors: busy (an OS thread is
// adopted; nothing was done).
status finish_dropping(runtime* rt, forget_waits forget);

}  // namespace weft::sched
