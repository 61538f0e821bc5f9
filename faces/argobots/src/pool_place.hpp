// What the pools of the face keep in each unit: part of unit_fields (unit.hpp), in the extension bytes.
//
// Whoever owns the unit writes it: who made it, popped it, runs it (that is the unit itself), or joins it after its end. The
// links belong to the pool while the unit lies in a work-stealing one.
#pragma once

#include <weft/weft.h>

#include <abt.h>

namespace weft::abt {

struct pool;

struct pool_place {
  pool* associated;              // where it goes whenever it becomes ready; null: none yet, or no more
  ABT_unit unit;                 // what the user's pool knows it by; of built-in pools see built_in_unit() in pool.hpp
  ABT_pool_context push_context; // of the next push by the core, with next_push_is_named; else the core's reason says it
  weft_thread* previous;         // of work-stealing pools, inside the pool's lock
  weft_thread* next;
  bool is_queued;
};

// In push_context: it was set for the next push.
inline constexpr ABT_pool_context next_push_is_named = ABT_pool_context{1} << 63;

}  // namespace weft::abt
