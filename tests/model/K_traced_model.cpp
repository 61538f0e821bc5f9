// Protocol K under a trace: nothing is inlined, and a fork that no thief has taken runs in its
// join, inside the library, on its own place. Each is run once all the same, whatever it forks
// meanwhile and whichever worker comes for the rest.
// Built with src/capi/fork.cpp src/run/fork.cpp
#include "arch/cpu.hpp"
#include "fork_world.hpp"
#include "os/fence.hpp"
#include "see/tracing.hpp"
#include "worker/hooks.hpp"

void run_outer(void* work);
using namespace fork_world;

namespace weft::sched {

void trace_fork(const worker*, weft_forked* forked) { forked->taker = forked; }
void trace_fork_as_unit(const runtime*, unit*, const weft_forked* forked, const worker*) {
  explorer::check(forked->taker == forked, "the taker of a fork sees when it was made");
  explorer::check(forked->run == fork_world::run_job || forked->run == run_outer, "what runs in its join is not taken");
}
void run_traced(const runtime*, void (*run)(void* work), weft_forked* forked) { run(forked->work); }

}  // namespace weft::sched

job* inner;

// What runs in its join forks itself; its own place is still in use.
void run_outer(void* work) {
  run_job(work);
  weft_forked* forked = start(*inner);
  finish(forked, *inner);
}

namespace {

void make_traced(world& its) {
  make(its, 2);
  the.rt->tracer = reinterpret_cast<tracing*>(&its);
  warm_up(0);
}

void one_fork() {
  world its;
  make_traced(its);
  a_fork_and_a_thief();
}

void two_forks_out_of_order() {
  world its;
  make_traced(its);
  two_forks_out_of_order_and_a_thief(2);
}

void a_fork_that_forks() {
  world its;
  make_traced(its);
  job outer, within;
  inner = &within;
  threads(thread{"forker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   outer.payload = 1;
                   job* where = &outer;
                   weft_forked* forked = weft_fork(run_outer, &where, sizeof where);
                   weft_fork_join(forked, run_outer, &where, sizeof where);
                   check(where == &outer, "its work comes back");
                 }},
          thread{"thief", [&] { rob_once(1, 2); }});
  check(outer.runs == 1 && within.runs == 1, "each fork is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};

const model one{"K traced: one fork", {.at_least = 20, .quick = quick, .deep = deep}, one_fork};
const model two{"K traced: two forks out of order", {.at_least = 20, .quick = quick, .deep = deep}, two_forks_out_of_order};
const model nested{"K traced: a fork that forks", {.at_least = 20, .quick = quick, .deep = deep}, a_fork_that_forks};

}  // namespace
