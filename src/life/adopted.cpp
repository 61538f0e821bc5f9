// See adopted.hpp.
#include "life/adopted.hpp"

#include <pthread.h>

#include <cstring>
#include <new>
#include <utility>

#include "base/assert.hpp"
#include "life/blocking.hpp"
#include "life/drain.hpp"
#include "life/slots.hpp"
#include "os/vm.hpp"
#include "place/domains.hpp"
#include "place/serving.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "run/park.hpp"
#include "see/overflow.hpp"
#include "see/watchdog.hpp"
#include "thread/key.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "worker/adoption.hpp"
#include "worker/blocking_call.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// ---- to become one ----

status refuse_under_schedule() {
  base::report(
      "weft_worker_adopt: under WEFT_SCHEDULE all workers share one OS thread, so no other one can become a worker; unset it, or "
      "create a thread instead");
  return because(status::unsupported, nullptr, "under WEFT_SCHEDULE all workers share one OS thread");
}

// The runtime does not end meanwhile, nor, once the slot is taken, before end_call.
status take_slot_to_adopt(runtime** rt, worker** out) {
  const local::steady_runtime now;
  *rt = now.get();
  if (*rt == nullptr) return status::not_initialized;
  return (*rt)->turns != nullptr ? refuse_under_schedule() : slots::take(*rt, slots::purpose::adoption, out);
}

adopted* make_record(const worker* w) {
  void* const memory = os::reserve(sizeof(adopted), os::page_bytes());
  if (memory == nullptr) return nullptr;
  auto* const made = new (memory) adopted{};
  void* low = nullptr;
  os::stack_bounds(&low, &made->stack.total_bytes);
  made->stack.low = made->stack.base = static_cast<char*>(low);
  made->stack.origin = mem::stack_origin::os_thread;
  made->stack.guard = os::guard_kind::none;
  made->stack.sanitizer = fiber::sanitizer::of_os_thread(low, made->stack.total_bytes).tsan;
  made->os_caller = static_cast<std::uintptr_t>(pthread_self());
  made->os_thread_id = os::thread_id();
  made->worker = w->index;
  return made;
}

status name_caller(unit* one, const char* name) {
  if (name == nullptr) return status::ok;
  details* const extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  std::strncpy(extra->name, name, name_bytes - 1);
  return status::ok;
}

// A unit that runs already, where nothing can fail any more but its name.
status make_caller(worker* w, const adoption_settings& how, adopted* record) {
  auto* const one = static_cast<unit*>(w->units.take());
  if (one == nullptr) return status::nomem;
  one->function = nullptr;
  one->argument = record;
  one->next = one->previous = nullptr;
  one->join.store(join_word::detached, base::relaxed);
  one->context.set_maker(how.made_at);
  one->home.store(nullptr, base::relaxed);
  one->home_worker = static_cast<std::uint16_t>(w->index);
  one->in.store(0, base::relaxed);
  constexpr unsigned flags = unsigned{is_adopted} | unsigned{stays_put} | unsigned{is_known} | unsigned{ends_noticed};
  one->flags.store(flags, base::relaxed);
  one->state.store(unit_state::running, base::relaxed);
  record->caller = one;
  const status result = name_caller(one, how.name);
  if (result != status::ok) free_unit(w, one);
  return result;
}

status watch_end(runtime* rt, worker* w) {
  const queue::guard hold(rt->workers_lock);  // of two OS threads that are adopted at a time, one makes the key
  if (os::watch_end(slots::end_of_caller, w)) return status::ok;
  return because(status::again, nullptr, "the system refused a pthread key");
}

// An OS thread whose mask is not known could not have it back. Where all workers are bound, one
// that the system does not let bind runs unbound, as the others do; where the caller asked for it,
// that is an error.
status bind(const runtime* rt, const worker* w, const adoption_settings& how, adopted* record) {
  if (!rt->settings.bind && !how.binds) return status::ok;
  record->is_bound = os::read_mask(&record->mask) && os::bind_thread(cpu_of(rt, w->index)) == status::ok;
  if (record->is_bound || !how.binds) return status::ok;
  return because(status::again, nullptr, "the system refused to bind the OS thread to CPU %u", cpu_of(rt, w->index));
}

// What may be refused. On failure nothing is left.
status prepare(runtime* rt, worker* w, const adoption_settings& how, adopted** out) {
  adopted* const record = make_record(w);
  if (record == nullptr) return status::nomem;
  status result = make_caller(w, how, record);
  if (result == status::ok) {
    result = bind(rt, w, how, record);
    if (result == status::ok) result = watch_end(rt, w);
    if (result != status::ok) {
      if (record->is_bound) os::write_mask(record->mask);
      free_unit(w, record->caller);
    }
  }
  if (result != status::ok) {
    os::release(record, sizeof *record);
    return result;
  }
  *out = record;
  return status::ok;
}

void begin_as_worker(runtime* rt, worker* w, adopted* record) {
  w->standing = &record->stack;
  w->origin = {};  // an earlier worker in this slot may have had one
  w->first = nullptr;
  w->has_run_taken_fork = false;
  w->spin_ns = 0;
  w->pinned_units.store(1, base::relaxed);
  slots::settle(w);
  w->created.store(w->created.load(base::relaxed) + 1, base::relaxed);
  static_cast<void>(id_of(record->caller));
  note(rt, WEFT_ON_CREATE, record->caller);
  note(rt, WEFT_ON_READY, record->caller);
  w->current = record->caller;
  note(rt, WEFT_ON_RUN, record->caller);
  const queue::guard hold(rt->workers_lock);
  w->adoption = record;
  slots::serve(rt, w);
}

}  // namespace

status adopt(const adoption_settings& how) {
  if (local::current_worker() != nullptr) return because(status::busy, nullptr, "the OS thread is a worker already");
  if (local::delivery_outside()->is_active)
    return because(status::cannot_block, nullptr, "the caller is the ready function of an awaiter");
  if (unit_in_region() != nullptr)
    return because(status::busy, nullptr, "the caller is in a blocking region, and its thread goes on on this OS thread");
  runtime* rt = nullptr;
  worker* w = nullptr;
  if (const status result = take_slot_to_adopt(&rt, &w); result != status::ok) return result;
  adopted* record = nullptr;
  const status result = prepare(rt, w, how, &record);
  if (result == status::ok) {
    begin_as_worker(rt, w, record);
    start_watchdog(rt);
  } else {
    slots::give_back(rt, w, slots::purpose::adoption);
  }
  end_call(rt);
  return result;
}

namespace {

// ---- to be one no more ----

// Where the caller runs on its own OS thread, and no scheduler waits for it.
worker* come_home(worker* w, unit* self) {
  set_home(self, nullptr);
  static_cast<void>(pin(static_cast<int>(adoption_of(self)->worker)));
  await_os_thread(adoption_of(self)->os_thread_id);
  w = local::current_worker();
  return self->is_dispatched() ? yield_away(w, self) : w;
}

// Decides that the worker goes: it gets no more units, pools or schedulers.
status begin_leave(runtime* rt, worker* w) {
  const queue::guard hold(rt->workers_lock);
  const queue::guard hold_pools(rt->pools_lock);
  constexpr unsigned its_caller = 1;
  if (w->pinned_units.load(base::relaxed) != its_caller)
    return because(status::busy, nullptr, "other units are pinned to worker %u, which the caller is", w->index);
  if (!serves_its_domain_only(w))
    return because(status::busy, nullptr, "worker %u, which the caller is, serves a pool, which weft_pool_detach ends", w->index);
  slots::stop_serving(rt, w);
  return status::ok;
}

struct values_of_keys {
  key_value* values = nullptr;
  std::uint32_t capacity = 0;
};

values_of_keys take_values(const unit* one) {
  details* const extra = details_if_any(one);
  if (extra == nullptr) return {};
  const values_of_keys taken{extra->keys, extra->key_capacity};
  extra->keys = nullptr;
  extra->key_capacity = 0;
  return taken;
}

void go_outside(worker* w, const adopted* record) {
  w->current = nullptr;
  end(w, record->caller);
  w->standing = nullptr;
  static_cast<void>(os::watch_end(nullptr, nullptr));
  slots::unsettle(w);
  if (record->is_bound) os::write_mask(record->mask);
}

// As the remover of another worker does, on the OS thread that was it.
void give_up_slot(runtime* rt, worker* w) {
  slots::hand_over(w);
  retire_scheduler(rt, w);
  const queue::guard hold(rt->workers_lock);
  w->adoption = nullptr;
  w->is_taken = false;
  --rt->adopted_count;
}

status leave(worker* w, unit* self) {
  if (shares_identity(w)) return because(status::busy, nullptr, "the caller has forks that were not joined");
  w = come_home(w, self);
  runtime* const rt = w->rt;
  if (const status result = begin_leave(rt, w); result != status::ok) return result;
  adopted* const record = w->adoption;
  values_of_keys kept = take_values(self);
  go_outside(w, record);
  give_up_slot(rt, w);
  os::release(record, sizeof *record);
  end_call(rt);
  run_key_destructors(&kept.values, &kept.capacity);
  return status::ok;
}

}  // namespace

status leave_adoption() {
  worker* const w = local::current_worker();
  unit* const self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || !self->has(is_adopted))
    return local::current_runtime() != nullptr ? status::not_owner : status::not_initialized;
  return leave(w, self);
}

void end_adopted(worker* w) {
  const adopted* const record = w->adoption;
  const unsigned index = w->index;
  const int id = record->os_thread_id;
  fiber::sanitizer::jumped_back_on({record->stack.low, record->stack.total_bytes, record->stack.sanitizer});
  if (w->current == record->caller && leave(w, record->caller) == status::ok) return;
  base::panic(
      "OS thread %d ends, which weft_worker_adopt made worker %u, to which threads are pinned, or which serves a pool, or has "
      "forks "
      "that were not joined; cure: call weft_worker_leave before, which says WEFT_BUSY as long as it is so",
      id, index);
}

namespace {

// No more are adopted from now on. Whether none is.
bool end_adoption(runtime* rt) {
  const queue::guard hold(rt->workers_lock);
  rt->adopts_no_more = true;
  return rt->adopted_count == 0;
}

}  // namespace

// Refused from the beginning, adoptions cannot go on for ever. The last drain comes after the last
// OS thread has left: it may have left units to others.
void drain_with_adopted(runtime* rt) {
  bool is_told = false;
  for (;;) {
    const bool none_is_left = end_adoption(rt);
    if (!none_is_left && !std::exchange(is_told, true)) tell_of_those_left(rt);
    drain(rt);
    if (none_is_left) return;
    os::yield_cpu();  // one is about to be adopted, or to be told that it was too late
  }
}

}  // namespace weft::sched
