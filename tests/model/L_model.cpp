// Protocol L over src/sync/mutex.cpp: one holder at a time, the next one sees what was written, no
// caller is left waiting, and none touches the mutex after it was free. The callers are OS threads
// outside; siblings, as forks and their forker are, have one number.
// Built with src/sync/mutex.cpp src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include <weft/weft.h>

#include <cstring>

#include "arch/cpu.hpp"
#include "core_world.hpp"
#include "run/park.hpp"
#include "sync/caller.hpp"
#include "sync/mutex.hpp"

namespace weft::sched {

worker* park(worker*, unit*, after_switch) { explorer::fail("assertion", "no ULT in this model"); }

}  // namespace weft::sched

namespace weft::sync {

int siblings = 0;  // the body and that many threads, the first ones, are one caller

bool caller_may_be_several() { return siblings != 0 && explorer::current_thread() <= siblings; }
std::uintptr_t caller_id() { return caller_may_be_several() ? 1 : static_cast<std::uintptr_t>(explorer::current_thread()) + 1; }
caller who_calls() { return {caller_id(), caller_may_be_several()}; }
bool others_may_run() { return false; }  // to the queue at once

}  // namespace weft::sync

namespace {

using namespace explorer::words;
using weft::status;
using weft::sched::forever;
using weft::sync::mutex;

struct counter {
  mutex lock;
  int count = 0;

  counter() { weft::sync::siblings = 0; }
  bool count_up(std::uint64_t deadline_ns) {
    if (lock.lock(deadline_ns) != status::ok) return false;
    ++count;
    check(lock.unlock() == status::ok, "held");
    return true;
  }
};

void two_lock_twice() {
  core_world::make(1);
  counter shared;
  const auto work = [&] {
    shared.count_up(forever);
    shared.count_up(forever);
  };
  threads(thread{"a", work}, thread{"b", work});
  check(shared.count == 4, "everybody was inside twice");
}

void three_lock() {
  core_world::make(1);
  counter shared;
  const auto work = [&] { shared.count_up(forever); };
  threads(thread{"a", work}, thread{"b", work}, thread{"c", work});
  check(shared.count == 3, "everybody was inside once");
}

// A waiter that is woken and finds the lock taken again must get it from the next holder.
void barging() {
  core_world::make(1);
  counter shared;
  threads(thread{"greedy",
                 [&] {
                   for (int round = 0; round < 3; ++round) shared.count_up(forever);
                 }},
          thread{"patient", [&] { shared.count_up(forever); }});
  check(shared.count == 4, "everybody was inside");
}

// Nor does it need the lock handed over to it, if others stop coming.
void barging_into_an_unfair_one() {
  core_world::make(1);
  counter shared;
  const weft_mutex unfair = WEFT_MUTEX_UNFAIR_INIT;
  static_assert(sizeof(mutex) <= sizeof unfair);
  std::memcpy(static_cast<void*>(&shared.lock), &unfair, sizeof shared.lock);
  threads(thread{"greedy",
                 [&] {
                   for (int round = 0; round < 3; ++round) shared.count_up(forever);
                 }},
          thread{"patient", [&] { shared.count_up(forever); }});
  check(shared.count == 4, "everybody was inside");
}

void tries() {
  core_world::make(1);
  counter shared;
  int refused = 0;
  threads(thread{"locks", [&] { shared.count_up(forever); }}, thread{"tries", [&] {
                                                                       if (shared.lock.try_lock() == status::ok) {
                                                                         ++shared.count;
                                                                         check(shared.lock.unlock() == status::ok, "held");
                                                                       } else {
                                                                         refused = 1;
                                                                       }
                                                                     }});
  check(shared.count + refused == 2, "inside, or refused");
}

void gives_up() {
  core_world::make(1);
  counter shared;
  int in_time[2] = {1, 1};
  threads(thread{"a", [&] { shared.count_up(forever); }}, thread{"timed b", [&] { in_time[0] = shared.count_up(100'000); }},
          thread{"timed c", [&] { in_time[1] = shared.count_up(100'000); }});
  check(shared.count == 1 + in_time[0] + in_time[1], "inside, or too late");
  check(shared.lock.try_lock() == status::ok, "free afterwards");
}

// The last one out writes over the memory of the mutex: an access of another one would be a race.
void goes_with_its_last_user() {
  core_world::make(1);
  static constexpr unsigned bytes = sizeof(mutex);
  alignas(mutex) unsigned char memory[bytes];
  mutex* lock = new (memory) mutex;
  int users = 2;
  const auto work = [&] {
    check(lock->lock(forever) == status::ok, "ok");
    const bool is_last = --users == 0;
    check(lock->unlock() == status::ok, "held");
    if (!is_last) return;
    for (unsigned i = 0; i < bytes; ++i) memory[i] = 0xff;
  };
  threads(thread{"a", work}, thread{"b", work});
}

// A recursive mutex, and how often strangers were inside: siblings, which may be inside together,
// only look at that.
struct shared_by_siblings {
  static constexpr std::uint32_t recursive = 8;  // as in WEFT_MUTEX_RECURSIVE_INIT
  mutex lock;
  int count = 0;

  explicit shared_by_siblings(int siblings) {
    static_assert(sizeof(weft::base::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    reinterpret_cast<weft::base::atomic<std::uint32_t>*>(&lock)->store(recursive, weft::base::relaxed);
    weft::sync::siblings = siblings;
  }
  void look(int depth) {
    for (int times = 0; times < depth; ++times) check(lock.lock(forever) == status::ok, "locked");
    const int seen = count;
    check(seen == 0 || seen == 1, "a stranger was inside, or not");
    for (int times = 0; times < depth; ++times) {
      check(count == seen, "no stranger comes in");
      check(lock.unlock() == status::ok, "held");
    }
  }
  void count_up() {
    check(lock.lock(forever) == status::ok, "locked");
    ++count;
    check(lock.unlock() == status::ok, "held");
  }
  void check_free() {
    check(count <= 1, "few strangers");
    check(lock.unlock() == status::not_owner, "no caller holds it");
    check(lock.try_lock() == status::ok, "free afterwards");
  }
};

void two_siblings() {
  core_world::make(1);
  shared_by_siblings shared(2);
  const auto work = [&] { shared.look(2); };
  threads(thread{"sibling a", work}, thread{"sibling b", work});
  shared.check_free();
}

void siblings_and_a_stranger() {
  core_world::make(1);
  shared_by_siblings shared(2);
  const auto work = [&] { shared.look(1); };
  threads(thread{"sibling a", work}, thread{"sibling b", work}, thread{"stranger", [&] { shared.count_up(); }});
  shared.check_free();
}

// The forker held it when it forked, and holds it until the join: its fork never waits, though a
// stranger does.
void held_across_the_join() {
  core_world::make(1);
  shared_by_siblings shared(2);
  weft::base::atomic<int> has_forked{0}, has_ended{0};
  threads(thread{"forker",
                 [&] {
                   check(shared.lock.lock(forever) == status::ok, "locked");
                   has_forked.store(1, weft::base::release);
                   while (has_ended.load(weft::base::acquire) == 0) weft::arch::pause();
                   shared.look(1);
                   check(shared.lock.unlock() == status::ok, "held");
                 }},
          thread{"its fork",
                 [&] {
                   while (has_forked.load(weft::base::acquire) == 0) weft::arch::pause();
                   shared.look(1);
                   has_ended.store(1, weft::base::release);
                 }},
          thread{"stranger", [&] { shared.count_up(); }});
  shared.check_free();
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 100'000};
constexpr bounds siblings_quick{.preemptions = 2, .weak = 1, .executions = 40'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 2, .executions = 100'000};
constexpr bounds timed_deep{.preemptions = 3, .weak = 2, .timeouts = 2, .spurious = 1, .executions = 10'000'000};

const model m1{"L two lock twice", {.at_least = 100, .quick = quick, .deep = deep}, two_lock_twice};
const model m2{"L three lock", {.at_least = 100, .quick = quick, .deep = deep}, three_lock};
const model m3{"L barging", {.at_least = 100, .quick = quick, .deep = deep}, barging};
const model m4{"L tries", {.at_least = 10, .quick = quick, .deep = deep}, tries};
const model m5{"L gives up", {.at_least = 100, .quick = timed, .deep = timed_deep}, gives_up};
const model m6{"L goes with its last user", {.at_least = 100, .quick = quick, .deep = deep}, goes_with_its_last_user};
const model m7{"L two siblings", {.at_least = 100, .quick = quick, .deep = deep}, two_siblings};
const model m8{"L siblings and a stranger", {.at_least = 100, .quick = siblings_quick, .deep = deep}, siblings_and_a_stranger};
const model m9{"L held across the join", {.at_least = 100, .quick = siblings_quick, .deep = deep}, held_across_the_join};
const model m10{"L barging into an unfair one", {.at_least = 100, .quick = quick, .deep = deep}, barging_into_an_unfair_one};

}  // namespace
