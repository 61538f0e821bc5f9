// The start and the end of a runtime.
#pragma once

#include <weft/weft.h>

#include "base/status.hpp"

namespace weft::sched {

struct runtime;

status start(const weft_config* config, void (*finalize)());
// Waits for the last unit, ends the workers. The caller is the OS thread that started it.
status finish(runtime* rt);

}  // namespace weft::sched
