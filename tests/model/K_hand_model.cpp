// Protocol K over include/weft/hot.h, src/run/fork.cpp and hand.hpp: forks that a forker puts into
// the hand of an idle worker. Each fork is run once, whether the hand is filled, closed in that
// moment, or taken from by a raid besides; its taker sees what the forker wrote, and the forker
// what the taker did.
// Built with src/capi/fork.cpp src/run/fork.cpp
#include "fork_world.hpp"
#include "run/wake.hpp"
#include "worker/hand.hpp"

void weft::sched::wake_any(runtime*) {}

namespace {

using namespace fork_world;

int run_chain(unit* chain) {
  int count = 0;
  for (; chain != nullptr; ++count) {
    unit* const after = static_cast<unit*>(chain->next);
    run_unit(chain);
    chain = after;
  }
  return count;
}

// An idle worker asks, looks once, and does something else.
int ask_once(unsigned index) {
  worker* const w = the.workers[index];
  local::set_worker(w);
  hand::hold_out(w);
  want_to_hear_of_forks(the.rt);
  const int taken = run_chain(hand::take(w));
  return taken + run_chain(hand::close(w));
}

void begin(world& its, unsigned workers) {
  make(its, workers);
  forker_runs_its_queue = true;
  warm_up(0);
}

void fork_twice(job& first, job& second) {
  local::set_worker(the.workers[0]);
  weft_forked* one = start(first);
  weft_forked* other = start(second);
  finish(other, second);
  finish(one, first);
}

void one_taker() {
  world its;
  begin(its, 2);
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker", [&] { ask_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The forker is asked before it forks, so that its first fork fills the hand; and it looks for the
// taker at its second one.
void taker_is_expected() {
  world its;
  begin(its, 2);
  worker* const taker = the.workers[1];
  hand::hold_out(taker);
  weft_hot_store(&the.workers[0]->forks.hot.limit, nullptr, __ATOMIC_RELAXED);
  job first, second;
  int taken = 0;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   finish(start(first), first);
                   finish(start(second), second);
                 }},
          thread{"taker", [&] {
                   local::set_worker(taker);
                   while (!hand::is_filled(taker)) weft::arch::pause();
                   taken = run_chain(hand::take(taker));
                   taken += ask_once(1);
                 }});
  check(taken >= 1, "an open hand that the forker looks at is filled");
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void two_takers() {
  world its;
  begin(its, 3);
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker a", [&] { ask_once(1); }},
          thread{"taker b", [&] { ask_once(2); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// What is not given is taken with a fence.
void taker_and_thief() {
  world its;
  begin(its, 3);
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker", [&] { ask_once(1); }},
          thread{"thief", [&] { rob_once(2); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void without_memory() {
  world its;
  begin(its, 2);
  units_with_memory = 0;
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker", [&] { ask_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The forks of a tasklet, which could not wait for them, are given to no worker.
void of_a_tasklet() {
  world its;
  begin(its, 2);
  unit tasklet{};
  tasklet.set(is_tasklet);
  job what;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   the.workers[0]->current = &tasklet;
                   weft_forked* forked = start(what);
                   check(weft_fork_take_back(forked), "no thief has taken it");
                   ++what.runs;
                 }},
          thread{"taker", [&] { check(ask_once(1) == 0, "nothing is given"); }});
  check(what.runs == 1, "the fork is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 40'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 30'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};

const model m1{"K a hand is held out", {.at_least = 100, .quick = quick, .deep = deep}, one_taker};
const model m2{"K a taker is expected", {.at_least = 50, .quick = quick, .deep = deep}, taker_is_expected};
const model m3{"K two hands", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_takers};
const model m4{"K a hand and a thief", {.at_least = 100, .quick = quick_three, .deep = deep_three}, taker_and_thief};
const model m5{"K a hand without memory", {.at_least = 50, .quick = quick, .deep = deep}, without_memory};
const model m6{"K a hand and a tasklet's fork", {.at_least = 20, .quick = quick, .deep = deep}, of_a_tasklet};

}  // namespace
