// Waiting: unit/waiter.hpp says what; protocol P, docs/protocols/P.md, says why it is right.

#include "run/wait.hpp"

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "run/awaiter.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wake.hpp"
#include "unit/waiter.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// What a parked ULT has left to do once it is off its stack; it lies in the frame that parks.
struct farewell {
  waiter* me;
  void (*let_go)(worker* w, void* held);
  void* held;
  bool (*publish)(void* argument);
  void* argument;
  base::atomic<bool> is_over{false};  // set after a publication: the frame must stay until then
};

void arm(worker* w, waiter* me) {
  me->alarm.owner = me;
  me->alarm.deadline_ns = me->deadline_ns;
  if (w->rt->alarms.arm(&me->alarm)) wake_clock_keeper(w->rt);
}

void publish(worker* w, farewell* todo) {
  // Armed first, while no waker can see the record.
  const bool is_timed = todo->me->deadline_ns != forever;
  if (is_timed) arm(w, todo->me);
  unit* self = todo->me->who;
  const bool goes_on = !todo->publish(todo->argument) && (!is_timed || claim(todo->me, woken));
  // [P5] release: the frame is not touched any more; pairs with [P6]
  todo->is_over.store(true, base::release);
  if (!goes_on) return;
  const without_identity nobody_wakes_it(w);  // not the unit that runs here now
  make_ready(w, self, push_reason::woken);
}

void say_farewell(worker* w, void* argument) {
  auto* todo = static_cast<farewell*>(argument);
  if (todo->publish != nullptr) return publish(w, todo);
  // After the release the frame may be gone.
  const auto let_go = todo->let_go;
  void* const held = todo->held;
  if (todo->me->deadline_ns != forever) arm(w, todo->me);
  let_go(w, held);
}

wait_result wait_as_ult(worker* w, unit* self, farewell* todo) {
  waiter* me = todo->me;
  self->waiting = me;
  w = park(w, self, {say_farewell, todo});
  self->waiting = nullptr;
  if (todo->publish != nullptr) {
    // [P6] acquire: see there; pairs with [P5]
    while (!todo->is_over.load(base::acquire)) arch::pause();
  }
  if (me->deadline_ns == forever) return wait_result::woken;
  w->rt->alarms.cancel(&me->alarm);
  // [P10] acquire: a finisher that has dropped the record already; pairs with [T6]
  return me->word.load(base::acquire) == timed_out ? wait_result::timed_out : wait_result::woken;
}

void sleep_outside(waiter* me) {
  while (me->word.load(base::relaxed) == waiting) {
    if (me->deadline_ns == forever) {
      the_hooks.sleep_and_look(&me->word, waiting);
    } else if (!os::futex_wait_until(&me->word, waiting, me->deadline_ns) && os::now_ns() >= me->deadline_ns) {
      claim(me, timed_out);
    }
  }
}

wait_result wait_outside(farewell* todo) {
  waiter* me = todo->me;
  outside* record = local::this_outside();
  if (record != nullptr) {
    record->waits_for.store(me->what, base::relaxed);
    record->since_ns.store(os::coarse_ns(), base::relaxed);
    record->waits.store(record->waits.load(base::relaxed) + 1, base::relaxed);
    record->is_blocked.store(me->deadline_ns == forever ? wait_kind::endless : wait_kind::with_deadline, base::relaxed);
  }
  if (todo->let_go != nullptr) todo->let_go(nullptr, todo->held);
  if (todo->publish == nullptr || todo->publish(todo->argument)) {
    sleep_outside(me);
  }
  if (record != nullptr) record->is_blocked.store(wait_kind::none, base::relaxed);
  // [P3] acquire: sees what the waker did; pairs with [P1] [P4]
  return me->word.load(base::acquire) == timed_out ? wait_result::timed_out : wait_result::woken;
}

wait_result wait_with(farewell* todo) {
  waiter* me = todo->me;
  worker* w = local::current_worker();
  me->who = w != nullptr ? w->current : nullptr;
  if (me->who == nullptr) return wait_outside(todo);
  me->since_ns = w->coarse_ns;
  return wait_as_ult(w, me->who, todo);
}

[[gnu::always_inline]] inline wait_result wait_and_release(waiter* me, void (*let_go)(worker* w, void* held), void* held) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self != nullptr && me->deadline_ns == forever) [[likely]] {
    me->who = self;
    me->since_ns = w->coarse_ns;
    self->waiting = me;
    park(w, self, {let_go, held});
    self->waiting = nullptr;
    return wait_result::woken;
  }
  farewell todo{me, let_go, held, nullptr, nullptr, {}};
  return wait_with(&todo);
}

}  // namespace

wait_result wait(waiter* me, queue::spinlock* held) { return wait_and_release(me, let_go_of, held); }

wait_result wait_held(waiter* me, void (*let_go)(worker* w, void* held), void* held) {
  return wait_and_release(me, let_go, held);
}

wait_result wait_published(waiter* me, bool (*publish)(void* argument), void* argument) {
  farewell todo{me, nullptr, nullptr, publish, argument, {}};
  return wait_with(&todo);
}

}  // namespace weft::sched
