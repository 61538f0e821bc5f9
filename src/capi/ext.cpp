// ext.h: the builders' seam.

#include <new>
#include <type_traits>

#include <weft/ext.h>

#include "base/assert.hpp"
#include "capi/creating.hpp"
#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "os/clock.hpp"
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
#include "run/try_until.hpp"
#include "run/wait.hpp"
#include "run/yield.hpp"
#include "see/observers.hpp"
#include "see/tracing.hpp"
#include "thread/calls.hpp"
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

constexpr sched::reason runs_already{nullptr, "the runtime runs, and this is possible before weft_init alone"};

weft_status refusal_of(const call_errors& of, const weft_pool_ops* ops) {
  const auto refuse = [&](const char* cause) { return weft::fail(WEFT_INVALID, of.call, of.argument, cause, ops); };
  if (ops == nullptr) return refuse_null(of);
  if (ops->size != sizeof *ops) return weft::fail(WEFT_INVALID, of.call, of.argument, weft::is_wrong_size, nullptr, ops->size);
  if (ops->push == nullptr) return refuse("its push is null");
  if (ops->pop == nullptr) return refuse("its pop is null");
  return ops->count != nullptr ? WEFT_OK : refuse("its count is null");
}

weft_status refusal_to_make(const call_errors& of, weft_function function, const weft_thread_attr* attr,
                            weft_thread* const* out) {
  if (function == nullptr) return refuse_null(of);
  if (out == nullptr) return weft::fail_on_null(of.call, "out");
  return is_of_other_size(attr) ? refuse_size(of, attr) : WEFT_OK;
}

constexpr unsigned kinds_of_making = WEFT_MAKE_TASKLET | WEFT_MAKE_DETACHED | WEFT_MAKE_CLEANED;

[[gnu::cold, gnu::noinline]] weft_status refuse_to_make_in(weft_function function, unsigned kind, weft_thread** out) {
  if (function == nullptr) return weft::fail_on_null(sched::making_in.call, "function");
  if (kind > kinds_of_making)
    return weft::fail(WEFT_INVALID, sched::making_in.call, "kind", "%u has other bits than those of weft_make", nullptr, kind);
  if (out == nullptr) return weft::fail_on_null(sched::making_in.call, "out");
  return weft::fail(WEFT_INVALID, sched::making_in.call, "pool", "it is not null, and kind has WEFT_MAKE_CLEANED");
}

}  // namespace

extern "C" {

weft_status weft_ext_park(bool (*commit)(weft_thread* self, void* argument), void* argument, const char* what) {
  static constexpr call_errors of{"weft_ext_park", "commit"};
  sched::unit* self = local::current_unit();
  if (commit == nullptr) return refuse_null(of);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  if (self == nullptr || self->has(sched::is_tasklet)) return told(WEFT_CANNOT_BLOCK, of);
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
  if (self == nullptr) return refuse_null(sched::parking_holding);
  return what != nullptr ? weft_park_called(lock, self, what) : weft::fail_on_null(sched::parking_holding.call, "what");
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
  static constexpr call_errors of{"weft_ext_pool_create", "ops"};
  if (const weft_status refused = refusal_of(of, ops); refused != WEFT_OK) return refused;
  if (out == nullptr) return weft::fail_on_null(of.call, "out");
  if (const weft_status refused = refusal_of_access(of, access); refused != WEFT_OK) return refused;
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::create_custom_pool(*ops, state, access, reinterpret_cast<sched::pool**>(out)), of);
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
  static constexpr call_errors of{"weft_ext_pool_push", "pool"};
  if (unit == nullptr) return weft::fail_on_null(of.call, "unit");
  if (reason < WEFT_PUSH_NEW || reason > WEFT_PUSH_MIGRATED) [[unlikely]] {
    return weft::fail(WEFT_INVALID, of.call, "reason", "%d is not a value of weft_push_reason", nullptr,
                      static_cast<uint64_t>(reason));
  }
  return weft::capi::call_telling(of, pool, [unit, reason](weft_pool* into) {
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

weft_status weft_ext_thread_set_pool(weft_thread* thread, weft_pool* pool) {
  if (thread == nullptr) return weft::fail_on_null("weft_ext_thread_set_pool", "thread");
  sched::set_home(unit_of(thread), pool_of(pool));
  return WEFT_OK;
}

weft_status weft_ext_thread_make(weft_function function, void* argument, const weft_thread_attr* attr, bool tasklet,
                                 weft_thread** out) {
  static constexpr call_errors of{"weft_ext_thread_make", "function"};
  if (const weft_status refused = refusal_to_make(of, function, attr, out); refused != WEFT_OK) return refused;
  if (running() == nullptr) return no_runtime(of);
  const bool detached = attr != nullptr && attr->detached;
  const sched::creation how{function, argument, attr, tasklet, detached, __builtin_return_address(0)};
  return created(sched::make_owned(how, reinterpret_cast<sched::unit**>(out)), of, attr);
}

weft_status weft_ext_thread_make_copy(weft_function function, const void* bytes, size_t size, const weft_thread_attr* attr,
                                      bool tasklet, weft_thread** out) {
  static constexpr call_errors of{"weft_ext_thread_make_copy", "function"};
  const sched::copying what{function, bytes, size};
  if (const weft_status refused = refusal_to_make(of, function, attr, out); refused != WEFT_OK) return refused;
  if (const weft_status refused = refusal_of_copy(of, what); refused != WEFT_OK) return refused;
  if (running() == nullptr) return no_runtime(of);
  const bool detached = attr != nullptr && attr->detached;
  const sched::creation how{nullptr, nullptr, attr, tasklet, detached, __builtin_return_address(0)};
  return created(sched::create_copied(what, how, true, reinterpret_cast<sched::unit**>(out)), of, attr);
}

weft_status weft_ext_thread_make_in(weft_pool* pool, weft_function function, unsigned kind, weft_thread** out) {
  if (function == nullptr || out == nullptr || kind > kinds_of_making) [[unlikely]]
    return refuse_to_make_in(function, kind, out);
  static_assert(int{WEFT_MAKE_TASKLET} == sched::is_tasklet && int{WEFT_MAKE_DETACHED} == sched::join_word::detached);
  static_assert(int{WEFT_MAKE_CLEANED} == sched::making_cleaned);
  if (pool != nullptr && (kind & WEFT_MAKE_CLEANED) != 0) [[unlikely]]
    return refuse_to_make_in(function, kind, out);
  auto** const made = reinterpret_cast<sched::unit**>(out);
  return code(sched::make_owned_plainly(pool_of(pool), function, kind, made, __builtin_return_address(0)));
}

namespace {

weft_status start_by(void (*start)(sched::unit* one), weft_thread* owned, const call_errors& of) {
  if (owned == nullptr) return refuse_null(of);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  sched::unit* const one = ready_unit(owned, of.call);
  if (one->home.load(weft::base::relaxed) != nullptr) return weft::fail(WEFT_INVALID, of.call, of.argument, "its home is a pool");
  start(one);
  return WEFT_OK;
}

}  // namespace

weft_status weft_ext_thread_start(weft_thread* owned) {
  static constexpr call_errors of{"weft_ext_thread_start", "owned"};
  return start_by(sched::start_owned, owned, of);
}

weft_status weft_ext_thread_offer(weft_thread* owned) {
  static constexpr call_errors of{"weft_ext_thread_offer", "owned"};
  return start_by(sched::offer_owned, owned, of);
}

bool weft_ext_thread_take_back(weft_thread* thread) {
  return thread != nullptr && pass_point() && sched::take_back(unit_of(thread));
}

void weft_ext_thread_note_wait(weft_thread* owned, weft_ext_wait* wait, const char* what, const void* object) {
  static_assert(sizeof(sched::waiter) <= sizeof *wait && alignof(sched::waiter) <= alignof(weft_ext_wait));
  static_assert(std::is_trivially_destructible_v<sched::waiter>);
  if (owned == nullptr) return;
  sched::unit* const one = unit_of(owned);
  if (what == nullptr) {
    one->waiting = nullptr;
    return;
  }
  auto* const noted = new (wait) sched::waiter(what, object);
  noted->who = one;
  noted->since_ns = weft::os::coarse_ns();
  one->waiting = noted;
}

void weft_ext_thread_discard(weft_thread* owned) {
  if (owned != nullptr && pass_point()) sched::discard_owned(ready_unit(owned, "weft_ext_thread_discard"));
}

weft_status weft_ext_thread_wait(weft_thread* thread) {
  constexpr const call_errors& of = sched::waiting_for_end;
  if (thread == nullptr) return refuse_null(of);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return code(sched::wait_for_end(live_unit_if_checked(thread, of.call)));
}

weft_status weft_ext_thread_revive(weft_thread* thread, weft_function function, void* argument) {
  constexpr const call_errors& of = sched::reviving;
  if (thread == nullptr) return refuse_null(of);
  if (function == nullptr) return weft::fail_on_null(of.call, "function");
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return code(sched::revive(live_unit_if_checked(thread, of.call), function, argument));
}

weft_status weft_ext_call_outside(weft_function function, void* argument) {
  if (function == nullptr) return weft::fail_on_null("weft_ext_call_outside", "function");
  sched::worker* const w = local::current_worker();
  const bool may_leave_forks = w != nullptr && w->current != nullptr && !w->current->has(sched::is_tasklet);
  if (may_leave_forks && sched::has_forks(w)) sched::detach_forks(w);
  const sched::as_outside outside(w);
  function(argument);
  return WEFT_OK;
}

weft_status weft_ext_try_until(bool (*attempt)(void* argument), void* argument, const char* what) {
  static constexpr call_errors of{"weft_ext_try_until", "attempt"};
  if (attempt == nullptr) return refuse_null(of);
  if (what == nullptr) return weft::fail_on_null(of.call, "what");
  sched::try_until(attempt, argument, what);
  return WEFT_OK;
}

weft_status weft_ext_worker_set_scheduler(unsigned worker, const weft_scheduler_ops* ops, void* state) {
  static constexpr call_errors of{
      .call = "weft_ext_worker_set_scheduler", .argument = "ops", .invalid = {"worker", no_such_worker}};
  if (running() == nullptr) return no_runtime(of);
  if (ops != nullptr && ops->size != sizeof *ops)
    return weft::fail(WEFT_INVALID, of.call, "ops", weft::is_wrong_size, nullptr, ops->size);
  if (ops != nullptr && ops->next == nullptr) return weft::fail(WEFT_INVALID, of.call, "ops", "its next is null", ops);
  return told(sched::set_scheduler(running(), worker, ops, state), of, nullptr, worker);
}

weft_status weft_ext_dispatch(weft_thread* unit) {
  constexpr const call_errors& of = sched::dispatching;
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return unit != nullptr ? code(sched::dispatch(ready_unit(unit, of.call))) : refuse_null(of);
}

weft_status weft_ext_yield_to_owned(weft_thread* unit, bool as_new) {
  constexpr const call_errors& of = sched::yielding_to_owned;
  return call_telling(of, unit, [as_new](weft_thread* it) { return sched::yield_to_owned(ready_unit(it, of.call), as_new); });
}

void weft_ext_yield_as_new() { sched::yield_as_new(); }

weft_status weft_ext_yield_in_pool(bool (*accepts)(void* state, weft_thread* unit), void* state) {
  return accepts != nullptr ? code(sched::yield_in_pool(accepts, state)) : refuse_null(sched::yielding_in_pool);
}

namespace {

constexpr call_errors in_turn{
    .call = "weft_ext_dispatch_in_turn", .argument = "unit", .invalid = {"unit", sched::is_pinned_to_another}};

weft_status refuse_row(const char* cause, uint64_t value = 0) {
  return weft::fail(WEFT_INVALID, in_turn.call, "row", cause, nullptr, value);
}

weft_status refusal_of(const weft_row* row) {
  if (row == nullptr) return refuse_row(weft::is_null);
  if (row->size != sizeof *row) return refuse_row(weft::is_wrong_size, row->size);
  if (row->next == nullptr) return refuse_row("its next is null");
  if (row->pool == nullptr) return WEFT_OK;
  if (row->accepts == nullptr) return refuse_row("its accepts is null, and its pool is not");
  return row->left != nullptr ? WEFT_OK : refuse_row("its left is null, and its pool is not");
}

}  // namespace

weft_status weft_ext_dispatch_in_turn(weft_thread* unit, const weft_row* row) {
  if (unit == nullptr) return refuse_null(in_turn);
  if (const weft_status refused = refusal_of(row); refused != WEFT_OK) return refused;
  if (!pass_point()) return told(WEFT_UNSUPPORTED, in_turn);
  return told(sched::dispatch_in_turn(ready_unit(unit, in_turn.call), *row), in_turn, unit);
}

bool weft_ext_should_stop(void) { return !pass_point() || sched::should_stop(); }

weft_status weft_ext_wait_for_work(weft_pool* const* pools, size_t count, uint64_t deadline_ns, bool (*is_wanted)(void* argument),
                                   void* argument) {
  static constexpr call_errors of{.call = "weft_ext_wait_for_work", .invalid = {"pools", "it is null, and count is %u"}};
  if (pools == nullptr && count != 0) return told(WEFT_INVALID, of, nullptr, count);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::wait_for_work(reinterpret_cast<sched::pool* const*>(pools), count, deadline_ns, is_wanted, argument), of);
}

namespace {

weft_status add_source(const call_errors& of, const sched::source_calls& calls, void* state, weft_source** out, bool brings_work,
                       int only) {
  if (calls.poll == nullptr) return refuse_null(of);
  if (out == nullptr) return weft::fail_on_null(of.call, "out");
  if (running() == nullptr) return no_runtime(of);
  return told(sched::add_source(running(), calls, state, reinterpret_cast<sched::source**>(out), brings_work, only), of);
}

// Null: there was none.
sched::worker* worker_of_index(int index) {
  if (index == WEFT_ANY_WORKER) return sched::local::current_worker();
  const bool is_none = running() == nullptr || index < 0 || static_cast<unsigned>(index) >= sched::most_workers;
  return is_none ? nullptr : sched::worker_in_slot(running(), static_cast<unsigned>(index));
}

}  // namespace

weft_status weft_ext_source_add(size_t (*poll)(void* state), void* state, weft_source** out) {
  static constexpr call_errors of{"weft_ext_source_add", "poll"};
  return add_source(of, {.poll = poll}, state, out, true, sched::any_worker);
}

weft_status weft_ext_bell_add(size_t (*poll)(void* state), void* state, weft_source** out) {
  static constexpr call_errors of{"weft_ext_bell_add", "poll"};
  return add_source(of, {.poll = poll}, state, out, false, sched::any_worker);
}

weft_status weft_ext_source_add_with(const weft_source_ops* ops, void* state, weft_source** out) {
  static constexpr call_errors of{"weft_ext_source_add_with", "ops"};
  const auto refuse = [&](const char* cause) { return weft::fail(WEFT_INVALID, of.call, of.argument, cause, ops); };
  if (ops == nullptr) return refuse_null(of);
  if (ops->size != sizeof *ops) return weft::fail(WEFT_INVALID, of.call, of.argument, weft::is_wrong_size, nullptr, ops->size);
  if (ops->poll == nullptr) return refuse("its poll is null");
  if (ops->wait == nullptr) return refuse("its wait is null");
  if (ops->wake == nullptr) return refuse("its wake is null");
  return add_source(of, {.poll = ops->poll, .wait = ops->wait, .wake = ops->wake}, state, out, false, sched::any_worker);
}

weft_status weft_ext_source_add_at(unsigned worker, size_t (*poll)(void* state), void* state, weft_source** out) {
  static constexpr call_errors of{"weft_ext_source_add_at", "poll"};
  if (worker >= sched::most_workers) {
    if (running() == nullptr) return no_runtime(of);
    return weft::fail(WEFT_INVALID, of.call, "worker", no_such_worker, nullptr, worker);
  }
  return add_source(of, {.poll = poll}, state, out, true, static_cast<int>(worker));
}

weft_status weft_ext_worker_reserve(unsigned* number) {
  static constexpr call_errors of{.call = "weft_ext_worker_reserve",
                                  .argument = "number",
                                  .invalid = {nullptr, "all 8 words are reserved"},
                                  .busy = runs_already};
  static_assert(sched::most_builders_words == 8);
  return number != nullptr ? told(sched::seam::reserve_word(number), of) : refuse_null(of);
}

uint64_t* weft_ext_worker_word(int worker, unsigned number) {
  sched::worker* const w = number < sched::seam::reserved_words() ? worker_of_index(worker) : nullptr;
  return w != nullptr ? &w->builders_words[number] : nullptr;
}

size_t weft_ext_stack_bytes(void) { return running() != nullptr ? running()->settings.stack_bytes : 0; }

weft_status weft_ext_source_remove(weft_source* source) {
  static constexpr call_errors of{.call = "weft_ext_source_remove",
                                  .argument = "source",
                                  .invalid = {"source", "this runtime has no such source"},
                                  .deadlock = {"source", "the caller is its own poll or wait"}};
  if (source == nullptr) return refuse_null(of);
  if (running() == nullptr) return no_runtime(of);
  return told(sched::remove_source(running(), reinterpret_cast<sched::source*>(source)), of, source);
}

void weft_ext_source_expect(weft_source* source, int count) {
  if (source == nullptr || running() == nullptr) return;
  sched::expect_of_source(running(), reinterpret_cast<sched::source*>(source), count);
}

void weft_ext_source_notify(weft_source* source) {
  if (source != nullptr && running() != nullptr) sched::notify_source(running(), reinterpret_cast<sched::source*>(source));
}

weft_status weft_ext_set_stack_provider(const weft_stack_provider* provider) {
  static constexpr call_errors of{.call = "weft_ext_set_stack_provider", .busy = runs_already};
  if (provider != nullptr && provider->size != sizeof *provider)
    return weft::fail(WEFT_INVALID, of.call, "provider", weft::is_wrong_size, nullptr, provider->size);
  if (provider != nullptr && provider->map == nullptr)
    return weft::fail(WEFT_INVALID, of.call, "provider", "its map is null", provider);
  return told(sched::seam::set_stack_provider(provider), of);
}

weft_status weft_ext_set_stack_sink(void (*sink)(void* state, void* base, size_t bytes), void* state) {
  static constexpr call_errors of{.call = "weft_ext_set_stack_sink", .busy = runs_already};
  return told(sched::seam::set_stack_sink({sink, state}), of);
}

void weft_ext_thread_stack(const weft_thread* thread, void** base, size_t* bytes) {
  const weft::mem::stack* stack = thread != nullptr ? sched::stack_of(unit_of(thread)) : nullptr;
  if (base != nullptr) *base = stack != nullptr ? stack->low : nullptr;
  if (bytes != nullptr) *bytes = stack != nullptr ? stack->usable_bytes() : 0;
}

weft_status weft_ext_set_event_sink(void (*sink)(void* state, weft_event_kind kind, weft_thread* thread), void* state) {
  return told(sched::seam::set_event_sink(sink, state, sched::set_listener), call_errors{"weft_ext_set_event_sink"});
}

void weft_ext_trace_note(const char* name, uint64_t value) {
  if (name != nullptr && running() != nullptr) sched::trace_note(running(), name, value);
}

weft_status weft_ext_reserve(size_t bytes, size_t* offset) {
  static constexpr call_errors of{.call = "weft_ext_reserve", .argument = "offset", .busy = runs_already};
  return offset != nullptr ? told(sched::seam::reserve(bytes, offset), of) : refuse_null(of);
}

void* weft_ext_bytes(weft_thread* thread, size_t offset) {
  return thread != nullptr ? sched::extension_of(unit_of(thread), offset) : nullptr;
}

weft_status weft_ext_carry(void* (*address)(void), size_t bytes) {
  static constexpr call_errors of{.call = "weft_ext_carry",
                                  .argument = "address",
                                  .invalid = {"bytes", "%u is not a multiple of 8 from 8 to 32"},
                                  .busy = {nullptr, "another layer has registered"}};
  static_assert(sched::most_carried_bytes == 32);
  return address != nullptr ? told(sched::seam::carry(address, bytes), of, nullptr, bytes) : refuse_null(of);
}

}  // extern "C"
