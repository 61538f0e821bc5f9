// Locks of the Qthreads face over spinlock.cpp and lock.cpp: one holder at a time, which sees what
// the holders before it did, and no caller that waits is left behind.
// Built with faces/qthreads/src/spinlock.cpp
#include <new>

#include "qthread_world.hpp"

// Its table outlives an execution that is left in the middle: this file sets it back.
#include "lock.cpp"

namespace {

using namespace qthread_world::words;

struct guarded {
  unit tasks[3];
  qthread_spinlock_t lock{};
  int count = 0;  // inside lock

  explicit guarded(bool is_recursive = false) {
    qthread_world::begin();
    for (row& each : table) new (&each) row{};
    entries.store(0, weft::base::relaxed);
    check(qthread_spinlock_init(&lock, is_recursive) == QTHREAD_SUCCESS, "always");
  }
  void take() { check(qthread_spinlock_lock(&lock) == QTHREAD_SUCCESS, "always"); }
  void give() { check(qthread_spinlock_unlock(&lock) == QTHREAD_SUCCESS, "it is held"); }
  void step(int number) {
    qthread_world::run_as(tasks[number]);
    take();
    ++count;
    give();
  }
};

void two_take_turns() {
  guarded shared;
  const auto work = [&](int number) {
    shared.step(number);
    shared.step(number);
  };
  threads(thread{"a", [&] { work(0); }}, thread{"b", [&] { work(1); }});
  check(shared.count == 4, "one after the other");
}

void three_take_turns() {
  guarded shared;
  threads(thread{"a", [&] { shared.step(0); }}, thread{"b", [&] { shared.step(1); }}, thread{"c", [&] { shared.step(2); }});
  check(shared.count == 3, "one after the other");
}

void one_tries() {
  guarded shared;
  int wanted = 1;
  threads(thread{"takes", [&] { shared.step(0); }}, thread{"tries", [&] {
                                                             qthread_world::run_as(shared.tasks[1]);
                                                             if (qthread_spinlock_trylock(&shared.lock) != QTHREAD_SUCCESS)
                                                               return;
                                                             ++shared.count;
                                                             shared.give();
                                                             wanted = 2;
                                                           }});
  check(shared.count == wanted, "one after the other");
}

// A holder takes it again, and another caller gets it when both are given back.
void taken_again() {
  guarded shared(true);
  threads(thread{"twice",
                 [&] {
                   qthread_world::run_as(shared.tasks[0]);
                   shared.take();
                   ++shared.count;
                   shared.take();
                   shared.give();
                   ++shared.count;
                   shared.give();
                 }},
          thread{"once", [&] {
                   qthread_world::run_as(shared.tasks[1]);
                   shared.take();
                   check(shared.count != 1, "none or both");
                   check(qthread_spinlock_trylock(&shared.lock) == QTHREAD_SUCCESS, "its own");
                   shared.give();
                   ++shared.count;
                   shared.give();
                 }});
  check(shared.count == 3, "one after the other");
}

// A word that was made a mutex is found in the table.
void at_a_word() {
  guarded shared;
  aligned_t word = 0;
  check(qthread_lock_init(&word, false) == QTHREAD_SUCCESS, "there is memory");
  const auto work = [&](int number) {
    qthread_world::run_as(shared.tasks[number]);
    check(qthread_lock(&word) == QTHREAD_SUCCESS, "always");
    ++shared.count;
    check(qthread_unlock(&word) == QTHREAD_SUCCESS, "it is held");
  };
  threads(thread{"a", [&] { work(0); }}, thread{"b", [&] { work(1); }});
  check(shared.count == 2, "one after the other");
  check(qthread_lock_destroy(&word) == QTHREAD_SUCCESS, "always");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 20'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .spurious = 1, .executions = 300'000};

const model m1{"Q lock: two take turns", {.at_least = 20, .quick = quick, .deep = deep}, two_take_turns};
const model m2{"Q lock: three take turns", {.at_least = 50, .quick = quick_three, .deep = deep}, three_take_turns};
const model m3{"Q lock: one tries", {.at_least = 5, .quick = quick, .deep = deep}, one_tries};
const model m4{"Q lock: taken again", {.at_least = 5, .quick = quick, .deep = deep}, taken_again};
const model m5{"Q lock: at a word", {.at_least = 10, .quick = quick, .deep = deep}, at_a_word};

}  // namespace
