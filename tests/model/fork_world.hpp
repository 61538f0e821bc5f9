// For models over src/run/fork.cpp: the rest of the core, as far as forks need it. Worker 0 forks,
// the others are thieves. For one file of a program.
#pragma once

#include "core_world.hpp"
#include "explorer/explorer.hpp"
#include "os/vm.hpp"
#include "run/choose.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "thread/thread.hpp"

namespace fork_world {

using namespace core_world::words;

inline constexpr int most_units = 6;
alignas(unit) inline unsigned char unit_memory[most_units][sizeof(unit)];
inline base::atomic<int>* units_made;
alignas(4096) inline unsigned char segments[4][sizeof(fork_segment)];
inline int segments_made = 0;
inline int units_with_memory = most_units;
inline unit* forker;
inline bool forker_runs_its_queue = false;

// The work of a fork: times that it was run.
struct job {
  int payload = 0;
  int runs = 0;
};
inline job* job_of(const void* work) { return *static_cast<job* const*>(work); }
inline void run_job(void* work) {
  job* one = job_of(work);
  check(one->payload == 1, "the runner of a fork sees what the forker wrote");
  ++one->runs;
}

// A thief, or the forker's own queue, runs a fork that became a unit.
inline void run_unit(unit* one) {
  one->function(one->argument);
  join_word::end(one);
}

inline weft_forked* start(job& what) {
  what.payload = 1;
  job* where = &what;
  return weft_fork(run_job, &where, sizeof where);
}
inline void finish(weft_forked* forked, job& what) {
  job* where = &what;
  weft_fork_join(forked, run_job, &where, sizeof where);
}

struct world {
  unit one{};
  base::atomic<int> made{0};
};

inline void make(world& its, unsigned workers) {
  core_world::make(workers);
  units_made = &its.made;
  segments_made = 0;
  units_with_memory = most_units;
  forker_runs_its_queue = false;
  forker = &its.one;
  the.workers[0]->current = forker;
  for (unsigned index = 0; index < workers; ++index) explorer::name(the.workers[index]->forks.hot.bottom.value, "bottom");
  explorer::name(the.workers[0]->forks.hot.taken.value, "taken");
}

// The first fork of a worker makes its segment, the second one moves the limit: not what is to be
// explored.
inline void warm_up(unsigned index) {
  local::set_worker(the.workers[index]);
  for (int round = 0; round < 2; ++round) {
    job first;
    weft_forked* forked = start(first);
    finish(forked, first);
  }
}

// As after thousands of forks of which others took all: the last of them is not joined, and so many
// places are left.
inline void leave_places(int count) {
  fork_deque& forks = the.workers[0]->forks;
  weft_forked* const next = forks.segment->end() - count;
  next[-1].run = run_job;
  forks.top.store(next, base::relaxed);
  forks.closed_bottom.store(next, base::relaxed);
  forks.public_end.store(next, base::relaxed);
  weft_hot_store(&forks.hot.taken, next, __ATOMIC_RELAXED);
  weft_hot_store(&forks.hot.bottom, next, __ATOMIC_RELAXED);
}

inline bool rob_once(unsigned index, std::size_t most = 1) {
  local::set_worker(the.workers[index]);
  unit* const chain = steal_forks(the.workers[index], the.workers[0], most).chain;
  for (unit* one = chain; one != nullptr;) {
    unit* after = static_cast<unit*>(one->next);
    run_unit(one);
    one = after;
  }
  return chain != nullptr;
}

// ---- what several models explore: worker 0 forks, worker 1 robs ----

inline void a_fork_and_a_thief() {
  job what;
  explorer::threads(explorer::thread{"forker",
                                     [&] {
                                       local::set_worker(the.workers[0]);
                                       weft_forked* forked = start(what);
                                       finish(forked, what);
                                     }},
                    explorer::thread{"thief", [&] { rob_once(1); }});
  check(what.runs == 1, "the fork is run once");
}

// most: that one theft takes.
inline void two_forks_out_of_order_and_a_thief(std::size_t most) {
  job first, second;
  explorer::threads(explorer::thread{"forker",
                                     [&] {
                                       local::set_worker(the.workers[0]);
                                       weft_forked* one = start(first);
                                       weft_forked* other = start(second);
                                       finish(one, first);
                                       finish(other, second);
                                     }},
                    explorer::thread{"thief", [&] { rob_once(1, most); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

}  // namespace fork_world

weft_hot_line* weft_hot_here() { return &weft::sched::local::current_worker()->forks.hot; }

namespace weft::sched {

unit* make_fork_unit(worker* w, unit::function_type function, void* argument, unit* whose) {
  explorer::check(whose == fork_world::forker, "a fork has its forker's identity");
  const int number = fork_world::units_made->fetch_add(1, base::relaxed);
  explorer::check(number < fork_world::most_units, "few units");
  if (number >= fork_world::units_with_memory) return nullptr;
  unit* one = new (fork_world::unit_memory[number]) unit{};
  one->function = function;
  one->argument = argument;
  one->flags.store(is_default | is_known | is_fork, base::relaxed);
  one->forker = whose;
  static_cast<void>(w);
  return one;
}

status join_fork(unit* one) {
  worker* const w = local::current_worker();
  while (!join_word::has_ended(one)) {
    unit* const own = fork_world::forker_runs_its_queue && !w->ready.is_empty() ? find_own(w) : nullptr;
    if (own != nullptr) {
      fork_world::run_unit(own);
    } else {
      arch::pause();
    }
  }
  return status::ok;
}

}  // namespace weft::sched

namespace weft::os {

std::size_t page_bytes() { return 4096; }
void* reserve(std::size_t, std::size_t) {
  explorer::check(fork_world::segments_made < 4, "few segments");
  return fork_world::segments[fork_world::segments_made++];
}
void release(void*, std::size_t) {}

}  // namespace weft::os
