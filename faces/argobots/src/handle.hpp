// Handles of the interface and the objects behind them. The NULL handles are null pointers.
#pragma once

#include <abt.h>

#include <weft/weft.h>

namespace weft::abt {

struct pool;
struct scheduler;
struct stream;

inline ABT_bool truth(bool value) { return value ? ABT_TRUE : ABT_FALSE; }

inline weft_thread* thread_of(ABT_thread handle) { return reinterpret_cast<weft_thread*>(handle); }
inline ABT_thread handle_of(weft_thread* thread) { return reinterpret_cast<ABT_thread>(thread); }

inline stream* stream_of(ABT_xstream handle) { return reinterpret_cast<stream*>(handle); }
inline ABT_xstream handle_of(stream* one) { return reinterpret_cast<ABT_xstream>(one); }

inline pool* pool_of(ABT_pool handle) { return reinterpret_cast<pool*>(handle); }
inline ABT_pool handle_of(pool* one) { return reinterpret_cast<ABT_pool>(one); }

inline scheduler* scheduler_of(ABT_sched handle) { return reinterpret_cast<scheduler*>(handle); }
inline ABT_sched handle_of(scheduler* one) { return reinterpret_cast<ABT_sched>(one); }

}  // namespace weft::abt
