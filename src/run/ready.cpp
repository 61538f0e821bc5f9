// See ready.hpp. A unit that becomes ready goes, in this order: where it wants to move, into its
// pool, to the worker to which it is pinned, into the pool of a domain, into the queue of the
// calling worker, or by mail to a worker if the caller is none.
#include "run/ready.hpp"

#include <initializer_list>

#include "base/atomic.hpp"
#include "run/enter.hpp"
#include "run/next.hpp"
#include "run/wake.hpp"
#include "unit/pool_record.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// Units from outside, and those whose worker has ended, go to the workers in turn.
worker* next_target(runtime* rt) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned tried = 0; tried < slots; ++tried) {
    const std::uint32_t index = rt->next_target.fetch_add(1, base::relaxed) % slots;
    if (worker* w = serving_worker(rt, index); w != nullptr) return w;
  }
  return serving_worker(rt, 0);
}

worker* worker_at(runtime* rt, unsigned index) {
  worker* w = serving_worker(rt, index);
  return w != nullptr ? w : next_target(rt);
}

// A pin moves along; in a pool, or when the worker has ended meanwhile, there is none.
void move_pin(runtime* rt, unit* one, unsigned destination) {
  unpin_from(rt, one->home_worker);
  if (one->home.load(base::relaxed) != nullptr || !pin_to(rt, destination)) one->clear(stays_put);
}

void apply_move(runtime* rt, unit* one, push_reason reason) {
  rt->migrations.fetch_add(1, base::relaxed);
  // [A61] acquire: sees the destination; pairs with [A60]
  one->flags.fetch_and(static_cast<std::uint16_t>(~wants_to_move), base::acquire);
  if (pool* left = one->home.load(base::relaxed); left != nullptr && reason == push_reason::woken) left->note_back();
  const std::uintptr_t destination = details_if_any(one)->destination.load(base::relaxed);
  // [A76] release: after it left the pool that it was in; pairs with [A75]
  one->home.store(pool_of(destination), base::release);
  if (one->has(stays_put)) move_pin(rt, one, worker_of(destination));
  if (is_worker(destination)) base::store_relaxed(one->home_worker, static_cast<std::uint16_t>(worker_of(destination)));
}

// One that sleeps, where there is such a worker: a busy one would come to the unit late, or another
// worker would have to be woken to steal it.
worker* target_from_outside(runtime* rt) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  if (slots > 1 && sleeping_workers(rt) != 0) {
    const std::uint32_t first = rt->next_target.load(base::relaxed);
    for (unsigned tried = 0; tried < slots; ++tried) {
      worker* w = serving_worker(rt, (first + tried) % slots);
      if (w != nullptr && w->is_asleep.load(base::relaxed) == 1) return w;
    }
  }
  return next_target(rt);
}

// Any worker but the one of this index, where there is another: one that sleeps, if there is one.
worker* another(runtime* rt, unsigned index) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  const std::uint32_t first = rt->next_target.fetch_add(1, base::relaxed);
  worker* found = nullptr;
  for (unsigned tried = 0; tried < slots; ++tried) {
    worker* w = serving_worker(rt, (first + tried) % slots);
    if (w == nullptr || w->index == index) continue;
    if (w->is_asleep.load(base::relaxed) == 1) return w;
    if (found == nullptr) found = w;
  }
  return found != nullptr ? found : next_target(rt);
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

// After mail, and wake(target), whose fence [I7] stands between the mail and this look. A worker
// that ended while we chose it has emptied its mail before or after our push: then the mail is ours
// to forward.
void forward_if_ended(worker* target) {
  if (target->is_serving.load(base::relaxed)) [[likely]]
    return;
  forward_mail(target);
}

void mail_to(worker* target, unit* one) {
  target->mail.push(one);
  if (!wake(target)) wake_one(target->rt);
  forward_if_ended(target);
}

}  // namespace

void note_last_worker(const worker* w, unit* one) {
  if (!one->has(stays_put)) base::store_relaxed(one->home_worker, static_cast<std::uint16_t>(w->index));
}

void take_in(worker* w, unit* chain) {
  enter(w);
  while (chain != nullptr) {
    unit* one = chain;
    chain = static_cast<unit*>(one->next);
    // It came from another worker, where a joiner may be: the joiner shall need no fence.
    if (!one->has_parked() && !one->has(ends_noticed)) one->set(ends_noticed);
    w->ready.push_recent(one);
  }
  w->lock.leave();
}

void send_to(worker* target, unit* one) {
  if (one->has(stays_put)) {
    target->pinned_mail.push(one);
  } else {
    target->mail.push(one);
  }
  wake(target);
  forward_if_ended(target);
}

namespace {

// Awake, without work, and without mail that it has not seen.
bool looks_for_work(const worker* w) {
  return w->is_idle.load(base::relaxed) && w->is_asleep.load(base::relaxed) == 0 && w->mail.is_empty();
}

// Any worker may take w's units, and no schedule, setting or home says otherwise.
bool may_offer(const worker* w, const unit* one) {
  const runtime* const rt = w->rt;
  return may_put_here(w, one) && rt->turns == nullptr && !has_domains(rt) && !rt->settings.migrate &&
         rt->settings.locality == WEFT_LOCALITY_STEAL;
}

worker* find_idle(const worker* w) {
  const unsigned slots = w->rt->worker_slots.load(base::relaxed);
  for (unsigned step = 1; step < slots; ++step) {
    worker* const other = serving_worker(w->rt, (w->index + step) % slots);
    if (other != nullptr && looks_for_work(other)) return other;
  }
  return nullptr;
}

}  // namespace

bool offer(worker* w, unit* one) {
  worker* const idle = may_offer(w, one) ? find_idle(w) : nullptr;
  if (idle == nullptr) return false;
  note(w->rt, WEFT_ON_READY, one);
  one->state.store(unit_state::ready, base::relaxed);
  mail_to(idle, one);  // it may have found other work meanwhile: then a sleeper is woken
  return true;
}

void send_where_pinned(runtime* rt, unit* one) { send_to(worker_at(rt, one->home_worker), one); }

void forward_mail(worker* ended) {
  for (queue::inbox<unit>* box : {&ended->mail, &ended->pinned_mail}) {
    for (unit* one = box->take_all(); one != nullptr;) {
      unit* next = static_cast<unit*>(one->next);
      one->next = nullptr;
      make_ready(nullptr, one, push_reason::moved);
      one = next;
    }
  }
}

namespace {

constexpr bool is_yield(push_reason reason) { return reason == push_reason::yielded || reason == push_reason::yielded_as_new; }

// WEFT_MIGRATE: the worker that ran it last is where it yielded, or noted in a unit that parked.
void move_on(runtime* rt, worker* w, unit* one, push_reason reason) {
  if (is_yield(reason)) note_last_worker(w, one);
  if (one->has_parked()) return mail_to(another(rt, base::load_relaxed(one->home_worker)), one);
  mail_to(w != nullptr ? another(rt, w->index) : target_from_outside(rt), one);
}

[[gnu::noinline]] void make_ready_elsewhere(worker* w, unit* one, push_reason reason) {
  runtime* rt = local::current_runtime();
  note(rt, is_yield(reason) ? WEFT_ON_YIELD : WEFT_ON_READY, one);
  one->state.store(unit_state::ready, base::relaxed);
  if (one->has(wants_to_move)) [[unlikely]] {
    apply_move(rt, one, reason);
    if (one->home.load(base::relaxed) == nullptr) return send_to(worker_at(rt, one->home_worker), one);
    reason = push_reason::moved;
  }
  if (pool* home = one->home.load(base::relaxed); home != nullptr) {
    return reason == push_reason::woken ? return_to_pool(home, one) : push_to_pool(home, one, reason);
  }
  if (reason == push_reason::yielded_as_new) reason = push_reason::yielded;
  if (one->has(stays_put)) {
    if (worker* owner = worker_at(rt, one->home_worker); owner != w) return send_to(owner, one);
  } else if (rt->settings.migrate) [[unlikely]] {
    return move_on(rt, w, one, reason);
  }
  if (has_domains(rt) && !one->has(stays_put)) [[unlikely]]
    return push_to_domain(rt, w, one, reason);
  if (w == nullptr) return mail_to(target_from_outside(rt), one);
  push_own(w, one, reason);
}

// Once it is ready it may run, and weft_finalize after it.
[[gnu::noinline]] void make_ready_from_outside(unit* one, push_reason reason) {
  runtime* rt = local::current_runtime();
  begin_call(rt);
  make_ready_elsewhere(nullptr, one, reason);
  end_call(rt);
}

}  // namespace

void own_parked(unit* one) {
  note(local::current_runtime(), WEFT_ON_READY, one);
  one->state.store(unit_state::ready, base::relaxed);
  if (pool* home = one->home.load(base::relaxed); home != nullptr) home->note_back();
}

[[gnu::noinline]] void make_woken_slowly(worker* w, unit* one) {
  if (w == nullptr) return make_ready_from_outside(one, push_reason::woken);
  // Nothing but pinned to w: then no other worker needs to hear of it.
  const bool is_pinned_here = (one->flags.load(base::relaxed) & (wants_to_move | stays_put)) == stays_put &&
                              base::load_relaxed(one->home_worker) == w->index && one->home.load(base::relaxed) == nullptr &&
                              !w->is_special && w->is_serving.load(base::relaxed);
  if (!is_pinned_here || w->rt->tells_events.load(base::relaxed)) return make_ready_elsewhere(w, one, push_reason::woken);
  one->state.store(unit_state::ready, base::relaxed);
  enter(w);
  w->ready.push_recent(one);
  w->lock.leave();
}

void make_ready(worker* w, unit* one, push_reason reason) {
  if (w == nullptr || is_yield(reason)) [[unlikely]]
    return w != nullptr ? make_ready_elsewhere(w, one, reason) : make_ready_from_outside(one, reason);
  if (!may_put_here(w, one)) [[unlikely]]
    return reason == push_reason::woken ? make_woken_slowly(w, one) : make_ready_elsewhere(w, one, reason);
  put_here(w, one);
}

namespace {

// The pool to which it goes back, ready, and nothing is left but the push; null: that takes more.
[[gnu::always_inline]] inline pool* way_home(const worker* w, unit* one) {
  pool* const home = one->home.load(base::relaxed);
  if (home == nullptr || w->is_special || w->rt->tells_events.load(base::relaxed) || one->has(wants_to_move)) [[unlikely]]
    return nullptr;
  one->state.store(unit_state::ready, base::relaxed);
  return home;
}

}  // namespace

void become_ready_again(worker* w, void* yielded) {
  auto* const one = static_cast<unit*>(yielded);
  pool* const home = way_home(w, one);
  home != nullptr ? push_yielded_to_pool(home, one) : make_ready(w, one, push_reason::yielded);
}

void become_ready_as_new(worker* w, void* yielded) {
  auto* const one = static_cast<unit*>(yielded);
  pool* const home = way_home(w, one);
  home != nullptr ? push_to_pool(home, one, push_reason::yielded_as_new) : make_ready(w, one, push_reason::yielded_as_new);
}

}  // namespace weft::sched
