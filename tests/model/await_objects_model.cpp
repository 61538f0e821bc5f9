// Protocol P where an awaiter waits for an event and for something that is taken by the wait: a
// semaphore's token, a mutex, a read-write lock. The event is set while the awaiter is armed;
// whichever comes first, what was not the winner is not kept, and the next in its queue gets it.
// Built with src/sync/semaphore.cpp src/sync/rwlock.cpp src/sync/mutex.cpp src/sync/event.cpp
// Built with src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp
#include "core_world.hpp"
#include "outside_callers.hpp"
#include "place/source.hpp"
#include "run/awaiter.hpp"
#include "sync/caller.hpp"
#include "sync/event.hpp"
#include "sync/mutex.hpp"
#include "sync/rwlock.hpp"
#include "sync/semaphore.hpp"

namespace weft::sched {

void wake_from_handler(waiter*) { explorer::fail("assertion", "no signal handler in this model"); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;
using weft::sync::event;
using weft::sync::mutex;
using weft::sync::rwlock;
using weft::sync::semaphore;
using access = rwlock::access;

// An awaiter at an event and at a second object.
struct wait {
  awaiter one;
  await_record at_event;
  await_record at_object;
  base::atomic<int> calls{0};
  const await_record* winner = nullptr;

  wait(const event* first, const void* second) : at_event(&one, first), at_object(&one, second) {
    the_wait = this;
    one.call = [](awaiter* mine, status result) {
      check(result == status::ok, "there is no deadline");
      the_wait->winner = mine->winner;
      the_wait->calls.fetch_add(1, base::release);
    };
    one.records = &at_event;
    at_event.following = &at_object;
    at_object.number = 1;
  }

  // Until the wait has ended. True: by the object.
  template <class Arm>
  bool run(event* first, Arm arm_object) {
    begin_arming(&one, arming);
    armed_as what = first->await(&at_event);
    if (what == armed_as::waits) what = arm_object(&at_object);
    if (!finish_arming(&one)) {
      winner = one.winner;
    } else {
      while (calls.load(base::acquire) == 0) weft::arch::pause();
    }
    return winner == &at_object;
  }

  static inline wait* the_wait = nullptr;
};

// tokens: that are there before. One more is released meanwhile.
void a_token(std::uint32_t tokens) {
  core_world::make(1);
  event sent;
  semaphore free;
  if (tokens != 0) check(free.release(tokens) == status::ok, "below the limit");
  wait mine(&sent, &free);
  bool has_token = false;
  threads(thread{"waits", [&] { has_token = mine.run(&sent, [&](await_record* record) { return free.await(record); }); }},
          thread{"sets", [&] { sent.set(); }},
          thread{"releases", [&] { check(free.release(1) == status::ok, "below the limit"); }});
  for (std::uint32_t left = tokens + 1 - (has_token ? 1 : 0); left != 0; --left)
    check(free.try_acquire() == status::ok, "no token is lost");
  check(free.try_acquire() == status::busy, "none is given twice");
}

// The token goes on to the one that waits behind the awaiter, if the event was first.
void a_token_for_the_next() {
  core_world::make(1);
  event sent;
  semaphore free;
  wait mine(&sent, &free);
  bool has_token = false;
  threads(thread{"waits",
                 [&] {
                   has_token = mine.run(&sent, [&](await_record* record) { return free.await(record); });
                   if (has_token) check(free.release(1) == status::ok, "below the limit");
                 }},
          thread{"next", [&] { check(free.acquire(forever) == status::ok, "one is left for it"); }},
          thread{"sets and releases", [&] {
                   sent.set();
                   check(free.release(1) == status::ok, "below the limit");
                 }});
  check(free.try_acquire() == status::busy, "none is given twice");
}

void a_mutex(bool is_held) {
  core_world::make(1);
  event sent;
  mutex lock;
  if (is_held) check(lock.lock(forever) == status::ok, "free");
  wait mine(&sent, &lock);
  bool holds = false;
  threads(thread{"waits",
                 [&] {
                   holds = mine.run(&sent, [&](await_record* record) {
                     armed_as what{};
                     check(lock.await(record, &what) == status::ok, "a plain one");
                     return what;
                   });
                 }},
          thread{"sets", [&] {
                   sent.set();
                   if (is_held) check(lock.unlock() == status::ok, "held");
                 }});
  check((lock.try_lock() == status::ok) == !holds, "the awaiter holds it, or it is free");
}

void a_rwlock(bool is_read, access how) {
  core_world::make(1);
  event sent;
  rwlock lock;
  if (is_read) check(lock.try_lock(access::reading) == status::ok, "free");
  wait mine(&sent, &lock);
  bool holds = false;
  threads(thread{"waits", [&] { holds = mine.run(&sent, [&](await_record* record) { return lock.await(how, record); }); }},
          thread{"sets",
                 [&] {
                   sent.set();
                   if (is_read) check(lock.unlock() == status::ok, "held");
                 }},
          thread{"reads", [&] {
                   if (is_read || how == access::reading) {
                     if (lock.try_lock(access::reading) == status::ok) check(lock.unlock() == status::ok, "held");
                   }
                 }});
  check((lock.try_lock(access::writing) == status::ok) == !holds, "the awaiter holds it, or it is free");
}

// An awaiter that wanted to write leaves by the event: the reader behind it comes in, although the
// first one reads on until then.
void readers_behind_a_writer() {
  core_world::make(1);
  event sent;
  rwlock lock;
  base::atomic<bool> has_read{false};
  check(lock.try_lock(access::reading) == status::ok, "free");
  wait mine(&sent, &lock);
  threads(thread{"waits",
                 [&] {
                   const bool holds = mine.run(&sent, [&](await_record* record) { return lock.await(access::writing, record); });
                   check(!holds, "the first one reads on");
                 }},
          thread{"behind",
                 [&] {
                   check(lock.lock(access::reading, forever) == status::ok, "ok");
                   check(lock.unlock() == status::ok, "held");
                   has_read.store(true, base::release);
                 }},
          thread{"sets", [&] {
                   sent.set();
                   while (!has_read.load(base::acquire)) weft::arch::pause();
                   check(mine.calls.load(base::relaxed) <= 1, "once");
                 }});
  check(lock.unlock() == status::ok, "held");
  check(lock.try_lock(access::writing) == status::ok, "free afterwards");
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 5'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 1, .executions = 10'000'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};

const model m1{"await: an event or a token", usual, [] { a_token(0); }};
const model m2{"await: an event or a token that is there", usual, [] { a_token(1); }};
const model m3{"await: an event or a token, another waits", usual, a_token_for_the_next};
const model m4{"await: an event or a free mutex", usual, [] { a_mutex(false); }};
const model m5{"await: an event or a held mutex", usual, [] { a_mutex(true); }};
const model m6{"await: an event or reading", usual, [] { a_rwlock(false, access::reading); }};
const model m7{"await: an event or writing", usual, [] { a_rwlock(false, access::writing); }};
const model m9{"await: readers behind a writer that leaves", usual, readers_behind_a_writer};
const model m8{"await: an event or writing after a reader", usual, [] { a_rwlock(true, access::writing); }};

}  // namespace
