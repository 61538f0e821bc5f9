// Protocol K over include/weft/hot.h and src/run/fork.cpp: a thief that takes two forks with one
// fence.
// Built with src/capi/fork.cpp src/run/fork.cpp
#include <initializer_list>

#include "fork_world.hpp"
#include "run/choose.hpp"
#include "run/wake.hpp"

void weft::sched::wake_any(runtime*) {}

namespace {

using namespace fork_world;

// Forks of worker 0, oldest first; thieves are the others.
struct three_forks {
  world its;
  job jobs[3];
  weft_forked* forked[3];

  void start_all() {
    for (int i = 0; i < 3; ++i) forked[i] = start(jobs[i]);
  }
  void finish_all(std::initializer_list<int> order) {
    local::set_worker(the.workers[0]);
    for (const int i : order) finish(forked[i], jobs[i]);
  }
  void check_all() const {
    for (const job& each : jobs) check(each.runs == 1, "each fork is run once");
    check(!has_forks(the.workers[0]), "nothing is left");
  }
};

void begin(three_forks& its, unsigned workers) {
  make(its.its, workers);
  warm_up(0);
  its.start_all();
}

// Unless the forker comes back to the second one first.
void two_of_three() {
  three_forks its;
  begin(its, 2);
  threads(thread{"forker", [&] { its.finish_all({2, 1, 0}); }}, thread{"thief", [&] { rob_once(1, 2); }});
  its.check_all();
}

// The second one is joined first: the thief may get the first alone.
void with_a_hole() {
  three_forks its;
  begin(its, 2);
  threads(thread{"forker", [&] { its.finish_all({1, 2, 0}); }}, thread{"thief", [&] { rob_once(1, 2); }});
  its.check_all();
}

void by_two_thieves() {
  three_forks its;
  begin(its, 3);
  threads(thread{"forker", [&] { its.finish_all({2, 1, 0}); }}, thread{"thief a", [&] { rob_once(1, 2); }},
          thread{"thief b", [&] { rob_once(2, 2); }});
  its.check_all();
}

// There is memory for one unit: the second fork goes back, and is the forker's.
void without_memory() {
  three_forks its;
  begin(its, 2);
  units_with_memory = 1;
  threads(thread{"forker", [&] { its.finish_all({2, 1, 0}); }}, thread{"thief", [&] { rob_once(1, 2); }});
  its.check_all();
}

// The forker is left meanwhile: what the thief does not get becomes units of its worker's.
void of_one_who_is_left() {
  three_forks its;
  begin(its, 2);
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   detach_forks(the.workers[0]);
                   while (unit* made = find_own(the.workers[0])) run_unit(made);
                   its.finish_all({0, 1, 2});
                 }},
          thread{"thief", [&] { rob_once(1, 2); }});
  its.check_all();
}

// The segment is full, so the forker's bottom is closed.
void of_a_full_segment() {
  three_forks its;
  make(its.its, 2);
  warm_up(0);
  leave_places(3);
  job last;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   its.start_all();
                   weft_forked* none = start(last);
                   check(none == nullptr, "there is no place");
                   finish(none, last);
                   its.finish_all({2, 1, 0});
                 }},
          thread{"thief", [&] { rob_once(1, 2); }});
  for (const job& each : its.jobs) check(each.runs == 1, "each fork is run once");
  check(weft_hot_load(&the.workers[0]->forks.hot.bottom, __ATOMIC_RELAXED) != nullptr, "the segment is open again");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 40'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 40'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};

const model m1{"K two at once", {.at_least = 100, .quick = quick, .deep = deep}, two_of_three};
const model m2{"K two at once with a hole", {.at_least = 100, .quick = quick, .deep = deep}, with_a_hole};
const model m3{"K two at once by two thieves", {.at_least = 100, .quick = quick_three, .deep = deep_three}, by_two_thieves};
const model m4{"K two at once without memory", {.at_least = 100, .quick = quick, .deep = deep}, without_memory};
const model m5{"K two at once of one who is left", {.at_least = 50, .quick = quick, .deep = deep}, of_one_who_is_left};
const model m6{"K two at once of a full segment", {.at_least = 100, .quick = quick, .deep = deep}, of_a_full_segment};

}  // namespace
