// See hosts.hpp; region_guard.cpp has the guard.
#include "life/hosts.hpp"

#include <new>

#include "base/assert.hpp"
#include "life/hosts_record.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "queue/spinlock.hpp"
#include "run/hosting.hpp"
#include "run/wake.hpp"
#include "see/lookout.hpp"
#include "see/watchdog.hpp"
#include "worker/blocking_call.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

using spare = hosts::spare;

constexpr std::uint64_t spare_for_ns = 1'000'000'000;

unsigned slot_of(const void* place) {
  return static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(place) * 0x9e3779b97f4a7c15) >> 56);
}
static_assert(places_of_calls == 1U << 8);

}  // namespace

// ---- giving workers to OS threads ---------------------------------------------------------------

namespace {

// Inside the lock.
spare* take_first(hosts* all) {
  spare* const one = all->idle;
  if (one == nullptr) return nullptr;
  all->idle = one->next;
  one->is_listed = false;
  return one;
}

}  // namespace

spare* take_idle(hosts* all) {
  const queue::guard hold(all->lock);
  return take_first(all);
}

void put_back(hosts* all, spare* one) {
  const queue::guard hold(all->lock);
  one->next = all->idle;
  one->is_listed = true;
  all->idle = one;
}

void call_out(spare* one, assignment given) {
  one->given = given;
  // [O3] release: the assignment, and with it the worker; pairs with [O4]
  one->is_called.store(1, base::release);
  os::futex_wake(&one->is_called, 1);
}

void give_ahead(hosts* all, blocking_call* call) {
  spare* one = nullptr;
  {
    const queue::guard hold(all->lock);
    all->guard_counts_on_one = false;
    one = take_first(all);
    if (one == nullptr) {
      call->next_claim = all->given_ahead;
      all->given_ahead = call;
      ++all->given_ahead_count;
    }
  }
  if (one != nullptr) call_out(one, {call->w, call});
}

namespace {

// Inside the lock. False: it was not in the list.
bool take_off(hosts* all, const spare* one) {
  if (!one->is_listed) return false;
  spare** link = &all->idle;
  while (*link != one) link = &(*link)->next;
  *link = one->next;
  return true;
}

// The last act of a spare OS thread. Each joins the one that ended before it, so that none is left.
void end_spare(hosts* all, os::os_thread self) {
  bool joins = false;
  os::os_thread before;
  {
    const queue::guard hold(all->lock);
    joins = all->has_ended_one;
    before = all->ended;
    all->ended = self;
    all->has_ended_one = true;
    --all->spare_count;
  }
  if (joins) os::join_thread(before);
}

// ---- the beginning and the end ----------------------------------------------------------------

constinit queue::spinlock making;
constinit bool has_told_of_guard = false;  // guarded by making

hosts* make_hosts(runtime* rt) {
  void* const memory = os::reserve(sizeof(hosts), os::page_bytes());
  if (memory == nullptr) return nullptr;
  auto* const made = new (memory) hosts;
  made->rt = rt;
  if (os::start_thread(&made->guard, guard_regions, made, region_guard_stack_bytes) == status::ok) return made;
  os::release(memory, sizeof(hosts));
  return nullptr;
}

}  // namespace

hosts* hosts_if_made(const runtime* rt) {
  // [O7] acquire: sees them laid out; pairs with [O8]
  return rt->spare_hosts.load(base::acquire);
}

hosts* hosts_of(runtime* rt) {
  if (hosts* const known = hosts_if_made(rt); known != nullptr) [[likely]]
    return known;
  const queue::guard hold(making);
  if (hosts* const known = rt->spare_hosts.load(base::relaxed); known != nullptr) return known;
  hosts* const made = make_hosts(rt);
  if (made == nullptr) {
    if (!has_told_of_guard)
      base::report("warning: no memory or no OS thread for the guard of blocking regions: workers wait with the threads in them");
    has_told_of_guard = true;
    return nullptr;
  }
  end_lookout(rt);
  // [O8] release: publishes them; pairs with [O7]
  rt->spare_hosts.store(made, base::release);
  start_watchdog(rt);  // which looks after a lone worker from now on
  return made;
}

void stop_region_guard(runtime* rt) {
  hosts* const all = hosts_if_made(rt);
  if (all == nullptr) return;
  all->must_stop.store(true, base::relaxed);
  wake_region_guard(all);
  os::join_thread(all->guard);
}

void stop_spares(runtime* rt) {
  hosts* const all = hosts_if_made(rt);
  if (all == nullptr) return;
  {
    const queue::guard hold(all->lock);
    all->is_stopping = true;
  }
  for (spare* one = take_idle(all); one != nullptr; one = take_idle(all)) {
    call_out(one, {});
  }
  const auto are_there_some = [all] {
    const queue::guard hold(all->lock);
    return all->spare_count != 0;
  };
  while (are_there_some()) os::yield_cpu();
  if (all->has_ended_one) os::join_thread(all->ended);
  os::release(all, sizeof(hosts));
  rt->spare_hosts.store(nullptr, base::relaxed);
}

bool are_workers_claimed(runtime* rt) {
  // Hosts that are made later see runtime::drops by the lock in which they are made.
  const queue::guard hold_making(making);
  hosts* const all = rt->spare_hosts.load(base::relaxed);
  if (all == nullptr) return false;
  const queue::guard hold(all->lock);
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* const w = worker_in_slot(rt, index);
    if (w != nullptr && w->first_claim != nullptr) return true;
  }
  return false;
}

bool are_spares_in_regions(runtime* rt) {
  hosts* const all = hosts_if_made(rt);
  if (all == nullptr) return false;
  const queue::guard hold(all->lock);
  unsigned waiting = all->starting_count;
  for (const spare* each = all->idle; each != nullptr; each = each->next) ++waiting;
  return waiting < all->spare_count;
}

bool is_known_to_block(const hosts* all, const void* place) { return all->blocks[slot_of(place)].load(base::relaxed) != 0; }

void note_length(hosts* all, const void* place, bool is_long) {
  all->blocks[slot_of(place)].store(is_long ? 1 : 0, base::relaxed);
}

namespace {

void end_wait(blocking_call* call) { os::futex_wake(&call->phase, 1); }

// Inside the lock.
blocking_call* take_claim(worker* w, blocking_call** link) {
  blocking_call* const taken = *link;
  *link = taken->next_claim;
  w->claims.fetch_sub(1, base::relaxed);
  w->detours.fetch_sub(1, base::relaxed);
  return taken;
}

// False: none has claimed w.
bool grant_first(hosts* all, worker* w, blocking_call* follows) {
  blocking_call* next = nullptr;
  {
    const queue::guard hold(all->lock);
    if (w->first_claim == nullptr) return false;
    next = take_claim(w, &w->first_claim);
  }
  next->follows = follows;
  // [O10] release: what happened on the worker meanwhile; pairs with [O9]
  next->phase.store(call_phase::granted, base::release);
  end_wait(next);
  return true;
}

}  // namespace

void grant_next(hosts* all, worker* w) { static_cast<void>(grant_first(all, w, nullptr)); }

bool give_to_claimer(hosts* all, worker* w, blocking_call* call) { return is_claimed(w) && grant_first(all, w, call); }

bool give_away(hosts* all, worker* w, blocking_call* call) {
  if (give_to_claimer(all, w, call)) return true;
  spare* one = nullptr;
  {
    const queue::guard hold(all->lock);
    if (!all->guard_counts_on_one && !all->lacks_some) one = take_first(all);
  }
  if (one == nullptr) return false;
  call_out(one, {w, call});
  return true;
}

void wake_region_guard(hosts* all) {
  // [O6] light fence: the lent word before the look at the guard; pairs with [O5]
  base::light_fence();
  if (all->is_awake.load(base::relaxed) != 0) return;
  all->is_awake.store(1, base::relaxed);
  os::futex_wake(&all->is_awake, 1);
}

namespace {

std::uint32_t phase_of(const blocking_call* call) {
  // [O9] acquire: what the other OS thread did; pairs with [O10] [O11]
  return call->phase.load(base::acquire);
}

// False: the claim was refused.
bool await_grant(blocking_call* call) {
  for (;;) {
    const std::uint32_t now = phase_of(call);
    if (now >= call_phase::granted) return now == call_phase::granted;
    os::futex_wait(&call->phase, now);
  }
}

}  // namespace

bool await_taken(blocking_call* call) {
  constexpr std::uint64_t between_attempts_ns = 1'000'000;
  while (phase_of(call) < call_phase::taken) {
    if (call->w->lent.take_back(call)) return false;
    static_cast<void>(os::futex_wait_until(&call->phase, call_phase::in_place, os::now_ns() + between_attempts_ns));
  }
  return true;
}

namespace {

bool queue_up(hosts* all, worker* w, blocking_call* call) {
  const queue::guard hold(all->lock);
  if (!call->insists && w->rt->drops.load(base::relaxed)) return false;
  call->next_claim = nullptr;
  blocking_call** last = &w->first_claim;
  while (*last != nullptr) last = &(*last)->next_claim;
  *last = call;
  w->claims.fetch_add(1, base::relaxed);
  w->detours.fetch_add(1, base::relaxed);  // nothing plain any more: it looks at claims before it chooses
  return true;
}

}  // namespace

bool claim(hosts* all, worker* w, blocking_call* call, bool insists) {
  call->insists = insists;
  if (!queue_up(all, w, call)) return false;
  wake(w);
  return await_grant(call);
}

void stand_by(hosts* all, worker* w, blocking_call* call) {
  call->insists = true;
  static_cast<void>(queue_up(all, w, call));
  grant_next(all, w);
  static_cast<void>(await_grant(call));
}

namespace {

// By a caller that holds the worker: its host does not look at the claims meanwhile.
void refuse_claims_of(hosts* all, worker* w) {
  const queue::guard hold(all->lock);
  for (blocking_call** link = &w->first_claim; *link != nullptr;) {
    if ((*link)->insists) {
      link = &(*link)->next_claim;
      continue;
    }
    blocking_call* const refused = take_claim(w, link);
    refused->phase.store(call_phase::refused, base::relaxed);
    end_wait(refused);
  }
}

// Null: none is queued, or its thread is in no region. The call is held until it is lent again.
blocking_call* hold_claimed(hosts* all, worker* w) {
  {
    const queue::guard hold(all->lock);
    if (w->first_claim == nullptr) return nullptr;
  }
  blocking_call* const call = w->lent.seen();
  return call != nullptr && w->lent.take_over(call) ? call : nullptr;
}

}  // namespace

void refuse_claims(runtime* rt) {
  hosts* const all = hosts_if_made(rt);
  if (all == nullptr) return;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    worker* const w = worker_in_slot(rt, index);
    blocking_call* const call = w != nullptr ? hold_claimed(all, w) : nullptr;
    if (call == nullptr) continue;
    refuse_claims_of(all, w);
    w->lent.lend(call);
    wake_region_guard(all);  // it may have seen no open region meanwhile
  }
}

namespace {

// Inside the lock.
blocking_call* take_given_ahead(hosts* all) {
  blocking_call* const call = all->given_ahead;
  if (call == nullptr) return nullptr;
  all->given_ahead = call->next_claim;
  --all->given_ahead_count;
  return call;
}

}  // namespace

assignment wait_as_spare(hosts* all, os::os_thread self, bool is_new) {
  spare me;
  bool is_over = false;
  {
    const queue::guard hold(all->lock);
    if (is_new) --all->starting_count;
    if (blocking_call* const call = take_given_ahead(all); call != nullptr) return {call->w, call};
    is_over = all->is_stopping;
    if (!is_over) {
      me.next = all->idle;
      all->idle = &me;
    }
  }
  outside* const record = local::this_outside();
  if (record != nullptr) record->is_blocked.store(wait_kind::spare, base::relaxed);
  std::uint64_t until = os::now_ns() + spare_for_ns;
  // [O4] acquire: see there; pairs with [O3]
  while (!is_over && me.is_called.load(base::acquire) == 0) {
    if (os::futex_wait_until(&me.is_called, 0, until) || os::now_ns() < until) continue;
    const queue::guard hold(all->lock);
    is_over = !all->guard_counts_on_one && take_off(all, &me);
    until = os::now_ns() + spare_for_ns;  // else it is about to be called, or is put back
  }
  if (record != nullptr) record->is_blocked.store(wait_kind::none, base::relaxed);
  if (!is_over && me.given.w != nullptr) return me.given;
  end_spare(all, self);
  return {};
}

}  // namespace weft::sched
