// Protocol P over src/run/awaiter.cpp: the wait of an awaiter ends exactly once, by a waker, the
// clock or a canceller; its memory, and that of what it waited for, may go with ready, or with a
// cancel that returned; what was done before is seen.
// Built with src/sync/event.cpp src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include <cstring>

#include "core_world.hpp"
#include "run/awaiter.hpp"
#include "sync/event.hpp"

namespace {

using namespace core_world::words;
using weft::sync::event;

// A payload for each event, written before the event is set.
struct source {
  event sent;
  int payload = 0;

  void send() {
    payload = 1;
    sent.set();
  }
};

// An awaiter at one event or two, in memory that is written over when it may be.
struct wait {
  alignas(awaiter) unsigned char memory[sizeof(awaiter)];
  alignas(await_record) unsigned char records[2][sizeof(await_record)];
  source* sources[2] = {};
  unsigned count = 0;
  bool frees = false;
  base::atomic<int> calls{0};
  int noted = 0;  // written in ready
  status ended = status::busy;

  awaiter* one() { return reinterpret_cast<awaiter*>(memory); }
  await_record* record(unsigned index) { return reinterpret_cast<await_record*>(records[index]); }

  void prepare(source* first, source* second = nullptr);
  // True: ready comes. False: it is over.
  bool arm(std::uint64_t deadline_ns = forever);
  void check_winner(const await_record* winner) const {
    if (winner != nullptr) check(sources[winner->number]->payload == 1, "what was done before is seen");
  }
  void over_write() {
    for (unsigned char& each : memory) each = 0xff;
    for (auto& record : records) {
      for (unsigned char& each : record) each = 0xff;
    }
  }
};

wait* the_wait;

void ready(awaiter* one, status result) {
  wait* const mine = the_wait;
  mine->check_winner(one->winner);
  mine->ended = result;
  mine->noted = 1;
  if (mine->frees) mine->over_write();
  mine->calls.fetch_add(1, base::release);
}

void wait::prepare(source* first, source* second) {
  the_wait = this;
  sources[0] = first;
  sources[1] = second;
  count = second != nullptr ? 2 : 1;
  auto* const made = new (memory) awaiter;
  made->call = ready;
  for (unsigned each = 0; each < count; ++each) {
    auto* const fresh = new (records[each]) await_record(made, &sources[each]->sent);
    fresh->number = each;
  }
  if (count == 2) record(0)->following = record(1);
  made->records = record(0);
}

bool wait::arm(std::uint64_t deadline_ns) {
  const bool is_early = count > 1 || deadline_ns != forever;
  if (!is_early) {
    begin_arming(one(), armed);
  } else if (begin_arming_early(one(), deadline_ns) != status::ok) {
    ended = status::not_initialized;
    return false;
  }
  armed_as what = armed_as::waits;
  for (unsigned each = 0; each < count && what == armed_as::waits; ++each) what = sources[each]->sent.await(record(each));
  if (!is_early) {
    if (what == armed_as::waits) return true;
    check_winner(one()->winner);
    return false;
  }
  if (finish_arming(one())) return true;
  check_winner(one()->winner);
  return false;
}

// ---- one event ----

void waits_for_one(bool frees) {
  core_world::make(1);
  alignas(source) unsigned char memory[sizeof(source)];
  auto* const from = new (memory) source;
  wait mine;
  mine.frees = frees;
  mine.prepare(from);
  threads(thread{"arms",
                 [&] {
                   const bool waits = mine.arm();
                   while (waits && mine.calls.load(base::acquire) == 0) weft::arch::pause();
                   check(mine.calls.load(base::relaxed) == (waits ? 1 : 0), "once, if it waits");
                   for (unsigned char& each : memory) each = 0xff;  // the event may go
                 }},
          thread{"sets", [&] { from->send(); }});
}

// ---- cancelled ----

// The canceller knows that it is armed.
void is_cancelled(unsigned setters) {
  core_world::make(1);
  source from[2];
  wait mine;
  mine.prepare(&from[0], setters == 2 ? &from[1] : nullptr);
  if (!mine.arm()) explorer::fail("assertion", "nothing is set yet");
  const auto cancels = [&] {
    if (cancel(mine.one())) {
      check(mine.noted == 0, "ready does not come");
    } else {
      check(mine.noted == 1, "ready has returned");
    }
    const int calls = mine.calls.load(base::relaxed);
    mine.over_write();
    check(calls == mine.calls.load(base::relaxed), "nothing comes afterwards");
  };
  if (setters == 1) {
    threads(thread{"cancels", cancels}, thread{"sets", [&] { from[0].send(); }});
  } else {
    threads(thread{"cancels", cancels}, thread{"a", [&] { from[0].send(); }}, thread{"b", [&] { from[1].send(); }});
  }
}

// On a worker, whose word a canceller outside reads.
void is_cancelled_while_a_worker_sets() {
  core_world::make(1);
  source from;
  wait mine;
  mine.prepare(&from);
  if (!mine.arm()) explorer::fail("assertion", "nothing is set yet");
  threads(thread{"cancels",
                 [&] {
                   if (!cancel(mine.one())) check(mine.noted == 1, "ready has returned");
                   mine.over_write();
                 }},
          thread{"worker", [&] {
                   local::set_worker(the.workers[0]);
                   from.send();
                 }});
}

// One event ends the waits of both. The first ready cancels the second awaiter, whose ready so
// comes inside that call, while another thread cancels it too: that one learns of its end.
wait* cancelled_by_two;
base::atomic<bool> first_is_called{false};

void cancel_the_second(awaiter*, status) {
  first_is_called.store(true, base::relaxed);
  check(!cancel(cancelled_by_two->one()), "it was claimed before the first ready");
  check(cancelled_by_two->noted == 1, "its ready has returned");
}

void is_cancelled_inside_and_outside() {
  core_world::make(1);
  source from;
  wait first;
  wait second;
  first.prepare(&from);
  first.one()->call = cancel_the_second;
  second.prepare(&from);
  cancelled_by_two = &second;
  first_is_called.store(false, base::relaxed);
  if (!first.arm() || !second.arm()) explorer::fail("assertion", "nothing is set yet");
  threads(thread{"cancels",
                 [&] {
                   while (!first_is_called.load(base::relaxed)) weft::arch::pause();
                   check(!cancel(second.one()), "it was claimed before the first ready");
                   check(second.noted == 1, "ready has returned");
                 }},
          thread{"worker", [&] {
                   local::set_worker(the.workers[0]);
                   from.send();
                 }});
  check(second.calls.load(base::relaxed) == 1, "once");
}

// ---- any of two ----

void any_of_two(bool frees) {
  core_world::make(1);
  source from[2];
  wait mine;
  mine.frees = frees;
  mine.prepare(&from[0], &from[1]);
  threads(thread{"arms",
                 [&] {
                   const bool waits = mine.arm();
                   while (waits && mine.calls.load(base::acquire) == 0) weft::arch::pause();
                   if (!waits) mine.over_write();
                 }},
          thread{"a", [&] { from[0].send(); }}, thread{"b", [&] { from[1].send(); }});
  check(mine.calls.load(base::relaxed) <= 1, "one winner");
}

// The winner's event goes as soon as the armer knows.
void event_goes_with_early_winner() {
  core_world::make(1);
  alignas(source) unsigned char memory[sizeof(source)];
  auto* const from = new (memory) source;
  source other;
  wait mine;
  mine.prepare(from, &other);
  threads(thread{"arms",
                 [&] {
                   const bool waits = mine.arm();
                   while (waits && mine.calls.load(base::acquire) == 0) weft::arch::pause();
                   from->~source();
                   for (unsigned char& each : memory) each = 0xff;
                 }},
          thread{"sets", [&] { from->send(); }});
}

// ---- a word in place of a queue, as the end of a thread has ----

base::atomic<await_record*> in_word{nullptr};

armed_as await_word(await_record* one) {
  in_word.store(one, base::release);
  return armed_as::waits;
}

// The armer learns of it by the awaiter's word alone.
void won_early_without_a_lock(bool gives_up) {
  core_world::make(1);
  source unused;
  int payload = 0;
  wait mine;
  mine.prepare(&unused);
  unused.payload = 1;
  in_word.store(nullptr, base::relaxed);
  threads(thread{"arms",
                 [&] {
                   begin_arming(mine.one(), arming);
                   static_cast<void>(await_word(mine.record(0)));
                   const bool is_over = gives_up ? !give_up_arming(mine.one()) : !finish_arming(mine.one());
                   if (!is_over) return;
                   check(mine.one()->winner == mine.record(0), "the only one");
                   check(payload == 1, "what was done before is seen");
                 }},
          thread{"wakes", [&] {
                   await_record* one = in_word.load(base::acquire);
                   if (one == nullptr) return;
                   payload = 1;
                   static_cast<void>(wake(one));
                 }});
}

// ---- the clock ----

// Each logical thread has a clock of its own, which goes on by a step whenever it is read: no armer
// comes as far as this.
constexpr std::uint64_t near = 100'000;

void expire() {
  local::set_worker(the.workers[0]);
  while (explorer::now_ns() < near) continue;
  expire_timers(the.workers[0]);
}

void with_deadline() {
  core_world::make(1);
  source from;
  wait mine;
  mine.frees = true;
  mine.prepare(&from);
  if (!mine.arm(near)) explorer::fail("assertion", "nothing is set yet");
  threads(thread{"clock", expire}, thread{"sets", [&] { from.send(); }});
  check(mine.calls.load(base::relaxed) == 1, "by the one or the other");
}

// The clock comes while the records are put into queues: the armer learns of it, and ready does not
// come.
void expires_while_it_is_armed() {
  core_world::make(1);
  source from;
  wait mine;
  mine.prepare(&from);
  bool waits = false;
  threads(thread{"arms", [&] { waits = mine.arm(near); }}, thread{"clock", expire});
  const int calls = mine.calls.load(base::relaxed);
  check(waits || calls == 0, "a wait that is over calls no ready");
  check(calls <= 1, "once");
}

// ---- the end of the runtime ----

// As finish() of start.cpp, by a worker that nothing else keeps busy.
void end() {
  local::set_worker(the.workers[0]);
  static_cast<void>(end_awaits(the.rt));
  while (!are_expiries_over(the.rt)) weft::arch::pause();
}

void ends_while_it_is_set() {
  core_world::make(1);
  source from;
  wait mine;
  mine.frees = true;
  mine.prepare(&from);
  if (!mine.arm(near)) explorer::fail("assertion", "nothing is set yet");
  threads(thread{"ends", end}, thread{"sets", [&] { from.send(); }});
  check(mine.calls.load(base::relaxed) == 1, "by the one or the other");
  check(mine.ended == status::ok || mine.ended == status::ended, "no deadline has passed");
}

void ends_while_it_is_cancelled() {
  core_world::make(1);
  source from;
  wait mine;
  mine.prepare(&from);
  if (!mine.arm(near)) explorer::fail("assertion", "nothing is set yet");
  threads(thread{"ends", end}, thread{"cancels", [&] {
                                        const bool comes = !cancel(mine.one());
                                        check(mine.noted == (comes ? 1 : 0), "ready has returned, or does not come");
                                        mine.over_write();
                                      }});
}

// The armer learns of it, or is refused, or its ready has come.
void ends_while_it_is_armed() {
  core_world::make(1);
  source from;
  wait mine;
  mine.prepare(&from);
  bool waits = false;
  threads(thread{"arms", [&] { waits = mine.arm(near); }}, thread{"ends", end});
  check(mine.calls.load(base::relaxed) == (waits ? 1 : 0), "none is left waiting");
  if (waits) return check(mine.ended == status::ended, "by the end");
  check(mine.ended == status::not_initialized || mine.one()->unmet == status::ended, "it is refused, or was taken by the end");
  check(!is_armed(mine.one()), "it is unarmed");
}

// What a worker does whose deadline has passed is known to the one that ends the runtime.
void ends_while_it_expires() {
  core_world::make(2);
  source from;
  wait mine;
  mine.frees = true;
  mine.prepare(&from);
  if (!mine.arm(near)) explorer::fail("assertion", "nothing is set yet");
  threads(thread{"ends",
                 [&] {
                   end();
                   check(mine.noted == 1, "ready has returned");
                 }},
          thread{"clock", [] {
                   local::set_worker(the.workers[1]);
                   while (explorer::now_ns() < near) continue;
                   expire_timers(the.workers[1]);
                 }});
  check(mine.calls.load(base::relaxed) == 1, "by the one or the other");
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 100'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"P awaiter", {.at_least = 20, .quick = quick, .deep = deep}, [] { waits_for_one(false); }};
const model m2{"P awaiter that goes with ready", {.at_least = 20, .quick = quick, .deep = deep}, [] { waits_for_one(true); }};
const model m3{"P awaiter against its canceller", {.at_least = 20, .quick = quick, .deep = deep}, [] { is_cancelled(1); }};
const model m4{
    "P awaiter of two against its canceller", {.at_least = 100, .quick = quick, .deep = deep}, [] { is_cancelled(2); }};
const model m5{"P awaiter, set by a worker", {.at_least = 20, .quick = quick, .deep = deep}, is_cancelled_while_a_worker_sets};
const model m6{"P any of two", {.at_least = 100, .quick = quick, .deep = deep}, [] { any_of_two(false); }};
const model m7{"P any of two that goes with ready", {.at_least = 100, .quick = quick, .deep = deep}, [] { any_of_two(true); }};
const model m8{"P event goes with an early winner", {.at_least = 20, .quick = quick, .deep = deep}, event_goes_with_early_winner};
const model m10{
    "P won early without a lock", {.at_least = 5, .quick = quick, .deep = deep}, [] { won_early_without_a_lock(false); }};
const model m11{
    "P given up, but won early", {.at_least = 5, .quick = quick, .deep = deep}, [] { won_early_without_a_lock(true); }};
const model m9{"P awaiter with deadline", {.at_least = 100, .quick = quick, .deep = deep}, with_deadline};
const model m12{
    "P cancelled inside a ready and elsewhere", {.at_least = 20, .quick = quick, .deep = deep}, is_cancelled_inside_and_outside};
const model m13{"P expires while it is armed", {.at_least = 100, .quick = quick, .deep = deep}, expires_while_it_is_armed};
const model m14{"P ends with the runtime, or is set", {.at_least = 100, .quick = quick, .deep = deep}, ends_while_it_is_set};
const model m15{
    "P ends with the runtime, or is cancelled", {.at_least = 50, .quick = quick, .deep = deep}, ends_while_it_is_cancelled};
const model m16{"P the runtime ends while it is armed", {.at_least = 50, .quick = quick, .deep = deep}, ends_while_it_is_armed};
const model m17{"P the runtime ends while it expires", {.at_least = 50, .quick = quick, .deep = deep}, ends_while_it_expires};

}  // namespace
