// In checked builds: when a runtime has ended, what it counted and lent is back where it began. A
// count that is wrong by one, or a stack that was not given back, ends the program with its name,
// since no tool sees it: the memory is recycled, and goes with the runtime.
#pragma once

namespace weft::sched {

struct runtime;

// After the last worker has ended, before its record goes.
void check_balance(runtime* rt);

}  // namespace weft::sched
