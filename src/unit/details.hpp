// What few units have: allocated when first needed, freed with the unit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"
#include "base/atomic.hpp"
#include "base/failure.hpp"

namespace weft::sched {

struct pool;

inline constexpr std::size_t name_bytes = 32;

struct key_value {
  void* value;
  std::uint32_t generation;
};

struct details {
  char name[name_bytes];
  std::size_t own_stack_bytes;  // of a mapping of its own; 0: none
  key_value* keys;              // by key index; key_capacity entries
  std::uint32_t key_capacity;
  // Where a unit that wants_to_move goes at its next yield, park or start. One word: of two callers
  // that send it, one decides.
  base::atomic<std::uintptr_t> destination;
  failure* failed;                            // worker/failure.hpp; the unit itself. Null: none of its calls has
  base::atomic<std::uint32_t> pinned_scopes;  // weft_pinned_begin: those that are open; the unit itself writes
  bool was_pinned;                            // before the outermost
  const void* pinned_at;                      // the caller that began the outermost
  void (*function)(void* argument);           // of a unit that stays where it starts: what it runs; null of others
  std::uint64_t fruitless_since_ns;           // of the calls of weft_yield_or_wait in a row that found nothing to run
  std::uint64_t fruitless_until_ns;
};

// A destination is a pool, or the number of a worker.
inline std::uintptr_t destination_at(pool* in, unsigned worker_index) {
  return in != nullptr ? reinterpret_cast<std::uintptr_t>(in) : std::uintptr_t{worker_index} << 1 | 1;
}
inline bool is_worker(std::uintptr_t destination) { return (destination & 1) != 0; }
inline unsigned worker_of(std::uintptr_t destination) { return static_cast<unsigned>(destination >> 1); }
inline pool* pool_of(std::uintptr_t destination) {
  return is_worker(destination) ? nullptr : reinterpret_cast<pool*>(destination);
}

}  // namespace weft::sched
