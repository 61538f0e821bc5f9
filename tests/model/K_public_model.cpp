// Protocol K over include/weft/hot.h and src/run/fork.cpp: forks that their forker makes public, and
// that thieves take without a fence in it. Each fork is run once, whichever of the two is faster;
// its taker sees what the forker wrote, and the forker what the taker did.
// Built with src/capi/fork.cpp src/run/fork.cpp
#include "arch/cpu.hpp"
#include "fork_world.hpp"
#include "run/wake.hpp"

void weft::sched::wake_any(runtime*) {}

namespace {

using namespace fork_world;

worker* forkers_worker() { return the.workers[0]; }

// As a searcher does.
void ask_for_forks() {
  the.rt->searchers.fetch_add(1, base::relaxed);
  want_to_hear_of_forks(the.rt);
}

// An idle worker looks once for a public fork.
bool take_once(unsigned index, std::size_t most = 1) {
  local::set_worker(the.workers[index]);
  unit* const chain = take_public_forks(the.workers[index], forkers_worker(), most);
  for (unit* one = chain; one != nullptr;) {
    unit* const after = static_cast<unit*>(one->next);
    run_unit(one);
    one = after;
  }
  return chain != nullptr;
}

// Worker 0 has been asked for forks already, by so many.
void begin(world& its, unsigned workers, std::uint32_t searchers) {
  make(its, workers);
  warm_up(0);
  the.rt->searchers.store(searchers, base::relaxed);
  if (searchers != 0) weft_hot_store(&forkers_worker()->forks.hot.limit, nullptr, __ATOMIC_RELAXED);
}

void fork_twice(job& first, job& second) {
  local::set_worker(forkers_worker());
  weft_forked* one = start(first);
  weft_forked* other = start(second);
  finish(other, second);
  finish(one, first);
}

// The taker asks while the forker forks, or before, or after.
void asked_meanwhile() {
  world its;
  begin(its, 2, 0);
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker", [&] {
                                                                         local::set_worker(the.workers[1]);
                                                                         ask_for_forks();
                                                                         take_once(1);
                                                                       }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The forker is asked, and stays away after its fork: the taker needs no fence.
void forker_stays_away() {
  world its;
  begin(its, 2, 1);
  job what;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(forkers_worker());
                   static_cast<void>(start(what));
                 }},
          thread{"taker", [&] {
                   while (!take_once(1)) weft::arch::pause();
                 }});
  check(what.runs == 1, "the fork is run once");
}

// A public fork that its forker runs itself leaves its place to a fork that is not public: a taker
// that comes late must not take that one, since it brings no fence.
void place_used_again() {
  world its;
  begin(its, 2, 1);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(forkers_worker());
                   finish(start(first), first);
                   finish(start(second), second);
                 }},
          thread{"taker", [&] { take_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void out_of_order() {
  world its;
  begin(its, 2, 2);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(forkers_worker());
                   weft_forked* one = start(first);
                   weft_forked* other = start(second);
                   finish(one, first);
                   finish(other, second);
                 }},
          thread{"taker", [&] {
                   if (take_once(1)) take_once(1);
                 }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void two_takers() {
  world its;
  begin(its, 3, 2);
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker a", [&] { take_once(1); }},
          thread{"taker b", [&] { take_once(2); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// Both are public, and both are taken at once.
void two_at_once() {
  world its;
  begin(its, 2, 4);
  job first, second, third;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(forkers_worker());
                   weft_forked* one = start(first);
                   weft_forked* other = start(second);
                   weft_forked* last = start(third);
                   finish(last, third);
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"taker", [&] { take_once(1, 2); }});
  check(first.runs == 1 && second.runs == 1 && third.runs == 1, "each fork is run once");
}

// What is not public is taken with a fence, which makes the rest public for the taker.
void taker_and_thief() {
  world its;
  begin(its, 3, 1);
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker", [&] { take_once(1); }},
          thread{"thief", [&] { rob_once(2); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// ---- what becomes public: one OS thread is worker 0 and its taker in turn -----------------------

// Of three forks. The others are run by their forker.
void takers_find(std::uint32_t searchers, int expected) {
  world its;
  begin(its, 2, searchers);
  job jobs[3];
  weft_forked* forked[3];
  local::set_worker(forkers_worker());
  for (int i = 0; i < 3; ++i) forked[i] = start(jobs[i]);
  int taken = 0;
  while (take_once(1)) ++taken;
  check(taken == expected, "as many forks are public as there are searchers");
  local::set_worker(forkers_worker());
  for (int i = 3; i-- > 0;) finish(forked[i], jobs[i]);
  for (const job& each : jobs) check(each.runs == 1, "each fork is run once");
}

void one_searcher() { takers_find(1, 1); }
void three_searchers() { takers_find(3, 3); }

// A thief's one fence opens as many forks as there are searchers.
void one_fence_for_two() {
  world its;
  begin(its, 2, 0);
  the.rt->searchers.store(2, base::relaxed);
  job first, second, third;
  weft_forked* one = start(first);
  weft_forked* other = start(second);
  weft_forked* last = start(third);
  check(!has_public_forks(forkers_worker()), "no fork is public before a worker asks");
  check(rob_once(1) && take_once(1), "the second fork needs no second fence");
  check(!take_once(1), "the third fork is private");
  local::set_worker(forkers_worker());
  finish(last, third);
  finish(other, second);
  finish(one, first);
  check(first.runs == 1 && second.runs == 1 && third.runs == 1, "each fork is run once");
}

// The taker of the first fork is not counted as a searcher: its forker makes the next one public
// for it all the same, and the one after that is private.
void taker_is_expected() {
  world its;
  begin(its, 2, 1);
  job jobs[3];
  weft_forked* const first = start(jobs[0]);
  check(take_once(1), "the fork is public");
  the.rt->searchers.store(0, base::relaxed);
  local::set_worker(forkers_worker());
  finish(first, jobs[0]);
  weft_forked* const second = start(jobs[1]);
  weft_forked* const third = start(jobs[2]);
  check(take_once(1), "the next fork is public");
  check(!take_once(1), "the one after that is private");
  local::set_worker(forkers_worker());
  finish(third, jobs[2]);
  finish(second, jobs[1]);
  for (const job& each : jobs) check(each.runs == 1, "each fork is run once");
}

// ---- the ends of a forker's stay ----------------------------------------------------------------

// The forker is left while a taker is at its public forks.
void detached() {
  world its;
  begin(its, 2, 2);
  local::set_worker(forkers_worker());
  job first, second;
  weft_forked* one = start(first);
  weft_forked* other = start(second);
  threads(thread{"forker",
                 [&] {
                   local::set_worker(forkers_worker());
                   detach_forks(forkers_worker());
                   check(!has_forks(forkers_worker()), "the segment went with the unit");
                   while (unit* made = find_own(forkers_worker())) run_unit(made);
                   finish(one, first);
                   finish(other, second);
                 }},
          thread{"taker", [&] { take_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The fork goes back, and is its forker's.
void without_memory() {
  world its;
  begin(its, 2, 2);
  units_with_memory = 0;
  job first, second;
  threads(thread{"forker", [&] { fork_twice(first, second); }}, thread{"taker", [&] { take_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The forks of a tasklet, which could not wait for them, stay with it.
void of_a_tasklet() {
  world its;
  begin(its, 2, 1);
  unit tasklet{};
  tasklet.set(is_tasklet);
  job what;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(forkers_worker());
                   forkers_worker()->current = &tasklet;
                   weft_forked* forked = start(what);
                   check(!has_public_forks(forkers_worker()), "it is private");
                   check(weft_fork_take_back(forked), "no worker has taken it");
                   ++what.runs;
                 }},
          thread{"taker", [&] { check(!take_once(1), "no fork is public"); }});
  check(what.runs == 1, "the fork is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 40'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 30'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};

const model m1{"K public: asked meanwhile", {.at_least = 100, .quick = quick, .deep = deep}, asked_meanwhile};
const model m2{"K public: the forker stays away", {.at_least = 5, .quick = quick, .deep = deep}, forker_stays_away};
const model m3{"K public: a place used again", {.at_least = 100, .quick = quick, .deep = deep}, place_used_again};
const model m4{"K public: out of order", {.at_least = 100, .quick = quick, .deep = deep}, out_of_order};
const model m5{"K public: two takers", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_takers};
const model m6{"K public: two at once", {.at_least = 100, .quick = quick, .deep = deep}, two_at_once};
const model m7{"K public: a taker and a thief", {.at_least = 100, .quick = quick_three, .deep = deep_three}, taker_and_thief};
const model m8{"K public: one fence for two", {.at_least = 1, .quick = quick, .deep = deep}, one_fence_for_two};
const model m9{"K public: a taker is expected", {.at_least = 1, .quick = quick, .deep = deep}, taker_is_expected};
const model m13{"K public: one searcher", {.at_least = 1, .quick = quick, .deep = deep}, one_searcher};
const model m14{"K public: three searchers", {.at_least = 1, .quick = quick, .deep = deep}, three_searchers};
const model m10{"K public: the forker is left", {.at_least = 50, .quick = quick, .deep = deep}, detached};
const model m11{"K public: without memory", {.at_least = 50, .quick = quick, .deep = deep}, without_memory};
const model m12{"K public: a tasklet's forks", {.at_least = 20, .quick = quick, .deep = deep}, of_a_tasklet};

}  // namespace
