// Protocol A, the last unit: weft_finalize returns when as many units have ended as were made, sees
// what they did, and is always woken.
// Built with src/life/drain.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp src/thread/create.cpp src/run/end.cpp src/worker/extras.cpp
// Built with src/thread/thread.cpp
#include "core_world.hpp"
#include "life/drain.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "thread/thread.hpp"
#include "ult.hpp"

namespace weft::sched {

worker* park(worker*, unit* self, after_switch after) { return park_ult(*core_world::ult_of(self), after.run, after.argument); }
void make_ready(worker*, unit* one, push_reason) { make_ult_ready(*core_world::ult_of(one)); }

}  // namespace weft::sched

namespace {

using namespace core_world::words;

void count_made(worker* w) { w->created.store(w->created.load(base::relaxed) + 1, base::relaxed); }

// As a carrier ends a unit, and then finds nothing more to do.
void end_one(unsigned index) {
  worker* w = the.workers[index];
  local::set_worker(w);
  count_finished(w);
  wake_finalizer_if_drained(w);
}

void last_unit() {
  core_world::make(1);
  count_made(the.workers[0]);
  int result = 0;
  threads(thread{"worker",
                 [&] {
                   result = 1;
                   end_one(0);
                 }},
          thread{"finalizer", [&] {
                   drain(the.rt);
                   check(result == 1, "the unit has ended");
                 }});
}

// A unit makes another, which another worker takes, and ends: at no time does nothing live.
void makes_another() {
  core_world::make(2);
  count_made(the.workers[0]);
  base::atomic<bool> taken{false};
  int result = 0;
  threads(thread{"makes one and ends",
                 [&] {
                   count_made(the.workers[0]);
                   taken.store(true, base::release);
                   end_one(0);
                 }},
          thread{"the other",
                 [&] {
                   while (!taken.load(base::acquire)) weft::arch::pause();
                   result = 1;
                   end_one(1);
                 }},
          thread{"finalizer", [&] {
                   drain(the.rt);
                   check(result == 1, "both have ended");
                 }});
}

void two_end_at_once() {
  core_world::make(2);
  for (unsigned index = 0; index < 2; ++index) count_made(the.workers[index]);
  int results[2] = {};
  const auto end = [&](unsigned index) {
    results[index] = 1;
    end_one(index);
  };
  threads(thread{"worker 0", [&] { end(0); }}, thread{"worker 1", [&] { end(1); }}, thread{"finalizer", [&] {
                                                                                             drain(the.rt);
                                                                                             check(results[0] + results[1] == 2,
                                                                                                   "both have ended");
                                                                                           }});
}

// One outside makes a unit and discards it while another unit lives, which must be counted
// throughout.
void discarded_outside() {
  core_world::make(1);
  count_made(the.workers[0]);
  unit one{};
  threads(thread{"outside",
                 [&] {
                   the.rt->outside_created.fetch_add(1, base::relaxed);
                   discard_owned(&one);
                 }},
          thread{"counts", [&] {
                   const std::uint64_t live = live_units(the.rt);
                   check(live == 1 || live == 2, "the other lives");
                 }});
}

void worker_appears() {
  core_world::make(1);
  threads(thread{"starter", [&] { core_world::publish(1, base::release); }},
          thread{"counts", [&] { check(live_units(the.rt) == 0, "there are none"); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 60'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds short_of_all{.preemptions = 2, .weak = 2, .executions = 15'000};

const model m1{"A the last unit", {.at_least = 50, .quick = quick, .deep = deep}, last_unit};
const model m2{"A the last unit makes another", {.at_least = 50, .quick = short_of_all, .deep = deep}, makes_another};
const model m3{"A two last units", {.at_least = 50, .quick = quick, .deep = deep}, two_end_at_once};
const model m5{"A a unit is discarded outside", {.at_least = 5, .quick = quick, .deep = deep}, discarded_outside};
const model m4{"A a worker appears to who counts", {.at_least = 5, .quick = quick, .deep = deep}, worker_appears};

}  // namespace
