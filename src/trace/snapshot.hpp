// A copy of what the rings of a trace hold while their writers go on, as a recorder of its own: for
// a file that is written before the end. Protocol H, docs/protocols/H.md.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "trace/recorder.hpp"

namespace weft::trace {

// Copies all records that ended before *until, which is set. Only what the writers have pushed out
// before the copy was made is missing. The copy has no file. Errors: nomem.
status take_snapshot(recorder** out, const recorder* of, std::uint64_t* until);
void free_snapshot(recorder* copy);

}  // namespace weft::trace
