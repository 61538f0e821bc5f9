// What a trace is told: events of units become records (trace/record.hpp). What is known of a unit
// between two events lies beside it, in its extension bytes, and goes from hand to hand with it; so
// nothing is looked up, and nothing is locked but for OS threads outside.
//
// While a trace is recorded the runtime is special, as with an event sink: no short paths, and
// every fork and join comes to fork.cpp. Without one, there is nothing of this on any path.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "base/status.hpp"

struct weft_forked;

namespace weft::sched {

struct runtime;
struct unit;
struct worker;

// WEFT_TRACE; nothing happens unless the settings ask for it. Before the workers start. Errors:
// invalid (the file), nomem.
status start_trace(runtime* rt);
void write_trace(runtime* rt);  // after the workers have ended
void stop_trace(runtime* rt);

// When the program dies: as far as can be done then. Once; from signal handlers as well. Nothing
// happens without a trace.
void write_trace_of_dying(const char* how);

std::size_t traced_bytes(const runtime* rt);  // that each unit has more

// From the OS thread that notes the event; w: the calling worker, or null.
void trace_event(const runtime* rt, worker* w, weft_event_kind kind, unit* one);

// The running unit goes on after a tasklet that it dispatched, without an event.
void trace_resumed(worker* w, unit* self);

// Of the calling OS thread's current thread. name: a static string. Nothing happens without a
// trace.
void trace_note(const runtime* rt, const char* name, std::uint64_t value);

// ---- forks ----

// Notes in the fork when it was made.
void trace_fork(const worker* w, weft_forked* forked);
// `one` is the unit of a fork that was made on `on`, whose unit runs still. Before its creation is
// noted.
void trace_fork_as_unit(const runtime* rt, unit* one, const weft_forked* forked, const worker* on);
// Runs the fork right here, in the join of its forker: its work in place, as another worker would.
void run_traced(const runtime* rt, void (*run)(void* work), weft_forked* forked);

}  // namespace weft::sched
