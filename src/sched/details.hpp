// What few units have: allocated when first needed, freed with the unit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"
#include "base/atomic.hpp"

namespace weft::sched {

struct pool;

inline constexpr std::size_t name_bytes = 32;

struct key_value {
  void* value;
  std::uint32_t generation;
};

struct details {
  char name[name_bytes];
  unsigned priority;
  key_value* keys;  // by key index; key_capacity entries
  std::uint32_t key_capacity;
  // where a unit that wants_to_move goes at its next yield, park or start
  base::atomic<pool*> destination_pool;  // null: a worker
  base::atomic<std::uint32_t> destination_worker;
};

}  // namespace weft::sched
