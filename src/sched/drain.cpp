// The last unit: weft_finalize waits until as many units have ended as were made (docs/protocols/A.md).
#include "base/atomic.hpp"
#include "os/fence.hpp"
#include "sched/runtime.hpp"
#include "sched/waiter.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

// Takes the finalizer's record, if it is still there.
void wake_finalizer(runtime* rt) {
  // [A20] acq_rel: sees the record; pairs with [A21]
  if (waiter* finalizer = rt->finalizer.exchange(nullptr, base::acq_rel); finalizer != nullptr) wake(finalizer);
}

bool publish_finalizer(void* argument) {
  auto* me = static_cast<waiter*>(argument);
  auto* rt = static_cast<runtime*>(me->payload);
  // [A21] release: publishes the record; pairs with [A20]
  rt->finalizer.store(me, base::release);
  rt->is_draining.store(true, base::relaxed);
  // [A22] heavy fence: draining before the counts; pairs with [A23]
  os::heavy_fence();
  if (live_units(rt) != 0) return true;
  // Who takes it back reads nothing through it, and what the units did is known by [A26]; if another was quicker, its wake-up orders.
  return rt->finalizer.exchange(nullptr, base::relaxed) == nullptr;
}

}  // namespace

void drain(runtime* rt) {
  waiter me("weft_finalize", rt);
  me.payload = rt;
  static_cast<void>(wait_published(&me, publish_finalizer, &me));
}

std::uint64_t live_units(runtime* rt) {
  // Ends first: whatever is made meanwhile only adds. Equal sums mean that nothing lived when the first sum was complete.
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

void check_drained(runtime* rt) {
  // [A98] fence: the caller's own count before those of others, of whom the last to look must see all; pairs with [A98]
  base::fence_seq_cst();
  if (live_units(rt) == 0) wake_finalizer(rt);
}

}  // namespace weft::sched
