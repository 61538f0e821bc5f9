// Copied bytes: what a thread was created with lies in a block of its own, which goes back when the
// thread's function has returned.
//
// Such a thread starts with one of three functions of this file, one for each size of block; the
// block begins with the function that the program asked for. So no other thread pays for it,
// neither where threads start nor where they end. Blocks are recycled as unit descriptors are: the
// worker that frees one keeps it, and what is too much goes through the depot of the runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "base/status.hpp"
#include "mem/slab.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

struct runtime;
struct worker;

struct copied {
  unit::function_type function;
  std::uintptr_t unused;  // the bytes are aligned as malloc aligns them

  void* bytes() { return this + 1; }
};
static_assert(sizeof(copied) == 16);

inline constexpr unsigned copied_classes = 3;
inline constexpr std::size_t copied_block_bytes[copied_classes] = {128, 320, 1088};
inline constexpr std::size_t most_copied_bytes = 1024;
static_assert(copied_block_bytes[0] % base::cache_line == 0 && copied_block_bytes[1] % base::cache_line == 0);
static_assert(copied_block_bytes[2] == base::cache_line + most_copied_bytes);

constexpr unsigned class_of_copied(std::size_t bytes) {
  return bytes <= copied_block_bytes[0] - sizeof(copied) ? 0 : bytes <= copied_block_bytes[1] - sizeof(copied) ? 1 : 2;
}

// With what such a unit starts.
extern const unit::function_type copied_starts[copied_classes];

// Null: `function` starts no such unit. argument: the unit's.
copied* copied_of(unit::function_type function, void* argument);

void start_copied(runtime* rt);
void stop_copied(runtime* rt);
// What the worker keeps goes back to the depot.
void stop_copied(worker* w);

// w null: outside. Null: no memory.
copied* take_copied(runtime* rt, worker* w, unsigned size_class);
void give_copied(runtime* rt, worker* w, copied* one, unsigned size_class);
// Of a unit that will not start; nothing is done for one without a block.
void give_copied_of(const unit* one);

}  // namespace weft::sched
