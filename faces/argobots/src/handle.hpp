// Handles of the interface and the objects behind them.
#pragma once

#include <abt.h>

#include <weft/weft.h>

#include "faces/common/handle.hpp"

namespace weft::abt {

namespace face = weft::face;  // what faces share

struct pool;
struct scheduler;
struct stream;

inline ABT_bool truth(bool value) { return value ? ABT_TRUE : ABT_FALSE; }

inline weft_thread* thread_of(ABT_thread handle) { return face::object_of<weft_thread>(handle); }
inline ABT_thread handle_of(weft_thread* thread) { return face::handle_to<ABT_thread>(thread); }

inline stream* stream_of(ABT_xstream handle) { return face::object_of<stream>(handle); }
inline ABT_xstream handle_of(stream* one) { return face::handle_to<ABT_xstream>(one); }

inline pool* pool_of(ABT_pool handle) { return face::object_of<pool>(handle); }
inline ABT_pool handle_of(pool* one) { return face::handle_to<ABT_pool>(one); }

inline scheduler* scheduler_of(ABT_sched handle) { return face::object_of<scheduler>(handle); }
inline ABT_sched handle_of(scheduler* one) { return face::handle_to<ABT_sched>(one); }

}  // namespace weft::abt
