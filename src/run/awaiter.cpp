// See awaiter.hpp and docs/protocols/P.md.
#include "run/awaiter.hpp"

#include <weft/await.h>

#include <cstddef>

#include "arch/cpu.hpp"
#include "arch/unlocked.hpp"
#include "base/assert.hpp"
#include "base/config.hpp"
#include "os/alone.hpp"
#include "os/thread.hpp"
#include "queue/spinlock.hpp"
#include "run/wake.hpp"
#include "worker/blocking_call.hpp"
#include "worker/clock.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// Where OS threads outside call ready, and cancellers inside another ready. They outlive no call;
// and what a canceller has is an awaiter, which tells neither its runtime nor its deliverer.
constinit queue::spinlock others_lock;
constinit base::atomic<delivery*> others{nullptr};         // guarded by others_lock
constinit base::atomic<std::uint32_t> others_returned{0};  // from a ready: a canceller waits for a change of it

constexpr int patience = 100;

// For cancellers, which wait for a ready that runs elsewhere.
void pause_for(int round) { round < patience ? arch::pause() : os::yield_cpu(); }

// ---- seals: in checked builds ----

// As the program knows it.
const void* around(const awaiter* one) { return reinterpret_cast<const char*>(one) - offsetof(weft_awaiter, opaque); }

void check_seal(const awaiter* one) {
  if (config::checked && one->seal != seal_of(one)) {
    base::panic("awaiter %p was freed or written over while it was armed: cancel it before", around(one));
  }
}

// ---- off the queues ----

// Calls use(rt) while the runtime cannot go, which is null if there is none.
template <class Use>
void use_runtime(Use use) {
  if (const worker* w = local::current_worker(); w != nullptr) return use(w->rt);
  runtime* rt = nullptr;
  local::hold(&rt);
  use(rt);
  local::let_go();
}

[[gnu::noinline]] void cancel_alarm(awaiter* one) {
  one->has_alarm = false;
  // A runtime that has ended has let all alarms go.
  use_runtime([one](runtime* rt) {
    if (rt != nullptr) rt->alarms.cancel(&one->records->alarm);
  });
}

// The winner was taken off by its waker, which may still be inside the lock if that is not the
// caller.
void leave_all(awaiter* one, const await_record* but = nullptr) {
  if (one->has_alarm) cancel_alarm(one);
  for (await_record* each = one->records; each != nullptr; each = each->following) {
    if (each != but && each->leave != nullptr) each->leave(each);
    each->leave = nullptr;
  }
  if constexpr (config::checked) one->seal = 0;
}

// ---- calling ready ----

// is_other: of the list.
void call_ready(delivery* here, awaiter* one, bool is_other) {
  const status result = one->winner != nullptr ? status::ok : one->unmet;
  here->running.store(one, base::relaxed);
  if constexpr (config::checked)
    here->ready = reinterpret_cast<const void*>(static_cast<const weft_awaiter*>(around(one))->ready);
  // [P11] release: a canceller that sees it sees where ready is called; pairs with [P12]
  one->state.store(calling, base::release);
  one->call(one, result);
  // [P13] release: what ready did; pairs with [P14] [P21]
  here->running.store(nullptr, base::release);
  // [P19] release: the word is empty before; pairs with [P20]
  if (is_other) others_returned.fetch_add(1, base::release);
}

void call_all(delivery* here, bool is_other) {
  here->is_active = true;
  while (awaiter* one = here->claimed.pop_front()) {
    leave_all(one, one->winner);
    call_ready(here, one, is_other);
  }
  here->is_active = false;
}

void add_other(delivery* here) {
  const queue::guard hold(others_lock);
  here->next = others.load(base::relaxed);
  others.store(here, base::relaxed);
}

void remove_other(delivery* here) {
  const queue::guard hold(others_lock);
  delivery* before = others.load(base::relaxed);
  if (before == here) return others.store(here->next, base::relaxed);
  while (before->next != here) before = before->next;
  before->next = here->next;
}

constexpr unsigned deeper_than_any = 1u << 30;

// In a blocking region what ready opens or closes too much is not the region's.
[[gnu::noinline]] void call_all_outside(delivery* here) {
  blocking_call* const region = this_blocking_call();
  const unsigned depth = region->depth;
  if (depth != 0) region->depth = deeper_than_any;
  add_other(here);
  call_all(here, true);
  remove_other(here);
  if (depth != 0) region->depth = depth;
}

delivery* delivery_of(worker* w) { return w != nullptr ? &w->delivers : local::delivery_outside(); }

// Inside a ready, its caller goes on with them.
void deliver_claimed(worker* w, delivery* here) {
  if (here->is_active) return;
  if (w == nullptr) return call_all_outside(here);
  const without_identity callback(w);
  call_all(here, false);
}

// ---- taking ----

// From the word of one that was taken.
void read_taker(awaiter* one, std::uintptr_t word) {
  const std::uintptr_t by = word & ~await_state_bits;
  const bool has_ended = by == by_end || by == by_drop;
  one->winner = has_ended ? nullptr : reinterpret_cast<await_record*>(by);
  one->unmet = has_ended ? status::ended : status::timeout;
  one->was_dropped = by == by_drop;
}

bool replace_state(awaiter* one, std::uintptr_t* seen, std::uintptr_t mine) {
  if (os::is_alone()) return arch::replace_unlocked(reinterpret_cast<std::uintptr_t*>(&one->state), seen, mine);
  // [P15] acq_rel: sees the records in their queues; what was done before is seen by the armer;
  // pairs with [P16] [P17]
  return one->state.compare_exchange_weak(*seen, mine, base::acq_rel, base::relaxed);
}

claimed_as take(awaiter* one, await_record* by) {
  check_seal(one);
  const std::uintptr_t mine = reinterpret_cast<std::uintptr_t>(by) | taken;
  std::uintptr_t seen = one->state.load(base::relaxed);
  for (;;) {
    const await_state before = state_in(seen);
    if (before != armed && before != arming) return claimed_as::lost;
    if (!replace_state(one, &seen, mine)) continue;
    if (before == arming) return claimed_as::armer_delivers;
    one->winner = by;
    return claimed_as::delivers;
  }
}

bool take_without_winner(awaiter* one, std::uintptr_t by) {
  if (take(one, reinterpret_cast<await_record*>(by)) != claimed_as::delivers) return false;
  read_taker(one, by);
  return true;
}

bool has_passed(std::uint64_t deadline_ns) { return deadline_ns != forever && deadline_ns <= now_ns(); }

}  // namespace

// ---- by the one that arms ----

status begin_arming_early(awaiter* one, std::uint64_t deadline_ns) {
  begin_arming(one, arming);
  if (deadline_ns == forever || has_passed(deadline_ns)) return status::ok;
  timer* const alarm = &one->records->alarm;
  alarm->owner = one->records;
  alarm->deadline_ns = deadline_ns;
  use_runtime([&](runtime* rt) {
    bool is_first = false;
    one->has_alarm = rt != nullptr && rt->alarms.arm_unless_closed(alarm, &is_first);
    if (is_first) wake_clock_keeper(rt);
  });
  if (one->has_alarm) return status::ok;
  disarm(one);
  return refuse_while_ending();
}

status refuse_while_ending() {
  return because(status::not_initialized, nullptr, "the runtime is ending, so that no deadline comes any more");
}

bool take_at_once(await_record* one) {
  if (take(one->of, one) == claimed_as::lost) return false;
  one->leave = nullptr;
  return true;
}

namespace {

bool is_over(awaiter* one, std::uintptr_t seen) {
  read_taker(one, seen);
  leave_all(one);
  one->state.store(unarmed, base::relaxed);
  return false;
}

}  // namespace

bool finish_arming(awaiter* one) {
  std::uintptr_t seen = arming;
  // [P16] acq_rel: publishes the records, or sees what the waker did; pairs with [P15]
  if (one->state.compare_exchange_strong(seen, armed, base::acq_rel, base::acquire)) return true;
  return is_over(one, seen);
}

bool give_up_arming(awaiter* one) {
  std::uintptr_t seen = arming;
  // [P17] acquire: sees what the waker did; pairs with [P15]
  if (!one->state.compare_exchange_strong(seen, withdrawn, base::acquire, base::acquire)) return is_over(one, seen);
  one->winner = nullptr;
  leave_all(one);
  one->state.store(unarmed, base::relaxed);
  return true;
}

void disarm(awaiter* one) {
  one->state.store(unarmed, base::relaxed);
  if constexpr (config::checked) one->seal = 0;
}

// ---- by wakers ----

claimed_as claim_awaiter(await_record* one) { return take(one->of, one); }

bool claim_to_deliver(await_record* one, bool* wants_delivery) {
  const claimed_as result = take(one->of, one);
  *wants_delivery = false;
  if (result != claimed_as::delivers) return result != claimed_as::lost;
  delivery* const here = delivery_of(local::current_worker());
  *wants_delivery = here->claimed.is_empty() && !here->is_active;
  one->delivers_all = *wants_delivery;
  here->claimed.push_back(one->of);
  return true;
}

bool expire_awaiter(await_record* one) { return take_without_winner(one->of, 0); }
bool end_awaiter(await_record* one) { return take_without_winner(one->of, by_end); }
bool end_dropped_awaiter(await_record* one) { return take_without_winner(one->of, by_drop); }

void deliver(await_record* one) {
  worker* const w = local::current_worker();
  delivery* const here = delivery_of(w);
  if (!one->delivers_all) here->claimed.push_back(one->of);
  deliver_claimed(w, here);
}

void note_expired(await_record* one) { delivery_of(local::current_worker())->claimed.push_back(one->of); }

// ---- cancelling ----

namespace {

delivery* delivery_here() { return delivery_of(local::current_worker()); }

// Whether it is called on this OS thread: by a ready of its own, or by a ready that one interrupts.
bool is_called_here(const awaiter* one) {
  for (const delivery* here = delivery_here(); here != nullptr; here = here->inner) {
    if (here->running.load(base::relaxed) == one) return true;
  }
  return false;
}

// Takes it from those that this OS thread is to call.
bool take_claimed_here(awaiter* one) { return delivery_here()->claimed.remove(one); }

// By a canceller inside another ready, which would wait for itself.
void call_in_between(awaiter* one) {
  delivery here;
  delivery* innermost = delivery_here();
  while (innermost->inner != nullptr) innermost = innermost->inner;
  add_other(&here);
  innermost->inner = &here;
  leave_all(one, one->winner);
  call_ready(&here, one, true);
  innermost->inner = nullptr;
  remove_other(&here);
}

void outlast_worker(const worker* w, const awaiter* one) {
  // [P14] acquire: what ready did; pairs with [P13]
  for (int round = 0; w->delivers.running.load(base::acquire) == one; ++round) pause_for(round);
}

void outlast_workers(const runtime* rt, const awaiter* one) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    if (const worker* w = worker_in_slot(rt, index); w != nullptr) outlast_worker(w, one);
  }
}

bool is_called_by_other(const awaiter* one) {
  const queue::guard hold(others_lock);
  for (const delivery* each = others.load(base::relaxed); each != nullptr; each = each->next) {
    // [P21] acquire: what ready did; pairs with [P13]
    if (each->running.load(base::acquire) == one) return true;
  }
  return false;
}

void outlast_others(const awaiter* one) {
  for (;;) {
    // [P20] acquire: sees the word that was emptied; pairs with [P19]
    const std::uint32_t before = others_returned.load(base::acquire);
    if (!is_called_by_other(one)) return;
    for (int round = 0; others_returned.load(base::relaxed) == before; ++round) pause_for(round);
  }
}

// Its waker is about to call ready, or does.
void outlast_ready(awaiter* one) {
  if (is_called_here(one)) return;
  // [P12] acquire: sees where ready is called; pairs with [P11]
  for (int round = 0; state_in(one->state.load(base::acquire)) == taken; ++round) {
    if (take_claimed_here(one)) return call_in_between(one);
    pause_for(round);
  }
  outlast_others(one);
  use_runtime([one](const runtime* rt) {
    if (rt != nullptr) outlast_workers(rt, one);
  });
}

}  // namespace

bool cancel(awaiter* one) {
  std::uintptr_t seen = one->state.load(base::relaxed);
  if (state_in(seen) == withdrawn && config::checked) {
    base::panic("cancel of awaiter %p, which was cancelled before", around(one));
  }
  while (state_in(seen) == armed) {
    // A canceller knows that it was armed, and so of its records.
    if (!one->state.compare_exchange_weak(seen, withdrawn, base::relaxed, base::relaxed)) continue;
    one->winner = nullptr;
    leave_all(one);
    return true;
  }
  if (state_in(seen) == taken || state_in(seen) == calling) outlast_ready(one);
  return false;
}

}  // namespace weft::sched
