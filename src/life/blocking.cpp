// See blocking.hpp.
#include "life/blocking.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "base/assert.hpp"
#include "base/config.hpp"
#include "life/hosts.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/fork.hpp"
#include "run/hosting.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/waiting_units.hpp"
#include "seeded/turns.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

// errno's address must not be kept across a switch.
[[gnu::noinline]] int read_errno() { return errno; }
[[gnu::noinline]] void write_errno(int value) { errno = value; }

void become_worker_again(worker* w, blocking_call* call) {
  if constexpr (config::checked) w->os_locks = call->os_locks;
  local::set_worker(w);
  local::set_hot(w);
}

// Another unit of the worker is in a region that lasts, and the caller may run the worker: it does
// what a spare OS thread does that takes over. Pre: the caller is w's host.
void leave_followed(worker* w, blocking_call* call) {
  if (call->follows == nullptr) return;
  unit* const next = take_over(w, call->follows);
  if (next != nullptr) make_ready(w, next, push_reason::woken);
}

// Of the OS thread of the call, which w is granted to.
void become_host_again(worker* w, blocking_call* call) {
  if (call->follows != nullptr) keep_host(w, &call->follows->own);
  set_host(w, call->own);
  become_worker_again(w, call);
  leave_followed(w, call);
}

// The caller has waited until it may run its worker again, and goes on where it is.
void go_on_in_place(worker* w, blocking_call* call) {
  unit* const self = call->self;
  become_host_again(w, call);
  if (!self->has_parked()) self->stack = call->stack_before;
  w->standing = call->standing;
  self->waiting = nullptr;
  own_parked(self);
  note(w->rt, WEFT_ON_RUN, self);
  become(w, self);
}

// The unit leaves the OS thread, which becomes spare, and goes on wherever it is found ready.
void leave_os_thread(blocking_call* call) {
  unit* const self = call->self;
  const fiber::context origin = call->own.origin;
  const fiber::sanitizer::side side = call->own.origin_side;
  const luggage kept(call->w->rt, self, call->own.carried, call->own.fp);
  self->waiting = nullptr;  // the record is this OS thread's
  auto* const w = static_cast<worker*>(fiber::switch_to(self->context.slot(), origin, side, nullptr));
  arrive(w);
  kept.unpack(w, self);
}

// The caller could not take its worker back.
void come_back(blocking_call* call) {
  worker* const w = call->w;
  hosts* const all = hosts_of(w->rt);
  if (!await_taken(call)) return become_worker_again(w, call);
  if (call->began_ns != 0 && os::now_ns() - call->began_ns < w->rt->settings.blocking_ns) note_length(all, call->place, false);
  const bool has_no_other_place = is_programs_own(call->own);
  if ((call->self->has(stays_put) || has_no_other_place) && claim(all, w, call, has_no_other_place)) {
    go_on_in_place(w, call);
  } else {
    leave_os_thread(call);
  }
}

void begin(worker* w, unit* self, blocking_call* call, const void* place) {
  hosts* const all = hosts_of(w->rt);
  call->depth = 1;
  call->w = w;
  call->self = self;
  call->standing = w->standing;
  call->place = place;
  call->may_be_several = shares_identity(w);
  call->began_ns = 0;
  if constexpr (config::checked) call->os_locks = std::exchange(w->os_locks, {});
  call->phase.store(call_phase::in_place, base::relaxed);
  w->blocking_calls.store(w->blocking_calls.load(base::relaxed) + 1, base::relaxed);
  const bool goes_at_once = all != nullptr && is_known_to_block(all, place) && has_waiting(w);
  if (goes_at_once) call->began_ns = os::now_ns();
  local::set_hot(nullptr);
  local::set_worker(nullptr);
  if (goes_at_once && give_away(all, w, call)) return;
  call->began_ns = 0;
  w->lent.lend(call);
  if (all != nullptr) wake_region_guard(all);
}

// Under a schedule, at either end of a region. All workers share one OS thread, on which the call
// is made at once; what other units of the worker do meanwhile, they do before it or after it.
void pass_end_of_region(worker* w) {
  if (has_waiting(w) && lets_others_run(w)) yield(w, w->current);
}

}  // namespace

status begin_blocking(const void* place) {
  worker* const w = local::current_worker();
  blocking_call* const call = this_blocking_call();
  if (w == nullptr) {
    if (call->depth != 0) ++call->depth;
    return status::ok;
  }
  unit* const self = w->current;
  if (self == nullptr || self->has(is_tasklet)) return status::cannot_block;
  if (w->rt->turns != nullptr) {
    pass_end_of_region(w);
  } else {
    begin(w, self, call, place);
  }
  return status::ok;
}

namespace {

// The runtime is about to drop what is ready: a thread that goes from region to region would keep
// it waiting. The adopted caller is the one that ends the runtime.
void stay_if_dropped(worker* w) {
  if (!w->rt->drops.load(base::relaxed)) [[likely]]
    return;
  while (w->current != main_of(w->rt)) w = yield(w, w->current);
}

status end_in_turn(worker* w) {
  if (w->current == nullptr || w->current->has(is_tasklet)) return status::ok;
  const int kept = read_errno();
  pass_end_of_region(w);
  stay_if_dropped(local::current_worker());
  write_errno(kept);
  return status::ok;
}

}  // namespace

status end_blocking() {
  blocking_call* const call = this_blocking_call();
  if (call->depth == 0) {
    worker* const w = local::current_worker();
    if (w == nullptr) return status::ok;
    return w->rt->turns != nullptr ? end_in_turn(w) : status::not_owner;
  }
  if (--call->depth != 0) return status::ok;
  if (call->began_ns == 0 && call->w->lent.take_back(call)) {
    become_worker_again(call->w, call);
  } else {
    const int kept = read_errno();
    come_back(call);
    write_errno(kept);
  }
  stay_if_dropped(local::current_worker());
  return status::ok;
}

unit* take_over(worker* w, blocking_call* call) {
  unit* const self = call->self;
  auto* const wait = new (call->wait_room) waiter(end_of_blocking_call, nullptr);
  wait->since_ns = os::coarse_ns();
  wait->who = self;
  call->stack_before = self->stack;
  self->waiting = wait;
  unit* const next = leave_in_place(w, self);
  // [O11] release: the caller's unit is left; pairs with [O9]
  call->phase.store(call_phase::taken, base::release);
  os::futex_wake(&call->phase, 1);
  return next;
}

void settle_unit_that_left() {
  blocking_call* const call = this_blocking_call();
  make_ready(nullptr, call->self, push_reason::woken);
}

void refuse_end_in_region() {
  if (this_blocking_call()->depth == 0) return;
  fiber::sanitizer::jumped_back_on(own_side());
  base::panic(
      "pthread_exit, or pthread_cancel, ends an OS thread inside a blocking region of a thread; cure: return from the call, and "
      "end "
      "the region (weft_blocking_end)");
}

void await_os_thread(int id) {
  constexpr std::uint64_t pause_ns = 1'000'000;
  while (os::thread_id() != id) static_cast<void>(sleep_until(os::now_ns() + pause_ns));
}

status await_other_host(unsigned index) {
  constexpr std::uint64_t between_looks_ns = 100'000;
  const blocking_call* const call = this_blocking_call();
  if (local::current_worker() != nullptr || call->depth == 0 || call->w->index != index) return status::ok;
  while (call->w->lent.seen() == call) {
    if (call->w->rt->spare_hosts.load(base::relaxed) == nullptr || call->w->lack_place.load(base::relaxed) != 0)
      return because(status::busy, "worker",
                     "the caller is in a blocking region on worker %u, and no OS thread is left to run it", index);
    os::sleep_until(os::now_ns() + between_looks_ns);
  }
  return status::ok;
}

void step_aside(worker* w, mem::stack* here) {
  // This one stays here, and the unit that goes on may park.
  while (!w->stacks.ensure_one()) os::sleep_until(os::now_ns() + 1'000'000);
  blocking_call* const call = this_blocking_call();
  hosts* const all = hosts_of(w->rt);
  keep_host(w, &call->own);
  if constexpr (config::checked) call->os_locks = std::exchange(w->os_locks, {});
  call->phase.store(call_phase::in_place, base::relaxed);
  local::set_hot(nullptr);
  local::set_worker(nullptr);
  stand_by(all, w, call);
  become_host_again(w, call);
  w->standing = here;
  w->current = nullptr;
}

}  // namespace weft::sched
