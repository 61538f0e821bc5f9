// See polled.hpp.
#include "sync/polled.hpp"

#include <weft/await.h>

#include <algorithm>
#include <new>

#include "base/linked_queue.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"
#include "queue/spinlock.hpp"
#include "run/poll_pause.hpp"
#include "run/yield.hpp"
#include "sync/await.hpp"
#include "worker/clock.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sync {

namespace {

constexpr unsigned most_a_slice = 64;

struct poll_queue {
  queue::spinlock lock;
  // guarded by lock
  wait_queue waiting;
  sched::waiter* looked_at = nullptr;  // taken off the queue, while its condition is called outside the lock
  unsigned count = 0;                  // that one included
  unsigned left_in_round = 0;
  std::uint64_t changed_ns = 0;  // when a condition came last, or was found to be there
  bool has_alarm = false;        // it is armed, or about to be

  // Of the one that arms it. Checked builds ask each awaiter for the program's object around it.
  weft_awaiter alarm{};
  alignas(sched::await_record) unsigned char alarm_record[sizeof(sched::await_record)]{};
};

constinit poll_queue all{};

const polled* condition_of(const sched::waiter* one) { return static_cast<const polled*>(one->object); }
bool is_there(const polled* one) { return one->is_done(one->argument); }

// ---- inside the lock ----

// True: the caller arms the alarm, outside the lock.
bool add(sched::waiter* one) {
  all.waiting.push_back(one);
  ++all.count;
  all.changed_ns = sched::now_ns();
  if (all.has_alarm) return false;
  return all.has_alarm = true;
}

void remove(sched::waiter* one) {
  all.waiting.remove(one);
  --all.count;
}

// ---- the alarm ----

void ring(sched::awaiter* alarm, status result);

// False: the runtime is ending.
bool arm_alarm(std::uint64_t pause_ns) {
  static_assert(sizeof(sched::awaiter) <= sizeof all.alarm.opaque);
  for (;;) {
    auto* const alarm = new (all.alarm.opaque) sched::awaiter;
    alarm->call = ring;
    alarm->records = new (all.alarm_record) sched::await_record(alarm, nullptr);
    const auto for_the_time_alone = [](const sched::await_record*) { return await_kind::deadline; };
    bool waits = false;
    const status result = arm_all(alarm, for_the_time_alone, sched::now_ns() + pause_ns, &waits);
    if (result != status::timeout) return result == status::ok && waits;  // timeout: the pause is over already
  }
}

sched::waiter* begin_look() {
  const queue::guard inside(all.lock);
  return all.looked_at = all.waiting.pop_front();
}

void end_look(sched::waiter* one, bool is_over, wake_later* found) {
  const queue::guard inside(all.lock);
  all.looked_at = nullptr;
  if (!is_over) return all.waiting.push_back(one);
  --all.count;
  all.changed_ns = sched::now_ns();
  one->payload = one;  // it was there
  static_cast<void>(found->add(one));
}

// The first one, which has been polled longest ago. False: there is none. Its condition is called
// outside the lock, so that one that takes its time holds up no caller but its own.
bool poll_one(wake_later* found) {
  sched::waiter* const one = begin_look();
  if (one == nullptr) return false;
  end_look(one, is_there(condition_of(one)), found);
  return true;
}

// False: its condition is being called.
bool try_leave(sched::waiter* one) {
  const queue::guard inside(all.lock);
  if (all.looked_at == one) return false;
  if (one->is_linked()) remove(one);
  return true;
}

// Afterwards its condition is not called any more. pause() lets the look end.
template <class Pause>
void leave_queue_after_look(sched::waiter* one, Pause pause) {
  while (!try_leave(one)) pause();
}

// Returns how long to pause; 0: no condition is waited for, and there is no alarm any more.
std::uint64_t end_slice(unsigned polled) {
  const queue::guard inside(all.lock);
  if (all.count == 0) {
    all.has_alarm = false;
    return 0;
  }
  all.left_in_round = all.left_in_round > polled ? all.left_in_round - polled : 0;
  if (all.left_in_round != 0) return sched::least_poll_pause_ns;
  all.left_in_round = all.count;
  return sched::poll_pause_ns(sched::now_ns() - all.changed_ns);
}

bool are_threads_dropped() {
  const sched::runtime* const rt = sched::local::current_runtime();
  return rt != nullptr && rt->drops.load(base::relaxed);
}

// No alarm comes any more: what waits polls by itself, and awaiters end with the runtime.
void end_alarm() {
  const bool leaves_threads = are_threads_dropped();
  wake_later threads;
  base::linked_queue<sched::waiter, base::list_link> awaiters;
  {
    const queue::guard inside(all.lock);
    all.has_alarm = false;
    all.waiting.walk([&](sched::waiter* one) {
      if (leaves_threads && one->who != nullptr) return;
      const bool is_awaiters = sched::is_awaiters(one);
      if (is_awaiters && !sched::end_awaiter(sched::record_of(one))) return;
      remove(one);
      is_awaiters ? awaiters.push_back(one) : static_cast<void>(threads.add(one));
    });
  }
  threads.now();
  while (sched::waiter* const one = awaiters.pop_front()) sched::deliver(sched::record_of(one));
}

void ring(sched::awaiter*, status result) {
  if (result == status::ended) return end_alarm();
  wake_later found;
  unsigned polled = 0;
  while (polled < most_a_slice && poll_one(&found)) ++polled;
  const std::uint64_t pause_ns = end_slice(polled);
  if (pause_ns != 0 && !arm_alarm(pause_ns)) end_alarm();
  found.now();
}

// ---- waiting ----

// Without an alarm: an OS thread outside, and threads while the runtime ends.
status poll_alone(const polled* condition, std::uint64_t deadline_ns) {
  const std::uint64_t began_ns = sched::now_ns();
  while (!is_there(condition)) {
    const std::uint64_t now_ns = sched::now_ns();
    if (deadline_ns <= now_ns) return status::timeout;
    if (sched::local::current_worker() != nullptr) {
      sched::yield();
    } else {
      os::sleep_until(std::min(os::now_ns() + sched::poll_pause_ns(now_ns - began_ns), deadline_ns));
    }
  }
  return status::ok;
}

bool publish(void* argument) {
  auto* const me = static_cast<sched::waiter*>(argument);
  bool begins = false;
  {
    const queue::guard inside(all.lock);
    begins = add(me);
  }
  if (begins && !arm_alarm(sched::least_poll_pause_ns)) end_alarm();
  return true;
}

}  // namespace

status wait_polled(const polled& condition, std::uint64_t deadline_ns) {
  if (is_there(&condition)) return status::ok;
  if (const status refused = may_wait(deadline_ns); refused != status::ok) return refused;
  if (sched::local::current_worker() == nullptr) return poll_alone(&condition, deadline_ns);
  sched::waiter me{"polled condition", &condition};
  me.deadline_ns = deadline_ns;
  const sched::wait_result result = sched::wait_published(&me, publish, &me);
  if (deadline_ns != sched::forever) {
    leave_queue_after_look(&me, [] { sched::yield(); });  // its waker may be inside the lock
  }
  if (me.payload != nullptr) return status::ok;
  return result == sched::wait_result::timed_out ? status::timeout : poll_alone(&condition, deadline_ns);
}

namespace {

// By a canceller, or by the thread that calls a ready: neither may switch.
void leave(sched::await_record* one) {
  leave_queue_after_look(one, [] { os::yield_cpu(); });
}

}  // namespace

status await_polled(sched::await_record* one, const polled* condition, sched::armed_as* what) {
  if (sched::local::current_runtime() == nullptr) return status::not_initialized;
  if (is_there(condition)) {
    *what = over_or_lost(one);
    return status::ok;
  }
  bool begins = false;
  {
    const queue::guard inside(all.lock);
    one->leave = leave;
    begins = add(one);
  }
  *what = sched::armed_as::waits;
  if (!begins || arm_alarm(sched::least_poll_pause_ns)) return status::ok;
  end_alarm();
  return status::ok;
}

void forget_polled_waits(const sched::dropped_waits& dropped) {
  const queue::guard inside(all.lock);
  all.waiting.walk([&](sched::waiter* one) {
    if (dropped.contain(one)) remove(one);
  });
}

}  // namespace weft::sync
