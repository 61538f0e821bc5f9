// Protocol A: what is published once and read by any thread: workers, pools that a worker serves,
// sources. Over src/place/pool.cpp, source.cpp, idle.cpp, ready.cpp and steal.cpp: a thread that
// sees the pointer sees what it points to; work behind it is found.
// Built with src/place/pool.cpp src/place/serving.cpp src/place/source.cpp src/place/kept_source.cpp
// Built with src/run/idle.cpp
// Built with src/run/wake.cpp src/run/ready.cpp src/run/steal.cpp src/unit/timer.cpp
// Built with src/thread/create.cpp src/run/end.cpp src/worker/extras.cpp src/thread/thread.cpp
#include <cstdlib>

#include "core_world.hpp"
#include "os/heap.hpp"
#include "place/pool.hpp"
#include "place/serving.hpp"
#include "place/source.hpp"
#include "run/choose.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "run/idle.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/steal.hpp"
#include "run/wait.hpp"
#include "run/wake.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/extras.hpp"

// The same blocks for each execution, so that nothing is left behind by those that are cut short.
alignas(64) unsigned char blocks[2][8192];
alignas(64) unsigned char blocks_of_details[2][sizeof(weft::sched::details)];
weft::base::atomic<int> next_block{0};
void* weft::os::allocate(std::size_t bytes) {
  const int block = next_block.fetch_add(1, weft::base::relaxed) % 2;
  return bytes == sizeof(weft::sched::details) ? blocks_of_details[block] : blocks[block];
}

namespace weft::sched {

void look_around(worker* w) { poll_sources(w); }
bool wake(waiter*) { explorer::fail("assertion", "no thread waits in these models"); }
wait_result wait_published(waiter*, bool (*)(void*), void*) { explorer::fail("assertion", "no thread waits in these models"); }

unit* find_own(worker* w) {
  if (!w->pinned_mail.is_empty()) take_in(w, w->pinned_mail.take_all());
  if (!w->mail.is_empty()) take_in(w, w->mail.take_all());
  if (w->custom.load(base::relaxed) != 0) {
    if (unit* const chosen = ask_scheduler(w); chosen != nullptr) return chosen;
  }
  enter(w);
  unit* one = w->ready.pop();
  w->lock.leave();
  return one != nullptr ? one : pop_from_pools(w);
}

}  // namespace weft::sched

namespace {

using namespace core_world::words;

void find_one(unsigned index) {
  local::set_worker(the.workers[index]);
  check(idle(the.workers[index]) != nullptr, "woken to run something");
}

// ---- pools --------------------------------------------------------------------------------------

pool* make_pool() {
  pool* made = nullptr;
  static_cast<void>(create_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &made));
  return made;
}

void pushed_to_pool() {
  core_world::make(1);
  pool* ready = make_pool();
  static_cast<void>(attach_pool(the.rt, ready, 0));
  unit one{};
  threads(thread{"worker", [&] { find_one(0); }}, thread{"pusher", [&] { push_to_pool(ready, &one, push_reason::created); }});
}

// The worker learns of the pool while it goes to sleep.
void attached_meanwhile() {
  core_world::make(1);
  pool* late = make_pool();
  unit one{};
  push_to_pool(late, &one, push_reason::created);
  threads(thread{"worker", [&] { find_one(0); }},
          thread{"attacher", [&] { check(attach_pool(the.rt, late, 0) == status::ok, "there is room"); }});
}

void attached_and_pushed() {
  core_world::make(1);
  pool* late = make_pool();
  unit one{};
  threads(thread{"worker", [&] { find_one(0); }},
          thread{"attacher", [&] { check(attach_pool(the.rt, late, 0) == status::ok, "there is room"); }},
          thread{"pusher", [&] { push_to_pool(late, &one, push_reason::created); }});
}

// As with pools: what a scheduler that is set meanwhile has to run, the worker finds without
// another push.
void scheduler_set_meanwhile() {
  core_world::make(1);
  unit one{};
  weft_scheduler_ops ops{};
  ops.next = [](void* state, unsigned) { return static_cast<weft_thread*>(state); };
  threads(thread{"worker", [&] { find_one(0); }},
          thread{"setter", [&] { check(set_scheduler(the.rt, 0, &ops, &one) == status::ok, "there is memory"); }});
}

// A worker that stands back from stealing still learns of work in its pool, and not only by its
// next look at the clock's bidding.
void pushed_while_pausing() {
  core_world::make(1);
  the.workers[0]->steal_after_ns = explorer::never_ns;
  pool* ready = make_pool();
  static_cast<void>(attach_pool(the.rt, ready, 0));
  unit one{};
  threads(thread{"worker",
                 [&] {
                   find_one(0);
                   check(!explorer::has_timed_out(), "woken by the push");
                 }},
          thread{"pusher", [&] { push_to_pool(ready, &one, push_reason::created); }});
}

// A worker has looked whose pool the unit lies in, to yield to it; meanwhile the unit goes to
// another pool, out of which it must not be taken with the lock of the first one.
void goes_to_another_pool() {
  core_world::make(1);
  pool* from = make_pool();
  pool* to = make_pool();
  unit one{};
  one.home.store(from, base::relaxed);
  push_to_pool(from, &one, push_reason::created);
  bool is_taken = false;
  bool is_moved = false;
  threads(thread{"yields to it", [&] { is_taken = remove_from_pool(from, &one); }},
          thread{"mover", [&] {
                   is_moved = pop_from_pool(from) == &one;
                   if (!is_moved) return;
                   set_home(&one, to);
                   push_to_pool(to, &one, push_reason::moved);
                 }});
  check(is_taken != is_moved, "one of them has it");
  check(ready_units(from) == 0 && ready_units(to) == (is_moved ? 1U : 0U), "each pool counts its own");
}

// It comes back before the thread that wants it has looked twice.
void goes_and_comes_back(void (*send)(unit* one, pool* next)) {
  core_world::make(1);
  pool* from = make_pool();
  pool* to = make_pool();
  unit one{};
  static_cast<void>(details_of(&one));
  one.home.store(from, base::relaxed);
  push_to_pool(from, &one, push_reason::created);
  bool is_taken = false;
  threads(thread{"yields to it", [&] { is_taken = remove_from_pool(from, &one); }},
          thread{"mover", [&] {
                   local::set_worker(the.workers[0]);
                   for (pool* next : {to, from}) {
                     if (pop_from_pool(next == to ? from : to) != &one) return;
                     send(&one, next);
                   }
                 }});
  check(ready_units(to) == 0 && ready_units(from) == (is_taken ? 0U : 1U), "each pool counts its own");
}

void migrates_and_comes_back() {
  goes_and_comes_back([](unit* one, pool* next) {
    check(migrate(one, next, 0) == status::ok, "sent");
    make_ready(the.workers[0], one, push_reason::woken);
  });
}
void is_pushed_and_comes_back() {
  goes_and_comes_back([](unit* one, pool* next) {
    set_home(one, next);
    push_to_pool(next, one, push_reason::moved);
  });
}

// Two send a unit that gets ready to different places: it goes to one of these, or stays, and
// nowhere else.
void sent_by_two() {
  core_world::make(3);
  pool* wanted = make_pool();
  unit one{};
  static_cast<void>(details_of(&one));
  threads(thread{"to a pool", [&] { check(migrate(&one, wanted, 0) == status::ok, "sent"); }},
          thread{"to worker 2", [&] { check(migrate(&one, nullptr, 2) == status::ok, "sent"); }},
          thread{"mover", [&] {
                   local::set_worker(the.workers[1]);
                   make_ready(the.workers[1], &one, push_reason::created);
                 }});
  check(the.workers[0]->mail.is_empty() && the.workers[0]->ready.is_empty(), "it was not sent to worker 0");
}

// ---- sources ------------------------------------------------------------------------------------

struct post {
  unit one{};
  base::atomic<bool> arrived{false};
  int polls = 0;  // written by poll, which one worker runs at a time
  bool is_gone = false;
};

std::size_t poll_post(void* state) {
  auto* here = static_cast<post*>(state);
  check(!here->is_gone, "not polled after the removal");
  ++here->polls;
  if (!here->arrived.exchange(false, base::acquire)) return 0;
  make_ready(local::current_worker(), &here->one, push_reason::created);
  return 1;
}

void notified() {
  core_world::make(1);
  post letters;
  source* made = nullptr;
  static_cast<void>(add_source(the.rt, {poll_post}, &letters, &made));
  threads(thread{"worker", [&] { find_one(0); }}, thread{"outside", [&] {
                                                           letters.arrived.store(true, base::release);
                                                           notify_source(the.rt, made);
                                                         }});
}

std::size_t poll_post_at_one(void* state) {
  check(local::current_worker()->index == 1, "the worker that was named polls it");
  return poll_post(state);
}

// The worker that was named is woken, while another one looks, too.
void notified_at_one() {
  core_world::make(2);
  post letters;
  source* made = nullptr;
  check(add_source(the.rt, {poll_post_at_one}, &letters, &made, true, 1) == status::ok, "there is such a worker");
  threads(thread{"worker 1", [&] { find_one(1); }},
          thread{"worker 0",
                 [&] {
                   local::set_worker(the.workers[0]);
                   poll_sources(the.workers[0]);
                 }},
          thread{"outside", [&] {
                   letters.arrived.store(true, base::release);
                   notify_source(the.rt, made);
                 }});
}

// The record of a ULT comes as a source's news do.
void woken_by_handler() {
  core_world::make(1);
  unit one{};
  waiter record{"semaphore", nullptr};
  record.who = &one;
  threads(thread{"worker", [&] { find_one(0); }}, thread{"handler", [&] { wake_from_handler(&record); }});
}

void added_meanwhile() {
  core_world::make(1);
  post letters;
  letters.arrived.store(true, base::relaxed);
  threads(thread{"worker", [&] { find_one(0); }}, thread{"outside", [&] {
                                                           source* made = nullptr;
                                                           check(add_source(the.rt, {poll_post}, &letters, &made) == status::ok,
                                                                 "there is room");
                                                           notify_source(the.rt, made);
                                                         }});
}

void polled_by_two() {
  core_world::make(2);
  post letters;
  source* made = nullptr;
  static_cast<void>(add_source(the.rt, {poll_post}, &letters, &made));
  const auto poll = [](unsigned index) {
    local::set_worker(the.workers[index]);
    poll_sources(the.workers[index]);
  };
  threads(thread{"worker 0", [&] { poll(0); }}, thread{"worker 1", [&] { poll(1); }});
  check(letters.polls >= 1, "a worker polled");
}

void removed_meanwhile() {
  core_world::make(1);
  post letters;
  source* made = nullptr;
  static_cast<void>(add_source(the.rt, {poll_post}, &letters, &made));
  threads(thread{"worker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   poll_sources(the.workers[0]);
                   poll_sources(the.workers[0]);
                 }},
          thread{"outside", [&] {
                   check(remove_source(the.rt, made) == status::ok, "it was there");
                   letters.is_gone = true;
                 }});
}

// Each comes to a slot of its own.
void two_are_added() {
  core_world::make(1);
  post letters;
  source* made[2] = {};
  const auto add = [&](int which) {
    check(add_source(the.rt, {poll_post}, &letters, &made[which]) == status::ok, "there is room");
  };
  threads(thread{"a", [&] { add(0); }}, thread{"b", [&] { add(1); }});
  for (source* each : made) check(remove_source(the.rt, each) == status::ok, "it is there");
}

// ---- workers ------------------------------------------------------------------------------------

void worker_appears(void (*meets_it)(unit* one)) {
  core_world::make(1);
  unit one{};
  the.rt->settings.locality = WEFT_LOCALITY_STEAL;
  threads(thread{"starter", [&] { core_world::publish(1, base::release); }}, thread{"other", [&] { meets_it(&one); }});
}
void appears_to_waker() {
  worker_appears([](unit*) { wake_all(the.rt); });
}
void appears_to_waker_of_one() {
  worker_appears([](unit*) { wake_any(the.rt); });
}
void appears_to_waker_of_somebody() {
  worker_appears([](unit*) { wake_somebody(the.rt); });
}
void appears_to_pusher() {
  worker_appears([](unit* one) {
    the.rt->next_target.store(1, base::relaxed);
    make_ready(nullptr, one, push_reason::created);
  });
}
void appears_to_thief() {
  worker_appears([](unit*) {
    local::set_worker(the.workers[0]);
    static_cast<void>(sees_prey(the.workers[0]));
    static_cast<void>(steal(the.workers[0]));
  });
}

// The pool is older than the worker that comes to serve it.
void appears_to_pusher_into_its_pool() {
  core_world::make(1);
  pool* early = make_pool();
  unit one{};
  threads(thread{"starter",
                 [&] {
                   core_world::publish(1, base::release);
                   check(attach_pool(the.rt, early, 1) == status::ok, "there is room");
                 }},
          thread{"pusher", [&] { push_to_pool(early, &one, push_reason::created); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 60'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"A pushed to a pool", {.at_least = 100, .quick = quick, .deep = deep}, pushed_to_pool};
const model m2{"A pool attached meanwhile", {.at_least = 100, .quick = quick, .deep = deep}, attached_meanwhile};
const model m20{"A scheduler set meanwhile", {.at_least = 100, .quick = quick, .deep = deep}, scheduler_set_meanwhile};
const model m3{"A pool attached and pushed to", {.at_least = 100, .quick = quick, .deep = deep}, attached_and_pushed};
const model m4{"A pushed while pausing", {.at_least = 100, .quick = quick, .deep = deep}, pushed_while_pausing};
const model m12{"A unit goes to another pool", {.at_least = 10, .quick = quick, .deep = deep}, goes_to_another_pool};
const model m14{"A unit goes and comes back", {.at_least = 10, .quick = quick, .deep = deep}, migrates_and_comes_back};
const model m18{"A unit is pushed and comes back", {.at_least = 10, .quick = quick, .deep = deep}, is_pushed_and_comes_back};
const model m13{"A sent by two", {.at_least = 100, .quick = quick, .deep = deep}, sent_by_two};
const model m5{"A source notified", {.at_least = 100, .quick = quick, .deep = deep}, notified};
const model at_one{"A source notified that one worker polls", {.at_least = 100, .quick = quick, .deep = deep}, notified_at_one};
const model by_handler{"A woken by a handler", {.at_least = 100, .quick = quick, .deep = deep}, woken_by_handler};
const model m6{"A source added meanwhile", {.at_least = 100, .quick = quick, .deep = deep}, added_meanwhile};
const model m7{"A source polled by two", {.at_least = 5, .quick = quick, .deep = deep}, polled_by_two};
const model m8{"A source removed meanwhile", {.at_least = 50, .quick = quick, .deep = deep}, removed_meanwhile};
const model m22{"A two sources are added", {.at_least = 5, .quick = quick, .deep = deep}, two_are_added};
const model m9{"A worker appears to a waker", {.at_least = 10, .quick = quick, .deep = deep}, appears_to_waker};
const model m15{"A worker appears to a waker of one", {.at_least = 5, .quick = quick, .deep = deep}, appears_to_waker_of_one};
const model m16{
    "A worker appears to a waker of somebody", {.at_least = 5, .quick = quick, .deep = deep}, appears_to_waker_of_somebody};
const model m10{"A worker appears to a pusher", {.at_least = 10, .quick = quick, .deep = deep}, appears_to_pusher};
const model m17{"A worker appears to a pusher into its pool",
                {.at_least = 10, .quick = quick, .deep = deep},
                appears_to_pusher_into_its_pool};
const model m11{"A worker appears to a thief", {.at_least = 10, .quick = quick, .deep = deep}, appears_to_thief};

}  // namespace
