// ABT_thread_migrate*: requests, met by the unit itself or by the stream that runs it next.

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "stream.hpp"
#include "unit.hpp"

using namespace weft::abt;

namespace {

int need_migratable(weft_thread* thread) {
  if (thread == nullptr) return ABT_ERR_INV_THREAD;
  const unit_fields* const what = fields_of(thread);
  return what->is(is_migratable) && !what->is(is_main_scheduler) ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
}

// What is known of a scheduler to which a unit migrates, which may go afterwards.
struct destination {
  bool is_home;  // it serves the unit already
  ABT_sched handle;
  ABT_sched_get_migr_pool_fn choose;  // the user's, called outside of all locks; or null
  pool* first;                        // or null
};

destination destination_in(scheduler* target, const weft_thread* thread) {
  if (target == nullptr) return {true, ABT_SCHED_NULL, nullptr, nullptr};
  pool* const first = target->pool_count != 0 ? target->pool_at(0) : nullptr;
  return {target->serves(fields_of(thread)->home), handle_of(target), target->get_migr_pool, first};
}

int migrate_to(weft_thread* thread, const destination& where) {
  if (where.is_home) return ABT_ERR_MIGRATION_TARGET;
  pool* const to = where.choose != nullptr ? pool_of(where.choose(where.handle)) : where.first;
  return to != nullptr ? request_migration(thread, to) : ABT_ERR_MIGRATION_TARGET;
}

destination destination_on(stream* one, const weft_thread* thread) {
  return with_main_scheduler(one, [thread](scheduler* main) { return destination_in(main, thread); });
}

// Of the streams behind a rank the first one that runs and is not the unit's last; its rank. False:
// none.
bool find_next(const weft_thread* thread, int* rank, destination* out) {
  runtime* const all = current_runtime();
  const face::guard hold(all->lock);
  const stream* const last = fields_of(thread)->last_stream.load(std::memory_order_relaxed);
  for (stream* one = all->first; one != nullptr; one = one->after) {
    const int its_rank = one->rank.load(std::memory_order_relaxed);
    if (its_rank <= *rank || one == last || one->is_over.load(std::memory_order_relaxed)) continue;
    *rank = its_rank;
    *out = destination_on(one, thread);
    return true;
  }
  return false;
}

int migrate_anywhere(weft_thread* thread) {
  int rank = -1;
  destination where{};
  while (find_next(thread, &rank, &where)) {
    if (migrate_to(thread, where) == ABT_SUCCESS) return ABT_SUCCESS;
  }
  return ABT_ERR_MIGRATION_NA;
}

}  // namespace

int ABT_thread_migrate_to_xstream(ABT_thread thread, ABT_xstream xstream) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  if (const int error = need_migratable(thread_of(thread)); error != ABT_SUCCESS) return error;
  return migrate_to(thread_of(thread), destination_on(stream_of(xstream), thread_of(thread)));
}

int ABT_thread_migrate_to_sched(ABT_thread thread, ABT_sched sched) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (sched == ABT_SCHED_NULL) return ABT_ERR_INV_SCHED;
  if (const int error = need_migratable(thread_of(thread)); error != ABT_SUCCESS) return error;
  return migrate_to(thread_of(thread), destination_in(scheduler_of(sched), thread_of(thread)));
}

int ABT_thread_migrate_to_pool(ABT_thread thread, ABT_pool pool) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  if (const int error = need_migratable(thread_of(thread)); error != ABT_SUCCESS) return error;
  if (fields_of(thread_of(thread))->home == pool_of(pool)) return ABT_ERR_MIGRATION_TARGET;
  return request_migration(thread_of(thread), pool_of(pool));
}

int ABT_thread_migrate(ABT_thread thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (const int error = need_migratable(thread_of(thread)); error != ABT_SUCCESS) return error;
  return migrate_anywhere(thread_of(thread));
}

int ABT_thread_set_callback(ABT_thread thread, void (*callback)(ABT_thread thread, void* arg), void* arg) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  migration* const record = migration_of(fields_of(thread_of(thread)));
  if (record == nullptr) return ABT_ERR_MEM;
  record->callback = callback;
  record->argument = arg;
  return ABT_SUCCESS;
}

int ABT_thread_set_migratable(ABT_thread thread, ABT_bool migratable) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  unit_fields* const what = fields_of(thread_of(thread));
  if (what->is_any(is_primary | is_main_scheduler)) return ABT_SUCCESS;
  if (migratable != ABT_FALSE) {
    what->kind.fetch_or(is_migratable, std::memory_order_relaxed);
  } else {
    what->kind.fetch_and(~std::uint32_t{is_migratable}, std::memory_order_relaxed);
  }
  return ABT_SUCCESS;
}

int ABT_thread_is_migratable(ABT_thread thread, ABT_bool* is_migratable_out) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *is_migratable_out = fields_of(thread_of(thread))->is(is_migratable) ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}
