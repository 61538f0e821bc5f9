// See end.hpp. Called by the worker on which the unit ended, outside its lock, and for the last
// unit by whichever worker or OS thread counted it.
#include "run/end.hpp"

#include "run/resume.hpp"
#include "worker/extras.hpp"
#include "worker/local.hpp"
#include "worker/outlived.hpp"

namespace weft::sched {

namespace {

[[gnu::noinline]] void release_outside(unit* one) {
  runtime* rt = local::current_runtime();
  const queue::guard hold(rt->outside_lock);
  rt->outside_units.give(one);
}

[[gnu::noinline]] void clean(const runtime* rt, unit* one) {
  free_details(one);
  clean_lines(rt, one);
}

}  // namespace

void wake_joiner(waiter* joiner) {
  if (!wake(joiner)) let_joiner_go(joiner);
}

void let_joiner_go(waiter* joiner) {
  // [T6] release: this record is not touched any more; pairs with [T7] [P10]
  joiner->word.store(dropped, base::release);
}

void free_unit(worker* w, unit* one) {
  if (has_used_second_line(one)) {
    if (is_outlived(one)) return let_outlived_go(one);
    clean(w != nullptr ? w->rt : local::current_runtime(), one);
  }
  one->state.store(unit_state::free, base::relaxed);
  if (w != nullptr) return w->units.give(one);
  release_outside(one);
}

void settle_end(worker* w, unit* one, std::uintptr_t found) {
  if (found == join_word::detached) {
    free_unit(w, one);
  } else if (found != join_word::open && found != join_word::detaching) {
    wake_joiner(reinterpret_cast<waiter*>(found));
  }
  count_finished(w);
  wake_finalizer_if_drained(w);
}

void end(worker* w, unit* one) {
  note(w->rt, WEFT_ON_END, one);
  if (one->has(stays_put)) [[unlikely]]
    unpin_from(w->rt, one->home_worker);
  settle_end(w, one, join_word::end(one));
}

// ---- the last unit ----

std::uint64_t live_units(runtime* rt) {
  // Ends first: whatever is made meanwhile only adds. Equal sums mean that nothing lived when the
  // first sum was complete.
  // [A100] acquire: as [A26]; pairs with [A99]
  std::uint64_t ended = rt->outside_discarded.load(base::acquire);
  std::uint64_t made = 0;
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    const worker* w = worker_in_slot(rt, index);
    // [A26] acquire: what a unit made is counted before its end is; pairs with [A27]
    if (w != nullptr) ended += w->finished.load(base::acquire);
  }
  for (unsigned index = 0; index < slots; ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (w != nullptr) made += w->created.load(base::relaxed);
  }
  return made + rt->outside_created.load(base::relaxed) - ended;
}

namespace {

// Takes the finalizer's record, if it is still there.
void wake_finalizer(runtime* rt) {
  // [A20] acq_rel: sees the record; pairs with [A21]
  if (waiter* finalizer = rt->finalizer.exchange(nullptr, base::acq_rel); finalizer != nullptr) wake(finalizer);
}

}  // namespace

void check_drained(runtime* rt) {
  // [A98] fence: the caller's own count before those of others, of which the last to look must see
  // all; pairs with [A98]
  base::fence_seq_cst();
  if (live_units(rt) == 0) wake_finalizer(rt);
}

}  // namespace weft::sched
