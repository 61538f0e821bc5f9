// A pool's both ends and its middle over src/place/pool.cpp: units are pushed, popped, taken from
// the far end, taken out by name or if they are next, and pushed again into another pool, by two
// workers and an OS thread outside. Each unit is taken once, what its pusher wrote is seen, the
// order of what nothing else touched stays, and the counts are right in the end.
// Built with src/place/pool.cpp src/run/end.cpp src/worker/extras.cpp src/thread/thread.cpp
// Built with src/unit/timer.cpp
#include <cstdlib>

#include "core_world.hpp"
#include "os/heap.hpp"
#include "place/pool.hpp"
#include "run/ready.hpp"
#include "run/wait.hpp"
#include "thread/thread.hpp"
#include "unit/waiter.hpp"
#include "worker/extras.hpp"

void* weft::os::allocate(std::size_t bytes) { return std::calloc(1, bytes); }

namespace weft::sched {

bool wake(waiter*) { explorer::fail("assertion", "nothing waits in these models"); }
wait_result wait_published(waiter*, bool (*)(void*), void*) { explorer::fail("assertion", "nothing waits in these models"); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;

struct scene {
  static constexpr unsigned most = 3;
  pool* one = nullptr;
  unit units[most] = {};
  int written[most] = {};  // by the pusher, before the push; by the taker, after it took the unit
  int times_taken[most] = {};

  explicit scene(weft_pool_kind kind) {
    core_world::make(2);
    check(create_pool(kind, WEFT_POOL_SHARED, &one) == status::ok, "there is memory");
    for (unit& each : units) set_home(&each, one);
  }
  ~scene() { std::free(one); }
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  void push(unsigned number, push_reason reason = push_reason::created) {
    written[number] = 1;
    push_to_pool(one, &units[number], reason);
  }
  bool take(const unit* what) {
    if (what == nullptr) return false;
    const auto number = static_cast<unsigned>(what - units);
    check(written[number] == 1, "sees what the pusher wrote");
    written[number] = 2;
    ++times_taken[number];
    return true;
  }
  // Takes what is left, and says how many.
  void check_each_taken_once(unsigned pushed) {
    while (take(pop_from_pool(one))) {
    }
    for (unsigned i = 0; i < pushed; ++i) check(times_taken[i] == 1, "each is taken once");
    check(ready_units(one) == 0 && total_units(one) == 0, "nothing is left");
    for (const unit& each : units) check(each.in.load(base::relaxed) == 0, "none believes to be in it");
  }
};

void be_worker(unsigned index) { local::set_worker(the.workers[index]); }

// One worker pushes and pops at the near end, the other takes from the far end.
void both_ends(weft_pool_kind kind) {
  scene here(kind);
  here.push(0);
  threads(thread{"owner",
                 [&] {
                   be_worker(0);
                   here.push(1);
                   here.take(pop_from_pool(here.one));
                   here.push(2);
                 }},
          thread{"far", [&] {
                   be_worker(1);
                   here.take(pop_last_from_pool(here.one));
                   here.take(pop_last_from_pool(here.one));
                 }});
  here.check_each_taken_once(3);
}

// A unit that is taken out by name, by two that both want it, while a third pops.
void by_name(weft_pool_kind kind) {
  scene here(kind);
  here.push(0);
  here.push(1);
  const auto remove = [&](unsigned index) {
    be_worker(index);
    pool* some[1] = {here.one};
    if (remove_from_one(some, 1, &here.units[1])) here.take(&here.units[1]);
  };
  threads(thread{"one", [&] { remove(0); }}, thread{"two", [&] { remove(1); }},
          thread{"pops", [&] { here.take(pop_from_pool(here.one)); }});
  here.check_each_taken_once(2);
}

// Two are pushed while one is popped: what lies in it afterwards lies in the order of the pushes.
void order_stays(weft_pool_kind kind) {
  scene here(kind);
  here.push(0);
  threads(thread{"pusher",
                 [&] {
                   be_worker(0);
                   here.push(1);
                   here.push(2);
                 }},
          thread{"pops", [&] {
                   be_worker(1);
                   here.take(pop_from_pool(here.one));
                 }});
  unit* before = nullptr;
  while (unit* next = pop_from_pool(here.one)) {
    if (before != nullptr) check(kind == WEFT_POOL_FIFO ? before < next : before > next, "the order of the kind");
    here.take(next);
    before = next;
  }
  here.check_each_taken_once(3);
}

// A unit that goes to another pool while it is looked for in the first.
void goes_to_another() {
  scene here(WEFT_POOL_FIFO);
  pool* other = nullptr;
  check(create_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &other) == status::ok, "there is memory");
  here.push(0);
  threads(thread{"moves it",
                 [&] {
                   be_worker(0);
                   unit* const what = pop_from_pool(here.one);
                   if (what == nullptr) return;
                   check(push_owned(other, what, push_reason::moved) == status::ok, "always");
                 }},
          thread{"looks for it",
                 [&] {
                   be_worker(1);
                   if (remove_from_pool(here.one, &here.units[0])) here.take(&here.units[0]);
                 }},
          thread{"looks there", [&] {
                   if (remove_from_pool(other, &here.units[0])) here.take(&here.units[0]);
                 }});
  while (here.take(pop_from_pool(other))) {
  }
  check(ready_units(other) == 0, "nothing is left");
  here.check_each_taken_once(1);
  std::free(other);
}

// Of several priorities: the bits that say which queues hold units stay true.
void priorities() {
  scene here(WEFT_POOL_PRIORITY);
  for (unsigned i = 0; i < 3; ++i) here.units[i].priority = static_cast<std::uint8_t>(i);
  here.push(0);
  here.push(1);
  threads(thread{"far",
                 [&] {
                   be_worker(0);
                   here.take(pop_last_from_pool(here.one));
                 }},
          thread{"pushes", [&] {
                   be_worker(1);
                   here.push(2);
                   if (remove_from_pool(here.one, &here.units[0])) here.take(&here.units[0]);
                 }});
  here.check_each_taken_once(3);
}

// A joiner takes out what it joins only if that is next; another worker pops, a third thread
// pushes.
void only_the_next(weft_pool_kind kind) {
  scene here(kind);
  for (unsigned i = 0; kind == WEFT_POOL_PRIORITY && i < 3; ++i) here.units[i].priority = static_cast<std::uint8_t>(i);
  here.push(0);
  here.push(1);
  threads(thread{"joins",
                 [&] {
                   be_worker(0);
                   if (remove_if_next(here.one, &here.units[1])) {
                     check(here.units[0].in.load(base::relaxed) == 0, "the one before it was taken out before");
                     here.take(&here.units[1]);
                   }
                 }},
          thread{"pops",
                 [&] {
                   be_worker(1);
                   here.take(pop_from_pool(here.one));
                 }},
          thread{"pushes", [&] { here.push(2); }});
  here.check_each_taken_once(3);
}

// What a joiner takes out has not started, though another worker runs it until it parks, and a waker
// pushes it again.
void only_the_fresh(weft_pool_kind kind) {
  scene here(kind);
  unit& one = here.units[0];
  here.push(0);
  threads(thread{"joins",
                 [&] {
                   be_worker(0);
                   if (remove_if_next(here.one, &one)) {
                     check(!one.has_parked(), "has not started");
                     here.take(&one);
                   }
                 }},
          thread{"runs", [&] {
                   be_worker(1);
                   if (pop_from_pool(here.one) == nullptr) return;
                   base::store_relaxed(*reinterpret_cast<std::uintptr_t*>(one.context.slot()), std::uintptr_t{64});
                   here.push(0, push_reason::woken);
                 }});
  here.check_each_taken_once(1);
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 4'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 1, .executions = 10'000'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};

const model m1{"pool: both ends, first in first out", usual, [] { both_ends(WEFT_POOL_FIFO); }};
const model m2{"pool: both ends, last in first out", usual, [] { both_ends(WEFT_POOL_LIFO); }};
const model m3{"pool: by name", usual, [] { by_name(WEFT_POOL_FIFO); }};
const model m4{"pool: by name, with priorities", usual, [] { by_name(WEFT_POOL_PRIORITY); }};
const model m5{"pool: first in first out stays", usual, [] { order_stays(WEFT_POOL_FIFO); }};
const model m6{"pool: last in first out stays", usual, [] { order_stays(WEFT_POOL_LIFO); }};
const model m7{"pool: one goes to another", usual, goes_to_another};
const model m8{"pool: priorities", usual, priorities};
const model m9{"pool: only the next", usual, [] { only_the_next(WEFT_POOL_FIFO); }};
const model m10{"pool: only the next, with priorities", usual, [] { only_the_next(WEFT_POOL_PRIORITY); }};
const model m11{"pool: only what has not started", usual, [] { only_the_fresh(WEFT_POOL_FIFO); }};
const model m12{"pool: only what has not started, with priorities", usual, [] { only_the_fresh(WEFT_POOL_PRIORITY); }};

}  // namespace
