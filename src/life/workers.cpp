// Workers come and go: their records, their OS threads, the adopted caller. A slot that a worker
// left is used again, its record stays until the runtime ends: others may be looking at it
// (protocol A, docs/protocols/A.md). Units that call weft_worker_add or weft_worker_remove run
// this, and OS threads outside; what a worker does between its first and its last unit is in
// run/carrier.cpp.
#include "life/workers.hpp"

#include <pthread.h>

#include <cstring>
#include <new>

#include "base/assert.hpp"
#include "life/adopted.hpp"
#include "life/blocking.hpp"
#include "life/hosts.hpp"
#include "life/removal.hpp"
#include "life/slots.hpp"
#include "life/start.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "place/domains.hpp"
#include "place/serving.hpp"
#include "run/carrier.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "run/hosting.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/stack_class.hpp"
#include "run/wait.hpp"
#include "run/wake.hpp"
#include "see/blame.hpp"
#include "see/overflow.hpp"
#include "see/watchdog.hpp"
#include "seeded/turns.hpp"
#include "unit/waiter.hpp"
#include "worker/blocking_call.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t os_stack_bytes = 256 * 1024;  // a worker's OS stack only starts and ends it

void tell_lack_of_stacks(const runtime* rt) {
  constexpr std::size_t K = 1024;
  base::report(
      "no address space for the first stack of a worker: %zu KiB%s; cure: lower WEFT_STACK_SIZE (or stack_bytes of weft_config)"
      "%s, or raise the limit (RLIMIT_AS, ulimit -v)",
      rt->settings.stack_bytes / K, rt->settings.guard_bytes != 0 ? ", and its guard" : "",
      rt->settings.guard_bytes != 0 ? " or WEFT_GUARD_SIZE" : "");
}

worker* make_worker(runtime* rt, unsigned index) {
  void* memory = os::reserve(sizeof(worker), os::page_bytes());
  if (memory == nullptr) return nullptr;
  auto* w = new (memory) worker;
  w->rt = rt;
  w->index = index;
  w->ready.start(static_cast<std::uint16_t>(index + 1));
  w->random = base::rng(index + 1);
  w->cpu = static_cast<std::uint16_t>(bound_cpu_of(rt, index));
  w->is_special = rt->is_special;
  w->is_watched = rt->is_observed || rt->inspects_stacks;
  if (rt->is_special) w->detours.store(1, base::relaxed);  // no short cuts; the event sink sees every turn
  w->units.start(&rt->unit_depot);
  w->stacks.start(&rt->stack_depot);
  for (unsigned each = 0; each < mem::stack_classes - 1; ++each) {
    w->sized_stacks[each].start(&rt->sized_stacks[each]);
  }
  if (w->stacks.ensure_one()) return w;
  tell_lack_of_stacks(rt);
  os::release(memory, sizeof(worker));
  return nullptr;
}

void empty_caches(worker* w) {
  w->units.stop();
  stop_copied(w);
  empty_stack_caches(w);
}

void free_worker(worker* w) {
  free_scheduler(w);
  w->pools.clear();
  free_fork_segments(w);
  os::release(w, sizeof(worker));
}

// A slot is never emptied before the runtime ends: others may be looking at the worker.
void publish(runtime* rt, worker* w) {
  if (w->index >= rt->worker_slots.load(base::relaxed)) rt->worker_slots.store(w->index + 1, base::relaxed);
  // [A4] release: publishes the worker's fields; pairs with [A8]
  rt->workers[w->index].store(w, base::release);
}

}  // namespace

void slots::serve(runtime* rt, worker* w) {
  rt->worker_count.fetch_add(1, base::relaxed);
  w->is_serving.store(true, base::relaxed);
  // [A44] release: it counts before it runs; pairs with [A45]
  w->may_run.store(true, base::release);
}

// On the worker's own OS thread.
void slots::settle(worker* w) {
  local::set_worker(w);
  local::set_hot(w);
  w->os_thread_id.store(os::thread_id(), base::relaxed);
  w->coarse_ns = w->rt->turns != nullptr ? now_ns(w) : os::coarse_ns();
  set_carried(w->rt, &w->carried, &w->two_carried);
  start_fault_stack(&w->fault_stack);
}

void slots::unsettle(worker* w) {
  stop_fault_stack(&w->fault_stack);
  local::set_worker(nullptr);
  local::set_hot(nullptr);
}

namespace {

// A CPU that left the mask meanwhile: running unbound beats not running.
void settle_bound(worker* w) {
  slots::settle(w);
  if (w->rt->settings.bind && w->rt->turns == nullptr) static_cast<void>(os::bind_thread(w->cpu));
}

// To others, once no worker chooses w any more: what came before all of them knew.
void forward_what_came(worker* w) {
  // [A33] heavy fence: is_serving, and which workers serve the domain, before the last look into
  // mail and domain; pairs with [I6] [I7]
  os::heavy_fence();
  forward_mail(w);
  forward_domain(w);
}

}  // namespace

void slots::hand_over(worker* w) {
  forward_what_came(w);
  for (;;) {
    enter(w);
    unit* one = choose(w);
    w->lock.leave();
    if (one == nullptr) break;
    make_ready(nullptr, one, push_reason::moved);
  }
  empty_caches(w);
  w->rt->worker_count.fetch_sub(1, base::relaxed);
}

namespace {

// A worker that is removed and one that ends with the runtime are told apart inside the lock in
// which both are decided.
bool is_being_removed(worker* w) {
  const queue::guard hold(w->rt->workers_lock);
  return !w->is_serving.load(base::relaxed);
}

// Of the stack at whose bottom w starts.
fiber::sanitizer::side origin_side_of(const worker* w) { return w->root != nullptr ? fiber::sanitizer::of(w->root) : own_side(); }

// Why an OS thread runs a worker no more.
enum class parting {
  ended,    // the worker has ended
  claimed,  // another OS thread is to run it
  left,     // another OS thread runs it since a region began, and the region's unit has left this one
};

// From its first unit to the moment when this OS thread runs it no more. A unit that leaves in a
// region has no worker to tell.
parting run_units(worker* w) {
  mem::stack* stack = w->stacks.take();
  const fiber::context carrier = fiber::make(stack, carrier_entry, stack);
  w->standing = stack;
  enter(w);
  const void* const by = fiber::switch_to(&w->origin.sp, carrier, fiber::sanitizer::of(stack), w);
  if (by == nullptr) return parting::left;
  w->lock.leave();
  return is_claimed(w) ? parting::claimed : parting::ended;
}

// Once it was removed, until all that it held is others'.
void end_worker(worker* w) {
  slots::unsettle(w);
  w->has_ended.store(1, base::relaxed);
  os::futex_wake(&w->has_ended, 1);
  if (!is_being_removed(w)) return;
  slots::hand_over(w);
  // A caller that comes too late to wait sees what was done here by joining the OS thread.
  wake_remover(w);
}

// Leaves the unit of a region in place, and runs its worker instead.
parting run_taken(const assignment& given, const host& self) {
  worker* const w = given.w;
  keep_host(w, &given.call->own);
  set_host(w, self);
  local::set_worker(w);
  local::set_hot(w);
  if (w->rt->settings.bind) static_cast<void>(os::bind_thread(w->cpu));
  w->first = take_over(w, given.call);
  return run_units(w);
}

// After the calling OS thread was w's host. False: it ends with w.
bool becomes_spare(parting how, worker* w, hosts* all, host* self) {
  switch (how) {
    case parting::ended: end_worker(w); return false;
    case parting::claimed:
      keep_host(w, self);
      local::set_hot(nullptr);
      local::set_worker(nullptr);
      grant_next(all, w);
      return true;
    case parting::left:
      *self = this_blocking_call()->own;
      settle_unit_that_left();
      return true;
  }
  return false;
}

// Workers that are given to this OS thread, until it is not needed any more or ends with a worker.
void run_given(hosts* all, host* self, bool is_new) {
  for (bool is_first = is_new;; is_first = false) {
    const assignment given = wait_as_spare(all, self->os_thread, is_first);
    if (given.w == nullptr) break;
    if (!becomes_spare(run_taken(given, *self), given.w, all, self)) return;
  }
  stop_fault_stack(&self->fault_stack);
}

void run_worker(worker* w) {
  settle_bound(w);
  w->origin_side = origin_side_of(w);
  if (w->rt->turns != nullptr && w->root == nullptr) host_turns(w);
  host self;
  runtime* const rt = w->rt;
  const parting how = run_units(w);
  hosts* const all = hosts_if_made(rt);
  if (becomes_spare(how, w, all, &self)) run_given(all, &self, false);
}

// By the OS thread of a worker, which a unit has ended.
[[noreturn]] void end_in_unit() {
  refuse_end_in_region();
  panic_in_unit(local::current_worker(), "pthread_exit, or pthread_cancel, ends the OS thread of",
                "return from the thread's function; to end a thread early, tell it by a flag or an event");
}

// Virtual workers share the OS thread of another, which looks after it.
void run_worker_to_end(worker* w) {
  if (w->root != nullptr) return run_worker(w);
  os::run_to_end([](void* given) { run_worker(static_cast<worker*>(given)); }, [](void*) { end_in_unit(); }, w);
}

}  // namespace

void slots::run_as_spare(runtime* rt, hosts* all) {
  host self;
  self.os_thread = os::this_thread();
  self.os_thread_id = os::thread_id();
  set_carried(rt, &self.carried, &self.two_carried);
  start_fault_stack(&self.fault_stack);
  self.origin_side = own_side();
  struct started {
    hosts* all;
    host* self;
  } now{all, &self};
  os::run_to_end(
      [](void* given) {
        const auto* const it = static_cast<started*>(given);
        run_given(it->all, it->self, true);
      },
      [](void*) { end_in_unit(); }, &now);
}

namespace {

void write_name(char* out, unsigned index) {
  std::strcpy(out, "weft-");
  unsigned digits = 5;
  for (unsigned divisor = 1000; divisor != 0; divisor /= 10) {
    if (index >= divisor || divisor == 1) out[digits++] = static_cast<char>('0' + index / divisor % 10);
  }
  out[digits] = '\0';
}

void* worker_main(void* argument) {
  auto* w = static_cast<worker*>(argument);
  if (w->root == nullptr) {
    char name[16];
    write_name(name, w->index);
    os::name_this_thread(name);
  }
  // [A45] acquire: the one that starts it has done its part; pairs with [A44]
  while (!w->may_run.load(base::acquire)) os::yield_cpu();
  run_worker_to_end(w);
  if (w->rt->turns != nullptr) leave_turns(w);
  return nullptr;
}

}  // namespace

void slots::join(worker* w) {
  if (w->root != nullptr) return join_virtual(w);
  os::join_thread(w->os_thread);
}

bool slots::are_changed_no_more(const runtime* rt) {
  return rt->is_stopping.load(base::relaxed) || rt->drops.load(base::relaxed);
}

namespace {

// The record for a free slot: a new one, or that of a worker that ended there. Inside workers_lock.
worker* take_slot(runtime* rt, unsigned index) {
  worker* w = rt->workers[index].load(base::relaxed);
  if (w == nullptr) {
    w = make_worker(rt, index);
    if (w == nullptr) return nullptr;
    publish(rt, w);
  } else if (!w->stacks.ensure_one()) {
    return nullptr;
  }
  if (enter_domain(rt, w) != status::ok) {
    empty_caches(w);
    return nullptr;
  }
  std::memset(w->builders_words, 0, sizeof w->builders_words);
  w->must_end.store(false, base::relaxed);
  w->has_ended.store(0, base::relaxed);
  w->may_run.store(false, base::relaxed);
  w->remover.store(nullptr, base::relaxed);
  w->is_removed_by_unit.store(false, base::relaxed);
  w->is_removal_settled.store(false, base::relaxed);
  w->is_taken = true;
  return w;
}

}  // namespace

// Only its domain may have been chosen.
void slots::give_back(runtime* rt, worker* w, purpose what) {
  empty_caches(w);
  {
    const queue::guard hold_pools(rt->pools_lock);
    leave_domain(rt, w);
  }
  forward_what_came(w);
  const queue::guard hold(rt->workers_lock);
  if (what == purpose::adoption) --rt->adopted_count;
  w->is_taken = false;
}

status slots::take(runtime* rt, purpose what, worker** out) {
  const queue::guard hold(rt->workers_lock);
  const bool is_adoption = what == purpose::adoption;
  if (are_changed_no_more(rt) || (is_adoption && rt->adopts_no_more)) return status::not_initialized;
  const unsigned first = rt->has_adopted_caller ? 1 : 0;  // which may be about to come
  for (unsigned slot = first; slot < most_workers; ++slot) {
    const worker* there = rt->workers[slot].load(base::relaxed);
    if (there != nullptr && there->is_taken) continue;
    *out = take_slot(rt, slot);
    if (*out == nullptr) return status::nomem;
    if (is_adoption) ++rt->adopted_count;
    begin_call(rt);
    return status::ok;
  }
  return because(status::again, nullptr, "there are 1024 workers already, and no more are possible");
}

void slots::stop_serving(runtime* rt, worker* w) {
  w->is_serving.store(false, base::relaxed);
  leave_domain(rt, w);
  begin_call(rt);
}

namespace {

// The OS thread of a slot that was taken. No lock is held while the system makes it.
status start_in_slot(runtime* rt, worker* w) {
  const status result =
      needs_os_thread(w) ? os::start_thread(&w->os_thread, worker_main, w, os_stack_bytes) : start_virtual(w, worker_main);
  if (result != status::ok) {
    slots::give_back(rt, w, slots::purpose::own_os_thread);
    static constexpr char cause[] = "the system refused an OS thread; cure: raise the limit (ulimit -u), or use fewer workers";
    return result == status::again ? because(result, nullptr, cause) : result;
  }
  const queue::guard hold(rt->workers_lock);
  slots::serve(rt, w);
  return status::ok;
}

}  // namespace

// The adopted caller's OS thread ends before weft_finalize. As POSIX has it of main, the others go
// on until they have ended. In a child of fork the worker is not there any more.
void slots::end_of_caller(void* given) {
  refuse_end_in_region();
  worker* w = local::current_worker();
  if (w != given) return;
  if (w->adoption != nullptr) {
    if (w->current != w->adoption->caller) end_in_unit();
    return end_adopted(w);
  }
  fiber::sanitizer::jumped_back_on(w->rt->main_side);
  if (w->current != &w->rt->main_unit) end_in_unit();
  w->rt->finalize();
}

namespace {

status adopt_caller(runtime* rt) {
  worker* w = make_worker(rt, 0);
  if (w == nullptr) return status::nomem;
  rt->main_os_thread_id = os::thread_id();
  rt->main_caller = static_cast<std::uintptr_t>(pthread_self());
  os::stack_bounds(&rt->main_low, &rt->main_bytes);
  rt->main_side = fiber::sanitizer::of_os_thread(rt->main_low, rt->main_bytes);
  unit* main = &rt->main_unit;
  main->set(is_main);
  main->set(stays_put);
  main->home_worker = 0;
  w->pinned_units.store(1, base::relaxed);
  main->id.store(1, base::relaxed);
  main->state.store(unit_state::running, base::relaxed);
  w->current = main;
  settle_bound(w);
  if (rt->turns != nullptr) host_turns(w);
  w->is_taken = true;
  publish(rt, w);
  slots::serve(rt, w);
  return os::watch_end(slots::end_of_caller, w) ? enter_domain(rt, w) : status::again;
}

void end_one(runtime* rt, unsigned index) {
  worker* w = rt->workers[index].load(base::relaxed);
  if (w == nullptr || !w->is_taken) return;
  const bool is_caller = index == 0 && rt->has_adopted_caller;
  if (is_caller) {
    static_cast<void>(os::watch_end(nullptr, nullptr));
    stop_fault_stack(&w->fault_stack);
    local::set_worker(nullptr);
    if (rt->settings.bind) static_cast<void>(os::bind_thread_to(rt->cpus, rt->cpu_count));  // as it came
    local::set_hot(nullptr);
  } else {
    wake(w);
    slots::join(w);
  }
  empty_caches(w);
}

}  // namespace

void slots::tell_to_end(worker* w) {
  w->must_end.store(true, base::relaxed);
  w->detours.fetch_add(1, base::relaxed);  // nothing plain any more: it looks at must_end before it chooses
  wake(w);
}

namespace {

// The runtime does not end before end_call.
status take_slot_to_add(runtime** rt, worker** out) {
  const local::steady_runtime now;
  *rt = now.get();
  return *rt != nullptr ? slots::take(*rt, slots::purpose::own_os_thread, out) : status::not_initialized;
}

}  // namespace

status add_worker(unsigned* index) {
  runtime* rt = nullptr;
  worker* w = nullptr;
  if (const status result = take_slot_to_add(&rt, &w); result != status::ok) return result;
  const unsigned slot = w->index;
  const status result = start_in_slot(rt, w);
  if (result == status::ok) start_watchdog(rt);
  end_call(rt);
  if (result == status::ok) *index = slot;
  return result;
}

status start_workers(runtime* rt) {
  local::set_runtime(rt);
  status result = status::ok;
  unsigned index = 0;
  if (rt->has_adopted_caller) result = adopt_caller(rt);
  while (result == status::ok && rt->worker_count.load(base::relaxed) < rt->settings.workers) result = add_worker(&index);
  if (result == status::ok) return result;
  stop_workers(rt);
  local::set_runtime(nullptr);
  free_details(&rt->main_unit);  // a cause may have been left there
  return result;
}

void let_others_go_on(runtime* rt) {
  worker* w = local::current_worker();
  if (w != nullptr && rt->turns != nullptr) return pass_turn(w);
  os::yield_cpu();
}

void stop_workers(runtime* rt) {
  {
    const queue::guard hold(rt->workers_lock);
    rt->is_stopping.store(true, base::relaxed);
  }
  wake_all(rt);
  // Callers that change the workers or made the last units ready from outside finish that; others
  // come too late.
  // [A47] acquire: they are done with the runtime; pairs with [A46]
  while (rt->calls.load(base::acquire) != 0) let_others_go_on(rt);
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = slots; index-- > 0;) end_one(rt, index);
}

void free_workers(runtime* rt) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    if (worker* w = rt->workers[index].load(base::relaxed); w != nullptr) free_worker(w);
  }
}

}  // namespace weft::sched
