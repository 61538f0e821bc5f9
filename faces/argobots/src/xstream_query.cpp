// ABT_xstream_*: what is known of execution streams, where they run, and what their schedulers do.

#include <abt.h>

#include "affinity.hpp"
#include "environment.hpp"
#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "unit.hpp"

using namespace weft::abt;

int ABT_xstream_self(ABT_xstream* xstream) {
  *xstream = ABT_XSTREAM_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  stream* const here = calling_stream();
  if (here == nullptr) return ABT_ERR_INV_XSTREAM;
  *xstream = handle_of(here);
  return ABT_SUCCESS;
}

int ABT_xstream_self_rank(int* rank) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const stream* const here = calling_stream();
  if (here == nullptr) return ABT_ERR_INV_XSTREAM;
  *rank = here->rank.load(std::memory_order_relaxed);
  return ABT_SUCCESS;
}

int ABT_xstream_set_rank(ABT_xstream xstream, int rank) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  stream* const one = stream_of(xstream);
  if (one == nullptr || one->is_primary) return ABT_ERR_INV_XSTREAM;
  if (rank < 0 || !change_rank(one, rank)) return ABT_ERR_INV_XSTREAM_RANK;
  rebind_by_rank(one);
  return ABT_SUCCESS;
}

int ABT_xstream_get_rank(ABT_xstream xstream, int* rank) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  *rank = stream_of(xstream)->rank.load(std::memory_order_relaxed);
  return ABT_SUCCESS;
}

int ABT_xstream_get_main_sched(ABT_xstream xstream, ABT_sched* sched) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  *sched = handle_of(stream_of(xstream)->main_scheduler.load(std::memory_order_relaxed));
  return ABT_SUCCESS;
}

int ABT_xstream_get_main_pools(ABT_xstream xstream, int max_pools, ABT_pool* pools) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  with_main_scheduler(stream_of(xstream), [=](const scheduler* main) {
    for (int index = 0; index < max_pools && static_cast<std::size_t>(index) < main->pool_count; ++index) {
      pools[index] = main->pools[index];
    }
  });
  return ABT_SUCCESS;
}

int ABT_xstream_get_state(ABT_xstream xstream, ABT_xstream_state* state) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  *state = state_of(stream_of(xstream));
  return ABT_SUCCESS;
}

int ABT_xstream_equal(ABT_xstream xstream1, ABT_xstream xstream2, ABT_bool* result) {
  *result = xstream1 == xstream2 ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

int ABT_xstream_get_num(int* num_xstreams) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  *num_xstreams = current_runtime()->stream_count.load(std::memory_order_relaxed);
  return ABT_SUCCESS;
}

int ABT_xstream_is_primary(ABT_xstream xstream, ABT_bool* is_primary) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  *is_primary = stream_of(xstream)->is_primary ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

// ---- for schedulers -----------------------------------------------------------------------------

int ABT_xstream_run_unit(ABT_unit unit, ABT_pool pool) {
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  if (unit == ABT_UNIT_NULL) return ABT_ERR_INV_UNIT;
  if (const int error = need_ult(who_calls_maybe_early()); error != ABT_SUCCESS) return error;
  weft_thread* const thread = thread_of_unit(unit);
  if (thread == nullptr) return ABT_ERR_INV_UNIT;
  if (const int error = associate(thread, pool_of(pool)); error != ABT_SUCCESS) return error;
  run_unit(thread);
  return ABT_SUCCESS;
}

int ABT_xstream_check_events(ABT_sched sched) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (me.is_outside()) return ABT_ERR_INV_XSTREAM;
  if (sched == ABT_SCHED_NULL) return ABT_ERR_INV_SCHED;
  if (scheduler_of(sched)->thread != me.thread) return ABT_ERR_INV_THREAD;
  check_events(me.where, scheduler_of(sched));
  return ABT_SUCCESS;
}

// ---- CPUs ---------------------------------------------------------------------------------------

namespace {

// As in a default build of Argobots, they are there only for a program that asks for them.
int need_affinity_calls(ABT_xstream xstream) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  return current_settings().has_affinity_calls ? ABT_SUCCESS : ABT_ERR_FEATURE_NA;
}

}  // namespace

int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) {
  if (const int error = need_affinity_calls(xstream); error != ABT_SUCCESS) return error;
  return bind_to(stream_of(xstream), 1, &cpuid);
}

int ABT_xstream_get_cpubind(ABT_xstream xstream, int* cpuid) {
  if (const int error = need_affinity_calls(xstream); error != ABT_SUCCESS) return error;
  int first = 0;
  int count = 0;
  if (const int error = read_cpus(stream_of(xstream), 1, &first, &count); error != ABT_SUCCESS) return error;
  if (count == 0) return ABT_ERR_CPUID;
  *cpuid = first;
  return ABT_SUCCESS;
}

int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int* cpuids) {
  if (const int error = need_affinity_calls(xstream); error != ABT_SUCCESS) return error;
  return num_cpuids >= 0 ? bind_to(stream_of(xstream), num_cpuids, cpuids) : ABT_ERR_INV_ARG;
}

int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int* cpuids, int* num_cpuids) {
  if (const int error = need_affinity_calls(xstream); error != ABT_SUCCESS) return error;
  return max_cpuids >= 0 ? read_cpus(stream_of(xstream), max_cpuids, cpuids, num_cpuids) : ABT_ERR_INV_ARG;
}
