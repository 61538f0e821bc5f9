// Protocols D and I together, over src/run/steal.cpp, idle.cpp and ready.cpp: units go from worker
// to worker by questions, answers and raids; each is run once; a worker that sleeps is woken when
// another one has more than it runs.
// Built with src/run/steal.cpp src/run/idle.cpp src/run/wake.cpp src/run/ready.cpp
// Built with src/unit/timer.cpp
#include "core_world.hpp"
#include "run/choose.hpp"
#include "run/idle.hpp"
#include "run/ready.hpp"
#include "run/steal.hpp"

// ---- the models ---------------------------------------------------------------------------------

namespace {

using namespace core_world::words;

struct job {
  unit one{};
  int payload = 0;  // written by the creator
  int runs = 0;     // by the worker that runs it
};

void make(unsigned workers) {
  core_world::make(workers);
  the.rt->settings.locality = WEFT_LOCALITY_STEAL;
}

job* job_of(unit* one) { return reinterpret_cast<job*>(one); }  // its first member

void run(unit* one) {
  check(job_of(one)->payload == 1, "the runner sees what the creator wrote");
  ++job_of(one)->runs;
}

void create(worker* w, job& what) {
  what.payload = 1;
  make_ready(w, &what.one, push_reason::created);
}

void run_all(worker* w) {
  for (unit* one = find_own(w); one != nullptr; one = find_own(w)) run(one);
}

// The owner creates and is then busy for ever with something else: the other worker must get the
// unit.
void owner_stays_long() {
  make(2);
  job what;
  threads(thread{"owner",
                 [&] {
                   local::set_worker(the.workers[0]);
                   create(the.workers[0], what);
                 }},
          thread{"thief", [&] {
                   local::set_worker(the.workers[1]);
                   run(idle(the.workers[1]));
                 }});
  check(what.runs == 1, "run once");
}

// The owner creates two and runs what it finds; the thief tries once.
void one_theft() {
  make(2);
  job first, second;
  threads(thread{"owner",
                 [&] {
                   local::set_worker(the.workers[0]);
                   create(the.workers[0], first);
                   create(the.workers[0], second);
                   run_all(the.workers[0]);
                 }},
          thread{"thief", [&] {
                   local::set_worker(the.workers[1]);
                   if (unit* one = steal(the.workers[1]); one != nullptr) run(one);
                 }});
  local::set_worker(the.workers[0]);
  run_all(the.workers[0]);
  local::set_worker(the.workers[1]);
  run_all(the.workers[1]);
  check(first.runs == 1 && second.runs == 1, "each is run once");
}

// Two thieves at one victim that does nothing.
void two_thieves() {
  make(3);
  job first, second;
  local::set_worker(the.workers[0]);
  create(the.workers[0], first);
  create(the.workers[0], second);
  const auto rob = [](unsigned index) {
    local::set_worker(the.workers[index]);
    if (unit* one = steal(the.workers[index]); one != nullptr) run(one);
  };
  threads(thread{"thief 1", [&] { rob(1); }}, thread{"thief 2", [&] { rob(2); }});
  for (worker* w : the.workers) {
    local::set_worker(w);
    run_all(w);
  }
  check(first.runs == 1 && second.runs == 1, "each is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 60'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};

const model m1{"D+I the owner stays long", {.at_least = 100, .quick = quick, .deep = deep}, owner_stays_long};
const model m2{"D+I one theft", {.at_least = 100, .quick = quick, .deep = deep}, one_theft};
const model m3{"D+I two thieves", {.at_least = 100, .quick = quick, .deep = deep}, two_thieves};

}  // namespace
