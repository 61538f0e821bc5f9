// A runtime to which src/life/workers.cpp adds workers, on OS threads of the model. Worker 0 is
// there from the beginning; it runs only what a model says, and at the end the body runs
// what it holds.
#pragma once

#include "core_world.hpp"
#include "life/workers.hpp"
#include "os_threads.hpp"
#include "run/choose.hpp"
#include "run/ready.hpp"
#include "worker/runtime.hpp"

namespace workers_world {

using namespace core_world::words;

struct job {
  unit one{};
  int runs = 0;

  job() {
    one.function = [](void* self) { ++static_cast<job*>(self)->runs; };
    one.argument = this;
  }
};

// Worker 0, which stays, and OS threads that can be started.
inline void make(unsigned os_threads) {
  static std::uint16_t cpus[] = {0, 1, 2};
  core_world::make(1);
  the.rt->cpus = cpus;
  the.rt->has_adopted_caller = true;
  the.workers[0]->is_taken = true;
  os_threads::prepare(os_threads);
}

inline void add() {
  unsigned index = 0;
  check(add_worker(&index) == status::ok && index == 1, "there is a slot");
}

inline void send(job& what) {
  the.rt->next_target.store(1, base::relaxed);
  make_ready(nullptr, &what.one, push_reason::created);
}

inline void end_runtime() {
  stop_workers(the.rt);
  free_workers(the.rt);
}

// The body, at the end: what others have left to worker 0 is run there.
inline void check_run_once(const job& what) {
  worker* w = the.workers[0];
  local::set_worker(w);
  while (unit* one = find_own(w)) one->function(one->argument);
  check(what.runs == 1, "it is run once");
}

}  // namespace workers_world
