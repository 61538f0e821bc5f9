// See resume.hpp. By any OS thread, outside the lock of the list off which the record was taken.
#include "run/resume.hpp"

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "run/awaiter.hpp"
#include "run/ready.hpp"
#include "worker/clock.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

bool expires(timer* alarm) {
  waiter* const one = alarm->owner;
  return is_awaiters(one) ? expire_awaiter(record_of(one)) : claim(one, timed_out);
}

[[gnu::noinline]] bool wake_awaiter(await_record* one) {
  const claimed_as result = one->is_claimed || one->delivers_all ? claimed_as::delivers : claim_awaiter(one);
  if (result == claimed_as::delivers) deliver(one);
  return result != claimed_as::lost;
}

}  // namespace

bool wake(waiter* one) {
  unit* who = one->who;
  if (who != nullptr && one->deadline_ns == forever) [[likely]] {
    make_ready(local::current_worker(), who, push_reason::woken);
    return true;
  }
  if (who == nullptr) {
    if (one->deadline_ns != forever) {
      if (is_awaiters(one)) return wake_awaiter(record_of(one));
      if (!claim(one, woken)) return false;
    } else {
      // [P4] release: the waiter sees what the waker did; pairs with [P3]
      one->word.store(woken, base::release);
    }
    os::futex_wake(&one->word, 1);  // on a dead record it wakes no OS thread, or one that looks again
    return true;
  }
  if (!claim(one, woken)) return false;
  make_ready(local::current_worker(), who, push_reason::woken);
  return true;
}

unit* take_to_wake(waiter* one) {
  unit* who = one->who;
  if (who == nullptr) {
    static_cast<void>(wake(one));
    return nullptr;
  }
  return one->deadline_ns == forever || claim(one, woken) ? who : nullptr;
}

void expire_timers(worker* w) {
  timers& alarms = w->rt->alarms;
  if (alarms.next_ns() == UINT64_MAX) return;
  const std::uint64_t now = now_ns(w);
  if (alarms.next_ns() > now) return;
  const without_identity nobody_wakes_them(w);
  timer* due = alarms.take_due(now, expires);
  while (due != nullptr) {
    timer* next = due->sibling;  // the record may go once its ULT is ready
    if (is_awaiters(due->owner)) {
      deliver(record_of(due->owner));
    } else {
      make_ready(w, due->owner->who, push_reason::woken);
    }
    due = next;
  }
}

}  // namespace weft::sched
