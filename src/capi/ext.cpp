// ext.h: the builders' seam.

#include <weft/ext.h>

#include "base/assert.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "sched/dispatch.hpp"
#include "sched/local.hpp"
#include "sched/nested.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/seam.hpp"
#include "sched/source.hpp"
#include "sched/thread.hpp"
#include "sched/waiter.hpp"
#include "sched/worker.hpp"

using namespace weft::capi;
namespace base = weft::base;
namespace sched = weft::sched;
namespace local = weft::sched::local;

namespace {

// What weft_ext_park hands through the core.
struct parking {
  bool (*commit)(weft_thread* self, void* argument);
  void* argument;
  weft_thread* self;
};

bool commit_parking(void* given) {
  const parking todo = *static_cast<parking*>(given);
  const sched::without_identity callback(local::current_worker());  // who runs next on this worker is there already
  return todo.commit(todo.self, todo.argument);
}

void wake_parked(sched::unit* one) {
  if (weft::config::checked && one->waiting == nullptr) {
    weft::base::panic("unpark of thread %p, which is not parked", static_cast<const void*>(one));
  }
  sched::wake(one->waiting);
}

sched::runtime* running() { return local::current_runtime(); }

}  // namespace

extern "C" {

weft_status weft_ext_park(bool (*commit)(weft_thread* self, void* argument), void* argument, const char* what) {
  sched::unit* self = local::current_unit();
  if (commit == nullptr) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  if (self == nullptr || self->has(sched::is_tasklet)) return WEFT_CANNOT_BLOCK;
  sched::waiter me(what != nullptr ? what : "unpark", nullptr);
  parking todo{commit, argument, handle(self)};
  static_cast<void>(sched::wait_published(&me, commit_parking, &todo));
  return WEFT_OK;
}

void weft_ext_unpark(weft_thread* thread) {
  if (pass_point() && thread != nullptr) wake_parked(unit_of(thread));
}

weft_status weft_ext_unpark_and_yield_to(weft_thread* thread) {
  if (thread == nullptr) return WEFT_INVALID;
  const sched::unit* self = local::current_unit();
  if (self == nullptr || self->has(sched::is_tasklet)) return sched::is_left_behind() ? WEFT_UNSUPPORTED : WEFT_CANNOT_BLOCK;
  static_cast<void>(pass_point());
  wake_parked(unit_of(thread));
  // It may be elsewhere by now, or have ended.
  static_cast<void>(sched::yield_to(unit_of(thread)));
  return WEFT_OK;
}

weft_status weft_ext_pool_create(const weft_pool_ops* ops, void* state, weft_pool_access access, weft_pool** out) {
  if (ops == nullptr || out == nullptr || ops->size != sizeof *ops) return WEFT_INVALID;
  if (access < WEFT_POOL_SHARED || access > WEFT_POOL_PRIVATE) return WEFT_INVALID;
  if (ops->push == nullptr || ops->pop == nullptr || ops->count == nullptr) return WEFT_INVALID;
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return code(sched::create_custom_pool(*ops, state, access, reinterpret_cast<sched::pool**>(out)));
}

void* weft_ext_pool_state(const weft_pool* pool) {
  return pool != nullptr && pool_of(pool)->is_custom ? pool_of(pool)->state : nullptr;
}

weft_thread* weft_ext_pool_pop(weft_pool* pool) {
  return pass_point() && pool != nullptr ? handle(sched::pop_from_pool(pool_of(pool))) : nullptr;
}

weft_status weft_ext_pool_push(weft_pool* pool, weft_thread* unit, weft_push_reason reason) {
  if (pool == nullptr || unit == nullptr || reason < WEFT_PUSH_NEW || reason > WEFT_PUSH_MIGRATED) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  sched::unit* const one = ready_unit(unit, "weft_ext_pool_push");
  // [A77] release: as [A76]; pairs with [A75]
  one->home.store(pool_of(pool), base::release);
  sched::push_to_pool(pool_of(pool), one, static_cast<sched::push_reason>(reason));
  return WEFT_OK;
}

weft_pool* weft_ext_thread_pool(const weft_thread* thread) {
  return thread != nullptr ? reinterpret_cast<weft_pool*>(unit_of(thread)->home.load(base::relaxed)) : nullptr;
}

weft_status weft_ext_worker_set_scheduler(unsigned worker, const weft_scheduler_ops* ops, void* state) {
  if (running() == nullptr) return no_runtime();
  if (ops != nullptr && (ops->size != sizeof *ops || ops->next == nullptr)) return WEFT_INVALID;
  return code(sched::set_scheduler(running(), worker, ops, state));
}

weft_status weft_ext_dispatch(weft_thread* unit) {
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return unit != nullptr ? code(sched::dispatch(ready_unit(unit, "weft_ext_dispatch"))) : WEFT_INVALID;
}

bool weft_ext_should_stop(void) { return !pass_point() || sched::should_stop(); }

weft_status weft_ext_wait_for_work(weft_pool* const* pools, size_t count, uint64_t deadline_ns) {
  if (pools == nullptr && count != 0) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::wait_for_work(reinterpret_cast<sched::pool* const*>(pools), count, deadline_ns));
}

weft_status weft_ext_source_add(size_t (*poll)(void* state), void* state, weft_source** out) {
  if (poll == nullptr || out == nullptr) return WEFT_INVALID;
  if (running() == nullptr) return no_runtime();
  return code(sched::add_source(running(), poll, state, reinterpret_cast<sched::source**>(out)));
}

weft_status weft_ext_source_remove(weft_source* source) {
  if (source == nullptr) return WEFT_INVALID;
  if (running() == nullptr) return no_runtime();
  return code(sched::remove_source(running(), reinterpret_cast<sched::source*>(source)));
}

void weft_ext_source_notify(weft_source* source) {
  if (source != nullptr && running() != nullptr) sched::notify_source(running(), reinterpret_cast<sched::source*>(source));
}

weft_status weft_ext_set_stack_provider(const weft_stack_provider* provider) {
  if (provider != nullptr && (provider->size != sizeof *provider || provider->map == nullptr)) return WEFT_INVALID;
  return code(sched::seam::set_stack_provider(provider));
}

void weft_ext_thread_stack(const weft_thread* thread, void** base, size_t* bytes) {
  const weft::mem::stack* stack = thread != nullptr ? sched::stack_of(unit_of(thread)) : nullptr;
  if (base != nullptr) *base = stack != nullptr ? stack->low : nullptr;
  if (bytes != nullptr) *bytes = stack != nullptr ? stack->usable_bytes() : 0;
}

weft_status weft_ext_set_event_sink(void (*sink)(void* state, weft_event_kind kind, weft_thread* thread), void* state) {
  return code(sched::seam::set_event_sink(sink, state));
}

weft_status weft_ext_reserve(size_t bytes, size_t* offset) {
  return offset != nullptr ? code(sched::seam::reserve(bytes, offset)) : WEFT_INVALID;
}

void* weft_ext_bytes(weft_thread* thread, size_t offset) {
  return thread != nullptr ? sched::extension_of(unit_of(thread), offset) : nullptr;
}

weft_status weft_ext_carry(void* (*address)(void), size_t bytes) {
  return address != nullptr ? code(sched::seam::carry(address, bytes)) : WEFT_INVALID;
}

}  // extern "C"
