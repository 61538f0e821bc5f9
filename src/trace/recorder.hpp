// All that is recorded of one runtime: the rings of its workers, the clock, the file. Memory is bounded; what a ring cannot hold is
// pushed out, oldest first.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "trace/clock.hpp"
#include "trace/output.hpp"
#include "trace/ring.hpp"

namespace weft::trace {

inline constexpr unsigned most_rings = 1025;  // workers, and those outside

struct recorder {
  clock time;
  output file;
  const char* path;
  std::size_t ring_bytes;
  unsigned workers;  // that there were
  int process;       // whoever forks has a copy, which is not his to write
  base::atomic<bool> is_on;
  base::atomic<bool> is_written;
  base::atomic<std::uint64_t> without_memory;  // records that no ring could be had for
  base::atomic<ring*> rings[most_rings];
  ring memory_of_rings[most_rings];
};

// Errors: invalid (the file cannot be written: one line on stderr names it and the cure), nomem.
status start(recorder** out, const char* path, std::size_t ring_bytes);
void stop(recorder* all);

// Nothing is recorded from now on. others_run: they may be in the middle of a record, which is waited for.
void stop_recording(recorder* all, bool others_run);

// By the one writer of ring `index`.
void put(recorder* all, unsigned index, const record& one);

// For whoever reads it at the end; null: it was never used.
const ring* ring_at(const recorder* all, unsigned index);

// The ring's first use.
ring* make_ring(recorder* all, unsigned index);

}  // namespace weft::trace
