// All that is recorded of one runtime: the rings of its workers, the clock, the file. Memory is
// bounded; what a ring cannot hold is pushed out, oldest first.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "trace/clock.hpp"
#include "trace/output.hpp"
#include "trace/ring.hpp"

namespace weft::trace {

inline constexpr unsigned most_rings = 1025;  // workers, and those outside

// Of a worker whose times come from another machine's clock, and were brought to this process's.
struct aligned_clock {
  char node[48];        // the machine's name
  double ahead;         // how far it was ahead of this process's clock at the begin, in steps
  double rate;          // how many steps this process's clock makes in one of its steps, less 1
  std::uint64_t error;  // how far a time may be off, in steps of this process's clock
};

struct recorder {
  clock time;
  output file;
  const char* path;
  std::size_t ring_bytes;
  unsigned workers;  // that there were
  int process;       // a child of fork(2) has a copy, which it may not write
  base::atomic<bool> is_on;
  base::atomic<bool> is_written;
  base::atomic<std::uint64_t> without_memory;  // records that no ring could be had for
  base::atomic<ring*> rings[most_rings];
  ring memory_of_rings[most_rings];
  const aligned_clock* clocks;  // of each worker; null: all have one clock
};

// Errors: invalid (the file cannot be written: one line on stderr names it and the cure), nomem.
status start(recorder** out, const char* path, std::size_t ring_bytes);
// The same in two steps. Errors of the first: nomem, which is told. The second is false if the file
// cannot be written; describe_unopened then writes the line into `text`.
status start_without_file(recorder** out, const char* path, std::size_t ring_bytes);
bool open_file(recorder* all);
void describe_unopened(const recorder* all, char* text, std::size_t bytes);
void stop(recorder* all);

// Nothing is recorded from now on. others_run: they may be in the middle of a record, which is
// waited for.
void stop_recording(recorder* all, bool others_run);

// By the one writer of ring `index`.
void put(recorder* all, unsigned index, const record& one);

// For the reader at the end; null: it was never used.
const ring* ring_at(const recorder* all, unsigned index);

// The ring's first use.
ring* make_ring(recorder* all, unsigned index);

}  // namespace weft::trace
