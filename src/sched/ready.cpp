#include "sched/ready.hpp"

#include "base/atomic.hpp"
#include "sched/dispatch.hpp"
#include "sched/idle.hpp"
#include "sched/local.hpp"
#include "sched/pool.hpp"
#include "sched/runtime.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

// The worker at `index`, or another one when it has ended since.
worker* worker_at(runtime* rt, unsigned index) {
  // [A3] acquire: sees the worker's fields; pairs with [A4]
  worker* w = rt->workers[index].load(base::acquire);
  // [A5] acquire: as [A3]; pairs with [A4]
  return w != nullptr ? w : rt->workers[0].load(base::acquire);
}

// Units from outside go to the workers in turn.
worker* next_target(runtime* rt) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned tried = 0; tried < slots; ++tried) {
    const std::uint32_t index = rt->next_target.fetch_add(1, base::relaxed) % slots;
    // [A6] acquire: as [A3]; pairs with [A4]
    worker* w = rt->workers[index].load(base::acquire);
    if (w != nullptr && w->is_serving.load(base::relaxed)) return w;
  }
  return worker_at(rt, 0);
}

void apply_move(unit* one) {
  one->clear(wants_to_move);
  one->home = one->extra->destination_pool;
  if (one->home != nullptr) return;
  one->home_worker = static_cast<std::uint16_t>(one->extra->destination_worker);
}

// Onto any worker but w: the debug mode that migrates at every switch.
worker* another(runtime* rt, worker* w) {
  worker* other = next_target(rt);
  return other == w ? next_target(rt) : other;
}

void push_own(worker* w, unit* one, push_reason reason) {
  enter(w);
  if (reason == push_reason::yielded) {
    w->ready.push_yielded(one);
  } else {
    w->ready.push_recent(one);
  }
  w->lock.leave();
  wake_one(w->rt);
}

void mail_to(worker* target, unit* one) {
  target->mail.push(one);
  wake(target);
  wake_one(target->rt);
}

}  // namespace

void send_to(worker* target, unit* one) {
  if (one->has(stays_put)) {
    target->pinned_mail.push(one);
  } else {
    target->mail.push(one);
  }
  wake(target);
}

void make_ready(worker* w, unit* one, push_reason reason) {
  runtime* rt = local::current_runtime();
  one->state.store(unit_state::ready, base::relaxed);
  if (one->has(wants_to_move)) [[unlikely]] {
    apply_move(one);
    if (one->home == nullptr) return send_to(worker_at(rt, one->home_worker), one);
  }
  if (one->home != nullptr) [[unlikely]] return push_to_pool(one->home, one, reason);
  if (one->has(stays_put)) {
    if (worker* owner = worker_at(rt, one->home_worker); owner != w) return send_to(owner, one);
  } else if (rt->settings.migrate && w != nullptr) [[unlikely]] {
    return mail_to(another(rt, w), one);
  }
  if (w == nullptr) return mail_to(next_target(rt), one);
  push_own(w, one, reason);
}

}  // namespace weft::sched
