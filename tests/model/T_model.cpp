// Protocol T over the join word of src/unit/unit.hpp, join.cpp and thread.cpp: a joiner returns
// after the unit's end and sees what it did, however the two meet; the unit is freed exactly once,
// and no thread touches it or the joiner's record afterwards.
// Built with src/thread/join.cpp src/thread/create.cpp src/run/end.cpp src/worker/extras.cpp
// Built with src/thread/thread.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp src/worker/outlived.cpp
#include "run/awaiter.hpp"
#include "run/choose.hpp"
#include "run/end.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "run/resume.hpp"
#include "run/steal.hpp"
#include "run/wait.hpp"
#include "thread/thread.hpp"
#include "ult.hpp"
#include "unit/waiter.hpp"
#include "worker/outlived.hpp"

namespace weft::sched {

worker* park(worker*, unit* self, after_switch after) { return park_ult(*core_world::ult_of(self), after.run, after.argument); }
void make_ready(worker*, unit* one, push_reason) { make_ult_ready(*core_world::ult_of(one)); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;
using core_world::ult;

// A unit of which a worker runs the end.
struct target {
  unit one{};
  int result = 0;  // written by the unit, read by its joiner

  target() {
    one.context.set_maker(nullptr);
    one.state.store(unit_state::running, base::relaxed);
  }

  // The unit's last look at its own descriptor is before its end.
  void run() {
    check(one.function == nullptr, "the descriptor is no other unit's yet");
    result = 1;
  }

  // As run_in_a_row() in carrier.cpp ends a unit that ran in one go.
  void end_on(worker* w) {
    local::set_worker(w);
    run();
    enter(w);
    const std::uintptr_t found = join_word::end_inside(&one);
    w->lock.leave();
    if (found == join_word::open) {
      count_finished(w);
    } else {
      settle_end(w, &one, found);
    }
  }

  // As one ends that was marked when its worker took it in from another.
  void end_marked(worker* w) {
    local::set_worker(w);
    one.set(ends_noticed);
    run();
    end(w, &one);
  }

  // As one ends that has parked before.
  void end_after_parking(worker* w) {
    local::set_worker(w);
    run();
    end(w, &one);
  }
};

// Thread 0, at the end: how often the unit went back to some cache.
int times_freed(const target& what) {
  int count = 0;
  const auto drain = [&](weft::mem::slab_cache& cache) {
    while (!cache.is_empty()) count += cache.take_one() == &what.one ? 1 : 100;
  };
  for (unsigned i = 0; i < the.rt->worker_slots.load(base::relaxed); ++i) drain(the.workers[i]->units);
  drain(the.rt->outside_units);
  return count;
}

void join_and_check(target& what, std::uint64_t deadline_ns) {
  const status result = join(&what.one, deadline_ns);
  check(result == status::ok || deadline_ns != forever, "an untimed join succeeds");
  check(result == status::ok || result == status::timeout, "a timed join succeeds or times out");
  if (result == status::ok) check(what.result == 1, "the joiner sees what the unit did");
  explorer::outcome(result == status::ok ? 1 : 0);
}

// ---- joiners outside ----------------------------------------------------------------------------

template <class End>
void outside_joins(End end_it) {
  core_world::make(1);
  target what;
  explorer::name(what.one.join, "join");
  threads(thread{"finisher", [&] { end_it(what); }}, thread{"outside", [&] { join_and_check(what, forever); }});
  check(times_freed(what) == 1, "freed once");
}
void fast_end() {
  outside_joins([](target& what) { what.end_on(the.workers[0]); });
}
void parked_end() {
  outside_joins([](target& what) { what.end_after_parking(the.workers[0]); });
}

void marked_end() {
  outside_joins([](target& what) { what.end_marked(the.workers[0]); });
}

// WEFT_DROP: the unit never ends, and its joiner is told, whenever it comes.
void dropped_while_joined(std::uint64_t deadline_ns) {
  core_world::make(1);
  target what;
  threads(thread{"finalizer",
                 [&] {
                   leave_dropped(&what.one);
                   const std::uintptr_t found = join_word::end(&what.one);
                   if (found != join_word::open) wake_joiner(reinterpret_cast<waiter*>(found));
                 }},
          thread{"outside", [&] {
                   const status result = join(&what.one, deadline_ns);
                   const bool may_time_out = deadline_ns != forever;
                   check(result == status::ended || (may_time_out && result == status::timeout), "the joiner is told");
                   if (result == status::timeout) check(join(&what.one, forever) == status::ended, "and later, too");
                 }});
  check(times_freed(what) == 0, "its handle stays good");
}
void dropped() { dropped_while_joined(forever); }
void dropped_with_deadline() { dropped_while_joined(100'000); }

// WEFT_DROP: as long as regions are open the finalizer tells joiners of units that will not run
// again. The units have not ended, and are dropped later.
void told_of_a_drop(std::uint64_t deadline_ns) {
  core_world::make(1);
  target what;
  base::atomic<bool> is_back{false};
  threads(thread{"finalizer",
                 [&] {
                   while (!is_back.load(base::relaxed)) {
                     tell_joiner_of_drop(&what.one);
                     weft::arch::pause();
                   }
                 }},
          thread{"outside", [&] {
                   const status result = join(&what.one, deadline_ns);
                   check(result == status::ended || (deadline_ns != forever && result == status::timeout), "the joiner is told");
                   explorer::outcome(result == status::timeout ? 1 : 0);
                   is_back.store(true, base::relaxed);
                 }});
  check(what.one.join.load(base::relaxed) == join_word::open, "no record is left in the word");
  check(times_freed(what) == 0, "its handle stays good");
}
void told() { told_of_a_drop(forever); }
void told_with_deadline() { told_of_a_drop(100'000); }

// The same of an awaiter, which is cancelled meanwhile, and whose memory is then used again.
struct awaiting {
  alignas(awaiter) unsigned char memory[sizeof(awaiter)];
  alignas(await_record) unsigned char record[sizeof(await_record)];
  status ended = status::busy;
};
awaiting* the_wait;

void awaiter_told_of_a_drop() {
  core_world::make(1);
  target what;
  awaiting wait;
  the_wait = &wait;
  auto* const made = new (wait.memory) awaiter;
  made->call = [](awaiter*, status result) { the_wait->ended = result; };
  made->records = new (wait.record) await_record(made, &what.one);
  base::atomic<bool> is_back{false};
  threads(thread{"finalizer",
                 [&] {
                   while (!is_back.load(base::relaxed)) {
                     tell_joiner_of_drop(&what.one);
                     weft::arch::pause();
                   }
                 }},
          thread{"outside", [&] {
                   check(begin_arming_early(made, forever) == status::ok, "a runtime is there");
                   armed_as found = armed_as::waits;
                   check(arm_join(made->records, &what.one, &found) == status::ok && found == armed_as::waits, "it waits");
                   bool is_cancelled = false;
                   if (finish_arming(made)) {
                     is_cancelled = cancel(made);
                     check(is_cancelled == (wait.ended == status::busy), "ready is called, or never");
                   } else {
                     check(made->unmet == status::ended, "it was told when all was armed");
                   }
                   for (unsigned char& each : wait.memory) each = 0xff;
                   for (unsigned char& each : wait.record) each = 0xff;
                   explorer::outcome(is_cancelled ? 1 : 0);
                   is_back.store(true, base::relaxed);
                 }});
  check(what.one.join.load(base::relaxed) == join_word::open, "no record is left in the word");
  check(wait.ended == status::busy || wait.ended == status::ended, "by the drop");
}

// A builder's caller looks whether it has ended, as hot.h does it.
void looked_at() {
  core_world::make(1);
  target what;
  const auto* handle = reinterpret_cast<const weft_thread*>(&what.one);
  threads(thread{"finisher", [&] { what.end_after_parking(the.workers[0]); }},
          thread{"outside", [&] {
                   if (weft_hot_has_ended(handle)) check(what.result == 1, "the caller that sees the end sees what was done");
                 }});
}

// The worker is being removed: it takes no part in stealing and waking any more, but still runs its
// last unit.
void end_on_a_leaving_worker() {
  core_world::make(1);
  the.workers[0]->is_serving.store(false, base::relaxed);
  target what;
  threads(thread{"finisher", [&] { what.end_on(the.workers[0]); }}, thread{"outside", [&] { join_and_check(what, forever); }});
  check(times_freed(what) == 1, "freed once");
}

// The finisher's worker is asked for work meanwhile, so that it enters its lock the slow way.
void end_while_asked() {
  core_world::make(2);
  target what;
  threads(thread{"finisher", [&] { what.end_on(the.workers[0]); }}, thread{"outside", [&] { join_and_check(what, forever); }},
          thread{"thief", [&] {
                   worker* me = the.workers[1];
                   local::set_worker(me);
                   using result = weft::queue::biased_lock<worker>::raid_result;
                   weft::queue::biased_lock<worker>& lock = the.workers[0]->lock;
                   if (lock.ask(me) && lock.raid(me) == result::inside) lock.end_raid();
                 }});
  check(times_freed(what) == 1, "freed once");
}

void timed_outside() {
  core_world::make(1);
  target what;
  bool joined = false;
  threads(thread{"finisher", [&] { what.end_on(the.workers[0]); }}, thread{"outside", [&] {
                                                                             joined = join(&what.one, 100'000) == status::ok;
                                                                             if (joined)
                                                                               check(what.result == 1,
                                                                                     "the joiner sees what the unit did");
                                                                           }});
  if (!joined) join_and_check(what, forever);
  check(times_freed(what) == 1, "freed once");
}

void try_first() {
  core_world::make(1);
  target what;
  threads(thread{"finisher", [&] { what.end_on(the.workers[0]); }}, thread{"outside", [&] {
                                                                             if (try_join(&what.one) == status::ok) {
                                                                               check(what.result == 1,
                                                                                     "the joiner sees what the unit did");
                                                                             } else {
                                                                               join_and_check(what, forever);
                                                                             }
                                                                           }});
  check(times_freed(what) == 1, "freed once");
}

// ---- joiners that are ULTs ----------------------------------------------------------------------

template <class End>
void ult_joins(End end_it) {
  core_world::make(3);
  ult u;
  prepare(u, 0, 0, 1);
  target what;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   join_and_check(what, forever);
                   finish(u);
                 }},
          thread{"worker", [&] { leave(u, 1); }}, thread{"finisher", [&] { end_it(what); }});
  check(times_freed(what) == 1, "freed once");
}
void ult_joins_fast_end() {
  ult_joins([](target& what) { what.end_on(the.workers[2]); });
}
void ult_joins_marked_end() {
  ult_joins([](target& what) { what.end_marked(the.workers[2]); });
}
void ult_joins_parked_end() {
  ult_joins([](target& what) { what.end_after_parking(the.workers[2]); });
}

template <class End>
void ult_joins_with_deadline(End end_it) {
  core_world::make(3);
  ult u;
  prepare(u, 0, 0, 1);
  target what;
  bool joined = false;
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   joined = join(&what.one, 1) == status::ok;
                   if (joined) check(what.result == 1, "the joiner sees what the unit did");
                   finish(u);
                 }},
          thread{"worker",
                 [&] {
                   leave(u, 1);
                   expire_timers(u.workers[0]);
                 }},
          thread{"finisher", [&] { end_it(what); }});
  local::set_worker(nullptr);
  if (!joined) join_and_check(what, forever);
  check(times_freed(what) == 1, "freed once");
}
void ult_timed_fast_end() {
  ult_joins_with_deadline([](target& what) { what.end_on(the.workers[2]); });
}
void ult_timed_parked_end() {
  ult_joins_with_deadline([](target& what) { what.end_after_parking(the.workers[2]); });
}

// The target still stands in the joiner's own queue; the worker that the joiner leaves runs it
// next.
void target_in_own_queue() {
  core_world::make(2);
  ult u;
  prepare(u, 0, 0, 1);
  target what;
  what.one.set(stays_put);  // no joiner lends its stack to it
  enter(the.workers[0]);
  the.workers[0]->ready.push_recent(&what.one);
  the.workers[0]->lock.leave();
  threads(thread{"ult",
                 [&] {
                   begin(u);
                   join_and_check(what, forever);
                   finish(u);
                 }},
          thread{"worker", [&] {
                   leave(u, 1);
                   if (find_own(u.workers[0]) == &what.one) what.end_on(u.workers[0]);
                 }});
  check(times_freed(what) == 1, "freed once");
}

// ---- detaching ----------------------------------------------------------------------------------

// Making the next unit writes to the descriptor that was freed here, if it was.
void use_again_outside() {
  weft::mem::slab_cache& free = the.rt->outside_units;
  if (free.is_empty()) return;
  auto* one = static_cast<unit*>(free.take_one());
  one->function = [](void*) {};
  free.give_one(one);
}

template <class End>
void detached(End end_it) {
  core_world::make(1);
  target what;
  threads(thread{"finisher", [&] { end_it(what); }}, thread{"outside", [&] {
                                                              check(detach(&what.one) == status::ok,
                                                                    "detaching succeeds before and after the end");
                                                              use_again_outside();
                                                            }});
  check(times_freed(what) == 1, "freed once");
}
void detached_fast_end() {
  detached([](target& what) { what.end_on(the.workers[0]); });
}
void detached_marked_end() {
  detached([](target& what) { what.end_marked(the.workers[0]); });
}
void detached_parked_end() {
  detached([](target& what) { what.end_after_parking(the.workers[0]); });
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 40'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 40'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 40'000};
constexpr bounds patient{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 60'000};
constexpr bounds told_bounds{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 40'000};
constexpr bounds told_timed{.preemptions = 2, .weak = 1, .impatience = 1, .timeouts = 1, .executions = 40'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .impatience = 1, .timeouts = 1, .executions = 10'000'000};

const model m1{"T outside joins", {.at_least = 50, .quick = quick, .deep = deep, .outcomes = "1"}, fast_end};
const model m2{"T outside joins one that parked", {.at_least = 20, .quick = quick, .deep = deep, .outcomes = "1"}, parked_end};
const model m30{"T looked at", {.at_least = 2, .quick = quick, .deep = deep}, looked_at};
const model m3{"T end on a leaving worker", {.at_least = 50, .quick = quick, .deep = deep}, end_on_a_leaving_worker};
const model m4{"T end while asked", {.at_least = 50, .quick = patient, .deep = deep}, end_while_asked};
const model m5{"T outside joins with deadline", {.at_least = 50, .quick = timed, .deep = deep}, timed_outside};
const model m6{"T try, then join", {.at_least = 50, .quick = quick, .deep = deep}, try_first};
const model m7{"T ult joins", {.at_least = 50, .quick = quick_three, .deep = deep}, ult_joins_fast_end};
const model m8{"T ult joins one that parked", {.at_least = 50, .quick = quick_three, .deep = deep}, ult_joins_parked_end};
const model m9{"T ult joins with deadline", {.at_least = 50, .quick = quick_three, .deep = deep}, ult_timed_fast_end};
const model m10{"T ult, deadline, one that parked", {.at_least = 50, .quick = quick_three, .deep = deep}, ult_timed_parked_end};
const model m11{"T target in own queue", {.at_least = 5, .quick = quick, .deep = deep}, target_in_own_queue};
const model m12{"T detached", {.at_least = 5, .quick = quick, .deep = deep}, detached_fast_end};
const model m13{"T detached, one that parked", {.at_least = 5, .quick = quick, .deep = deep}, detached_parked_end};
const model m14{"T outside joins one marked", {.at_least = 20, .quick = quick, .deep = deep, .outcomes = "1"}, marked_end};
const model m15{"T ult joins one marked", {.at_least = 50, .quick = quick_three, .deep = deep}, ult_joins_marked_end};
const model m16{"T detached, one marked", {.at_least = 5, .quick = quick, .deep = deep}, detached_marked_end};
const model m17{"T dropped while joined", {.at_least = 10, .quick = quick, .deep = deep}, dropped};
const model m19{"T told of a drop", {.at_least = 10, .quick = told_bounds, .deep = deep, .outcomes = "0"}, told};
const model m20{"T told of a drop, with deadline",
                {.at_least = 10, .quick = told_timed, .deep = deep, .outcomes = "0 1"},
                told_with_deadline};
const model m21{
    "T awaiter told of a drop", {.at_least = 10, .quick = told_bounds, .deep = deep, .outcomes = "0 1"}, awaiter_told_of_a_drop};
const model m18{"T dropped while joined with deadline", {.at_least = 10, .quick = timed, .deep = deep}, dropped_with_deadline};

}  // namespace
