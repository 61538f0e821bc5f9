// See removal.hpp. Protocol A, docs/protocols/A.md.
#include "life/removal.hpp"

#include "life/blocking.hpp"
#include "life/slots.hpp"
#include "place/domains.hpp"
#include "place/serving.hpp"
#include "run/next.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "run/wake.hpp"
#include "unit/waiter.hpp"
#include "worker/failure.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// What worker::remover holds once there is nothing to wait for any more.
waiter* already_over() { return reinterpret_cast<waiter*>(std::uintptr_t{1}); }

// Null: none waits, or it was taken before.
waiter* take_remover(worker* w) {
  // [A34] acquire: sees the remover's record; pairs with [A35]
  waiter* const found = w->remover.exchange(already_over(), base::acquire);
  return found != already_over() ? found : nullptr;
}

// False: it has ended already, with the runtime.
bool publish_remover(void* argument) {
  auto* me = static_cast<waiter*>(argument);
  auto* w = static_cast<worker*>(me->payload);
  waiter* none_yet = nullptr;
  // [A35] release: publishes the record; pairs with [A34]
  const bool waits = w->remover.compare_exchange_strong(none_yet, me, base::release, base::relaxed);
  slots::tell_to_end(w);
  return waits;
}

// Null: it may go.
const char* why_it_stays(worker* w) {
  if (w->index == 0) return "worker 0 cannot be removed";
  if (w->adoption != nullptr) return "worker %u was adopted: its OS thread calls weft_worker_leave";
  if (w->pinned_units.load(base::relaxed) != 0) return "units, or a source, are pinned to worker %u";
  return serves_its_domain_only(w) ? nullptr : "worker %u serves a pool, which weft_pool_detach ends";
}

// Decides that the worker goes: it gets no more units, pools or schedulers. The runtime does not
// end before end_call.
status begin_removal(unsigned index, worker** out) {
  const local::steady_runtime now;
  runtime* const rt = now.get();
  if (rt == nullptr) return status::not_initialized;
  const queue::guard hold(rt->workers_lock);
  const queue::guard hold_pools(rt->pools_lock);
  if (slots::are_changed_no_more(rt)) return status::not_initialized;
  worker* w = serving_worker(rt, index);
  if (w == nullptr) return status::invalid;
  if (const char* const why = why_it_stays(w); why != nullptr) return because(status::busy, "worker", why, index);
  slots::stop_serving(rt, w);
  *out = w;
  return status::ok;
}

// True to one caller: it does what is left of w's removal. The remover, or, in the place of a
// thread that may never run again, the finalizer that drops.
bool settles_removal(worker* w) { return !w->is_removal_settled.exchange(true, base::relaxed); }

// Its OS thread has ended: leaves nothing of the worker in its slot.
void clear_slot(runtime* rt, worker* w) {
  retire_scheduler(rt, w);
  w->detours.fetch_sub(1, base::relaxed);
  const queue::guard hold(rt->workers_lock);
  w->is_taken = false;
}

// A worker whose removal is given up ends with the runtime.
void end_removal(worker* w, bool is_given_up) {
  runtime* const rt = w->rt;
  if (!is_given_up) {
    slots::join(w);
    clear_slot(rt, w);
  }
  end_call(rt);
}

}  // namespace

void wake_remover(worker* w) {
  if (waiter* const remover = take_remover(w); remover != nullptr) wake(remover);
}

status remove_worker(unsigned index) {
  if (!may_block()) return status::cannot_block;
  if (const status refused = await_other_host(index); refused != status::ok) return refused;
  worker* w = nullptr;
  if (const status refused = begin_removal(index, &w); refused != status::ok) return refused;
  w->is_removed_by_unit.store(local::current_worker() != nullptr, base::relaxed);
  waiter me("weft_worker_remove", w);
  me.payload = w;
  static_cast<void>(wait_published(&me, publish_remover, &me));
  const bool is_given_up = me.payload == nullptr;
  if (settles_removal(w)) end_removal(w, is_given_up);
  return is_given_up ? status::not_initialized : status::ok;
}

namespace {

// A remover that is a thread may be pinned to a worker whose thread waits for what is dropped.
void give_up_removal(worker* w) {
  waiter* const remover = take_remover(w);
  if (remover == nullptr) return;
  const bool is_unit = remover->who != nullptr;
  if (is_unit && settles_removal(w)) end_removal(w, true);
  remover->payload = nullptr;
  wake(remover);
}

// The worker has ended, and its remover is a thread that was made ready.
bool awaits_remover(const worker* w) {
  const queue::guard hold(w->rt->workers_lock);  // inside it the starter wrote down w's OS thread
  const bool is_over = w->remover.load(base::relaxed) == already_over() && w->has_ended.load(base::relaxed) != 0;
  return is_over && w->rt->turns == nullptr && w->is_removed_by_unit.load(base::relaxed) &&
         !w->is_removal_settled.load(base::relaxed);
}

}  // namespace

void give_up_removals(runtime* rt) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    worker* const w = worker_in_slot(rt, index);
    if (w == nullptr || w->remover.load(base::relaxed) == nullptr) continue;
    if (w->lent.seen() != nullptr) {
      give_up_removal(w);
    } else if (awaits_remover(w) && settles_removal(w)) {
      end_removal(w, false);
    }
  }
}

}  // namespace weft::sched
