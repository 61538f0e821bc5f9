// ABT_thread_migrate*: requests, met by the unit itself or by who runs it next.

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

int migrate_to(weft_thread* thread, scheduler* target) {
  if (target->serves(fields_of(thread)->home)) return ABT_ERR_MIGRATION_TARGET;
  pool* to = nullptr;
  if (const int error = migration_pool(target, &to); error != ABT_SUCCESS) return error;
  return request_migration(thread, to);
}

int migrate_to(weft_thread* thread, stream* target) {
  const guard hold(target->changing);
  scheduler* const main = target->main_scheduler.load(std::memory_order_relaxed);
  return main != nullptr ? migrate_to(thread, main) : ABT_ERR_MIGRATION_TARGET;
}

// The first one that runs and does not serve the unit already.
int migrate_anywhere(weft_thread* thread) {
  runtime* const all = current_runtime();
  const guard hold(all->lock);
  const stream* const last = fields_of(thread)->last_stream.load(std::memory_order_relaxed);
  for (stream* one = all->first; one != nullptr; one = one->after) {
    if (one == last || one->is_over.load(std::memory_order_relaxed)) continue;
    if (migrate_to(thread, one) == ABT_SUCCESS) return ABT_SUCCESS;
  }
  return ABT_ERR_MIGRATION_NA;
}

}  // namespace

int ABT_thread_migrate_to_xstream(ABT_thread thread, ABT_xstream xstream) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  if (const int error = need_migratable(thread_of(thread)); error != ABT_SUCCESS) return error;
  return migrate_to(thread_of(thread), stream_of(xstream));
}

int ABT_thread_migrate_to_sched(ABT_thread thread, ABT_sched sched) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (sched == ABT_SCHED_NULL) return ABT_ERR_INV_SCHED;
  if (const int error = need_migratable(thread_of(thread)); error != ABT_SUCCESS) return error;
  return migrate_to(thread_of(thread), scheduler_of(sched));
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
