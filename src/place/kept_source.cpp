// Sources in which a worker sleeps. A sleeper keeps at most one source, and is inside it as long as
// it does, so that no other worker polls it. Protocol I, docs/protocols/I.md.
#include "os/fence.hpp"
#include "os/thread.hpp"
#include "place/source.hpp"
#include "run/next.hpp"
#include "run/wake.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// The first one that has a wait and no keeper, if `take` is true of it.
template <class Take>
source* find_to_keep(const runtime* rt, Take take) {
  const unsigned slots = rt->source_slots.load(base::relaxed);
  for (unsigned slot = 0; slot < slots; ++slot) {
    // [I23] acquire: sees the source; pairs with [A17]
    source* const one = rt->sources[slot].load(base::acquire);
    if (one == nullptr || one->calls.wait == nullptr || one->keeper.load(base::relaxed) != nullptr) continue;
    if (take(one)) return one;
  }
  return nullptr;
}

// From any OS thread.
source* source_kept_by(const worker* w) {
  // [I17] acquire: sees the source; pairs with [I16]
  return w->kept_source.load(base::acquire);
}

void begin_to_wake(source* one) { one->wakers.fetch_add(1, base::relaxed); }

void end_to_wake(source* one) {
  // [I20] release: done with the state; pairs with [I21]
  one->wakers.fetch_sub(1, base::release);
}

}  // namespace

void try_to_keep_source(worker* w) {
  if (w->rt->sources_to_keep.load(base::relaxed) == 0) return;
  source* const kept = find_to_keep(w->rt, try_enter);
  if (kept == nullptr) return;
  kept->poller.store(w, base::relaxed);
  kept->keeper.store(w, base::relaxed);
  // [I16] release: publishes the source to wakers, too; pairs with [I17]
  w->kept_source.store(kept, base::release);
}

bool has_source_to_keep(const runtime* rt) {
  if (rt->sources_to_keep.load(base::relaxed) == 0) return false;
  return find_to_keep(rt, [](const source*) { return true; }) != nullptr;
}

void sleep_in_source(worker* w, std::uint64_t until) {
  source* const kept = w->kept_source.load(base::relaxed);
  if (kept->is_removed.load(base::relaxed)) return;
  const without_identity callbacks(w);
  kept->calls.wait(kept->state, until);
}

bool give_source_back(worker* w) {
  source* const kept = w->kept_source.load(base::relaxed);
  if (kept == nullptr) return false;
  w->kept_source.store(nullptr, base::relaxed);
  kept->keeper.store(nullptr, base::relaxed);
  kept->poller.store(nullptr, base::relaxed);
  leave(kept);
  return true;
}

source_wait wait_of_kept_source(const worker* w) {
  const source* const kept = source_kept_by(w);
  return kept != nullptr ? kept->calls.wait : nullptr;
}

void wake_in_source(const worker* w) {
  source* const kept = source_kept_by(w);
  if (kept == nullptr) return;
  begin_to_wake(kept);
  // [I18] light fence: counted before the look whether it is removed; pairs with [I19]
  base::light_fence();
  if (!kept->is_removed.load(base::relaxed)) kept->calls.wake(kept->state);
  end_to_wake(kept);
}

bool wake_keeper(const source* one) {
  // [I22] light fence: what there is to poll before the look for a keeper; pairs with [I5]
  base::light_fence();
  worker* const keeper = one->keeper.load(base::relaxed);
  return keeper != nullptr && wake(keeper);
}

void enter_removed(source* one) {
  if (one->calls.wait != nullptr) {
    // [I19] heavy fence: removed before the look for a keeper and for wakers; pairs with [I5] [I18]
    os::heavy_fence();
    if (one->keeper.load(base::relaxed) != nullptr) one->calls.wake(one->state);
  }
  while (!try_enter(one)) os::yield_cpu();
  // [I21] acquire: the wakers are done with the state; pairs with [I20]
  while (one->wakers.load(base::acquire) != 0) os::yield_cpu();
}

}  // namespace weft::sched
