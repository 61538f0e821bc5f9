// The receivers of the events of units: the trace, a count of errors, and the event sink.
#pragma once

#include <weft/ext.h>

#include "base/status.hpp"

namespace weft::mem {
struct stack;
}

namespace weft::sched {

struct runtime;
struct unit;
struct worker;

// Null: none any more. Errors: nomem.
status set_listener(runtime* rt, void (*hear)(void* state, weft_event_kind kind, weft_thread* thread), void* state);
// When no OS thread can call any of them any more.
void free_listeners(runtime* rt);

// Tells the trace, the counters of errors, and the event sink, which runs without identity.
void tell_observers(const runtime* rt, weft_event_kind kind, unit* one);

// Tells the sink of stacks, if there is one, of a stack whose unit has ended. w: the calling
// worker, or null.
void tell_stack(const runtime* rt, worker* w, const mem::stack* stack);

}  // namespace weft::sched
