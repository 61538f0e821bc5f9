// Protocol A: workers come and go, over src/life/workers.cpp with what it hands over by (ready.cpp,
// choose.cpp, idle.cpp), while units are sent to them, others look for work, and weft_finalize
// waits. Worker 0 is there from the beginning; no thread runs it except where the model says so.
// What it holds at the end counts as found.
// Built with src/life/workers.cpp src/life/removal.cpp src/worker/runtime.cpp src/run/ready.cpp src/run/idle.cpp
// Built with src/run/wake.cpp src/run/choose.cpp src/place/pool.cpp src/place/serving.cpp
// Built with src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp src/unit/timer.cpp
#include "life/removal.hpp"
#include "run/wake.hpp"
#include "workers_world.hpp"

namespace {

using namespace workers_world;

void end_all() {
  the.rt->is_stopping.store(true, base::relaxed);
  wake_all(the.rt);
}

// ---- a worker goes ------------------------------------------------------------------------------

// A unit is on its way to it meanwhile.
void removed_while_mail_comes() {
  make(1);
  add();
  job what;
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"remover", [] { check(remove_worker(1) == status::ok, "it was there"); }},
          thread{"pusher", [&] { send(what); }});
  check_run_once(what);
  check(the.rt->worker_count.load(base::relaxed) == 1, "the other is left");
}

// It has units of its own, which others must get.
void removed_with_units() {
  make(1);
  add();
  job what;
  send(what);
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"remover", [] { check(remove_worker(1) == status::ok, "it was there"); }});
  check_run_once(what);
}

// A unit is pinned to it: then it stays until the unit has run there; or none can be pinned any
// more.
void removed_while_pinned_to() {
  make(1);
  add();
  job what;
  what.one.function = [](void* self) {
    check(local::current_worker()->index == 1, "it runs where it is pinned to");
    ++static_cast<job*>(self)->runs;
    unpin_from(the.rt, 1);
  };
  bool is_pinned = false;
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"remover",
                 [] {
                   while (remove_worker(1) == status::busy) {
                     while (worker_in_slot(the.rt, 1)->pinned_units.load(base::relaxed) != 0) weft::arch::pause();
                   }
                 }},
          thread{"pusher", [&] {
                   is_pinned = pin_to(the.rt, 1);
                   if (!is_pinned) return;
                   what.one.home_worker = 1;
                   what.one.set(stays_put);
                   send(what);
                 }});
  if (is_pinned) check_run_once(what);
}

// ---- a worker comes -----------------------------------------------------------------------------

void comes_while_mail_comes() {
  make(1);
  job what;
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"adder",
                 [] {
                   add();
                   check(remove_worker(1) == status::ok, "it is there");
                 }},
          thread{"pusher", [&] { send(what); }});
  check_run_once(what);
}

// What the program has done there may ask how many workers there are.
void counts_when_it_begins() {
  make(1);
  the.rt->carried_address = []() -> void* {
    check(the.rt->worker_count.load(base::relaxed) == 2, "it counts");
    check(serving_worker(the.rt, 1) == local::current_worker(), "it may be chosen");
    return nullptr;
  };
  threads(thread{"worker 1", [] { os_threads::run(0); }}, thread{"adder", [] {
                                                                   add();
                                                                   end_all();
                                                                 }});
}

// ---- the end ------------------------------------------------------------------------------------

void added_while_all_end() {
  make(1);
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"adder",
                 [] {
                   unsigned index = 0;
                   const status result = add_worker(&index);
                   check(result == status::ok || result == status::not_initialized, "added, or too late");
                   os_threads::close();
                 }},
          thread{"finalizer", [] { end_runtime(); }});
}

void removed_while_all_end() {
  make(1);
  add();
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"remover",
                 [] {
                   const status result = remove_worker(1);
                   check(result == status::ok || result == status::not_initialized, "removed, or too late");
                 }},
          thread{"finalizer", [] { end_runtime(); }});
}

// The thread outside that makes the last unit ready is not done when that has run.
void ends_with_the_last_unit() {
  make(1);
  job what;
  threads(thread{"outside", [&] { send(what); }}, thread{"finalizer", [&] {
                                                           unit* one = nullptr;
                                                           while ((one = the.workers[0]->mail.take_all()) == nullptr)
                                                             weft::arch::pause();
                                                           end_runtime();
                                                         }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"A a worker goes while mail comes", {.at_least = 100, .quick = quick, .deep = deep}, removed_while_mail_comes};
const model m2{"A a worker goes with units", {.at_least = 50, .quick = quick, .deep = deep}, removed_with_units};
const model m3{
    "A a worker comes and goes while mail comes", {.at_least = 50, .quick = quick, .deep = deep}, comes_while_mail_comes};
const model m7{
    "A a worker goes while a unit is pinned to it", {.at_least = 100, .quick = quick, .deep = deep}, removed_while_pinned_to};
const model m4{"A a worker counts when it begins", {.at_least = 10, .quick = quick, .deep = deep}, counts_when_it_begins};
const model m5{"A a worker comes while all end", {.at_least = 50, .quick = quick, .deep = deep}, added_while_all_end};
const model m6{"A a worker goes while all end", {.at_least = 50, .quick = quick, .deep = deep}, removed_while_all_end};
const model m8{"A the last unit comes from outside", {.at_least = 10, .quick = quick, .deep = deep}, ends_with_the_last_unit};

}  // namespace
