// See hosts.hpp. The region guard runs on an OS thread of its own, which is no worker.
#include "life/hosts.hpp"

#include <new>

#include "base/assert.hpp"
#include "life/slots.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
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

constexpr std::size_t guard_stack_bytes = 64 * 1024;
constexpr std::size_t spare_stack_bytes = 256 * 1024;  // as a worker's: it only starts and ends it
constexpr std::uint64_t us = 1000;
constexpr std::uint64_t shortest_tick_ns = 10 * us;
constexpr std::uint64_t longest_tick_ns = 1000 * us;
constexpr std::uint64_t spare_for_ns = 1'000'000 * us;
constexpr unsigned places = 256;

}  // namespace

struct hosts {
  // In the frame of a spare OS thread that waits.
  struct spare {
    spare* next = nullptr;
    bool is_listed = true;
    assignment given{};
    base::atomic<std::uint32_t> is_called{0};  // futex
  };

  runtime* rt = nullptr;
  queue::spinlock lock;
  // guarded by lock
  spare* idle = nullptr;
  unsigned idle_count = 0;
  unsigned spare_count = 0;     // OS threads that there are beside one a worker, those in regions included
  unsigned starting_count = 0;  // of which, not waiting yet
  bool is_stopping = false;
  bool has_ended_one = false;
  os::os_thread ended;  // the last OS thread that ended; it joins the one before

  bool has_told = false;                           // the region guard's
  os::os_thread guard;                             // the region guard
  base::atomic<std::uint32_t> is_awake{1};         // futex: the region guard looks at the workers
  base::atomic<bool> must_stop{false};             // the region guard
  base::atomic<std::uint8_t> blocks[places] = {};  // by place of the call: the last one lasted long
};

namespace {

using spare = hosts::spare;

// A region that the guard has seen.
struct seen_call {
  std::uint64_t number;
  std::uint64_t at_ns;  // 0: none was open
};

unsigned slot_of(const void* place) {
  return static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(place) * 0x9e3779b97f4a7c15) >> 56);
}
static_assert(places == 1U << 8);

// ---- giving workers to OS threads ---------------------------------------------------------------

spare* take_idle(hosts* all) {
  const queue::guard hold(all->lock);
  spare* const one = all->idle;
  if (one == nullptr) return nullptr;
  all->idle = one->next;
  one->is_listed = false;
  --all->idle_count;
  return one;
}

void put_back(hosts* all, spare* one) {
  const queue::guard hold(all->lock);
  one->next = all->idle;
  one->is_listed = true;
  all->idle = one;
  ++all->idle_count;
}

// After this its frame may be gone.
void call_out(spare* one, assignment given) {
  one->given = given;
  // [O3] release: the assignment, and with it the worker; pairs with [O4]
  one->is_called.store(1, base::release);
  os::futex_wake(&one->is_called, 1);
}

// Inside the lock. False: it was not in the list.
bool take_off(hosts* all, const spare* one) {
  if (!one->is_listed) return false;
  spare** link = &all->idle;
  while (*link != one) link = &(*link)->next;
  *link = one->next;
  --all->idle_count;
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

// ---- the region guard ---------------------------------------------------------------------------

void* spare_main(void* given) {
  auto* const all = static_cast<hosts*>(given);
  slots::run_as_spare(all->rt, all);
  return nullptr;
}

void tell_lack(hosts* all, bool is_by_limit) {
  if (all->has_told) return;
  all->has_told = true;
  const unsigned long long most = all->rt->settings.blocking_threads;
  if (is_by_limit) {
    base::report(
        "warning: all %llu OS threads that WEFT_BLOCKING_THREADS allows are in blocking calls; a worker whose thread makes "
        "another one waits with it",
        most);
  } else {
    base::report(
        "warning: the system refuses an OS thread for a worker whose thread is in a blocking call, so the worker waits with it; "
        "cure: raise the limit (ulimit -u), or lower WEFT_BLOCKING_THREADS (now %llu)",
        most);
  }
}

bool may_start_spare(hosts* all) {
  const queue::guard hold(all->lock);
  if (all->spare_count >= all->rt->settings.blocking_threads) return false;
  ++all->spare_count;
  ++all->starting_count;
  return true;
}

void start_spare(hosts* all) {
  if (!may_start_spare(all)) return tell_lack(all, true);
  os::os_thread made;
  if (os::start_thread(&made, spare_main, all, spare_stack_bytes, "weft-spare") == status::ok) return;
  {
    const queue::guard hold(all->lock);
    --all->spare_count;
    --all->starting_count;
  }
  tell_lack(all, false);
}

// Whether the region that w is in has been open for long.
bool is_overdue(const hosts* all, const worker* w, seen_call* seen, std::uint64_t now_ns) {
  const std::uint64_t number = w->blocking_calls.load(base::relaxed);
  if (seen->at_ns == 0 || seen->number != number) {
    *seen = {number, now_ns};
    return all->rt->settings.blocking_ns == 0;
  }
  return now_ns - seen->at_ns >= all->rt->settings.blocking_ns;
}

struct round {
  bool has_open = false;   // regions that still have their worker
  bool has_given = false;  // a worker to a spare OS thread
};

round look_at_all(hosts* all, seen_call* seen) {
  round found;
  unsigned wanted = 0;
  const std::uint64_t now_ns = os::now_ns();
  for (unsigned index = 0; index < all->rt->worker_slots.load(base::relaxed); ++index) {
    worker* const w = worker_in_slot(all->rt, index);
    blocking_call* const call = w != nullptr ? w->lent.seen() : nullptr;
    if (call == nullptr) {
      seen[index].at_ns = 0;
      continue;
    }
    found.has_open = true;
    if (!is_overdue(all, w, &seen[index], now_ns)) continue;
    spare* const one = take_idle(all);
    if (one == nullptr) {
      ++wanted;
    } else if (w->lent.take_over(call)) {
      found.has_given = true;
      note_length(all, call->place, true);
      call_out(one, {w, call});
    } else {
      put_back(all, one);
    }
  }
  unsigned starting = 0;
  {
    const queue::guard hold(all->lock);
    starting = all->starting_count;
  }
  for (; wanted > starting; --wanted) start_spare(all);
  return found;
}

bool is_any_open(const hosts* all) {
  for (unsigned index = 0; index < all->rt->worker_slots.load(base::relaxed); ++index) {
    const worker* const w = worker_in_slot(all->rt, index);
    if (w != nullptr && w->lent.seen() != nullptr) return true;
  }
  return false;
}

// Until a region begins.
void doze(hosts* all) {
  all->is_awake.store(0, base::relaxed);
  // [O5] heavy fence: the announcement before the last look at the lent words; pairs with [O6]
  os::heavy_fence();
  if (is_any_open(all) || all->must_stop.load(base::relaxed)) return all->is_awake.store(1, base::relaxed);
  while (all->is_awake.load(base::relaxed) == 0) os::futex_wait(&all->is_awake, 0);
}

std::uint64_t tick_of(const hosts* all) {
  const std::uint64_t wanted = all->rt->settings.blocking_ns;
  return wanted < shortest_tick_ns ? shortest_tick_ns : wanted > longest_tick_ns ? longest_tick_ns : wanted;
}

// Ticks, at first as fast as the time that is set asks for, and more slowly while all regions that
// it sees are short.
void* guard_regions(void* given) {
  auto* const all = static_cast<hosts*>(given);
  constexpr unsigned ticks_of_a_speed = 32;
  constexpr unsigned ticks_before_dozing = 64;
  os::set_timer_slack(1);
  seen_call seen[most_workers] = {};
  unsigned quiet = 0;
  unsigned without = 0;
  std::uint64_t tick_ns = tick_of(all);
  while (!all->must_stop.load(base::relaxed)) {
    os::sleep_until(os::now_ns() + tick_ns);
    const round found = look_at_all(all, seen);
    quiet = found.has_given ? 0 : quiet + 1;
    without = found.has_open ? 0 : without + 1;
    if (quiet == 0) tick_ns = tick_of(all);
    if (quiet % ticks_of_a_speed == 0 && quiet != 0 && tick_ns < longest_tick_ns) tick_ns *= 2;
    if (without < ticks_before_dozing) continue;
    doze(all);
    quiet = without = 0;
    tick_ns = tick_of(all);
  }
  return nullptr;
}

constinit queue::spinlock making;
constinit bool has_told_of_guard = false;  // guarded by making

hosts* make_hosts(runtime* rt) {
  void* const memory = os::reserve(sizeof(hosts), os::page_bytes());
  if (memory == nullptr) return nullptr;
  auto* const made = new (memory) hosts;
  made->rt = rt;
  if (os::start_thread(&made->guard, guard_regions, made, guard_stack_bytes, "weft-regions") == status::ok) return made;
  os::release(memory, sizeof(hosts));
  return nullptr;
}

}  // namespace

hosts* hosts_of(runtime* rt) {
  // [O7] acquire: sees them laid out; pairs with [O8]
  if (hosts* const known = rt->spare_hosts.load(base::acquire); known != nullptr) [[likely]]
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
  hosts* const all = rt->spare_hosts.load(base::relaxed);
  if (all == nullptr) return;
  all->must_stop.store(true, base::relaxed);
  wake_region_guard(all);
  os::join_thread(all->guard);
}

void stop_spares(runtime* rt) {
  hosts* const all = rt->spare_hosts.load(base::relaxed);
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

bool is_known_to_block(const hosts* all, const void* place) { return all->blocks[slot_of(place)].load(base::relaxed) != 0; }

void note_length(hosts* all, const void* place, bool is_long) {
  all->blocks[slot_of(place)].store(is_long ? 1 : 0, base::relaxed);
}

bool give_away(hosts* all, worker* w, blocking_call* call) {
  spare* const one = take_idle(all);
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

void wait_until(blocking_call* call, std::uint32_t phase) {
  for (;;) {
    // [O9] acquire: what the other OS thread did; pairs with [O10] [O11]
    const std::uint32_t now = call->phase.load(base::acquire);
    if (now >= phase) return;
    os::futex_wait(&call->phase, now);
  }
}

namespace {

void queue_up(hosts* all, worker* w, blocking_call* call) {
  const queue::guard hold(all->lock);
  call->next_claim = nullptr;
  blocking_call** last = &w->first_claim;
  while (*last != nullptr) last = &(*last)->next_claim;
  *last = call;
  w->claims.fetch_add(1, base::relaxed);
  w->detours.fetch_add(1, base::relaxed);  // nothing plain any more: it looks at claims before it chooses
}

}  // namespace

void claim(hosts* all, worker* w, blocking_call* call) {
  queue_up(all, w, call);
  wake(w);
  wait_until(call, call_phase::granted);
}

void stand_by(hosts* all, worker* w, blocking_call* call) {
  queue_up(all, w, call);
  grant_next(all, w);
  wait_until(call, call_phase::granted);
}

void grant_next(hosts* all, worker* w) {
  blocking_call* next = nullptr;
  {
    const queue::guard hold(all->lock);
    next = w->first_claim;
    w->first_claim = next->next_claim;
    w->claims.fetch_sub(1, base::relaxed);
    w->detours.fetch_sub(1, base::relaxed);
  }
  // [O10] release: what happened on the worker meanwhile; pairs with [O9]
  next->phase.store(call_phase::granted, base::release);
  os::futex_wake(&next->phase, 1);
}

void note_started(hosts* all) {
  const queue::guard hold(all->lock);
  --all->starting_count;
}

assignment wait_as_spare(hosts* all, os::os_thread self) {
  spare me;
  bool is_over = false;
  {
    const queue::guard hold(all->lock);
    is_over = all->is_stopping;
    if (!is_over) {
      me.next = all->idle;
      all->idle = &me;
      ++all->idle_count;
    }
  }
  outside* const record = local::this_outside();
  if (record != nullptr) record->is_blocked.store(wait_kind::spare, base::relaxed);
  std::uint64_t until = os::now_ns() + spare_for_ns;
  // [O4] acquire: see there; pairs with [O3]
  while (!is_over && me.is_called.load(base::acquire) == 0) {
    if (os::futex_wait_until(&me.is_called, 0, until) || os::now_ns() < until) continue;
    const queue::guard hold(all->lock);
    is_over = take_off(all, &me);
    until = UINT64_MAX;  // else it is about to be called
  }
  if (record != nullptr) record->is_blocked.store(wait_kind::none, base::relaxed);
  if (!is_over && me.given.w != nullptr) return me.given;
  end_spare(all, self);
  return {};
}

}  // namespace weft::sched
