// ABT_xstream_*: the life of execution streams.

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "tool.hpp"
#include "unit.hpp"

using namespace weft::abt;

namespace {

// The scheduler that a program gave, or a new one.
int scheduler_for(ABT_sched given, scheduler** out) {
  if (given == ABT_SCHED_NULL) return create_basic_scheduler(ABT_SCHED_DEFAULT, 0, nullptr, ABT_SCHED_CONFIG_NULL, out);
  *out = scheduler_of(given);
  return (*out)->use == scheduler_use::none ? ABT_SUCCESS : ABT_ERR_INV_SCHED;
}

int create_with(ABT_sched given, int rank, ABT_xstream* out) {
  scheduler* main = nullptr;
  if (const int error = scheduler_for(given, &main); error != ABT_SUCCESS) return error;
  stream* made = nullptr;
  if (const int error = create_stream(main, rank, false, &made); error != ABT_SUCCESS) {
    if (given == ABT_SCHED_NULL) free_scheduler(main, false);
    return error;
  }
  *out = handle_of(made);
  return ABT_SUCCESS;
}

// Undoes create_basic_scheduler, but for the pools that the program gave.
void free_scheduler_alone(scheduler* one, int pool_count, const ABT_pool* pools) {
  for (int index = 0; pools != nullptr && index < pool_count; ++index) {
    if (pools[index] == ABT_POOL_NULL) continue;
    one->pool_at(static_cast<std::size_t>(index))->scheduler_count.fetch_sub(1, std::memory_order_relaxed);
    one->pools[index] = ABT_POOL_NULL;
  }
  free_scheduler(one, false);
}

// What ABT_xstream_set_main_sched* may be called for.
int need_replaceable(ABT_xstream xstream) {
  const caller me = who_calls();
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  if (me.where == stream_of(xstream)) return ABT_SUCCESS;
  return state_of(stream_of(xstream)) == ABT_XSTREAM_STATE_TERMINATED ? ABT_SUCCESS : ABT_ERR_XSTREAM_STATE;
}

}  // namespace

int ABT_xstream_create(ABT_sched sched, ABT_xstream* newxstream) {
  *newxstream = ABT_XSTREAM_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  return create_with(sched, ABT_XSTREAM_ANY_RANK, newxstream);
}

int ABT_xstream_create_with_rank(ABT_sched sched, int rank, ABT_xstream* newxstream) {
  *newxstream = ABT_XSTREAM_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (rank < 0) return ABT_ERR_INV_XSTREAM_RANK;
  return create_with(sched, rank, newxstream);
}

int ABT_xstream_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools, ABT_sched_config config,
                             ABT_xstream* newxstream) {
  *newxstream = ABT_XSTREAM_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (num_pools < 0) return ABT_ERR_INV_ARG;
  scheduler* main = nullptr;
  if (const int error = create_basic_scheduler(predef, num_pools, pools, config, &main); error != ABT_SUCCESS) return error;
  stream* made = nullptr;
  if (const int error = create_stream(main, ABT_XSTREAM_ANY_RANK, false, &made); error != ABT_SUCCESS) {
    free_scheduler_alone(main, num_pools, pools);
    return error;
  }
  *newxstream = handle_of(made);
  return ABT_SUCCESS;
}

int ABT_xstream_revive(ABT_xstream xstream) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  return xstream != ABT_XSTREAM_NULL ? revive_stream(stream_of(xstream)) : ABT_ERR_INV_XSTREAM;
}

int ABT_xstream_free(ABT_xstream* xstream) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  stream* const one = stream_of(*xstream);
  if (one == nullptr || one == who_calls().where) return ABT_ERR_INV_XSTREAM;
  const named_wait as(ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN, one);  // for the OS thread, too
  if (const int error = join_stream(one); error != ABT_SUCCESS) return error;
  free_stream(one);
  *xstream = ABT_XSTREAM_NULL;
  return ABT_SUCCESS;
}

int ABT_xstream_join(ABT_xstream xstream) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  return xstream != ABT_XSTREAM_NULL ? join_stream(stream_of(xstream)) : ABT_ERR_INV_XSTREAM;
}

int ABT_xstream_exit() {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  if (me.where->is_primary) return ABT_ERR_INV_XSTREAM;
  if (const int error = need_end(me); error != ABT_SUCCESS) return error;
  request(fields_of(me.where->scheduler_thread), wants_cancel);
  exit_unit(me.fields);
}

int ABT_xstream_cancel(ABT_xstream xstream) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  stream* const one = stream_of(xstream);
  if (one == nullptr || one->is_primary) return ABT_ERR_INV_XSTREAM;
  request(fields_of(one->scheduler_thread), wants_cancel);
  wake_main_scheduler(one);
  return ABT_SUCCESS;
}

// ---- main schedulers ----------------------------------------------------------------------------

int ABT_xstream_set_main_sched(ABT_xstream xstream, ABT_sched sched) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  if (const int error = need_replaceable(xstream); error != ABT_SUCCESS) return error;
  scheduler* by = nullptr;
  if (const int error = scheduler_for(sched, &by); error != ABT_SUCCESS) return error;
  const int error = replace_main_scheduler(stream_of(xstream), by);
  if (error != ABT_SUCCESS && sched == ABT_SCHED_NULL) free_scheduler(by, false);
  return error;
}

int ABT_xstream_set_main_sched_basic(ABT_xstream xstream, ABT_sched_predef predef, int num_pools, ABT_pool* pools) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  if (const int error = need_replaceable(xstream); error != ABT_SUCCESS) return error;
  if (pools != nullptr && num_pools < 0) return ABT_ERR_INV_ARG;
  scheduler* by = nullptr;
  if (const int error = create_basic_scheduler(predef, num_pools, pools, ABT_SCHED_CONFIG_NULL, &by); error != ABT_SUCCESS) {
    return error;
  }
  const int error = replace_main_scheduler(stream_of(xstream), by);
  if (error != ABT_SUCCESS) free_scheduler_alone(by, num_pools, pools);
  return error;
}
