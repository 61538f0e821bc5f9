// What lives between the first ABT_init and the last ABT_finalize.
#pragma once

#include <abt.h>

#include <atomic>
#include <cstddef>

#include <weft/ext.h>

#include "stream.hpp"

namespace weft::abt {

struct runtime {
  weft_thread* primary_thread;
  stream* primary_stream;
  weft_mutex lock;  // the list of streams
  stream* first;    // by rank
  std::atomic<int> stream_count;
  std::atomic<int> most_streams;  // ABT_MAX_NUM_XSTREAMS, or the largest rank so far and 1
};

// Null: ABT_init has not been called, or ABT_finalize has.
runtime* current_runtime();
inline bool is_initialized() { return current_runtime() != nullptr; }

// Starts and ends with the runtime: others' parts, called by init.cpp in this order and back (each in a file of its family).
// void start_xyz(), void end_xyz() ...

}  // namespace weft::abt
