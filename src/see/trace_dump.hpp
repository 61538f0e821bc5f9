// What a trace holds, written to a file while the program goes on: when the program asks for it,
// and of a trace that is kept (WEFT_TRACE=keep:FILE) also when a dump is asked for by a signal,
// when the watchdog tells of a stall, and at a deadlock.
//
// A dump shows the state at one moment: all turns that had ended by then, those under way, and what
// waited. What changed while it was read is left out, never guessed (protocol H).
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct runtime;

// Errors: not_initialized; unsupported (no trace is recorded); invalid (the file cannot be opened,
// or not everything could be written), nomem: all but the first with a cause.
status dump_trace(const char* path);

// Of a trace that is kept for a file: writes it, and says so on stderr in one line, or why not.
// occasion: a word for the file. Nothing happens without such a trace. Not by the runtime's holder.
void write_kept_trace(const char* occasion);
// By its holder (local.hpp).
void write_kept_trace_of(runtime* held, const char* occasion);

}  // namespace weft::sched
