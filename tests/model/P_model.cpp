// Protocol P over src/run/wait.cpp, resume.cpp and suspend.cpp: a wait ends exactly once, by its
// waker or by the clock; no other touches a record after its owner went on; the owner sees what was
// done before.
// Built with src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp src/thread/suspend.cpp
// Built with src/unit/timer.cpp
#include "run/fork.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "thread/thread.hpp"
#include "ult.hpp"
#include "unit/waiter.hpp"

namespace weft::sched {

worker* park(worker*, unit* self, after_switch after) { return park_ult(*core_world::ult_of(self), after.run, after.argument); }
void make_ready(worker*, unit* one, push_reason) { make_ult_ready(*core_world::ult_of(one)); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;
namespace queue = weft::queue;
using core_world::ult;

// A one-shot event in the way that sync builds them: a flag and a list under a lock.
struct event {
  queue::spinlock lock;
  bool is_set = false;
  base::list<waiter> waiters;
  int payload = 0;  // written before the event is set, read after the wait

  // False: the deadline was first.
  bool wait_until(std::uint64_t deadline_ns) {
    lock.lock();
    if (is_set) {
      lock.unlock();
      return true;
    }
    waiter me("event", this);
    me.deadline_ns = deadline_ns;
    waiters.push_back(&me);
    if (wait(&me, &lock) == wait_result::woken) return true;
    lock.lock();  // a waker that lost may still hold the record
    if (me.is_linked()) waiters.remove(&me);
    lock.unlock();
    return false;
  }

  // Untimed waiters are woken outside the lock, timed ones inside: see waiter.hpp.
  void set() {
    payload = 1;
    lock.lock();
    is_set = true;
    waiter* one = waiters.pop_front();
    if (one != nullptr && one->deadline_ns != forever) {
      wake(one);
      one = nullptr;
    }
    lock.unlock();
    if (one != nullptr) wake(one);
  }
};

void wait_and_check(event& what, std::uint64_t deadline_ns) {
  if (what.wait_until(deadline_ns)) check(what.payload == 1, "the woken thread sees what was done before");
}

// ---- ULTs ---------------------------------------------------------------------------------------

void ult_waits() {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  event happened;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   wait_and_check(happened, forever);
                   finish(u);
                 }},
          thread{"worker", [&] { leave(u, 1); }}, thread{"waker", [&] { happened.set(); }});
}

void ult_waits_with_deadline() {
  core_world::make(3);
  ult u;
  prepare(u, 0, 0, 1);
  event happened;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   wait_and_check(happened, 1);
                   finish(u);
                 }},
          thread{"worker",
                 [&] {
                   leave(u, 1);
                   expire_timers(u.workers[0]);
                 }},
          thread{"waker", [&] { happened.set(); }});
}

// The clock alone, on another worker than the one that armed.
void clock_alone() {
  core_world::make(3);
  ult u;
  prepare(u, 0, 0, 1);
  event never;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   check(!never.wait_until(1), "it is never set");
                   finish(u);
                 }},
          thread{"worker", [&] { leave(u, 1); }}, thread{"clock", [&] {
                                                           local::set_worker(the.workers[2]);
                                                           while (u.ready.load(base::relaxed) == 0) {
                                                             expire_timers(the.workers[2]);
                                                             weft::arch::pause();
                                                           }
                                                         }});
}

// ---- publications -------------------------------------------------------------------------------

// A word that holds the waiter, as the join word does.
struct slot {
  base::atomic<waiter*> word{nullptr};
  waiter* me = nullptr;
  static inline waiter* const closed = reinterpret_cast<waiter*>(1);
};

bool put_in(void* argument) {
  auto* s = static_cast<slot*>(argument);
  waiter* expected = nullptr;
  return s->word.compare_exchange_strong(expected, s->me, base::acq_rel, base::acquire);
}

void publication() {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  slot where;
  int payload = 0;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   waiter me("slot", &where);
                   where.me = &me;
                   static_cast<void>(wait_published(&me, put_in, &where));
                   check(payload == 1, "the woken thread sees what was done before");
                   finish(u);
                 }},
          thread{"worker", [&] { leave(u, 1); }},
          thread{"waker", [&] {
                   payload = 1;
                   if (waiter* one = where.word.exchange(slot::closed, base::acq_rel); one != nullptr) wake(one);
                 }});
}

// ---- OS threads outside -------------------------------------------------------------------------

void outside_waits() {
  core_world::make(1);
  event happened;
  threads(thread{"outside", [&] { wait_and_check(happened, forever); }}, thread{"waker", [&] { happened.set(); }});
}

void outside_waits_with_deadline() {
  core_world::make(1);
  event happened;
  threads(thread{"outside", [&] { wait_and_check(happened, 100'000); }}, thread{"waker", [&] { happened.set(); }});
}

// The woken one sees what its waker did right before the wake, with nothing else between them.
void direct_wake(std::uint64_t deadline_ns) {
  core_world::make(1);
  slot where;
  int payload = 0;
  threads(thread{"outside",
                 [&] {
                   waiter me("slot", &where);
                   me.deadline_ns = deadline_ns;
                   where.me = &me;
                   if (wait_published(&me, put_in, &where) == wait_result::timed_out) {
                     explorer::fail("assertion", "the deadline does not come in this model");
                   }
                   check(payload == 1, "the woken thread sees what was done before");
                 }},
          thread{"waker", [&] {
                   waiter* one = nullptr;
                   while ((one = where.word.load(base::acquire)) == nullptr) weft::arch::pause();
                   payload = 1;
                   wake(one);
                 }});
}

// ---- suspend and resume -------------------------------------------------------------------------

void suspend_and_resume() {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  int payload = 0;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   check(suspend() == weft::status::ok, "may block");
                   check(payload == 1, "the resumed thread sees what was done before");
                   finish(u);
                 }},
          thread{"worker", [&] { leave(u, 1); }}, thread{"resumer", [&] {
                                                           payload = 1;
                                                           check(resume(&u.one) == weft::status::ok, "a live unit");
                                                         }});
}

// It goes on once it has seen the words of both, whether they left it one permit or two.
void two_resumers() {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 2);
  weft::base::atomic<int> said_a{0}, said_b{0};
  const auto resume_after = [&](weft::base::atomic<int>& word) {
    word.store(1, weft::base::relaxed);
    static_cast<void>(resume(&u.one));
  };
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   while (said_a.load(weft::base::relaxed) == 0 || said_b.load(weft::base::relaxed) == 0) {
                     check(suspend() == weft::status::ok, "may block");
                   }
                   finish(u);
                 }},
          thread{"worker",
                 [&] {
                   leave(u, 1);
                   leave(u, 2);
                 }},
          thread{"resumer a", [&] { resume_after(said_a); }}, thread{"resumer b", [&] { resume_after(said_b); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 100'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 100'000};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 1, .spurious = 1, .executions = 10'000'000};

const model m1{"P ult waits", {.at_least = 100, .quick = quick, .deep = deep}, ult_waits};
const model m2{"P ult waits with deadline", {.at_least = 100, .quick = quick, .deep = deep}, ult_waits_with_deadline};
const model m3{"P clock alone", {.at_least = 100, .quick = quick, .deep = deep}, clock_alone};
const model m4{"P publication", {.at_least = 100, .quick = quick, .deep = deep}, publication};
const model m5{"P outside waits", {.at_least = 20, .quick = quick, .deep = deep}, outside_waits};
const model m6{
    "P outside waits with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep}, outside_waits_with_deadline};
const model m7{"P direct wake", {.at_least = 5, .quick = quick, .deep = deep}, [] { direct_wake(forever); }};
const model m8{
    "P direct wake with deadline", {.at_least = 5, .quick = quick, .deep = deep}, [] { direct_wake(explorer::never_ns); }};
const model m9{"P suspend and resume", {.at_least = 100, .quick = quick, .deep = deep}, suspend_and_resume};
const model m10{"P two resumers", {.at_least = 100, .quick = quick, .deep = deep}, two_resumers};

}  // namespace
