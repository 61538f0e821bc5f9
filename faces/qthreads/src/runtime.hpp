// What lives between qthread_initialize and qthread_finalize: shepherds, their workers, and the
// pools in which tasks wait for them.
//
// A shepherd has the workers number * workers_each to (number + 1) * workers_each - 1. These are
// Weft's numbers, too, unless the caller of qthread_initialize became a worker of a runtime that
// ran already. Then that worker is worker 0, and Weft's worker 0, whose OS thread is the program's,
// is none of the shepherds'. A task that is to stay on a shepherd belongs to the shepherd's
// `staying` pool, which only its workers serve. All others wait, with the scheduler weft, in the
// workers' default queues, and otherwise belong to an `open` pool: with nemesis that is the same
// pool, with sherwood another one of the shepherd, and with distrib one of each worker; in the
// latter two, workers of other shepherds serve it, too, behind their own.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include <qthread/qthread.h>

#include "base/atomic.hpp"
#include "environment.hpp"
#include "faces/common/spinlock.hpp"

namespace weft::qthreads {

template <class T>
using atomic = base::atomic<T>;

struct shepherd {
  weft_pool* staying;
  atomic<std::uint32_t> next_target;  // of tasks without a shepherd, where tasks are dealt out in turn
  atomic<bool> is_active;
  unsigned server;                           // of what stays here, when pools were last given out
  const qthread_shepherd_id_t* by_distance;  // all others
  weft_ext_cpu cpu;                          // of its first worker
};

struct children;

struct worker {
  weft_pool* open;  // null: the default queue
  children* made;   // on this worker: children.hpp
  atomic<bool> is_active;
  bool runs;                        // the core has it: with the scheduler weft only while it is active, and its shepherd
  bool serves;                      // it was active when pools were last given out
  const void* body_of_short_parts;  // of a loop that began here: loop.cpp
};

struct runtime {
  static constexpr unsigned no_number = INT_MAX;  // of a worker of Weft's that is none here

  settings wanted;
  bool has_started_core;     // Weft did not run before
  bool is_adopted;           // the OS thread of the main task is a worker since qthread_initialize
  unsigned main_worker;      // Weft's number of worker 0
  unsigned moved_worker;     // Weft's number of the worker whose own number `main_worker` is
  std::uint64_t life;        // the number of this qthread_initialize
  weft_thread* main_thread;  // of the caller of qthread_initialize
  std::size_t lend_bytes;    // of a stack that are free while its task runs others in its place
  unsigned shepherd_count;
  unsigned workers_each;
  shepherd* shepherds;
  worker* workers;
  weft_pool* dropped;                // which no worker serves: tasks that were ready when the runtime ended
  runtime* next_kept;                // end.hpp
  weft_mutex changes;                // of what is active, and of what is served
  bool is_over;                      // guarded by `changes`: no pool is served any more
  qthread_shepherd_id_t* distances;  // the lists of all shepherds, one behind the other
  atomic<bool> serves_staying;       // workers look into the `staying` pools
  atomic<std::uint32_t> active_shepherds;
  atomic<std::uint32_t> active_workers;
  atomic<std::uint32_t> next_target_outside;
  atomic<std::uint32_t> last_task_id;
  atomic<std::uint32_t> last_team_id;

  unsigned worker_count() const { return shepherd_count * workers_each; }
  // Weft's number of a worker, and the reverse.
  unsigned core_number(unsigned worker) const {
    return worker == 0 ? main_worker : worker == main_worker ? moved_worker : worker;
  }
  unsigned number_here(unsigned worker) const {
    if (worker == main_worker) return 0;
    return worker == 0 ? no_number : worker == moved_worker && main_worker != 0 ? main_worker : worker;
  }
  // Every task belongs to a pool.
  bool has_pools() const { return wanted.scheduler != scheduler_kind::weft; }
  // The main task's pool is served by worker 0 alone, with which that task has to stay.
  bool pool_keeps_main() const { return has_pools() && workers_each == 1; }
  worker* workers_of(unsigned shepherd) const { return workers + std::size_t{shepherd} * workers_each; }
};

[[gnu::visibility("hidden")]] extern atomic<runtime*> the_runtime;

// Null: qthread_initialize was not called, or qthread_finalize was.
inline runtime* current_runtime() {
  // [Q1] acquire: sees the runtime as it was laid out; pairs with [Q2]
  return the_runtime.load(base::acquire);
}

// OS threads outside may come to the runtime by a full/empty word at any time. They hold this lock
// while they use it, and the runtime's end takes it, too. Workers need not: they have stopped
// before the runtime is freed.
[[gnu::visibility("hidden")]] extern constinit face::spinlock used_outside;

// The worker that runs the caller; -1: none of the runtime's.
inline int worker_here(const runtime* all) {
  int number = weft_worker_self();
  if (all->main_worker != 0 && number >= 0) [[unlikely]]
    number = static_cast<int>(all->number_here(static_cast<unsigned>(number)));
  return number < static_cast<int>(all->worker_count()) ? number : -1;
}
inline unsigned shepherd_of(const runtime* all, int worker) { return static_cast<unsigned>(worker) / all->workers_each; }

// Where a new task waits that is to stay on a shepherd, or not; null: in a default queue.
weft_pool* staying_pool(runtime* all, unsigned shepherd);
weft_pool* choose_open_pool(runtime* all);
// A task that has not started, and that the caller owns, becomes ready.
void make_ready(weft_thread* unit, weft_pool* home);
// The calling thread goes on where units of a pool run; null: anywhere.
weft_status move_to_pool(weft_pool* home);
// By the CPUs of their first workers: 10, and 10 more for each level of the machine on which they
// are in different groups; 0: it is the same shepherd.
int distance_between(const runtime* all, unsigned one, unsigned other);
// Not disabled. A shepherd without an active worker is as one that is.
bool is_on(const runtime* all, unsigned shepherd);
// What stays on a disabled shepherd goes to the nearest one that is not disabled: shepherd 0 never
// is.
unsigned server_of(runtime* all, unsigned shepherd);

// Makes the pools, and lets the workers serve them; ends that for good; and frees the memory once
// no worker runs. False: no memory.
bool make_shepherds(runtime* all);
void stop_serving(runtime* all);
void free_shepherds(runtime* all);

}  // namespace weft::qthreads
