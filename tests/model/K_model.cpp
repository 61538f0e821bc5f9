// Protocol K over include/weft/hot.h and src/run/fork.cpp: each fork is run once, by its forker or
// by a thief; a thief sees what the forker wrote, and the forker what the thief's unit did; a fork
// whose forker stays away, or that no worker was awake to see, is taken.
// Built with src/capi/fork.cpp src/run/fork.cpp
#include "arch/cpu.hpp"
#include "fork_world.hpp"
#include "os/fence.hpp"
#include "run/choose.hpp"
#include "run/ready.hpp"
#include "run/wake.hpp"

// Forkers that hear that a worker sleeps.
weft::base::atomic<int>* times_woken;
void weft::sched::wake_any(runtime*) { times_woken->fetch_add(1, base::relaxed); }

namespace {

using namespace fork_world;

// ---- the models ---------------------------------------------------------------------------------

void one_fork() {
  world its;
  make(its, 2);
  warm_up(0);
  a_fork_and_a_thief();
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
  two_forks_out_of_order_and_a_thief(1);
  local::set_worker(the.workers[0]);
  detach_forks(the.workers[0]);
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

// Against a worker that goes to sleep: either it sees the fork, or the forker hears that a worker
// sleeps.
void going_to_sleep() {
  world its;
  base::atomic<int> woken{0};
  times_woken = &woken;
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
  check(has_seen || woken.load(base::relaxed) != 0, "the fork was seen, or the sleeper woken");
}

// limit is null already, as in a new segment: a fork that is joined again puts it back while the
// sleeper lies down.
void going_to_sleep_meanwhile() {
  world its;
  base::atomic<int> woken{0};
  times_woken = &woken;
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
  check(has_seen || woken.load(base::relaxed) != 0, "the fork was seen, or the sleeper woken");
}

// A worker is added while another one goes to sleep: if the sleeper sees it, it sees its limit.
void worker_appears() {
  world its;
  make(its, 2);
  threads(thread{"starter", [&] { core_world::publish(2, base::release); }}, thread{"sleeper", [&] {
                                                                                      local::set_worker(the.workers[1]);
                                                                                      want_to_hear_of_forks(the.rt);
                                                                                    }});
}

// A tasklet, which cannot wait for forks, uses a place after a ULT: a thief may come late for the
// fork of the one, and does not get that of the other.
void tasklet_after_ult() {
  world its;
  make(its, 2);
  warm_up(0);
  unit tasklet{};
  tasklet.set(is_tasklet);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   finish(start(first), first);
                   the.workers[0]->current = &tasklet;
                   weft_forked* forked = start(second);
                   check(weft_fork_take_back(forked), "no thief has taken it");
                   ++second.runs;
                 }},
          thread{"thief", [&] { rob_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The last two places of a segment: with the second fork it is full and closed, the third runs in
// its join, and the second one's join opens it again.
void segment_is_full() {
  world its;
  make(its, 2);
  warm_up(0);
  leave_places(2);
  job first, second, third;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* one = start(first);
                   weft_forked* other = start(second);
                   weft_forked* none = start(third);
                   check(none == nullptr, "there is no place");
                   finish(none, third);
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"thief", [&] {
                   if (rob_once(1)) rob_once(1);
                 }});
  check(first.runs == 1 && second.runs == 1 && third.runs == 1, "each fork is run once");
  check(weft_hot_load(&the.workers[0]->forks.hot.bottom, __ATOMIC_RELAXED) != nullptr, "the segment is open again");
}

// A place after the last one is never used, also when a thief has just taken the last one.
void last_place_is_used_again() {
  world its;
  make(its, 2);
  warm_up(0);
  leave_places(2);
  job first, second, third;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   weft_forked* one = start(first);
                   weft_forked* other = start(second);
                   finish(other, second);
                   other = start(third);
                   finish(other, third);
                   finish(one, first);
                 }},
          thread{"thief", [&] {
                   if (rob_once(1)) rob_once(1);
                 }});
  check(first.runs == 1 && second.runs == 1 && third.runs == 1, "each fork is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 60'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 60'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};

const model m1{"K one fork", {.at_least = 50, .quick = quick, .deep = deep}, one_fork};
const model m2{"K a place used again", {.at_least = 100, .quick = quick, .deep = deep}, place_used_again};
const model m3{"K two forks", {.at_least = 100, .quick = quick, .deep = deep}, two_forks};
const model m4{"K out of order", {.at_least = 50, .quick = quick, .deep = deep}, out_of_order};
const model m5{"K two thieves", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_thieves};
const model m6{"K the forker stays away", {.at_least = 5, .quick = quick, .deep = deep}, forker_stays_away};
const model m7{"K the forker is left", {.at_least = 50, .quick = quick, .deep = deep}, detached};
const model m8{"K going to sleep", {.at_least = 10, .quick = quick, .deep = deep}, going_to_sleep};
const model m9{"K going to sleep meanwhile", {.at_least = 10, .quick = quick, .deep = deep}, going_to_sleep_meanwhile};
const model m10{"K a tasklet after a ULT", {.at_least = 100, .quick = quick, .deep = deep}, tasklet_after_ult};
const model m11{"K a worker appears to a sleeper", {.at_least = 5, .quick = quick, .deep = deep}, worker_appears};
const model m12{"K the segment is full", {.at_least = 100, .quick = quick, .deep = deep}, segment_is_full};
const model m13{"K the last place used again", {.at_least = 100, .quick = quick, .deep = deep}, last_place_is_used_again};

}  // namespace
