// The last unit: weft_finalize waits until as many units have ended as were made
// (docs/protocols/A.md).
#include "life/drain.hpp"

#include "base/atomic.hpp"
#include "os/fence.hpp"
#include "run/end.hpp"
#include "run/wait.hpp"
#include "unit/waiter.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

bool publish_finalizer(void* argument) {
  auto* me = static_cast<waiter*>(argument);
  auto* rt = static_cast<runtime*>(me->payload);
  // [A21] release: publishes the record; pairs with [A20]
  rt->finalizer.store(me, base::release);
  rt->is_draining.store(true, base::relaxed);
  // [A22] heavy fence: draining before the counts; pairs with [A23]
  os::heavy_fence();
  if (live_units(rt) != 0) return true;
  // The worker that takes it back reads nothing through it, and what the units did is known by
  // [A26]; if another was quicker, its wake-up orders.
  return rt->finalizer.exchange(nullptr, base::relaxed) == nullptr;
}

}  // namespace

void drain(runtime* rt) {
  waiter me("weft_finalize", rt);
  me.payload = rt;
  static_cast<void>(wait_published(&me, publish_finalizer, &me));
}

}  // namespace weft::sched
