// The opaque types of the C ABI are the core's own; these turn the one into the other.
#pragma once

#include <weft/weft.h>

#include "base/status.hpp"
#include "sched/pool.hpp"
#include "sched/unit.hpp"

namespace weft::capi {

inline sched::unit* unit_of(weft_thread* thread) { return reinterpret_cast<sched::unit*>(thread); }
inline const sched::unit* unit_of(const weft_thread* thread) { return reinterpret_cast<const sched::unit*>(thread); }
inline weft_thread* handle(sched::unit* one) { return reinterpret_cast<weft_thread*>(one); }
inline sched::pool* pool_of(weft_pool* pool) { return reinterpret_cast<sched::pool*>(pool); }
inline const sched::pool* pool_of(const weft_pool* pool) { return reinterpret_cast<const sched::pool*>(pool); }
inline weft_status code(status result) { return static_cast<weft_status>(result); }

}  // namespace weft::capi
