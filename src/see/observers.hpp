// The receivers of the events of units: the trace, a count of errors, and the event sink.
#pragma once

#include <weft/ext.h>

#include "base/status.hpp"

namespace weft::sched {

struct runtime;
struct unit;

// Null: none any more. Errors: nomem.
status set_listener(runtime* rt, void (*hear)(void* state, weft_event_kind kind, weft_thread* thread), void* state);
// When no OS thread can call any of them any more.
void free_listeners(runtime* rt);

// Tells the trace, the counters of errors, and the event sink, which runs without identity.
void tell_observers(const runtime* rt, weft_event_kind kind, unit* one);

}  // namespace weft::sched
