// The opaque types of the C ABI are the core's own; these turn the one into the other.
#pragma once

#include <weft/weft.h>

#include "base/assert.hpp"
#include "base/status.hpp"
#include "unit/pool_record.hpp"
#include "unit/unit.hpp"

namespace weft::capi {

inline sched::unit* unit_of(weft_thread* thread) { return reinterpret_cast<sched::unit*>(thread); }
inline const sched::unit* unit_of(const weft_thread* thread) { return reinterpret_cast<const sched::unit*>(thread); }
// For calls that need a good handle: one whose thread was freed is named, unless its memory serves
// another by now.
inline sched::unit* live_unit(weft_thread* thread, const char* call) {
  sched::unit* one = unit_of(thread);
  sched::refuse_freed(one, call);
  return one;
}
// The same in checked builds alone, for calls that are counted in instructions.
inline sched::unit* live_unit_if_checked(weft_thread* thread, const char* call) {
  return config::checked ? live_unit(thread, call) : unit_of(thread);
}
// For builders' calls on units that they own.
inline sched::unit* ready_unit(weft_thread* thread, const char* call) {
  sched::unit* one = unit_of(thread);
  if (config::checked && one->state.load(base::relaxed) != sched::unit_state::ready) {
    base::panic("%s of thread %p, which is not ready", call, static_cast<const void*>(one));
  }
  return one;
}
inline weft_thread* handle(sched::unit* one) { return reinterpret_cast<weft_thread*>(one); }
inline sched::pool* pool_of(weft_pool* pool) { return reinterpret_cast<sched::pool*>(pool); }
inline const sched::pool* pool_of(const weft_pool* pool) { return reinterpret_cast<const sched::pool*>(pool); }
inline weft_status code(status result) { return static_cast<weft_status>(result); }

}  // namespace weft::capi
