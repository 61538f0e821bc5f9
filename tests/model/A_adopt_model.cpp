// Protocol A: OS threads are adopted and leave, over src/life/adopted.cpp and workers.cpp with what
// they hand over by, while units are sent to them or pinned to them, and weft_finalize waits.
// Worker 0 is there from the beginning, as in A_workers_model.cpp; the logical thread that adopts
// is the OS thread.
// Built with src/life/adopted.cpp src/life/workers.cpp src/life/removal.cpp src/worker/runtime.cpp src/life/drain.cpp
// Built with src/run/end.cpp src/worker/extras.cpp src/thread/thread.cpp src/run/ready.cpp
// Built with src/run/idle.cpp src/run/wake.cpp src/run/choose.cpp src/place/pool.cpp
// Built with src/place/serving.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp
#include <new>

#include "life/adopted.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "thread/thread.hpp"
#include "worker/adoption.hpp"
#include "workers_world.hpp"

namespace {

// What each OS thread of the model is given: a descriptor and a record.
struct descriptors {
  alignas(weft::sched::unit) unsigned char one[sizeof(weft::sched::unit)];
  alignas(weft::sched::adopted) unsigned char record[sizeof(weft::sched::adopted)];
};
descriptors given[core_world::most_threads];

}  // namespace

namespace weft::mem {

bool slab_cache::refill() {
  give_one(new (given[explorer::current_thread()].one) sched::unit{});
  return true;
}

}  // namespace weft::mem

namespace weft::os {

void* reserve(std::size_t bytes, std::size_t) {
  using core_world::the;
  if (bytes == sizeof(sched::adopted)) return given[explorer::current_thread()].record;
  return the.records < core_world::most_workers ? the.worker_memory[the.records++] : nullptr;
}
void release(void* base, std::size_t bytes) {
  if (bytes == sizeof(sched::worker)) static_cast<sched::worker*>(base)->~worker();
}
bool read_mask(cpu_mask*) { return false; }
void write_mask(const cpu_mask&) {}

}  // namespace weft::os

namespace weft::sched {

void tell_of_those_left(runtime*) {}  // a wait by the clock

}  // namespace weft::sched

namespace {

using namespace workers_world;

void make_alone() {
  make(0);
  the.rt->unit_bytes = sizeof(unit);
}

bool becomes_worker() {
  const status result = adopt({nullptr, false, nullptr});
  check(result == status::ok || result == status::not_initialized, "adopted, or too late");
  if (result != status::ok) return false;
  const worker* w = local::current_worker();
  check(w != nullptr && w->current != nullptr && w->index != 0, "it is a worker, and its caller a unit");
  check(serving_worker(the.rt, w->index) == w, "it may be chosen");
  return true;
}

void leave() {
  check(leave_adoption() == status::ok, "nothing keeps it");
  check(local::current_worker() == nullptr, "it is outside again");
}

// As its caller would, when it waits: runs what is its own.
void run_own() {
  worker* w = local::current_worker();
  unit* const self = w->current;
  while (unit* one = find_own(w)) {
    w->current = nullptr;
    one->function(one->argument);
    w->current = self;
  }
}

void check_gone() {
  check(the.rt->worker_count.load(base::relaxed) == 1 && the.rt->adopted_count == 0, "worker 0 is left");
  check(live_units(the.rt) == 0, "its caller has ended");
}

// ---- it goes ------------------------------------------------------------------------------------

void leaves_while_mail_comes() {
  make_alone();
  job what;
  threads(thread{"OS thread",
                 [] {
                   becomes_worker();
                   leave();
                 }},
          thread{"pusher", [&] { send(what); }});
  check_gone();
  check_run_once(what);
}

void leaves_with_units() {
  make_alone();
  job what, other;
  threads(thread{"OS thread",
                 [&] {
                   becomes_worker();
                   make_ready(local::current_worker(), &what.one, push_reason::created);
                   leave();
                 }},
          thread{"pusher", [&] { send(other); }});
  check_run_once(what);
  check_run_once(other);
}

void leaves_while_pinned_to() {
  make_alone();
  job what;
  what.one.function = [](void* self) {
    check(local::current_worker()->index == 1, "it runs where it is pinned to");
    ++static_cast<job*>(self)->runs;
    unpin_from(the.rt, 1);
  };
  bool is_pinned = false;
  threads(thread{"OS thread",
                 [] {
                   becomes_worker();
                   for (status result = leave_adoption(); result != status::ok; result = leave_adoption()) {
                     check(result == status::busy, "a unit is pinned");
                     while (local::current_worker()->pinned_mail.is_empty()) weft::arch::pause();
                     run_own();
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

// ---- two at a time ------------------------------------------------------------------------------

void two_come_and_go() {
  make_alone();
  const auto come_and_go = [] {
    becomes_worker();
    leave();
  };
  threads(thread{"one OS thread", come_and_go}, thread{"another", come_and_go});
  check_gone();
}

// ---- the end ------------------------------------------------------------------------------------

// weft_finalize waits for the OS thread that is adopted, and ends nothing that it still uses. Only
// an adopted thread writes is_adopted: a finalizer that did not wait would race with it.
void goes_while_all_end() {
  make_alone();
  bool is_adopted = false;
  threads(thread{"OS thread",
                 [&] {
                   if (!becomes_worker()) return;
                   is_adopted = true;
                   check(local::current_worker()->index == 1, "nothing has ended it");
                   is_adopted = false;
                   leave();
                 }},
          thread{"finalizer", [&] {
                   drain_with_adopted(the.rt);
                   check(!is_adopted, "it has left");
                   end_runtime();
                 }});
}

// Worker 0 ends what the OS thread made and left to it.
void leaves_a_unit_while_all_end() {
  make_alone();
  enum left : std::uint8_t { not_yet, a_unit, nothing };
  base::atomic<left> what{not_yet};
  threads(thread{"OS thread",
                 [&] {
                   if (!becomes_worker()) return what.store(nothing, base::release);
                   worker* const w = local::current_worker();
                   w->created.store(w->created.load(base::relaxed) + 1, base::relaxed);
                   leave();
                   what.store(a_unit, base::release);
                 }},
          thread{"worker 0",
                 [&] {
                   while (what.load(base::acquire) == not_yet) weft::arch::pause();
                   if (what.load(base::relaxed) == nothing) return;
                   worker* const w = worker_in_slot(the.rt, 0);
                   count_finished(w);
                   wake_finalizer_if_drained(w);
                 }},
          thread{"finalizer", [&] {
                   drain_with_adopted(the.rt);
                   check(live_units(the.rt) == 0, "what it left has ended");
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 15'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 5'000'000};

const model m1{
    "A an adopted worker goes while mail comes", {.at_least = 100, .quick = quick, .deep = deep}, leaves_while_mail_comes};
const model m2{"A an adopted worker goes with units", {.at_least = 100, .quick = quick, .deep = deep}, leaves_with_units};
const model m3{"A an adopted worker goes while a unit is pinned to it",
               {.at_least = 100, .quick = quick, .deep = deep},
               leaves_while_pinned_to};
const model m4{"A two OS threads are adopted and go", {.at_least = 100, .quick = quick, .deep = deep}, two_come_and_go};
const model m5{"A an adopted worker goes while all end", {.at_least = 100, .quick = quick, .deep = deep}, goes_while_all_end};
const model m6{"A an adopted worker leaves a unit while all end",
               {.at_least = 100, .quick = quick, .deep = deep},
               leaves_a_unit_while_all_end};

}  // namespace
