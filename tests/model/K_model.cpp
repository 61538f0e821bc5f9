// Protocol K over include/weft/hot.h and src/sched/fork.cpp: each fork is run once, by its forker or by a thief; a thief sees what the
// forker wrote, and the forker what the thief's unit did; a fork whose forker stays away, or that nobody was awake to see, is taken.
// Built with src/capi/fork.cpp src/sched/fork.cpp.
#include "core_world.hpp"
#include "explorer/explorer.hpp"
#include "os/fence.hpp"
#include "os/vm.hpp"
#include "sched/dispatch.hpp"
#include "sched/fork.hpp"
#include "sched/idle.hpp"
#include "sched/thread.hpp"

namespace base = weft::base;
using core_world::the;
using explorer::bounds;
using explorer::check;
using explorer::model;
using explorer::thread;
using explorer::threads;
using namespace weft::sched;

namespace {

// ---- the rest of the core, as far as forks need it ---------------------------------------------------------------------------------

constexpr int most_units = 6;
alignas(unit) unsigned char unit_memory[most_units][sizeof(unit)];
base::atomic<int>* units_made;
alignas(4096) unsigned char segments[4][sizeof(fork_segment)];
int segments_made = 0;
base::atomic<int>* times_woken;
unit* forker;

// The work of a fork: times that it was run.
struct job {
  int payload = 0;
  int runs = 0;
};
void run_job(void* work) {
  job* one = *static_cast<job**>(work);
  check(one->payload == 1, "whoever runs a fork sees what the forker wrote");
  ++one->runs;
}

// A thief, or the forker's own queue, runs a fork that became a unit.
void run_unit(unit* one) {
  one->function(one->argument);
  join_word::end(one);
}

weft_forked* start(job& what) {
  what.payload = 1;
  job* where = &what;
  return weft_fork(run_job, &where, sizeof where);
}
void finish(weft_forked* forked, job& what) {
  job* where = &what;
  weft_fork_join(forked, run_job, &where, sizeof where);
}

struct world {
  unit one{};
  base::atomic<int> made{0};
  base::atomic<int> woken{0};
};

void make(world& its, unsigned workers) {
  core_world::make(workers);
  units_made = &its.made;
  times_woken = &its.woken;
  segments_made = 0;
  forker = &its.one;
  the.workers[0]->current = forker;
  for (unsigned index = 0; index < workers; ++index) explorer::name(the.workers[index]->forks.hot.bottom.value, "bottom");
  explorer::name(the.workers[0]->forks.hot.taken.value, "taken");
}

// The first fork of a worker makes its segment, the second one moves the limit: not what is to be explored.
void warm_up(unsigned index) {
  local::set_worker(the.workers[index]);
  for (int round = 0; round < 2; ++round) {
    job first;
    weft_forked* forked = start(first);
    finish(forked, first);
  }
}

bool rob_once(unsigned index, std::size_t most = 1) {
  local::set_worker(the.workers[index]);
  unit* const chain = steal_forks(the.workers[index], the.workers[0], most);
  for (unit* one = chain; one != nullptr;) {
    unit* after = static_cast<unit*>(one->next);
    run_unit(one);
    one = after;
  }
  return chain != nullptr;
}

// ---- the models --------------------------------------------------------------------------------------------------------------

void one_fork() {
  world its;
  make(its, 2);
  warm_up(0);
  job what;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* forked = start(what);
                   finish(forked, what);
                 }},
          thread{"thief", [&] { rob_once(1); }});
  check(what.runs == 1, "the fork is run once");
}

// One place, used twice: a thief that is late for the first fork may get the second.
void place_used_again() {
  world its;
  make(its, 2);
  warm_up(0);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* forked = start(first);
                   finish(forked, first);
                   forked = start(second);
                   finish(forked, second);
                 }},
          thread{"thief", [&] { rob_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void two_forks() {
  world its;
  make(its, 2);
  warm_up(0);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* one = start(first);
                   weft_forked* other = start(second);
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"thief", [&] {
                   if (rob_once(1)) rob_once(1);
                 }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void out_of_order() {
  world its;
  make(its, 2);
  warm_up(0);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* one = start(first);
                   weft_forked* other = start(second);
                   finish(one, first);
                   finish(other, second);
                 }},
          thread{"thief", [&] { rob_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
  local::set_worker(the.workers[0]);
  detach_forks(the.workers[0]);
  check(!has_forks(the.workers[0]), "nothing is left");
}

// Two of three are taken with one fence, unless the forker comes back to the second one first.
void two_at_once() {
  world its;
  make(its, 2);
  warm_up(0);
  job jobs[3];
  weft_forked* forked[3];
  for (int i = 0; i < 3; ++i) forked[i] = start(jobs[i]);
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   for (int i = 2; i >= 0; --i) finish(forked[i], jobs[i]);
                 }},
          thread{"thief", [&] { rob_once(1, 2); }});
  for (const job& each : jobs) check(each.runs == 1, "each fork is run once");
  check(!has_forks(the.workers[0]), "nothing is left");
}

// The second of three is joined first: who takes two gets the first alone.
void two_at_once_with_a_hole() {
  world its;
  make(its, 2);
  warm_up(0);
  job jobs[3];
  weft_forked* forked[3];
  for (int i = 0; i < 3; ++i) forked[i] = start(jobs[i]);
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   for (int i : {1, 2, 0}) finish(forked[i], jobs[i]);
                 }},
          thread{"thief", [&] { rob_once(1, 2); }});
  for (const job& each : jobs) check(each.runs == 1, "each fork is run once");
  check(!has_forks(the.workers[0]), "nothing is left");
}

void two_thieves() {
  world its;
  make(its, 3);
  warm_up(0);
  job first, second;
  weft_forked* one = start(first);
  weft_forked* other = start(second);
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"thief a", [&] { rob_once(1); }}, thread{"thief b", [&] { rob_once(2); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The forker stays away for ever after its fork: a thief that comes then must get it.
void forker_stays_away() {
  world its;
  make(its, 2);
  warm_up(0);
  job what;
  base::atomic<int> has_forked{0};
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   static_cast<void>(start(what));
                   has_forked.store(1, base::relaxed);
                 }},
          thread{"thief", [&] {
                   while (has_forked.load(base::relaxed) == 0) weft::arch::pause();
                   weft::os::heavy_fence();
                   check(rob_once(1), "the fork is there to be taken");
                 }});
  check(what.runs == 1, "the fork is run once");
}

// The forker is left while a thief is at it: each fork that was not taken becomes a unit.
void detached() {
  world its;
  make(its, 2);
  warm_up(0);
  job first, second;
  weft_forked* one = start(first);
  weft_forked* other = start(second);
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   detach_forks(the.workers[0]);
                   check(!has_forks(the.workers[0]), "the segment went with the unit");
                   while (unit* made = find_own(the.workers[0])) run_unit(made);
                   finish(one, first);
                   finish(other, second);
                 }},
          thread{"thief", [&] { rob_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// Against a worker that goes to sleep: either it sees the fork, or the forker hears that somebody sleeps.
void going_to_sleep() {
  world its;
  make(its, 2);
  warm_up(0);
  job what;
  bool has_seen = false;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   static_cast<void>(start(what));
                 }},
          thread{"sleeper", [&] {
                   local::set_worker(the.workers[1]);
                   the.rt->sleepers.fetch_add(1, base::relaxed);
                   want_to_hear_of_forks(the.rt);
                   weft::os::heavy_fence();  // [I5]
                   has_seen = has_forks_to_take(the.workers[0]);
                 }});
  check(has_seen || times_woken->load(base::relaxed) != 0, "the fork was seen, or the sleeper woken");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 60'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 60'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};

// limit is null already, as in a new segment: a fork that is joined again puts it back while the sleeper lies down.
void going_to_sleep_meanwhile() {
  world its;
  make(its, 2);
  local::set_worker(the.workers[0]);
  job before;
  finish(start(before), before);  // makes the segment
  job first, what;
  bool has_seen = false;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   finish(start(first), first);
                   static_cast<void>(start(what));
                 }},
          thread{"sleeper", [&] {
                   local::set_worker(the.workers[1]);
                   the.rt->sleepers.fetch_add(1, base::relaxed);
                   want_to_hear_of_forks(the.rt);
                   weft::os::heavy_fence();  // [I5]
                   has_seen = has_forks_to_take(the.workers[0]);
                 }});
  check(has_seen || times_woken->load(base::relaxed) != 0, "the fork was seen, or the sleeper woken");
}

const model m1{"K one fork", {.at_least = 50, .quick = quick, .deep = deep}, one_fork};
const model m2{"K a place used again", {.at_least = 100, .quick = quick, .deep = deep}, place_used_again};
const model m3{"K two forks", {.at_least = 100, .quick = quick, .deep = deep}, two_forks};
const model m4{"K out of order", {.at_least = 50, .quick = quick, .deep = deep}, out_of_order};
const model m5{"K two thieves", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_thieves};
const model m6{"K the forker stays away", {.at_least = 5, .quick = quick, .deep = deep}, forker_stays_away};
const model m7{"K the forker is left", {.at_least = 50, .quick = quick, .deep = deep}, detached};
const model m8{"K going to sleep", {.at_least = 10, .quick = quick, .deep = deep}, going_to_sleep};
const model m9{"K going to sleep meanwhile", {.at_least = 10, .quick = quick, .deep = deep}, going_to_sleep_meanwhile};
const model m10{"K two at once", {.at_least = 100, .quick = quick, .deep = deep}, two_at_once};
const model m11{"K two at once with a hole", {.at_least = 100, .quick = quick, .deep = deep}, two_at_once_with_a_hole};

}  // namespace

weft_hot_line* weft_hot_here() { return &local::current_worker()->forks.hot; }

namespace weft::sched {

unit* make_fork_unit(worker* w, unit::function_type function, void* argument, unit* whose) {
  check(whose == forker, "a fork has its forker's identity");
  const int number = units_made->fetch_add(1, base::relaxed);
  check(number < most_units, "few units");
  unit* one = new (unit_memory[number]) unit{};
  one->function = function;
  one->argument = argument;
  one->flags.store(is_default | is_known | is_fork, base::relaxed);
  one->forker = whose;
  static_cast<void>(w);
  return one;
}

status join(unit* one, std::uint64_t) {
  while (!join_word::has_ended(one)) arch::pause();
  return status::ok;
}

void wake_any(runtime*) { times_woken->fetch_add(1, base::relaxed); }

}  // namespace weft::sched

namespace weft::os {

std::size_t page_bytes() { return 4096; }
void* reserve(std::size_t, std::size_t) {
  check(segments_made < 4, "few segments");
  return segments[segments_made++];
}
void release(void*, std::size_t) {}

}  // namespace weft::os
