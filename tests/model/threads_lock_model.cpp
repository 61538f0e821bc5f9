// Locks of the threads interface that work at any time (faces/threads, src/lock.c and
// src/parking.c): threads, which wait at an implementation's mutex and condition, and OS threads
// outside, which sleep at the lock's word. No wake-up is lost, whichever kind releases it, and the
// words of an earlier start are renewed once. The implementation's mutex and condition are the
// model's own, on futexes.
#include "threads_world.hpp"

namespace {

using namespace explorer::words;

// ---- the models ---------------------------------------------------------------------------------

// callers[i]: logical thread i + 1 is outside.
struct scene {
  threads_lock lock = THREADS_LOCK_INIT;
  int inside = 0, entered = 0;

  explicit scene(std::initializer_list<bool> callers, bool is_renewed = true) {
    int at = 1;
    is_started = true;
    start_of_words = is_renewed ? 1 : 0;
    for (bool is_outside : callers) are_outside[at++] = is_outside;
    new (&lock.state) word(0);
    new (&lock.parking.outside) word(0);
    new (&lock.parking.start) word(is_renewed ? 1 : 0);
    // What another implementation has left is no free mutex of this one.
    for (int part : {0, 8}) new (&lock.parking.opaque[part]) word(is_renewed ? 0 : 1);
    new (&renewing) word(0);
  }
  void enter() {
    check(threads_lock_acquire(&lock) == THREADS_OK, "acquired");
    check(++inside == 1, "alone inside");
    ++entered;
  }
  void leave() {
    --inside;
    check(threads_lock_release(&lock) == THREADS_OK, "released");
  }
  void pass() {
    enter();
    leave();
  }
};

void two(bool first, bool second, bool is_renewed = true) {
  scene here({first, second}, is_renewed);
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] { here.pass(); }});
  check(here.entered == 2, "both were inside");
}

// No implementation runs: nothing but the kernel stands between the waker's word and its look.
void before_the_start() {
  scene here({true, true});
  is_started = false;
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] { here.pass(); }});
  check(here.entered == 2, "both were inside");
}

void three(bool first, bool second, bool third) {
  scene here({first, second, third});
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] { here.pass(); }}, thread{"c", [&] { here.pass(); }});
  check(here.entered == 3, "all were inside");
}

// The second time it may find the word still marked by a waiter.
void again(bool first, bool second) {
  scene here({first, second});
  threads(thread{"a",
                 [&] {
                   here.pass();
                   here.pass();
                 }},
          thread{"b", [&] { here.pass(); }});
  check(here.entered == 3, "all passes");
}

void tried(bool first, bool second) {
  scene here({first, second});
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] {
                                                      if (threads_lock_try_acquire(&here.lock) != THREADS_OK) return;
                                                      check(++here.inside == 1, "alone inside");
                                                      ++here.entered;
                                                      here.leave();
                                                    }});
  check(here.entered >= 1, "one was inside");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 50'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 50'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 10'000'000};
constexpr explorer::expectations usual{.at_least = 10, .quick = quick, .deep = deep};
constexpr explorer::expectations of_three{.at_least = 50, .quick = quick_three, .deep = deep};

const model m1{"threads lock: two threads", usual, [] { two(false, false); }};
const model m2{"threads lock: two outside", usual, [] { two(true, true); }};
const model m3{"threads lock: a thread and one outside", usual, [] { two(false, true); }};
const model m4{"threads lock: words of an earlier start", usual, [] { two(false, false, false); }};
const model m5{"threads lock: taken again by a thread", usual, [] { again(false, true); }};
const model m6{"threads lock: taken again outside", usual, [] { again(true, false); }};
const model m7{"threads lock: two threads and one outside", of_three, [] { three(false, false, true); }};
const model m8{"threads lock: a thread and two outside", of_three, [] { three(false, true, true); }};
const model m10{"threads lock: before the start", usual, before_the_start};
const model m9{"threads lock: tried", usual, [] { tried(false, true); }};

}  // namespace
