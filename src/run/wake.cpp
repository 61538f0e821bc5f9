// See wake.hpp. From any OS thread. Each waker takes a sleeper out of its sleep by one compare-
// exchange, so two never wake the same one (protocol I, docs/protocols/I.md).
#include "run/wake.hpp"

#include "os/futex.hpp"
#include "run/next.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

void stop_searching(runtime* rt) {
  // What came while this one searched woke no other: if it was the last searcher, another one must
  // look.
  if (rt->searchers.fetch_sub(1, base::relaxed) == 1) wake_one(rt);
}

// It counts as a searcher before it is awake, because it may stop searching at once; uncounted, it
// would make the count wrong for wakers that look for a sleeper.
bool take_out_of_sleep(worker* w) {
  std::uint32_t expected = 1;
  // [I11] acquire: it is counted, or called; pairs with [I1] [I14]
  if (w->is_asleep.load(base::acquire) != expected) return false;
  w->rt->searchers.fetch_add(1, base::relaxed);
  // [I1] acq_rel: the sleeper is counted, or called, by its waker; pairs with [I1] [I11] [I14]
  if (!w->is_asleep.compare_exchange_strong(expected, 0, base::acq_rel, base::acquire)) {
    stop_searching(w->rt);
    return false;
  }
  w->rt->sleepers.fetch_sub(1, base::relaxed);
  return true;
}

namespace {

// Of those that sleep, takes w out without a count: it looks at its own work before it searches.
// False: it does not sleep.
bool call_out_of_sleep(worker* w) {
  std::uint32_t asleep = 1;
  // [I14] release: the deadline for which it is called; pairs with [I1] [I11]
  if (!w->is_asleep.compare_exchange_strong(asleep, is_called, base::release, base::relaxed)) return false;
  w->rt->sleepers.fetch_sub(1, base::relaxed);
  return true;
}

// After it was taken out of its sleep.
void rouse(worker* w) {
  w->times_woken.fetch_add(1, base::relaxed);
  if (w->rt->turns != nullptr) return the_hooks.ring_bell(w->rt->turns);
  os::futex_wake(&w->is_asleep, 1);
  wake_in_source(w);
}

template <class Wanted>
worker* a_sleeper(runtime* rt, Wanted wanted) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    worker* w = worker_in_slot(rt, index);
    if (w != nullptr && w->is_asleep.load(base::relaxed) == 1 && wanted(w) && take_out_of_sleep(w)) return w;
  }
  return nullptr;
}

// Those that keep a source are the last ones to be disturbed.
worker* a_sleeper(runtime* rt) {
  worker* const found = a_sleeper(rt, [](const worker* w) { return w->kept_source.load(base::relaxed) == nullptr; });
  return found != nullptr ? found : a_sleeper(rt, [](const worker*) { return true; });
}

}  // namespace

void wake_any(runtime* rt) {
  if (worker* sleeper = a_sleeper(rt); sleeper != nullptr) rouse(sleeper);
  if ((rt->sleepers.load(base::relaxed) & is_look_off) != 0) the_hooks.resume_lookout(rt);
}

void wake_somebody(runtime* rt) {
  wake_one(rt);
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    worker* w = worker_in_slot(rt, index);
    if (w == nullptr || w->is_asleep.load(base::relaxed) != asleep_for_a_pause) continue;
    wake(w);
    return;
  }
}

bool wake(worker* w) {
  // [I7] light fence: as [I6], and mail before the look at is_serving; pairs with [A33] [I5] [I8]
  // [I13]
  base::light_fence();
  if (!can_be_woken(w)) return false;
  std::uint32_t pausing = asleep_for_a_pause;
  const bool is_out = w->rt->turns != nullptr ? take_out_of_sleep(w) : call_out_of_sleep(w);
  if (is_out || w->is_asleep.compare_exchange_strong(pausing, 0, base::relaxed, base::relaxed)) {
    rouse(w);
    return true;
  }
  if (w->is_asleep.load(base::relaxed) == awake_and_unwatched) the_hooks.resume_lookout(w->rt);
  return false;
}

void wake_all(runtime* rt) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    if (worker* w = worker_in_slot(rt, index); w != nullptr) wake(w);
  }
}

void wake_clock_keeper(runtime* rt) {
  // [I4] light fence: deadline before the look for a keeper; pairs with [I5]
  base::light_fence();
  worker* const keeper = rt->clock_keeper.load(base::relaxed);
  if (keeper != nullptr && wake(keeper)) return;
  wake_somebody(rt);  // a keeper that is awake gives the clock back
}

}  // namespace weft::sched
