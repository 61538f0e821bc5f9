// ext.h: the builders' seam.

#include <weft/ext.h>

#include "base/assert.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "place/pool.hpp"
#include "place/serving.hpp"
#include "place/source.hpp"
#include "place/wait_for_work.hpp"
#include "run/choose.hpp"
#include "run/dispatch.hpp"
#include "run/fork.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "run/yield.hpp"
#include "see/observers.hpp"
#include "see/tracing.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"
#include "worker/worker.hpp"

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
  const sched::without_identity callback(local::current_worker());  // the unit that runs next on this worker is there already
  return todo.commit(todo.self, todo.argument);
}

[[gnu::always_inline]] inline void wake_parked(sched::unit* one) {
  if (weft::config::checked && one->waiting == nullptr) {
    weft::base::panic("unpark of thread %p, which is not parked", static_cast<const void*>(one));
  }
  sched::make_woken(local::current_worker(), one);  // its wait has no deadline
}

// What weft_ext_pool_walk hands through the core.
struct visiting {
  void (*each)(void* state, weft_thread* unit);
  void* state;
};

void visit_unit(void* given, sched::unit* one) {
  const visiting& visit = *static_cast<visiting*>(given);
  visit.each(visit.state, handle(one));
}

[[gnu::noinline, gnu::cold]] weft_thread* pop_at_point(weft_pool* pool) {
  if (pool == nullptr || !pass_point()) return nullptr;
  return handle(sched::pop_from_pool(pool_of(pool)));
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

// In place of a call: arch/x86_64/in_place.S.
[[gnu::visibility("hidden"), gnu::used]] weft_status weft_park_called(uint32_t* lock, weft_thread** self, const char* what) {
  static_assert(sizeof(weft::queue::spinlock) == sizeof *lock);
  return code(sched::park_holding(reinterpret_cast<sched::unit**>(self), what, reinterpret_cast<weft::queue::spinlock*>(lock)));
}

weft_status weft_ext_park_unlocking(uint32_t* lock, weft_thread** self, const char* what) {
  return self != nullptr && what != nullptr ? weft_park_called(lock, self, what) : WEFT_INVALID;
}

void weft_ext_unpark(weft_thread* thread) {
  if (weft::capi::is_null_or_point(thread)) [[unlikely]] {
    if (!pass_point() || thread == nullptr) return;
  }
  wake_parked(unit_of(thread));
}

void weft_ext_unpark_owned(weft_thread* thread) {
  if (pass_point() && thread != nullptr) sched::own_parked(unit_of(thread));
}

weft_status weft_ext_pool_create(const weft_pool_ops* ops, void* state, weft_pool_access access, weft_pool** out) {
  if (ops == nullptr || out == nullptr || ops->size != sizeof *ops) return WEFT_INVALID;
  if (access < WEFT_POOL_SHARED || access > WEFT_POOL_PRIVATE) return WEFT_INVALID;
  if (ops->push == nullptr || ops->pop == nullptr || ops->count == nullptr) return WEFT_INVALID;
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return code(sched::create_custom_pool(*ops, state, access, reinterpret_cast<sched::pool**>(out)));
}

weft_thread* weft_ext_pool_pop(weft_pool* pool) {
  if (weft::capi::is_null_or_point(pool)) [[unlikely]]
    return pop_at_point(pool);
  return handle(sched::pop_from_pool(pool_of(pool)));
}

weft_thread* weft_ext_pool_pop_last(weft_pool* pool) {
  return pool != nullptr && pass_point() ? handle(sched::pop_last_from_pool(pool_of(pool))) : nullptr;
}

weft_status weft_ext_pool_push(weft_pool* pool, weft_thread* unit, weft_push_reason reason) {
  if (unit == nullptr || reason < WEFT_PUSH_NEW || reason > WEFT_PUSH_MIGRATED) return WEFT_INVALID;
  return weft::capi::call_on(pool, [unit, reason](weft_pool* into) {
    sched::unit* const one = ready_unit(unit, "weft_ext_pool_push");
    return code(sched::push_owned(pool_of(into), one, static_cast<sched::push_reason>(reason)));
  });
}

bool weft_ext_pool_remove(weft_pool* pool, weft_thread* unit) {
  if (pool == nullptr || unit == nullptr || !pass_point()) return false;
  return sched::remove_from_pool(pool_of(pool), unit_of(unit));
}

bool weft_ext_pool_remove_from(weft_pool* const* pools, size_t count, weft_thread* unit) {
  if (unit == nullptr || !pass_point()) return false;
  return pools != nullptr && sched::remove_from_one(reinterpret_cast<sched::pool* const*>(pools), count, unit_of(unit));
}

void weft_ext_pool_walk(weft_pool* pool, void (*each)(void* state, weft_thread* unit), void* state) {
  if (pool == nullptr || each == nullptr || !pass_point()) return;
  visiting visit{each, state};
  sched::walk_pool(pool_of(pool), visit_unit, &visit);
}

void weft_ext_pool_notify(weft_pool* pool) {
  if (pool != nullptr && running() != nullptr) sched::tell_watchers(running(), pool_of(pool));
}

weft_pool* weft_ext_thread_pool(const weft_thread* thread) {
  return thread != nullptr ? reinterpret_cast<weft_pool*>(unit_of(thread)->home.load(base::relaxed)) : nullptr;
}

weft_status weft_ext_thread_set_pool(weft_thread* thread, weft_pool* pool) {
  if (thread == nullptr) return WEFT_INVALID;
  sched::set_home(unit_of(thread), pool_of(pool));
  return WEFT_OK;
}

weft_status weft_ext_thread_make(weft_function function, void* argument, const weft_thread_attr* attr, bool tasklet,
                                 weft_thread** out) {
  if (function == nullptr || out == nullptr || (attr != nullptr && attr->size != sizeof *attr)) return WEFT_INVALID;
  if (running() == nullptr) return no_runtime();
  const bool detached = attr != nullptr && attr->detached;
  const sched::creation how{function, argument, attr, tasklet, detached, __builtin_return_address(0)};
  return code(sched::make_owned(how, reinterpret_cast<sched::unit**>(out)));
}

weft_status weft_ext_thread_make_copy(weft_function function, const void* bytes, size_t size, const weft_thread_attr* attr,
                                      bool tasklet, weft_thread** out) {
  if (function == nullptr || out == nullptr || (attr != nullptr && attr->size != sizeof *attr)) return WEFT_INVALID;
  if (size > WEFT_COPY_MAX || (bytes == nullptr && size != 0)) return WEFT_INVALID;
  if (running() == nullptr) return no_runtime();
  const bool detached = attr != nullptr && attr->detached;
  const sched::creation how{nullptr, nullptr, attr, tasklet, detached, __builtin_return_address(0)};
  return code(sched::create_copied({function, bytes, size}, how, true, reinterpret_cast<sched::unit**>(out)));
}

weft_status weft_ext_thread_make_in(weft_pool* pool, weft_function function, unsigned kind, weft_thread** out) {
  if (function == nullptr || out == nullptr || kind > (WEFT_MAKE_TASKLET | WEFT_MAKE_DETACHED)) [[unlikely]]
    return WEFT_INVALID;
  static_assert(int{WEFT_MAKE_TASKLET} == sched::is_tasklet && int{WEFT_MAKE_DETACHED} == sched::join_word::detached);
  auto** const made = reinterpret_cast<sched::unit**>(out);
  return code(sched::make_owned_plainly(pool_of(pool), function, kind, made, __builtin_return_address(0)));
}

void weft_ext_thread_discard(weft_thread* owned) {
  if (owned != nullptr && pass_point()) sched::discard_owned(ready_unit(owned, "weft_ext_thread_discard"));
}

weft_status weft_ext_thread_wait(weft_thread* thread) {
  if (thread == nullptr) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::wait_for_end(live_unit_if_checked(thread, "weft_ext_thread_wait")));
}

weft_status weft_ext_thread_revive(weft_thread* thread, weft_function function, void* argument) {
  if (thread == nullptr || function == nullptr) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::revive(live_unit_if_checked(thread, "weft_ext_thread_revive"), function, argument));
}

weft_status weft_ext_call_outside(weft_function function, void* argument) {
  if (function == nullptr) return WEFT_INVALID;
  sched::worker* const w = local::current_worker();
  const bool may_leave_forks = w != nullptr && w->current != nullptr && !w->current->has(sched::is_tasklet);
  if (may_leave_forks && sched::has_forks(w)) sched::detach_forks(w);
  const sched::as_outside outside(w);
  function(argument);
  return WEFT_OK;
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

weft_status weft_ext_yield_to_owned(weft_thread* unit, bool as_new) {
  return call_on(unit,
                 [as_new](weft_thread* it) { return sched::yield_to_owned(ready_unit(it, "weft_ext_yield_to_owned"), as_new); });
}

void weft_ext_yield_as_new() { sched::yield_as_new(); }

weft_status weft_ext_yield_in_pool(bool (*accepts)(void* state, weft_thread* unit), void* state) {
  return accepts != nullptr ? code(sched::yield_in_pool(accepts, state)) : WEFT_INVALID;
}

namespace {

bool is_valid(const weft_row* row) {
  if (row == nullptr || row->size != sizeof *row || row->next == nullptr) return false;
  return row->pool == nullptr || (row->accepts != nullptr && row->left != nullptr);
}

}  // namespace

weft_status weft_ext_dispatch_in_turn(weft_thread* unit, const weft_row* row) {
  if (unit == nullptr || !is_valid(row)) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::dispatch_in_turn(ready_unit(unit, "weft_ext_dispatch_in_turn"), *row));
}

bool weft_ext_should_stop(void) { return !pass_point() || sched::should_stop(); }

weft_status weft_ext_wait_for_work(weft_pool* const* pools, size_t count, uint64_t deadline_ns, bool (*is_wanted)(void* argument),
                                   void* argument) {
  if (pools == nullptr && count != 0) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::wait_for_work(reinterpret_cast<sched::pool* const*>(pools), count, deadline_ns, is_wanted, argument));
}

namespace {

weft_status add_source(size_t (*poll)(void* state), void* state, weft_source** out, bool brings_work, int only) {
  if (poll == nullptr || out == nullptr) return WEFT_INVALID;
  if (running() == nullptr) return no_runtime();
  return code(sched::add_source(running(), poll, state, reinterpret_cast<sched::source**>(out), brings_work, only));
}

// Null: there was none.
sched::worker* worker_of_index(int index) {
  if (index == WEFT_ANY_WORKER) return sched::local::current_worker();
  const bool is_none = running() == nullptr || index < 0 || static_cast<unsigned>(index) >= sched::most_workers;
  return is_none ? nullptr : sched::worker_in_slot(running(), static_cast<unsigned>(index));
}

}  // namespace

weft_status weft_ext_source_add(size_t (*poll)(void* state), void* state, weft_source** out) {
  return add_source(poll, state, out, true, sched::any_worker);
}

weft_status weft_ext_bell_add(size_t (*poll)(void* state), void* state, weft_source** out) {
  return add_source(poll, state, out, false, sched::any_worker);
}

weft_status weft_ext_source_add_at(unsigned worker, size_t (*poll)(void* state), void* state, weft_source** out) {
  if (worker >= sched::most_workers) return running() != nullptr ? WEFT_INVALID : no_runtime();
  return add_source(poll, state, out, true, static_cast<int>(worker));
}

weft_status weft_ext_worker_reserve(unsigned* number) {
  return number != nullptr ? code(sched::seam::reserve_word(number)) : WEFT_INVALID;
}

uint64_t* weft_ext_worker_word(int worker, unsigned number) {
  sched::worker* const w = number < sched::seam::reserved_words() ? worker_of_index(worker) : nullptr;
  return w != nullptr ? &w->builders_words[number] : nullptr;
}

size_t weft_ext_stack_bytes(void) { return running() != nullptr ? running()->settings.stack_bytes : 0; }

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
  return code(sched::seam::set_event_sink(sink, state, sched::set_listener));
}

void weft_ext_trace_note(const char* name, uint64_t value) {
  if (name != nullptr && running() != nullptr) sched::trace_note(running(), name, value);
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
