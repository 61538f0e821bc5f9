// A trace as a file of JSON trace events, which Perfetto and chrome://tracing show and `weft
// profile` reads: docs/guide/tracing.md.
#pragma once

#include <cstddef>

#include "trace/recorder.hpp"

namespace weft::trace {

// Writes all that was recorded, and `more` records: what is under way at the end. Recording was
// stopped. Once; of several callers the first. how_ended: a few words. is_dying: names of C++
// functions stay as the linker knows them. False: something could not be written, and a line on
// stderr says so.
bool write(recorder* all, const record* more, std::size_t count, const char* how_ended, bool is_dying);

// The same of a snapshot whose file is open. Null: all was written; else why not, in words.
const char* write_snapshot(recorder* all, const record* more, std::size_t count, const char* how_ended, bool may_demangle);

}  // namespace weft::trace
