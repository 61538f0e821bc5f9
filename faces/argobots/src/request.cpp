// Requests to units: cancellation and migration. They are met where a unit starts, yields or waits.

#include <cstdlib>
#include <new>

#include "handle.hpp"
#include "pool.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"

namespace weft::abt {

migration* migration_of(unit_fields* what) {
  // [Z11] acquire: sees the record laid out; pairs with [Z12]
  migration* known = what->moving.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* const memory = std::malloc(sizeof(migration));
  if (memory == nullptr) return nullptr;
  auto* const made = new (memory) migration{};
  // [Z12] acq_rel: publishes the record, or sees another's; pairs with [Z11] [Z12] [Z31]
  if (what->moving.compare_exchange_strong(known, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
    what->kind.fetch_or(has_belongings, std::memory_order_relaxed);
    return made;
  }
  std::free(made);
  return known;
}

int request_migration(weft_thread* thread, pool* target) {
  unit_fields* const what = fields_of(thread);
  migration* const record = migration_of(what);
  if (record == nullptr) return ABT_ERR_MEM;
  record->target.store(target, std::memory_order_relaxed);
  // [Z13] release: publishes the target; pairs with [Z14]
  what->request.fetch_or(wants_migration, std::memory_order_release);
  return ABT_SUCCESS;
}

namespace {

// False: it stays where it is, until the next time.
bool migrate(weft_thread* thread, unit_fields* what) {
  // [Z14] acquire: sees the target; pairs with [Z13]
  what->request.fetch_and(~std::uint32_t{wants_migration}, std::memory_order_acquire);
  const migration* const record = what->moving.load(std::memory_order_relaxed);
  if (associate(thread, record->target.load(std::memory_order_relaxed)) != ABT_SUCCESS) {
    request(what, wants_migration);
    return false;
  }
  if (record->callback != nullptr) record->callback(handle_of(thread), record->argument);
  return true;
}

// A main scheduler ends with its stream instead: see check_events.
bool is_to_end(const unit_fields* what) {
  return is_requested(what, wants_cancel) && !is_requested(what, is_ending) && !what->is(is_main_scheduler);
}

}  // namespace

void obey_migration(weft_thread* self, unit_fields* mine) {
  if (is_requested(mine, wants_migration)) static_cast<void>(migrate(self, mine));
}

void obey_cancellation(unit_fields* mine) {
  end_if_cancelled(mine);
  if (!is_to_end(mine)) return;
  request(mine, is_cancelled);
  tell_tool(ABT_TOOL_EVENT_THREAD_CANCEL, weft_self());
  exit_unit(mine);
}

bool obey_requests_for(weft_thread* owned) {
  unit_fields* const what = fields_of(owned);
  if (is_to_end(what)) {
    if (!is_requested(what, is_cancelled)) tell_tool(ABT_TOOL_EVENT_THREAD_CANCEL, owned);
    request(what, is_cancelled);
    return true;
  }
  if (!is_requested(what, wants_migration) || !migrate(owned, what)) return true;
  push(what->home, owned, ABT_POOL_CONTEXT_OP_THREAD_MIGRATE);
  return false;
}

}  // namespace weft::abt
