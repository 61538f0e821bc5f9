// Protocol K with workers that go to sleep, over include/weft/hot.h, src/run/fork.cpp and idle.cpp:
// a fork whose forker stays away is run, however many workers sleep, or lie down, or have just been
// woken for another fork.
// Built with src/capi/fork.cpp src/run/fork.cpp src/run/idle.cpp src/run/wake.cpp
// Built with src/unit/timer.cpp
#include "arch/cpu.hpp"
#include "fork_world.hpp"
#include "run/idle.hpp"
#include "run/steal.hpp"
#include "run/wake.hpp"

namespace weft::sched {

// The forker is the only victim. While it keeps its lock there is nothing new to see.
bool sees_prey(worker*) { return has_forks_to_take(core_world::the.workers[0]); }
unit* steal(worker* w) {
  unit* one = nullptr;
  while (one == nullptr && sees_prey(w)) {
    one = steal_forks(w, core_world::the.workers[0], 1).chain;
    if (one == nullptr) arch::pause();
  }
  return one;
}

}  // namespace weft::sched

namespace {

using namespace fork_world;

// Idles until it has run the last fork, or another worker has.
void idle_until(unsigned index, const job* last) {
  worker* w = the.workers[index];
  local::set_worker(w);
  while (unit* one = idle(w)) {
    const bool is_last = job_of(one->argument) == last;
    run_unit(one);
    if (!is_last) continue;
    the.rt->is_stopping.store(true, base::relaxed);
    wake_all(the.rt);
  }
}

// The forker stays away until another worker has run it.
void stay_away(job& last) {
  weft_forked* forked = start(last);
  while (the.rt->is_stopping.load(base::relaxed) == false) weft::arch::pause();
  finish(forked, last);
}

void one_sleeper() {
  world its;
  make(its, 2);
  job what;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   stay_away(what);
                 }},
          thread{"worker 1", [&] { idle_until(1, &what); }});
  check(what.runs == 1, "the fork is run once");
}

// The first fork may wake one of the two workers, which comes too late for it; the second must be
// taken nevertheless.
void two_sleepers() {
  world its;
  make(its, 3);
  warm_up(0);
  job first, last;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   finish(start(first), first);
                   stay_away(last);
                 }},
          thread{"worker 1", [&] { idle_until(1, &last); }}, thread{"worker 2", [&] { idle_until(2, &last); }});
  check(first.runs == 1 && last.runs == 1, "each fork is run once");
}

// Each of two forks is one that a worker must come for.
void two_forks_two_sleepers() {
  world its;
  make(its, 3);
  job first, last;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* one = start(first);
                   stay_away(last);
                   finish(one, first);
                 }},
          thread{"worker 1", [&] { idle_until(1, &last); }}, thread{"worker 2", [&] { idle_until(2, &last); }});
  check(first.runs == 1 && last.runs == 1, "each fork is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 40'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 30'000};
constexpr bounds deep{.preemptions = 4, .weak = 2, .impatience = 1, .executions = 10'000'000};

const model m1{"K one sleeper", {.at_least = 100, .quick = quick, .deep = deep}, one_sleeper};
const model m2{"K two sleepers", {.at_least = 100, .quick = quick_three, .deep = deep}, two_sleepers};
const model m3{"K two forks and two sleepers", {.at_least = 100, .quick = quick_three, .deep = deep}, two_forks_two_sleepers};

}  // namespace
