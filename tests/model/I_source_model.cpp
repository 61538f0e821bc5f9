// Protocol I, a worker that sleeps in a source instead of on its futex: its news, wake-ups of every
// kind and deadlines reach it, it is alone in the source, another worker takes its place, and no
// call of a source comes after its removal. A source without a wait is polled until it has nothing.
// Built with src/place/source.cpp src/place/kept_source.cpp src/run/idle.cpp src/run/wake.cpp
// Built with src/run/ready.cpp src/unit/timer.cpp
#include "arch/cpu.hpp"
#include "core_world.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/heap.hpp"
#include "place/source.hpp"
#include "run/choose.hpp"
#include "run/idle.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/wake.hpp"

// The same blocks for each execution, so that nothing is left behind by those that are cut short.
alignas(64) unsigned char blocks[2][sizeof(weft::sched::source)];
weft::base::atomic<int> next_block{0};
void* weft::os::allocate(std::size_t) { return blocks[next_block.fetch_add(1, weft::base::relaxed) % 2]; }

namespace weft::sched {

unit* behind_alarm;

bool wake(waiter*) { explorer::fail("assertion", "no thread waits in these models"); }

void look_around(worker* w) {
  poll_sources(w);
  if (w->rt->alarms.next_ns() > os::now_ns()) return;
  if (w->rt->alarms.take_due(os::now_ns(), [](timer*) { return true; }) == nullptr) return;
  behind_alarm->next = nullptr;
  take_in(w, behind_alarm);
}

}  // namespace weft::sched

namespace {

using namespace core_world::words;

// What a pipe and an eventfd are to a program.
struct inlet {
  base::atomic<unit*> brought{nullptr};  // there to be read: wait ends
  base::atomic<unit*> told{nullptr};     // only poll finds it: notify_source
  base::atomic<std::uint32_t> bell{0};
  int inside = 0;  // written by poll and wait, one worker at a time
  bool is_gone = false;
};

std::size_t make_those_ready(base::atomic<unit*>* from) {
  unit* const one = from->load(base::relaxed) != nullptr ? from->exchange(nullptr, base::acquire) : nullptr;
  if (one == nullptr) return 0;
  make_ready(local::current_worker(), one, push_reason::created);
  return 1;
}

std::size_t poll_inlet(void* state) {
  auto* here = static_cast<inlet*>(state);
  check(!here->is_gone, "not polled after the removal");
  ++here->inside;
  return make_those_ready(&here->brought) + make_those_ready(&here->told);
}

void wait_at_inlet(void* state, std::uint64_t deadline_ns) {
  auto* here = static_cast<inlet*>(state);
  check(!here->is_gone, "no wait begins after the removal");
  ++here->inside;
  while (here->bell.load(base::relaxed) == 0 && here->brought.load(base::relaxed) == nullptr) {
    if (!weft::os::futex_wait_until(&here->bell, 0, deadline_ns)) break;
  }
  static_cast<void>(here->bell.exchange(0, base::acquire));
  check(!here->is_gone, "the removal waits for the wait");
}

void ring(inlet* here) {
  here->bell.store(1, base::release);
  weft::os::futex_wake(&here->bell, 1);
}

void wake_inlet(void* state) {
  auto* here = static_cast<inlet*>(state);
  ring(here);
  check(!here->is_gone, "the removal waits for the waker");
}

// The world, which knows nothing of Weft.
void bring(inlet* to, unit* one) {
  to->brought.store(one, base::release);
  ring(to);
}

source* add(inlet* one) {
  source* made = nullptr;
  constexpr source_calls calls{.poll = poll_inlet, .wait = wait_at_inlet, .wake = wake_inlet};
  check(add_source(the.rt, calls, one, &made, false) == status::ok, "there is room");
  return made;
}

unit* find_one(unsigned index) {
  local::set_worker(the.workers[index]);
  return idle(the.workers[index]);
}

void stop() {
  the.rt->is_stopping.store(true, base::relaxed);
  wake_all(the.rt);
}

// ---- the models ---------------------------------------------------------------------------------

void news_arrive() {
  core_world::make(1);
  inlet here;
  unit one{};
  add(&here);
  threads(thread{"worker", [&] { check(find_one(0) == &one, "its news"); }}, thread{"world", [&] { bring(&here, &one); }});
}

void pushed() {
  core_world::make(1);
  inlet here;
  unit one{};
  add(&here);
  threads(thread{"worker", [&] { check(find_one(0) == &one, "what was pushed"); }},
          thread{"outside", [&] { make_ready(nullptr, &one, push_reason::created); }});
}

void notified() {
  core_world::make(1);
  inlet here;
  unit one{};
  source* const made = add(&here);
  threads(thread{"worker", [&] { check(find_one(0) == &one, "what was told"); }}, thread{"outside", [&] {
                                                                                           here.told.store(&one, base::release);
                                                                                           notify_source(the.rt, made);
                                                                                         }});
}

// The one of two that is told may not be the one that sleeps there.
void notified_beside_another() {
  core_world::make(2);
  inlet here;
  unit one{};
  source* const made = add(&here);
  const auto work = [&](unsigned index) {
    if (find_one(index) == &one) stop();
  };
  threads(thread{"worker 0", [&] { work(0); }}, thread{"worker 1", [&] { work(1); }}, thread{"outside", [&] {
                                                                                               here.told.store(&one,
                                                                                                               base::release);
                                                                                               notify_source(the.rt, made);
                                                                                             }});
}

void added_meanwhile() {
  core_world::make(1);
  inlet here;
  unit one{};
  here.brought.store(&one, base::relaxed);
  threads(thread{"worker", [&] { check(find_one(0) == &one, "the news that were there"); }},
          thread{"outside", [&] { add(&here); }});
}

// The adder has told nothing to the waker.
void added_beside_a_waker() {
  core_world::make(1);
  inlet here;
  unit one{};
  threads(thread{"worker", [&] { check(find_one(0) == &one, "what was pushed"); }}, thread{"adder", [&] { add(&here); }},
          thread{"waker", [&] { make_ready(nullptr, &one, push_reason::created); }});
}

void deadline_appears() {
  core_world::make(1);
  inlet here;
  unit one{};
  behind_alarm = &one;
  timer alarm;
  alarm.deadline_ns = 1'000'000;
  add(&here);
  threads(thread{"worker", [&] { check(find_one(0) == &one, "what the alarm woke"); }}, thread{"outside", [&] {
                                                                                                 if (the.rt->alarms.arm(&alarm))
                                                                                                   wake_clock_keeper(the.rt);
                                                                                               }});
}

void removed_meanwhile() {
  core_world::make(1);
  inlet here;
  source* const made = add(&here);
  threads(thread{"worker", [&] { check(find_one(0) == nullptr, "nothing to run"); }},
          thread{"outside", [&] {
                   const status result = remove_source(the.rt, made);
                   check(result == status::ok, "it is there");
                   here.is_gone = true;
                   stop();
                 }});
}

void removed_by_one_woken_by_another() {
  core_world::make(1);
  inlet here;
  unit one{};
  source* const made = add(&here);
  threads(thread{"worker", [&] { check(find_one(0) == &one, "what was pushed"); }},
          thread{"waker", [&] { make_ready(nullptr, &one, push_reason::created); }},
          thread{"remover", [&] {
                   const status result = remove_source(the.rt, made);
                   check(result == status::ok, "it is there");
                   here.is_gone = true;
                 }});
}

// The finder of the first unit keeps its worker until the second one, which is brought later, has
// run: the other worker sleeps in the source by then.
void keeper_goes_to_work() {
  core_world::make(2);
  inlet here;
  unit first{}, second{};
  base::atomic<bool> has_second_run{false};
  add(&here);
  const auto work = [&](unsigned index) {
    while (unit* const one = find_one(index)) {
      if (one == &first) {
        bring(&here, &second);
        while (!has_second_run.load(base::relaxed)) weft::arch::pause();
      } else {
        has_second_run.store(true, base::relaxed);
        stop();
      }
    }
  };
  threads(thread{"worker 0", [&] { work(0); }}, thread{"worker 1", [&] { work(1); }},
          thread{"world", [&] { bring(&here, &first); }});
}

// The same where the keeper was called for a unit of its own.
void called_keeper_goes_to_work() {
  core_world::make(2);
  inlet here;
  unit pinned{}, second{};
  pinned.set(stays_put);
  base::atomic<bool> has_second_run{false};
  add(&here);
  const auto work = [&](unsigned index) {
    while (unit* const one = find_one(index)) {
      if (one == &pinned) {
        bring(&here, &second);
        while (!has_second_run.load(base::relaxed)) weft::arch::pause();
      } else {
        has_second_run.store(true, base::relaxed);
        stop();
      }
    }
  };
  threads(thread{"worker 0", [&] { work(0); }}, thread{"worker 1", [&] { work(1); }},
          thread{"outside", [&] { send_to(the.workers[0], &pinned); }});
}

// Of two that sleep, the one that keeps no source is woken.
void keeper_is_woken_last() {
  core_world::make(2);
  inlet here;
  add(&here);
  for (worker* w : {the.workers[0], the.workers[1]}) w->is_asleep.store(1, base::relaxed);
  the.rt->sleepers.store(2, base::relaxed);
  try_to_keep_source(the.workers[0]);
  check(the.workers[0]->kept_source.load(base::relaxed) != nullptr, "it keeps the source");
  threads(thread{"waker", [] { wake_one(the.rt); }});
  check(the.workers[0]->is_asleep.load(base::relaxed) == 1, "the keeper sleeps on");
  check(the.workers[1]->is_asleep.load(base::relaxed) == 0, "the other one was woken");
}

// ---- a poll that takes one unit at a time ----

struct stock {
  unit first{}, second{};
  int taken = 0;  // written by poll, one worker at a time
};

std::size_t poll_stock(void* state) {
  auto* here = static_cast<stock*>(state);
  if (here->taken == 2) return 0;
  ++here->taken;
  // The first one runs, and its worker may sleep again, before the poller has left the source.
  here->taken == 1 ? send_to(the.workers[1], &here->first)
                   : make_ready(local::current_worker(), &here->second, push_reason::created);
  return 1;
}

void taken_one_at_a_time() {
  core_world::make(2);
  stock here;
  source* made = nullptr;
  check(add_source(the.rt, {.poll = poll_stock}, &here, &made) == status::ok, "there is room");
  const auto work = [&](unsigned index) {
    while (unit* const one = find_one(index)) {
      if (one == &here.second) stop();
    }
  };
  threads(thread{"worker 0", [&] { work(0); }}, thread{"worker 1", [&] { work(1); }});
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 50'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 50'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 10'000'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .executions = 10'000'000};

const model m1{"I news in a source", {.at_least = 50, .quick = quick, .deep = deep}, news_arrive};
const model m2{"I pushed to one that sleeps in a source", {.at_least = 100, .quick = quick, .deep = deep}, pushed};
const model m3{"I a source that is slept in is notified", {.at_least = 100, .quick = quick, .deep = deep}, notified};
const model m4{"I a source that is slept in is notified beside another worker",
               {.at_least = 100, .quick = quick_three, .deep = deep_three},
               notified_beside_another};
const model m5{"I a source to sleep in is added", {.at_least = 50, .quick = quick, .deep = deep}, added_meanwhile};
const model m11{"I a source to sleep in is added beside a waker",
                {.at_least = 100, .quick = quick_three, .deep = deep_three},
                added_beside_a_waker};
const model m6{
    "I a deadline appears to one that sleeps in a source", {.at_least = 100, .quick = quick, .deep = deep}, deadline_appears};
const model m7{"I a source that is slept in is removed", {.at_least = 100, .quick = quick, .deep = deep}, removed_meanwhile};
const model m8{"I a source that is slept in is removed beside a waker",
               {.at_least = 100, .quick = quick_three, .deep = deep_three},
               removed_by_one_woken_by_another};
const model m9{
    "I a keeper of a source goes to work", {.at_least = 100, .quick = quick_three, .deep = deep_three}, keeper_goes_to_work};
const model m10{"I a called keeper of a source goes to work",
                {.at_least = 100, .quick = quick_three, .deep = deep_three},
                called_keeper_goes_to_work};
const model m13{
    "I a source whose poll takes one at a time", {.at_least = 100, .quick = quick, .deep = deep}, taken_one_at_a_time};
const model m12{"I a keeper of a source is woken last", {.at_least = 1, .quick = quick, .deep = deep}, keeper_is_woken_last};

}  // namespace
