// Protocol L without a locked instruction, over src/sync/mutex.cpp and src/os/restart.cpp: the
// holder gives a mutex back by a restartable store, which may be left before its store at any time;
// the first waiter marks the word and has a restart fence run. Restartable stores are switched on
// while others lock and wait. Then a process with one OS thread, which locks without atomic
// operations what others unlock later, and the other way round. The callers are OS threads outside.
// Built with src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp
#define MODEL_WITH_RESTARTS  // before the mutex is seen: so its files are compiled here

#include <cstdarg>

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "core_world.hpp"
#include "os/restart.cpp"
#include "outside_callers.hpp"
#include "sync/mutex.cpp"

// The system's calls that src/os/restart.cpp makes.
extern "C" long syscall(long number, ...) {
  std::va_list more;
  va_start(more, number);
  const int command = va_arg(more, int);
  va_end(more);
  explorer::check(number == SYS_membarrier, "no other call is made");
  if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) explorer::restart_fence(explorer::site::current());
  return 0;
}

namespace weft::sched {

worker* park(worker*, unit*, after_switch) { explorer::fail("assertion", "no ULT in this model"); }

}  // namespace weft::sched

namespace {

using namespace explorer::words;
using weft::status;
using weft::sched::forever;
using weft::sync::mutex;
namespace base = weft::base;
namespace os = weft::os;

// What the process keeps from one start of a runtime to the next begins anew in each execution.
void begin(bool with_restarts) {
  core_world::make(1);
  os::detail::restart_area.store(0, base::relaxed);
  os::detail::restarts_may_be_used.store(false, base::relaxed);
  if (with_restarts) check(os::enable_restartable_stores(true), "the system has them");
}

struct counter {
  mutex lock;
  int count = 0;

  bool count_up(std::uint64_t deadline_ns) {
    if (lock.lock(deadline_ns) != status::ok) return false;
    ++count;
    check(lock.unlock() == status::ok, "held");
    return true;
  }
  void check_free(int wanted) {
    check(count == wanted, "each was inside");
    check(lock.try_lock() == status::ok, "free afterwards");
  }
};

void two_lock_twice() {
  begin(true);
  counter shared;
  const auto work = [&] {
    shared.count_up(forever);
    shared.count_up(forever);
  };
  threads(thread{"a", work}, thread{"b", work});
  shared.check_free(4);
}

void three_lock() {
  begin(true);
  counter shared;
  const auto work = [&] { shared.count_up(forever); };
  threads(thread{"a", work}, thread{"b", work}, thread{"c", work});
  shared.check_free(3);
}

void gives_up() {
  begin(true);
  counter shared;
  bool in_time = false;
  threads(thread{"a", [&] { shared.count_up(forever); }}, thread{"timed", [&] { in_time = shared.count_up(100'000); }});
  shared.check_free(in_time ? 2 : 1);
}

void recursive_one() {
  begin(true);
  static constexpr std::uint32_t recursive = 8;  // as in WEFT_MUTEX_RECURSIVE_INIT
  counter shared;
  reinterpret_cast<base::atomic<std::uint32_t>*>(&shared.lock)->store(recursive, base::relaxed);
  const auto work = [&] {
    check(shared.lock.lock(forever) == status::ok, "ok");
    shared.count_up(forever);
    check(shared.lock.unlock() == status::ok, "held");
  };
  threads(thread{"a", work}, thread{"b", work});
  shared.check_free(2);
}

// A waiter that marks the word before restartable stores are in use has no fence run: the holder
// must see the mark.
void switched_on_meanwhile() {
  begin(false);
  counter shared;
  const auto work = [&] { shared.count_up(forever); };
  threads(thread{"a", work}, thread{"b", work},
          thread{"starter", [] { check(os::enable_restartable_stores(true), "the system has them"); }});
  shared.check_free(2);
}

// The last one out writes over the memory of the mutex.
void goes_with_its_last_user() {
  begin(true);
  alignas(mutex) unsigned char memory[sizeof(mutex)];
  mutex* lock = new (memory) mutex;
  int users = 2;
  const auto work = [&] {
    check(lock->lock(forever) == status::ok, "ok");
    const bool is_last = --users == 0;
    check(lock->unlock() == status::ok, "held");
    if (!is_last) return;
    for (unsigned char& each : memory) each = 0xff;
  };
  threads(thread{"a", work}, thread{"b", work});
}

// ---- one OS thread ----

// Locked alone, given back by another while a third one waits; then alone again in all but what the
// C library says.
void locked_alone(bool with_restarts) {
  begin(with_restarts);
  counter shared;
  explorer::be_alone();
  check(shared.count_up(forever), "alone");
  check(shared.lock.lock(forever) == status::ok, "alone");
  check(shared.lock.try_lock() == status::busy, "it is held");
  threads(thread{"unlocks", [&] { check(shared.lock.unlock() == status::ok, "held"); }},
          thread{"locks", [&] { shared.count_up(forever); }});
  check(shared.count_up(forever), "free");
  shared.check_free(3);
}

void spinlock_alone() {
  begin(false);
  weft::queue::spinlock lock;
  int count = 0;
  explorer::be_alone();
  check(lock.try_lock(), "free");
  check(!lock.try_lock(), "it is held, by the caller itself");
  ++count;
  lock.unlock();
  lock.lock();
  threads(thread{"unlocks",
                 [&] {
                   ++count;
                   lock.unlock();
                 }},
          thread{"locks", [&] {
                   lock.lock();
                   ++count;
                   lock.unlock();
                 }});
  check(count == 3 && lock.try_lock(), "each was inside, and it is free");
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .spurious = 1, .executions = 12'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 2, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .spurious = 1, .executions = 12'000};
constexpr bounds timed_deep{.preemptions = 3, .weak = 2, .timeouts = 2, .spurious = 2, .executions = 10'000'000};

const model m1{"L restarts: two lock twice", {.at_least = 100, .quick = quick, .deep = deep}, two_lock_twice};
const model m2{"L restarts: three lock", {.at_least = 100, .quick = quick, .deep = deep}, three_lock};
const model m3{"L restarts: gives up", {.at_least = 100, .quick = timed, .deep = timed_deep}, gives_up};
const model m4{"L restarts: a recursive one", {.at_least = 100, .quick = quick, .deep = deep}, recursive_one};
const model m5{"L restarts: switched on meanwhile", {.at_least = 100, .quick = quick, .deep = deep}, switched_on_meanwhile};
const model m6{"L restarts: goes with its last user", {.at_least = 100, .quick = quick, .deep = deep}, goes_with_its_last_user};
const model m7{"L locked alone", {.at_least = 20, .quick = quick, .deep = deep}, [] { locked_alone(false); }};
const model m8{"L locked alone, with restarts", {.at_least = 20, .quick = quick, .deep = deep}, [] { locked_alone(true); }};
const model m9{"S locked alone", {.at_least = 2, .quick = quick, .deep = deep}, spinlock_alone};

}  // namespace
