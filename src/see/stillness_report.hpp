// What is written when nothing can ever run again, and dumps of everything.
#pragma once

namespace weft::sched {

struct runtime;

// On stderr; everything stands still. certain: no OS thread could end it.
void report_deadlock(runtime* rt, bool certain);

}  // namespace weft::sched
