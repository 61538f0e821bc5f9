// Protocol I over src/run/idle.cpp and ready.cpp: work that was made available is found, however
// the sleepers and the pushers meet; a deadline that becomes earlier reaches the worker that keeps
// the clock; stopping reaches every worker.
// Built with src/run/idle.cpp src/run/wake.cpp src/run/ready.cpp src/unit/timer.cpp
#include "arch/cpu.hpp"
#include "core_world.hpp"
#include "os/clock.hpp"
#include "run/choose.hpp"
#include "run/idle.hpp"
#include "run/ready.hpp"
#include "run/steal.hpp"
#include "run/wake.hpp"

// Timers: a due one stands for a unit in the worker's own queue.
namespace weft::sched {

unit* behind_alarm;

void look_around(worker* w) {
  if (w->rt->alarms.next_ns() > os::now_ns()) return;
  timer* due = w->rt->alarms.take_due(os::now_ns(), [](timer*) { return true; });
  if (due == nullptr) return;
  behind_alarm->next = nullptr;
  take_in(w, behind_alarm);
}

// Work that any worker may take, of owners that never come to it.
base::atomic<unit*> left_lying[2];

bool sees_prey(worker*) { return left_lying[0].load(base::relaxed) != nullptr || left_lying[1].load(base::relaxed) != nullptr; }
unit* steal(worker*) {
  for (base::atomic<unit*>& place : left_lying) {
    if (place.load(base::relaxed) == nullptr) continue;
    if (unit* one = place.exchange(nullptr, base::acquire); one != nullptr) return one;
  }
  return nullptr;
}

bool has_stood_back(worker* w) { return os::now_ns() >= w->steal_after_ns || os::now_ns() >= w->rt->alarms.next_ns(); }

}  // namespace weft::sched

// ---- the models ---------------------------------------------------------------------------------

namespace {

using namespace core_world::words;

// Worker `index` idles until it has found `count` units.
void find(unsigned index, int count) {
  worker* w = the.workers[index];
  local::set_worker(w);
  for (int found = 0; found < count; ++found) check(idle(w) != nullptr, "woken to run something");
}

// Idles until a worker found the last of all units; the finder stops the others.
struct shared_count {
  base::atomic<int> left;
};
void find_until_stopped(unsigned index, shared_count* units) {
  worker* w = the.workers[index];
  local::set_worker(w);
  while (idle(w) != nullptr) {
    if (units->left.fetch_sub(1, base::relaxed) != 1) continue;
    the.rt->is_stopping.store(true, base::relaxed);
    wake_all(the.rt);
  }
}

void push_from_outside(unit* one) { make_ready(nullptr, one, push_reason::created); }

void one_worker_one_pusher() {
  core_world::make(1);
  unit one{};
  threads(thread{"worker", [&] { find(0, 1); }}, thread{"outside", [&] { push_from_outside(&one); }});
}

// Called out of a sleep or found before one: what is no fork ends the spin for short gaps.
void longer_spin_is_taken_back() {
  core_world::make(1);
  worker* const w = the.workers[0];
  w->spin_ns = 1;
  unit one{};
  threads(thread{"worker",
                 [&] {
                   find(0, 1);
                   check(w->spin_ns == 0, "the next gap is not taken for a short one");
                 }},
          thread{"outside", [&] { push_from_outside(&one); }});
}

void one_worker_two_units() {
  core_world::make(1);
  unit first{}, second{};
  threads(thread{"worker", [&] { find(0, 2); }}, thread{"outside", [&] {
                                                          push_from_outside(&first);
                                                          push_from_outside(&second);
                                                        }});
}

void two_pushers() {
  core_world::make(1);
  unit first{}, second{};
  threads(thread{"worker", [&] { find(0, 2); }}, thread{"outside a", [&] { push_from_outside(&first); }},
          thread{"outside b", [&] { push_from_outside(&second); }});
}

void two_workers() {
  core_world::make(2);
  unit first{}, second{};
  shared_count units{{2}};
  threads(thread{"worker 0", [&] { find_until_stopped(0, &units); }}, thread{"worker 1", [&] { find_until_stopped(1, &units); }},
          thread{"outside", [&] {
                   push_from_outside(&first);
                   push_from_outside(&second);
                 }});
}

void pinned_unit() {
  core_world::make(1);
  unit one{};
  one.set(stays_put);
  threads(thread{"worker", [&] { find(0, 1); }}, thread{"outside", [&] { send_to(the.workers[0], &one); }});
}

// A worker that stands back from stealing sleeps for a while: its own work wakes it before.
void pausing() {
  core_world::make(1);
  the.workers[0]->steal_after_ns = explorer::never_ns;
  unit one{};
  threads(thread{"worker",
                 [&] {
                   find(0, 1);
                   check(!explorer::has_timed_out(), "it was woken");
                 }},
          thread{"outside", [&] { send_to(the.workers[0], &one); }});
}

// The same for one that stays awake meanwhile, and is not woken.
void make_one_that_stands_back_awake() {
  core_world::make(1);
  the.rt->settings.wait_policy = WEFT_WAIT_HYBRID;
  the.rt->settings.spin_ns = explorer::never_ns;
  the.workers[0]->steal_after_ns = explorer::never_ns;
}

void standing_back_awake() {
  make_one_that_stands_back_awake();
  unit one{};
  threads(thread{"worker", [&] { find(0, 1); }}, thread{"outside", [&] { send_to(the.workers[0], &one); }});
}

void deadline_while_standing_back_awake() {
  make_one_that_stands_back_awake();
  unit one{};
  behind_alarm = &one;
  timer alarm;
  alarm.deadline_ns = 1;
  threads(thread{"worker", [&] { find(0, 1); }}, thread{"outside", [&] {
                                                          if (the.rt->alarms.arm(&alarm)) wake_clock_keeper(the.rt);
                                                        }});
}

void stopping_while_standing_back_awake() {
  make_one_that_stands_back_awake();
  threads(thread{"worker",
                 [] {
                   local::set_worker(the.workers[0]);
                   check(idle(the.workers[0]) == nullptr, "nothing to run");
                 }},
          thread{"outside", [] {
                   the.rt->is_stopping.store(true, base::relaxed);
                   wake_all(the.rt);
                 }});
}

void stopping() {
  core_world::make(2);
  const auto work = [](unsigned index) {
    local::set_worker(the.workers[index]);
    check(idle(the.workers[index]) == nullptr, "nothing to run");
  };
  threads(thread{"worker 0", [&] { work(0); }}, thread{"worker 1", [&] { work(1); }}, thread{"outside", [&] {
                                                                                               the.rt->is_stopping.store(
                                                                                                   true, base::relaxed);
                                                                                               wake_all(the.rt);
                                                                                             }});
}

// The first deadline comes while the worker goes to sleep.
void deadline_appears() {
  core_world::make(1);
  unit one{};
  behind_alarm = &one;
  timer alarm;
  alarm.deadline_ns = 1;
  threads(thread{"worker", [&] { find(0, 1); }}, thread{"outside", [&] {
                                                          if (the.rt->alarms.arm(&alarm)) wake_clock_keeper(the.rt);
                                                        }});
}

// The same for one of two workers, while the other one still searches and is therefore not woken:
// the keeper must learn of it.
void deadline_appears_to_two() {
  core_world::make(2);
  unit one{};
  behind_alarm = &one;
  timer alarm;
  alarm.deadline_ns = 1'000'000;  // not due before a worker has slept
  shared_count units{{1}};
  threads(thread{"worker 0", [&] { find_until_stopped(0, &units); }}, thread{"worker 1", [&] { find_until_stopped(1, &units); }},
          thread{"outside", [&] {
                   if (the.rt->alarms.arm(&alarm)) wake_clock_keeper(the.rt);
                 }});
}

// A waker that looks for sleepers never finds a wrong count: the woken one may stop searching
// before its waker goes on.
void searchers_are_counted() {
  core_world::make(1);
  unit one{};
  const auto leave = [&] {
    left_lying[0].store(&one, base::release);
    base::light_fence();  // as wake_one, which would not wake where it sees a searcher
    wake_any(the.rt);
  };
  threads(thread{"worker", [&] { find(0, 1); }}, thread{"outside", leave},
          thread{"looks", [] { check(the.rt->searchers.load(base::relaxed) <= 2, "the one worker, and once more on its way"); }});
}

// Keeps its worker, once it has something to run, until the other unit is run as well.
void find_and_stay(unsigned index, shared_count* units) {
  worker* w = the.workers[index];
  local::set_worker(w);
  if (idle(w) == nullptr) return;
  units->left.fetch_sub(1, base::relaxed);
  while (units->left.load(base::relaxed) != 0) weft::arch::pause();
  the.rt->is_stopping.store(true, base::relaxed);
  wake_all(the.rt);
}

// Each of two units must get a worker, however long the waker of the first one takes.
void two_owners_stay_away() {
  core_world::make(2);
  unit units[2]{};
  shared_count left{{2}};
  const auto leave = [&](unsigned index) {
    left_lying[index].store(&units[index], base::release);
    wake_one(the.rt);
  };
  threads(thread{"worker 0", [&] { find_and_stay(0, &left); }}, thread{"worker 1", [&] { find_and_stay(1, &left); }},
          thread{"owner 0", [&] { leave(0); }}, thread{"owner 1", [&] { leave(1); }});
}

// The keeper is called for a unit and runs it for long: the other one keeps the clock, or learns of
// the deadline.
void called_keeper_leaves_the_clock() {
  core_world::make(2);
  unit pinned{}, due{};
  pinned.set(stays_put);
  behind_alarm = &due;
  timer alarm;
  alarm.deadline_ns = 1'000'000;
  base::atomic<bool> is_run{false};
  const auto find_one = [&](unsigned index) {
    worker* w = the.workers[index];
    local::set_worker(w);
    while (unit* one = idle(w)) {
      if (one == &pinned) {
        while (!is_run.load(base::relaxed)) weft::arch::pause();
      } else {
        is_run.store(true, base::relaxed);
        the.rt->is_stopping.store(true, base::relaxed);
        wake_all(the.rt);
      }
    }
  };
  threads(thread{"worker 0", [&] { find_one(0); }}, thread{"worker 1", [&] { find_one(1); }},
          thread{"outside", [&] {
                   send_to(the.workers[0], &pinned);
                   if (the.rt->alarms.arm(&alarm)) wake_clock_keeper(the.rt);
                 }});
}

// The same when the keeper is called for the deadline and for a unit at once. Worker 1 sleeps all
// the time: it has to be woken.
void keeper_is_called_twice() {
  core_world::make(2);
  worker* const sleeper = the.workers[1];
  sleeper->is_asleep.store(1, base::relaxed);
  the.rt->sleepers.store(1, base::relaxed);
  unit pinned{};
  pinned.set(stays_put);
  timer alarm;
  alarm.deadline_ns = explorer::never_ns;
  threads(thread{"worker 0", [&] { find(0, 1); }}, thread{"calls", [&] { send_to(the.workers[0], &pinned); }},
          thread{"outside", [&] {
                   if (the.rt->alarms.arm(&alarm)) wake_clock_keeper(the.rt);
                 }});
  check(sleeper->is_asleep.load(base::relaxed) == 0, "another worker keeps the clock");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 50'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 50'000};
constexpr bounds quick_promise{.preemptions = 2, .weak = 1, .promises = 1, .executions = 50'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 10'000'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .executions = 10'000'000};
constexpr bounds deep_promise{.preemptions = 3, .weak = 2, .promises = 1, .executions = 1'000'000};

const model m1{"I one worker, one pusher", {.at_least = 100, .quick = quick, .deep = deep}, one_worker_one_pusher};
const model m18{"I a longer spin is taken back", {.at_least = 100, .quick = quick, .deep = deep}, longer_spin_is_taken_back};
const model m2{"I one worker, two units", {.at_least = 100, .quick = quick, .deep = deep}, one_worker_two_units};
const model m3{"I one worker, two pushers", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_pushers};
const model m4{"I two workers", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_workers};
const model m5{"I pinned unit", {.at_least = 100, .quick = quick, .deep = deep}, pinned_unit};
const model m6{"I standing back from stealing", {.at_least = 100, .quick = quick, .deep = deep}, pausing};
const model m15{"I standing back awake", {.at_least = 10, .quick = quick, .deep = deep}, standing_back_awake};
const model m16{
    "I a deadline while standing back awake", {.at_least = 10, .quick = quick, .deep = deep}, deadline_while_standing_back_awake};
const model m17{
    "I stopping while standing back awake", {.at_least = 10, .quick = quick, .deep = deep}, stopping_while_standing_back_awake};
const model m7{"I stopping", {.at_least = 100, .quick = quick_three, .deep = deep_three}, stopping};
const model m11{"I searchers are counted", {.at_least = 100, .quick = quick_three, .deep = deep}, searchers_are_counted};
const model m12{"I searchers are counted, with promises",
                {.at_least = 100, .quick = quick_promise, .deep = deep_promise},
                searchers_are_counted};
const model m10{"I two owners stay away",
                {.at_least = 100, .quick = {.preemptions = 2, .weak = 0, .executions = 100'000}, .deep = deep_three},
                two_owners_stay_away};
const model m8{"I a deadline appears", {.at_least = 100, .quick = quick, .deep = deep}, deadline_appears};
const model m9{
    "I a deadline appears to two", {.at_least = 100, .quick = quick_three, .deep = deep_three}, deadline_appears_to_two};

const model m13{"I a called keeper leaves the clock",
                {.at_least = 100, .quick = quick_three, .deep = deep_three},
                called_keeper_leaves_the_clock};

const model m14{
    "I a keeper is called twice", {.at_least = 100, .quick = quick_three, .deep = deep_three}, keeper_is_called_twice};

}  // namespace
