// Protocol A: the domains of workers and their pools, over src/place/domains.cpp: a domain appears
// with its first worker, and is left by its last one, while units are pushed to it and others look
// there.
// Built with src/place/domains.cpp src/life/workers.cpp src/life/removal.cpp src/worker/runtime.cpp src/run/ready.cpp
// Built with src/run/idle.cpp src/run/wake.cpp src/run/choose.cpp src/place/pool.cpp
// Built with src/place/serving.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp
#include "life/removal.hpp"
#include "os/heap.hpp"
#include "os/topology.hpp"
#include "place/domains.hpp"
#include "run/next.hpp"
#include "unit/pool_record.hpp"
#include "worker/runtime.hpp"
#include "workers_world.hpp"

// The same blocks for each execution, so that nothing is left behind by those that are cut short.
constexpr std::size_t pool_bytes = sizeof(weft::sched::pool);
alignas(weft::sched::pool) unsigned char blocks[2][pool_bytes];
int next_block = 0;
void* weft::os::allocate(std::size_t) { return blocks[next_block++ % 2]; }

namespace {

using namespace workers_world;

// Each worker has a last-level cache of its own. Worker 0 serves the first domain.
void make_domains() {
  static weft::os::topology machine;
  for (std::uint16_t cpu = 0; cpu < 3; ++cpu) machine.cpus[cpu].in[static_cast<unsigned>(weft::os::level::cache)] = cpu;
  make(1);
  the.rt->settings.locality = WEFT_LOCALITY_DOMAIN;
  the.rt->machine = &machine;
  check(enter_domain(the.rt, the.workers[0]) == status::ok, "there is memory");
}

void add_and_remove() {
  add();
  check(remove_worker(1) == status::ok, "it is there");
}

void left_while_pushed_to() {
  make_domains();
  add();
  job what;
  threads(thread{"worker 1", [] { os_threads::run(0); }},
          thread{"remover", [] { check(remove_worker(1) == status::ok, "it is there"); }}, thread{"pusher", [&] { send(what); }});
  check_run_once(what);
}

void appears_to_pusher() {
  make_domains();
  job what;
  threads(thread{"worker 1", [] { os_threads::run(0); }}, thread{"adder", add_and_remove}, thread{"pusher", [&] { send(what); }});
  check_run_once(what);
}

// Its worker cannot be had after all.
void appears_for_nothing() {
  make_domains();
  os_threads::prepare(0);
  job what;
  threads(thread{"adder",
                 [] {
                   unsigned index = 0;
                   check(add_worker(&index) == status::again, "there is no OS thread");
                 }},
          thread{"pusher", [&] { send(what); }});
  check_run_once(what);
}

void appears_to_thief() {
  make_domains();
  threads(thread{"worker 1", [] { os_threads::run(0); }}, thread{"adder", add_and_remove},
          thread{"worker 0", [] { check(!sees_prey_in_domains(the.workers[0]), "there are no units"); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 10'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"A a domain is left while pushed to", {.at_least = 100, .quick = quick, .deep = deep}, left_while_pushed_to};
const model m2{"A a domain appears to a pusher", {.at_least = 100, .quick = quick, .deep = deep}, appears_to_pusher};
const model m4{"A a domain appears for nothing", {.at_least = 50, .quick = quick, .deep = deep}, appears_for_nothing};
const model m3{"A a domain appears to a thief", {.at_least = 50, .quick = quick, .deep = deep}, appears_to_thief};

}  // namespace
