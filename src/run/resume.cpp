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

bool is_awaiters_alarm(const timer* alarm) { return is_awaiters(alarm->owner); }

// Inside the lock of the timers. An awaiter counts until its ready has returned.
bool expires(runtime* rt, timer* alarm) {
  waiter* const one = alarm->owner;
  if (!is_awaiters(one)) return claim(one, timed_out);
  if (!expire_awaiter(record_of(one))) return false;
  rt->expiring.fetch_add(1, base::relaxed);
  return true;
}

// Of awaiters: all are noted before the first ready runs.
class expired {
 public:
  void add(timer* alarm) {
    if (last_ != nullptr) note_expired(last_);
    last_ = record_of(alarm->owner);
    ++count_;
  }
  // Returns how many there were.
  std::uint32_t deliver_all() {
    if (last_ != nullptr) deliver(last_);
    return count_;
  }

 private:
  await_record* last_ = nullptr;
  std::uint32_t count_ = 0;
};

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
  timer* due = alarms.take_due(now, [w](timer* alarm) { return expires(w->rt, alarm); });
  expired awaiters;
  while (due != nullptr) {
    timer* next = due->sibling;  // the record may go once its ULT is ready
    if (is_awaiters_alarm(due)) {
      awaiters.add(due);
    } else {
      make_ready(w, due->owner->who, push_reason::woken);
    }
    due = next;
  }
  const std::uint32_t count = awaiters.deliver_all();
  if (count == 0) return;
  // [P22] release: what ready did, such as units that it made; pairs with [P23]
  w->rt->expiring.fetch_sub(count, base::release);
}

bool end_awaits(runtime* rt) {
  bool were_some = false;
  timer* each =
      rt->alarms.close(is_awaiters_alarm, [](timer* alarm) { return end_awaiter(record_of(alarm->owner)); }, &were_some);
  expired awaiters;
  for (; each != nullptr; each = each->sibling) awaiters.add(each);
  static_cast<void>(awaiters.deliver_all());
  return were_some;
}

// [P23] acquire: what the last ready did; pairs with [P22]
bool are_expiries_over(const runtime* rt) { return rt->expiring.load(base::acquire) == 0; }

}  // namespace weft::sched
