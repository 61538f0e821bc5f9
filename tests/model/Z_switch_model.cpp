// Protocol Z over faces/argobots/src/switch.cpp: a caller that resumes a unit finds its context
// saved, and the primary ULT goes to its own stream with all that the finder did.
// Built with faces/argobots/src/switch.cpp
#include "abt_world.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "stream.hpp"

namespace {

using namespace abt_world::words;

// ---- suspended units ----------------------------------------------------------------------------

// Of the unit of the model, in what the core keeps.
struct context {
  int is_saved = 0;
  flag resumed;
};
context* of_the_unit;

}  // namespace

extern "C" {

weft_status weft_ext_park(bool (*commit)(weft_thread*, void*), void* argument, const char*) {
  of_the_unit->is_saved = 1;
  check(commit(abt_world::running()->self, argument), "never refused");
  of_the_unit->resumed.await();
  return WEFT_OK;
}

void weft_ext_unpark(weft_thread*) {
  check(of_the_unit->is_saved == 1, "the context is there");
  of_the_unit->is_saved = 0;
  of_the_unit->resumed.raise();
}

void weft_ext_unpark_owned(weft_thread* thread) { weft_ext_unpark(thread); }

}  // extern "C"

namespace {

void is_suspended_until(int (*resume)(weft_thread*)) {
  abt_world::begin();
  unit one{is_yieldable};
  context its;
  of_the_unit = &its;
  stream here{};
  one.fields.last_stream.store(&here, std::memory_order_relaxed);
  threads(thread{"unit",
                 [&] {
                   abt_world::run_as(one);
                   suspend_self(who_calls(), nullptr);
                 }},
          thread{"resumer", [&] {
                   while (resume(one.self) != ABT_SUCCESS) spin_hint();
                   check(resume(one.self) == ABT_ERR_THREAD, "once");
                 }});
}

}  // namespace

// ---- the primary ULT ----------------------------------------------------------------------------

namespace {

// The primary stream, whose main scheduler runs in one logical thread, and another one that finds
// the primary ULT in a pool.
struct two_streams {
  stream primary{}, other{};
  unit primary_unit{is_yieldable | is_primary};
  unit primary_scheduler{is_yieldable | is_main_scheduler};
  unit other_scheduler{is_yieldable | is_main_scheduler};
  scheduler main{};
  runtime all{};
  int times_run = 0;

  two_streams() {
    abt_world::begin();
    primary.is_primary = true;
    lead(primary, primary_scheduler);
    lead(other, other_scheduler);
    all.primary_stream = &primary;
    all.keeps_primary.store(true, std::memory_order_relaxed);
    the_runtime.store(&all, std::memory_order_relaxed);
  }
  void lead(stream& which, unit& by) {
    which.scheduler_thread = by.self;
    which.main_scheduler.store(&main, std::memory_order_relaxed);
    by.fields.last_stream.store(&which, std::memory_order_relaxed);
  }
};
two_streams* of_the_model;

}  // namespace

extern "C" {
weft_status weft_ext_dispatch(weft_thread* owned) {
  check(owned == of_the_model->primary_unit.self, "no other unit");
  ++of_the_model->times_run;
  return WEFT_OK;
}
}

namespace {

void primary_is_found_elsewhere() {
  two_streams shared;
  of_the_model = &shared;
  threads(thread{"finder",
                 [&] {
                   abt_world::run_as(shared.other_scheduler);
                   shared.primary_unit.fields.context = 1;
                   run_unit(shared.primary_unit.self);
                 }},
          thread{"primary", [&] {
                   abt_world::run_as(shared.primary_scheduler);
                   for (;;) {
                     check_events(&shared.primary, &shared.main);
                     if (shared.times_run != 0) break;
                     spin_hint();
                   }
                   check(shared.primary_unit.fields.context == 1, "what the finder did");
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{
    "Z a unit suspended and resumed", {.at_least = 5, .quick = quick, .deep = deep}, [] { is_suspended_until(resume_unit); }};
const model m2{
    "Z a unit suspended and taken", {.at_least = 5, .quick = quick, .deep = deep}, [] { is_suspended_until(take_suspended); }};
const model m3{"Z the primary ULT is found elsewhere", {.at_least = 5, .quick = quick, .deep = deep}, primary_is_found_elsewhere};

}  // namespace
