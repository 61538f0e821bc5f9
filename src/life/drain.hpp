// The last unit: what weft_finalize waits for.
#pragma once

#include <cstdint>

namespace weft::sched {

struct runtime;

// Waits until none lives.
void drain(runtime* rt);

}  // namespace weft::sched
