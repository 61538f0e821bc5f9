// What lives between the first ABT_init and the last ABT_finalize.
#pragma once

#include <abt.h>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

#include "faces/common/spinlock.hpp"
#include "stream.hpp"

namespace weft::abt {

struct runtime {
  weft_thread* primary_thread;
  stream* primary_stream;
  face::spinlock lock;  // the list of streams
  stream* first;        // by rank
  atomic<int> stream_count;
  atomic<bool> keeps_primary;  // ABT_finalize, which the primary ULT calls, needs it on the OS thread of ABT_init
  atomic<int> most_streams;    // ABT_MAX_NUM_XSTREAMS, or one more than the largest rank so far
};

[[gnu::visibility("hidden")]] extern atomic<runtime*> the_runtime;  // while it is made, too
[[gnu::visibility("hidden")]] extern atomic<bool> is_laid_out;

// For callers that know that it is there, and while it is made and ended. Null: it is not.
inline runtime* current_runtime() { return the_runtime.load(std::memory_order_relaxed); }

// ABT_init has been called, ABT_finalize has not. From any OS thread, and in signal handlers.
inline bool is_initialized() {
  // [Z19] acquire: sees what ABT_init did; pairs with [Z30]
  return is_laid_out.load(std::memory_order_acquire);
}

}  // namespace weft::abt
