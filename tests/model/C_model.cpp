// Protocol C over src/sync/semaphore.cpp: each token is given to one caller, which sees what was
// done before the release; no waiter is missed, whichever caller holds the lock of the queue; a
// release, also a handler's, touches nothing once its tokens are there. The callers are OS threads
// outside, and one ULT.
// Built with src/sync/semaphore.cpp src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include "place/source.hpp"
#include "run/next.hpp"
#include "sync/semaphore.hpp"
#include "ult.hpp"

namespace weft::sched {

worker* park(worker*, unit* self, after_switch after) { return park_ult(*core_world::ult_of(self), after.run, after.argument); }
void make_ready(worker*, unit* one, push_reason) { make_ult_ready(*core_world::ult_of(one)); }

// A worker's part: the inbox is protocol B.
void wake_from_handler(waiter* one) { make_ready(nullptr, one->who, push_reason::woken); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;
using core_world::ult;
using weft::sync::semaphore;

// What a thread does before it releases.
struct parcel {
  semaphore sent;
  int parts[2] = {0, 0};

  void release(int part, bool in_handler) {
    parts[part] = 1;
    check((in_handler ? sent.release_from_handler(1) : sent.release(1)) == status::ok, "below the limit");
  }
  void acquire() { check(sent.acquire(forever) == status::ok, "without a deadline"); }
  void check_parts() const { check(parts[0] == 1 && parts[1] == 1, "sees what was done before"); }
};

void one_waits(bool in_handler) {
  core_world::make(1);
  parcel shared;
  threads(thread{"waiter",
                 [&] {
                   shared.acquire();
                   check(shared.parts[0] == 1, "sees what was done before");
                 }},
          thread{"releaser", [&] { shared.release(0, in_handler); }});
}

// The last one to go on sees what both releasers did.
void two_wait() {
  core_world::make(1);
  parcel shared;
  base::atomic<int> gone_on{0};
  const auto wait = [&] {
    shared.acquire();
    if (gone_on.fetch_add(1, base::acq_rel) == 1) shared.check_parts();
  };
  threads(thread{"a", wait}, thread{"b", wait}, thread{"releaser", [&] { shared.release(0, false); }},
          thread{"handler", [&] { shared.release(1, true); }});
}

void one_waits_twice() {
  core_world::make(1);
  parcel shared;
  threads(thread{"waiter",
                 [&] {
                   shared.acquire();
                   shared.acquire();
                   shared.check_parts();
                 }},
          thread{"releaser", [&] { shared.release(0, false); }}, thread{"handler", [&] { shared.release(1, true); }});
}

// There is one more than there are waiters: it is there at once, also while another caller holds
// the lock.
void releaser_takes_one_itself() {
  core_world::make(1);
  semaphore both;
  threads(thread{"waiter", [&] { check(both.acquire(forever) == status::ok, "one of two"); }},
          thread{"releaser", [&] {
                   check(both.release(2) == status::ok, "below the limit");
                   check(both.try_acquire() == status::ok, "the other one");
                 }});
}

// Free tokens are taken without the lock.
void two_take() {
  core_world::make(1);
  semaphore free;
  int parts[2] = {1, 1};
  check(free.release(1) == status::ok, "below the limit");
  int taken[2] = {0, 0};
  const auto take = [&](int who) {
    if (free.try_acquire() == status::ok) taken[who] = parts[0] + parts[1] - 1;
  };
  threads(thread{"a", [&] { take(0); }}, thread{"b", [&] { take(1); }});
  check(taken[0] + taken[1] == 1, "one token, one taker");
}

void taker_sees_releaser() {
  core_world::make(1);
  parcel shared;
  threads(thread{"taker",
                 [&] {
                   if (shared.sent.try_acquire() == status::ok) check(shared.parts[0] == 1, "sees what was done before");
                 }},
          thread{"releaser", [&] { shared.release(0, false); }});
}

// The token is the waiter's, or still there.
void waits_with_deadline(bool in_handler) {
  core_world::make(1);
  parcel shared;
  status got{};
  threads(thread{"timed", [&] { got = shared.sent.acquire(100'000); }},
          thread{"releaser", [&] { shared.release(0, in_handler); }});
  check(got == status::ok || got == status::timeout, "a status of acquire");
  check((shared.sent.try_acquire() == status::ok) == (got == status::timeout), "one token");
}

// One that gives up lets the other have the token.
void two_wait_one_with_deadline() {
  core_world::make(1);
  parcel shared;
  threads(thread{"timed",
                 [&] {
                   if (shared.sent.acquire(100'000) == status::ok) shared.release(1, false);
                 }},
          thread{"waiter", [&] { shared.acquire(); }}, thread{"releaser", [&] { shared.release(0, false); }});
}

// The waiter writes over the memory as soon as it has both tokens.
void goes_with_its_waiter(std::uint64_t deadline_ns) {
  core_world::make(1);
  alignas(semaphore) unsigned char memory[sizeof(semaphore)];
  semaphore* sent = new (memory) semaphore;
  threads(thread{"waiter",
                 [&] {
                   for (int i = 0; i < 2; ++i) {
                     if (sent->acquire(deadline_ns) != status::ok) return;
                   }
                   for (unsigned char& each : memory) each = 0xff;
                 }},
          thread{"releaser", [&] { check(sent->release(1) == status::ok, "below the limit"); }},
          thread{"handler", [&] { check(sent->release_from_handler(1) == status::ok, "below the limit"); }});
}

void ult_waits(std::uint64_t deadline_ns, bool in_handler) {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  parcel shared;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   if (shared.sent.acquire(deadline_ns) == status::ok) check(shared.parts[0] == 1, "sees what was done before");
                   finish(u);
                 }},
          thread{"worker",
                 [&] {
                   leave(u, 1);
                   if (deadline_ns != forever) expire_timers(u.workers[0]);
                 }},
          thread{"releaser", [&] { shared.release(0, in_handler); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 20'000};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 1, .spurious = 1, .executions = 10'000'000};

const model m1{"C one waits", {.at_least = 20, .quick = quick, .deep = deep}, [] { one_waits(false); }};
const model m2{"C one waits for a handler", {.at_least = 20, .quick = quick, .deep = deep}, [] { one_waits(true); }};
const model m3{"C two wait", {.at_least = 100, .quick = quick, .deep = deep}, two_wait};
const model m4{"C one waits twice", {.at_least = 100, .quick = quick, .deep = deep}, one_waits_twice};
const model m5{"C the releaser takes one itself", {.at_least = 20, .quick = quick, .deep = deep}, releaser_takes_one_itself};
const model m6{"C two take", {.at_least = 2, .quick = quick, .deep = deep}, two_take};
const model m7{"C a taker sees the releaser", {.at_least = 2, .quick = quick, .deep = deep}, taker_sees_releaser};
const model m8{"C waits with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep}, [] { waits_with_deadline(false); }};
const model m9{"C waits for a handler with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep}, [] {
                 waits_with_deadline(true);
               }};
const model m10{
    "C two wait, one with deadline", {.at_least = 100, .quick = timed, .deep = timed_deep}, two_wait_one_with_deadline};
const model m11{"C goes with its waiter", {.at_least = 20, .quick = quick, .deep = deep}, [] { goes_with_its_waiter(forever); }};
const model m12{"C goes with its waiter, with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep}, [] {
                  goes_with_its_waiter(100'000);
                }};
const model m13{"C ult waits", {.at_least = 20, .quick = quick, .deep = deep}, [] { ult_waits(forever, false); }};
const model m14{"C ult waits for a handler", {.at_least = 20, .quick = quick, .deep = deep}, [] { ult_waits(forever, true); }};
const model m15{
    "C ult waits for a handler with deadline", {.at_least = 20, .quick = quick, .deep = deep}, [] { ult_waits(1, true); }};

}  // namespace
