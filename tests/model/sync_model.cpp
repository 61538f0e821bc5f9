// The objects that a spinlock guards, over their own files: a read-write lock, a condition, a
// barrier, a call that is made once, and a future. Each waiter is woken by one that may release it
// and by no other, sees what was done before, and nothing touches the object or a waiter's record
// after the last user has left. The callers are OS threads outside, and one ULT in some scenes.
// Built with src/sync/rwlock.cpp src/sync/condvar.cpp src/sync/barrier.cpp src/sync/once.cpp
// Built with src/sync/future.cpp src/sync/event.cpp src/sync/mutex.cpp src/sync/waiters.cpp
// Built with src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp src/unit/timer.cpp
#include "dead_frames.hpp"
#include "outside_callers.hpp"
#include "sync/barrier.hpp"
#include "sync/caller.hpp"
#include "sync/condvar.hpp"
#include "sync/future.hpp"
#include "sync/once.hpp"
#include "sync/rwlock.hpp"
#include "ult.hpp"

namespace weft::sched {

worker* park(worker*, unit* self, after_switch after) { return park_ult(*core_world::ult_of(self), after.run, after.argument); }
void make_ready(worker*, unit* one, push_reason) { make_ult_ready(*core_world::ult_of(one)); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;
using core_world::ult;
using explorer::reuse_frames;
using weft::sync::barrier;
using weft::sync::condvar;
using weft::sync::future;
using weft::sync::mutex;
using weft::sync::once;
using weft::sync::rwlock;
using access = rwlock::access;

constexpr std::uint64_t soon_ns = 100'000;

// The last of some users writes over an object: an access of another one would be a race.
template <class Object>
class leaving {
 public:
  explicit leaving(int users) : users_(users) {}
  Object* operator->() { return object_; }
  Object* get() { return object_; }
  void leave() {
    if (users_.fetch_sub(1, base::acq_rel) != 1) return;
    object_->~Object();
    for (unsigned char& each : memory_) each = 0xff;
  }

 private:
  alignas(Object) unsigned char memory_[sizeof(Object)];
  Object* object_ = new (memory_) Object;
  base::atomic<int> users_;
};

// ---- read-write lock ----

struct two_fields {
  rwlock lock;
  int left = 0;
  int right = 0;

  bool write(std::uint64_t deadline_ns) {
    const status result = lock.lock(access::writing, deadline_ns);
    reuse_frames();
    if (result != status::ok) return false;
    check(left == right, "no writer is inside");
    ++left;
    ++right;
    check(lock.unlock() == status::ok, "held");
    return true;
  }
  bool read(std::uint64_t deadline_ns) {
    const status result = lock.lock(access::reading, deadline_ns);
    reuse_frames();
    if (result != status::ok) return false;
    check(left == right, "no writer is inside");
    check(lock.unlock() == status::ok, "held");
    return true;
  }
  void check_free(int writes) {
    check(left == writes && right == writes, "each writer was inside");
    check(lock.try_lock(access::writing) == status::ok, "free afterwards");
  }
};

void writers_and_a_reader() {
  core_world::make(1);
  two_fields shared;
  const auto write = [&] { shared.write(forever); };
  threads(thread{"writer a", write}, thread{"writer b", write}, thread{"reader", [&] { shared.read(forever); }});
  shared.check_free(2);
}

// The readers that a writer kept out come in together: each waits inside for the other.
void readers_meet() {
  core_world::make(1);
  two_fields shared;
  base::atomic<int> inside{0};
  check(shared.lock.try_lock(access::writing) == status::ok, "free");
  const auto read = [&] {
    check(shared.lock.lock(access::reading, forever) == status::ok, "ok");
    inside.fetch_add(1, base::relaxed);
    while (inside.load(base::relaxed) < 2) weft::arch::pause();
    check(shared.lock.unlock() == status::ok, "held");
  };
  threads(thread{"reader a", read}, thread{"reader b", read},
          thread{"writer", [&] { check(shared.lock.unlock() == status::ok, "held"); }});
  shared.check_free(0);
}

// A writer that gives up lets the reader behind it in, although another one reads on until that has
// happened.
void writer_gives_up() {
  core_world::make(1);
  two_fields shared;
  base::atomic<bool> has_read{false};
  bool wrote = false;
  check(shared.lock.try_lock(access::reading) == status::ok, "free");
  threads(thread{"writer", [&] { wrote = shared.write(soon_ns); }},
          thread{"reader",
                 [&] {
                   shared.read(forever);
                   has_read.store(true, base::release);
                 }},
          thread{"first reader", [&] {
                   while (!has_read.load(base::acquire)) weft::arch::pause();
                   check(shared.lock.unlock() == status::ok, "held");
                 }});
  shared.check_free(wrote ? 1 : 0);
}

void both_may_give_up() {
  core_world::make(1);
  two_fields shared;
  bool wrote = false;
  check(shared.lock.try_lock(access::writing) == status::ok, "free");
  threads(thread{"writer", [&] { wrote = shared.write(soon_ns); }}, thread{"reader", [&] { shared.read(soon_ns); }},
          thread{"first writer", [&] { check(shared.lock.unlock() == status::ok, "held"); }});
  shared.check_free(wrote ? 1 : 0);
}

void rwlock_goes_with_its_last_user(std::uint64_t deadline_ns) {
  core_world::make(1);
  leaving<rwlock> lock(2);
  const auto use = [&](access how) {
    if (lock->lock(how, deadline_ns) == status::ok) check(lock->unlock() == status::ok, "held");
    lock.leave();
  };
  threads(thread{"writer", [&] { use(access::writing); }}, thread{"reader", [&] { use(access::reading); }});
}

void ult_writes(std::uint64_t deadline_ns) {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  two_fields shared;
  check(shared.lock.try_lock(access::reading) == status::ok, "free");
  bool wrote = false;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   wrote = shared.write(deadline_ns);
                   finish(u);
                 }},
          thread{"worker",
                 [&] {
                   leave(u, 1);
                   if (deadline_ns != forever) expire_timers(u.workers[0]);
                 }},
          thread{"reader", [&] { check(shared.lock.unlock() == status::ok, "held"); }});
  shared.check_free(wrote ? 1 : 0);
}

// ---- condition ----

struct gate {
  mutex lock;
  condvar opened;
  int places = 0;

  // True: it got a place.
  bool pass(std::uint64_t deadline_ns) {
    check(lock.lock(forever) == status::ok, "ok");
    status result = status::ok;
    while (places == 0 && result == status::ok) {
      result = opened.wait(&lock, deadline_ns);
      reuse_frames();
    }
    const bool has_place = places != 0;
    if (has_place) --places;
    check(lock.unlock() == status::ok, "the mutex is held again, whatever was returned");
    return has_place;
  }
  void open(int more, bool for_all, bool under_lock) {
    check(lock.lock(forever) == status::ok, "ok");
    places += more;
    if (under_lock) wake(for_all);
    check(lock.unlock() == status::ok, "held");
    if (!under_lock) wake(for_all);
  }
  void wake(bool for_all) { for_all ? opened.broadcast() : opened.signal(); }
  void check_left(int wanted) {
    check(places == wanted && !opened.has_waiters(), "each place was given once, and no waiter is left");
  }
};

void one_signal(bool under_lock) {
  core_world::make(1);
  gate shared;
  threads(thread{"waiter", [&] { check(shared.pass(forever), "without a deadline"); }},
          thread{"signaller", [&] { shared.open(1, false, under_lock); }});
  shared.check_left(0);
}

void broadcast_to_two(bool under_lock) {
  core_world::make(1);
  gate shared;
  const auto pass = [&] { check(shared.pass(forever), "without a deadline"); };
  threads(thread{"a", pass}, thread{"b", pass}, thread{"broadcaster", [&] { shared.open(2, true, under_lock); }});
  shared.check_left(0);
}

void two_signals() {
  core_world::make(1);
  gate shared;
  const auto pass = [&] { check(shared.pass(forever), "without a deadline"); };
  threads(thread{"a", pass}, thread{"b", pass}, thread{"signaller", [&] {
                                                         shared.open(1, false, true);
                                                         shared.open(1, false, true);
                                                       }});
  shared.check_left(0);
}

// A signal is not lost on a waiter whose deadline has passed: the one behind it gets it.
void one_gives_up() {
  core_world::make(1);
  gate shared;
  threads(thread{"timed",
                 [&] {
                   check(shared.lock.lock(forever) == status::ok, "ok");
                   const status result = shared.opened.wait(&shared.lock, soon_ns);
                   check(shared.lock.unlock() == status::ok, "held");
                   if (result == status::ok) shared.opened.signal();  // it wants no place
                 }},
          thread{"waiter", [&] { check(shared.pass(forever), "without a deadline"); }},
          thread{"signaller", [&] { shared.open(1, false, true); }});
  shared.check_left(0);
}

void condition_goes_with_its_waiter() {
  core_world::make(1);
  mutex lock;
  leaving<condvar> opened(1);
  bool is_open = false;
  threads(thread{"waiter",
                 [&] {
                   check(lock.lock(forever) == status::ok, "ok");
                   while (!is_open) check(opened->wait(&lock, forever) == status::ok, "ok");
                   check(lock.unlock() == status::ok, "held");
                   opened.leave();
                 }},
          thread{"signaller", [&] {
                   check(lock.lock(forever) == status::ok, "ok");
                   is_open = true;
                   opened->broadcast();
                   check(lock.unlock() == status::ok, "held");
                 }});
}

void ult_waits_for_a_signal(std::uint64_t deadline_ns) {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  gate shared;
  bool has_place = false;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   has_place = shared.pass(deadline_ns);
                   finish(u);
                 }},
          thread{"worker",
                 [&] {
                   leave(u, 1);
                   if (deadline_ns != forever) expire_timers(u.workers[0]);
                   leave(u, 2);
                 }},
          thread{"signaller", [&] { shared.open(1, false, false); }});
  shared.check_left(has_place ? 0 : 1);
}

// ---- barrier ----

// Each sees what all did before the round; one of them is the last.
void rounds_of_two() {
  core_world::make(1);
  barrier both;
  check(both.start(2) == status::ok, "2 parties");
  int parts[2] = {0, 0};
  base::atomic<int> last{0};
  const auto work = [&](int me) {
    for (int round = 1; round <= 2; ++round) {
      bool is_last;
      ++parts[me];
      check(both.wait(&is_last) == status::ok, "ok");
      reuse_frames();
      check(parts[0] == round && parts[1] == round, "what all did before");
      if (is_last) last.fetch_add(1, base::relaxed);
      check(both.wait(&is_last) == status::ok, "ok");
    }
  };
  threads(thread{"a", [&] { work(0); }}, thread{"b", [&] { work(1); }});
  check(last.load(base::relaxed) == 2, "one of each round is the last");
}

void one_round_of_three() {
  core_world::make(1);
  leaving<barrier> all(3);
  check(all->start(3) == status::ok, "3 parties");
  int parts[3] = {0, 0, 0};
  base::atomic<int> last{0};
  const auto work = [&](int me) {
    bool is_last;
    parts[me] = 1;
    check(all->wait(&is_last) == status::ok, "ok");
    reuse_frames();
    check(parts[0] + parts[1] + parts[2] == 3, "what all did before");
    if (is_last) last.fetch_add(1, base::relaxed);
    all.leave();
  };
  threads(thread{"a", [&] { work(0); }}, thread{"b", [&] { work(1); }}, thread{"c", [&] { work(2); }});
  check(last.load(base::relaxed) == 1, "one of them is the last");
}

void ult_at_a_barrier() {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  barrier both;
  check(both.start(2) == status::ok, "2 parties");
  int parts[2] = {0, 0};
  const auto arrive = [&](int me) {
    bool is_last;
    parts[me] = 1;
    check(both.wait(&is_last) == status::ok, "ok");
    check(parts[0] + parts[1] == 2, "what both did before");
  };
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   arrive(0);
                   finish(u);
                 }},
          thread{"worker", [&] { leave(u, 1); }}, thread{"other", [&] { arrive(1); }});
}

// ---- once, future ----

void two_call_once() {
  core_world::make(1);
  once first;
  int made = 0;
  const auto call = [&] {
    check(first.call([](void* times) { ++*static_cast<int*>(times); }, &made) == status::ok, "ok");
    reuse_frames();
    check(made == 1, "made once, and seen");
  };
  threads(thread{"a", call}, thread{"b", call});
}

// One of two setters is refused; each that gets sees what the other one did before.
void two_set_a_future() {
  core_world::make(1);
  future result;
  int values[2] = {0, 0};
  int refused[2] = {0, 0};
  const auto set = [&](int me) {
    values[me] = me + 1;
    refused[me] = result.set(&values[me]) == status::busy;
  };
  threads(thread{"a", [&] { set(0); }}, thread{"b", [&] { set(1); }},
          thread{"getter", [&] {
                   void* value = nullptr;
                   check(result.get(forever, &value) == status::ok, "ok");
                   reuse_frames();
                   const int got = *static_cast<int*>(value);
                   check(value == &values[got - 1], "what its setter did before");
                 }});
  check(refused[0] + refused[1] == 1, "one has set it");
}

void future_goes_with_its_getter() {
  core_world::make(1);
  leaving<future> result(1);
  int value = 0;
  threads(thread{"getter",
                 [&] {
                   void* got = nullptr;
                   if (result->get(soon_ns, &got) != status::ok) return;
                   check(got == &value, "what was set");
                   result.leave();
                 }},
          thread{"setter", [&] { check(result->set(&value) == status::ok, "first"); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 3'500};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 1, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 3'500};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 2, .spurious = 1, .executions = 10'000'000};
constexpr bounds late{.preemptions = 2, .weak = 0, .timeouts = 1, .executions = 6'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};
constexpr explorer::expectations with_time{.at_least = 20, .quick = timed, .deep = timed_deep};

const model m1{"rwlock: two write, one reads", usual, writers_and_a_reader};
const model m2{"rwlock: readers meet", usual, readers_meet};
const model m3{"rwlock: a writer gives up", with_time, writer_gives_up};
const model m4{"rwlock: both may give up", with_time, both_may_give_up};
const model m5{"rwlock: goes with its last user", usual, [] { rwlock_goes_with_its_last_user(forever); }};
const model m6{"rwlock: goes with its last user, timed", with_time, [] { rwlock_goes_with_its_last_user(soon_ns); }};
const model m7{"rwlock: a ULT writes", usual, [] { ult_writes(forever); }};
const model m8{"rwlock: a ULT writes, with deadline", with_time, [] { ult_writes(1); }};
const model m9{"condition: a signal", usual, [] { one_signal(false); }};
const model m10{"condition: a signal under the mutex", usual, [] { one_signal(true); }};
const model m11{"condition: a broadcast", usual, [] { broadcast_to_two(false); }};
const model m12{"condition: a broadcast under the mutex", usual, [] { broadcast_to_two(true); }};
const model m13{"condition: two signals", usual, two_signals};
const model m14{"condition: one gives up", {.at_least = 20, .quick = late, .deep = timed_deep}, one_gives_up};
const model m15{"condition: goes with its waiter", usual, condition_goes_with_its_waiter};
const model m16{"condition: a ULT waits", usual, [] { ult_waits_for_a_signal(forever); }};
const model m17{"condition: a ULT waits, with deadline", with_time, [] { ult_waits_for_a_signal(1); }};
const model m18{"barrier: two rounds of two", usual, rounds_of_two};
const model m19{"barrier: three, goes with the last", usual, one_round_of_three};
const model m20{"barrier: a ULT", usual, ult_at_a_barrier};
const model m21{"once: two call", usual, two_call_once};
const model m22{"future: two set", usual, two_set_a_future};
const model m23{"future: goes with its getter", with_time, future_goes_with_its_getter};

}  // namespace
