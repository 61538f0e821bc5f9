// Leaving and yielding, over src/run/park.cpp, yield.cpp, carrier.cpp and choose.cpp: ULTs that
// really switch, on workers that steal from each other. A unit that is left goes on once, after it
// was left, where it was taken to, and finds there what it had; no other worker stands on its stack
// meanwhile, nor on the stack of a carrier that was left.
// Built with src/run/park.cpp src/run/yield.cpp src/run/carrier.cpp src/run/choose.cpp
// Built with src/run/ready.cpp src/run/steal.cpp src/run/end.cpp src/run/wake.cpp
// Built with src/unit/timer.cpp
#include "arch/cpu.hpp"
#include "core_world.hpp"
#include "queue/spinlock.hpp"
#include "run/carrier.hpp"
#include "run/choose.hpp"
#include "run/end.hpp"
#include "run/enter.hpp"
#include "run/idle.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/steal.hpp"
#include "run/yield.hpp"

namespace {

using namespace core_world::words;
namespace arch = weft::arch;
namespace fiber = weft::fiber;
namespace mem = weft::mem;

constexpr unsigned stacks_each = 3;
constexpr unsigned most_units = 3;
constexpr int patience = 8;  // rounds, of a worker that finds nothing

struct job {
  alignas(base::cache_line) unit one{};
  void (*body)(job& self) = nullptr;
  int steps = 0;  // plain: no two workers run it at once
  int ends = 0;
};

struct world {
  mem::stack stacks[core_world::most_workers * stacks_each];
  job jobs[most_units];
  base::atomic<unsigned> to_do{0};
};
alignas(world) unsigned char world_memory[sizeof(world)];
world& here() { return *reinterpret_cast<world*>(world_memory); }

void run_job(void* argument) {
  job& self = *static_cast<job*>(argument);
  self.body(self);
  ++self.ends;
}

// In thread 0, before the threads start.
void make(unsigned workers, unsigned units) {
  fiber::switches_are_real = true;
  explorer::reset_fibers();
  core_world::make(workers);
  the.rt->settings.locality = WEFT_LOCALITY_STEAL;
  new (world_memory) world;
  explorer::name(here().to_do, "to_do");
  here().to_do.store(units, base::relaxed);
  for (unsigned i = 0; i < workers * stacks_each; ++i) {
    here().stacks[i] = {};
    the.workers[i / stacks_each]->stacks.give(&here().stacks[i]);
  }
}

// A new ULT in the queue of a worker that does not run yet.
void put(unsigned worker, unsigned index, void (*body)(job& self)) {
  job& its = here().jobs[index];
  its.body = body;
  its.one.function = run_job;
  its.one.argument = &its;
  its.one.context.set_maker(nullptr);
  its.one.flags.store(ends_noticed, base::relaxed);
  its.one.state.store(unit_state::ready, base::relaxed);
  the.workers[worker]->ready.push_recent(&its.one);
}

// As run_worker in life/workers.cpp, until all units have ended.
void work(unsigned index) {
  worker* w = the.workers[index];
  local::set_worker(w);
  mem::stack* stack = w->stacks.take();
  const fiber::context carrier = fiber::make(stack, carrier_entry, stack);
  w->standing = stack;
  enter(w);
  fiber::switch_to(&w->origin.sp, carrier, {}, w);
  w->lock.leave();
  check(w->current == nullptr, "no unit runs at the end");
}

void check_all_ended(unsigned units) {
  for (unsigned i = 0; i < units; ++i) check(here().jobs[i].ends == 1, "each ends once");
}

unsigned what_there_is() {
  unsigned sum = here().to_do.load(base::acquire);
  for (unsigned i = 0; i < the.rt->worker_slots.load(base::relaxed); ++i) sum = sum * 8 + the.workers[i]->ready.stealable();
  return sum;
}

void one_less() { here().to_do.fetch_sub(1, base::acq_rel); }

// What a unit sees of itself wherever it runs.
void check_where_it_runs(const job& self) {
  const worker* w = local::current_worker();
  check(w->current == &self.one, "its worker knows that it runs");
}

void step(job& self) {
  check_where_it_runs(self);
  ++self.steps;
}

// ---- yields -------------------------------------------------------------------------------------

void yields_once(job& self) {
  step(self);
  yield();
  step(self);
  check(self.steps == 2, "it goes on where it was left");
  one_less();
}

// One worker has all; the other one steals what yielded, or is new.
void yielded_units_are_stolen() {
  make(2, 2);
  put(0, 0, yields_once);
  put(0, 1, yields_once);
  threads(thread{"owner", [] { work(0); }}, thread{"thief", [] { work(1); }});
  check_all_ended(2);
}

void yields_to_the_last(job& self) {
  step(self);
  const status result = yield_to(&here().jobs[1].one);
  check(result == status::ok || result == status::again || result == status::invalid, "it ran, was elsewhere, or has ended");
  step(self);
  one_less();
}
void only_ends(job& self) {
  step(self);
  one_less();
}

void named_unit_is_stolen() {
  make(2, 2);
  put(0, 1, only_ends);
  put(0, 0, yields_to_the_last);
  threads(thread{"owner", [] { work(0); }}, thread{"thief", [] { work(1); }});
  check_all_ended(2);
}

// ---- parking ------------------------------------------------------------------------------------

base::atomic<unit*> parked{nullptr};

// Runs once the context is saved: from here on a waker may make it ready.
void publish(worker*, void* one) { parked.store(static_cast<unit*>(one), base::release); }

void parks_once(job& self) {
  step(self);
  worker* w = local::current_worker();
  w = park(w, &self.one, {publish, &self.one});
  check(w == local::current_worker(), "park returns where it goes on");
  step(self);
  one_less();
}

unit* take_parked() {
  unit* one;
  while ((one = parked.load(base::acquire)) == nullptr) arch::pause();
  return one;
}

void wakes_it(job& self) {
  step(self);
  make_ready(local::current_worker(), take_parked(), push_reason::woken);
  step(self);
  one_less();
}

// The waker runs on another worker; it may go on there, or where it parked.
void woken_elsewhere() {
  make(2, 2);
  parked.store(nullptr, base::relaxed);
  put(0, 0, parks_once);
  put(1, 1, wakes_it);
  threads(thread{"parker's", [] { work(0); }}, thread{"waker's", [] { work(1); }});
  check_all_ended(2);
}

// The worker that was left has another unit, which yields: it starts on a fresh carrier, and is
// left for the woken one.
void woken_among_others() {
  make(2, 3);
  parked.store(nullptr, base::relaxed);
  put(0, 2, yields_once);
  put(0, 0, parks_once);
  put(1, 1, wakes_it);
  threads(thread{"parker's", [] { work(0); }}, thread{"waker's", [] { work(1); }});
  check_all_ended(3);
}

// A slot under a lock: its taker parks with the lock held, and its filler must take the lock.
struct {
  weft::queue::spinlock lock;
  unit* waits;
  bool is_filled;
} slot;

void takes_slot(job& self) {
  step(self);
  slot.lock.lock();
  if (!slot.is_filled) {
    check(park_holding(&slot.waits, "a slot", &slot.lock) == status::ok, "it parks");
    check(local::current_worker()->current->waiting == nullptr, "it waits no more");
    slot.lock.lock();
  }
  check(slot.is_filled, "it is filled");
  slot.lock.unlock();
  step(self);
  one_less();
}

void fills_slot(job& self) {
  step(self);
  slot.lock.lock();
  slot.is_filled = true;
  unit* const waits = slot.waits;
  slot.lock.unlock();
  if (waits != nullptr) make_ready(local::current_worker(), waits, push_reason::woken);
  one_less();
}

void parks_with_a_lock() {
  make(2, 2);
  new (&slot.lock) weft::queue::spinlock;
  slot.waits = nullptr;
  slot.is_filled = false;
  put(0, 0, takes_slot);
  put(1, 1, fills_slot);
  threads(thread{"taker's", [] { work(0); }}, thread{"filler's", [] { work(1); }});
  check_all_ended(2);
}

// The moments that matter come early in an execution: with one preemption and without stale reads
// none of them is cut off.
constexpr bounds quick{.preemptions = 1, .weak = 0, .impatience = 1};
constexpr bounds deep{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};

const model m1{"leave: yielded units are stolen", {.at_least = 50, .quick = quick, .deep = deep}, yielded_units_are_stolen};
const model m2{"leave: a named unit is stolen", {.at_least = 50, .quick = quick, .deep = deep}, named_unit_is_stolen};
const model m3{"leave: parked here, woken there", {.at_least = 50, .quick = quick, .deep = deep}, woken_elsewhere};
const model m4{"leave: parked among others", {.at_least = 50, .quick = quick, .deep = deep}, woken_among_others};
const model m5{"leave: parked with a lock", {.at_least = 50, .quick = quick, .deep = deep}, parks_with_a_lock};

}  // namespace

namespace weft::sched {

bool wake(waiter*) { explorer::fail("assertion", "nothing joins in this model"); }

// Until all units have ended. After an attempt it waits for something that may make another one
// worth while.
unit* idle(worker* w) {
  for (;;) {
    const unsigned before = what_there_is();
    if (unit* one = find_own(w); one != nullptr) return one;
    if (here().to_do.load(base::acquire) == 0) return nullptr;
    if (unit* one = steal(w); one != nullptr) return one;
    for (int round = 0; round < patience && what_there_is() == before; ++round) arch::pause();
  }
}

}  // namespace weft::sched
