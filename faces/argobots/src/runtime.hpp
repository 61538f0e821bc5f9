// What lives between the first ABT_init and the last ABT_finalize.
#pragma once

#include <abt.h>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

#include "spinlock.hpp"
#include "stream.hpp"

namespace weft::abt {

struct runtime {
  weft_thread* primary_thread;
  stream* primary_stream;
  spinlock lock;  // the list of streams
  stream* first;  // by rank
  atomic<int> stream_count;
  atomic<int> most_streams;  // ABT_MAX_NUM_XSTREAMS, or one more than the largest rank so far
};

[[gnu::visibility("hidden")]] extern atomic<runtime*> the_runtime;

// Null: ABT_init has not been called, or ABT_finalize has. In signal handlers too.
inline runtime* current_runtime() {
  // [Z19] acquire: sees what ABT_init did; pairs with [Z20] [Z30]
  return the_runtime.load(std::memory_order_acquire);
}
inline bool is_initialized() { return the_runtime.load(std::memory_order_relaxed) != nullptr; }

}  // namespace weft::abt
