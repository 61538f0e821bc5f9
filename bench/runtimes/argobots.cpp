// Argobots, set up as its authors advise where many ULTs are made: an execution stream a worker,
// each with a pool of which its owner takes the newest and others steal the oldest
// (ABT_POOL_RANDWS); a single worker's is private, without locks. A new ULT runs at once and its
// maker waits in the pool (ABT_thread_create_to). A ULT that joins a tasklet yields until that has
// ended, and meanwhile makers go on, so that many ULTs live at once: with tasklets, the pools are
// FIFO (RANDWS takes two to three times as long, and more memory).
//
// Tried, and slower: ABT_thread_create; for ULTs alone, a FIFO pool, which goes through a recursion
// in breadth and makes millions of ULTs before it joins one. Tried, and no faster:
// ABT_thread_create_many and ABT_thread_free_many for the children of a node or a row (4 % less CPU
// time in uts-t1 and queens on one worker, more in uts-t3 and queens-array).
#include <abt.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "harness/bounded_channel.hpp"
#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

void must(int code, const char* call) {
  if (code == ABT_SUCCESS) [[likely]]
    return;
  std::fprintf(stderr, "Argobots: %s returned %d\n", call, code);
  std::abort();
}

struct streams {
  std::vector<ABT_xstream> all;
  std::vector<ABT_pool> pools;
};
streams started;

ABT_pool own_pool() {
  int rank = 0;
  if (started.pools.size() > 1) ABT_self_get_xstream_rank(&rank);
  return started.pools[static_cast<std::size_t>(rank)];
}

// A ULT or, of a leaf, a tasklet.
class unit {
 public:
  void create(void (*function)(void*), void* argument, bool is_leaf) {
    if (is_leaf)
      must(ABT_task_create(own_pool(), function, argument, &unit_), "ABT_task_create");
    else
      must(ABT_thread_create_to(own_pool(), function, argument, ABT_THREAD_ATTR_NULL, &unit_), "ABT_thread_create_to");
  }
  void join() { must(ABT_thread_free(&unit_), "ABT_thread_free"); }

 private:
  ABT_thread unit_;
};

class ult_unit {
 public:
  void create(void (*function)(void*), void* argument) { unit_.create(function, argument, false); }
  void join() { unit_.join(); }

 private:
  unit unit_;
};

class eventual {
 public:
  eventual() { must(ABT_eventual_create(0, &event_), "ABT_eventual_create"); }
  ~eventual() { must(ABT_eventual_free(&event_), "ABT_eventual_free"); }
  eventual(const eventual&) = delete;
  eventual& operator=(const eventual&) = delete;
  void wait() { must(ABT_eventual_wait(event_, nullptr), "ABT_eventual_wait"); }
  void open() { must(ABT_eventual_set(event_, nullptr, 0), "ABT_eventual_set"); }

 private:
  ABT_eventual event_;
};

class abt_mutex {
 public:
  void lock() { must(ABT_mutex_lock(handle()), "ABT_mutex_lock"); }
  void unlock() { must(ABT_mutex_unlock(handle()), "ABT_mutex_unlock"); }
  ABT_mutex handle() { return ABT_MUTEX_MEMORY_GET_HANDLE(&memory_); }

 private:
  ABT_mutex_memory memory_ = ABT_MUTEX_INITIALIZER;
};

class abt_condition {
 public:
  void wait(std::unique_lock<abt_mutex>& lock) { must(ABT_cond_wait(handle(), lock.mutex()->handle()), "ABT_cond_wait"); }
  void notify_one() { must(ABT_cond_signal(handle()), "ABT_cond_signal"); }

 private:
  ABT_cond handle() { return ABT_COND_MEMORY_GET_HANDLE(&memory_); }
  ABT_cond_memory memory_ = ABT_COND_INITIALIZER;
};

// A pool that only a scheduler of its own takes from, which some stream runs until the pool is
// empty: no other stream can steal the one of the two that waits in the pool, where a yield must
// find it.
class neighbours_in_pool {
 public:
  template <class Record>
  void start(unsigned, Record* first, Record* second) {
    ABT_pool pool = ABT_POOL_NULL;
    must(ABT_pool_create_basic(ABT_POOL_FIFO, pool_access(), ABT_TRUE, &pool), "ABT_pool_create_basic");
    threads_ = {make(pool, first), make(pool, second)};
    ABT_sched scheduler = ABT_SCHED_NULL;
    must(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &scheduler), "ABT_sched_create_basic");
    must(ABT_pool_add_sched(own_pool(), scheduler), "ABT_pool_add_sched");
  }
  void join() {
    for (ABT_thread& each : threads_) must(ABT_thread_free(&each), "ABT_thread_free");
  }
  void yield_to(std::size_t which) { must(ABT_thread_yield_to(threads_[which]), "ABT_thread_yield_to"); }

 private:
  template <class Record>
  static ABT_thread make(ABT_pool pool, Record* record) {
    ABT_thread thread = ABT_THREAD_NULL;
    auto const function = [](void* argument) { static_cast<Record*>(argument)->run(); };
    must(ABT_thread_create(pool, function, record, ABT_THREAD_ATTR_NULL, &thread), "ABT_thread_create");
    return thread;
  }
  static ABT_pool_access pool_access() { return started.pools.size() == 1 ? ABT_POOL_ACCESS_PRIV : ABT_POOL_ACCESS_MPMC; }

  std::array<ABT_thread, 2> threads_{};
};

struct threads {
  using thread = thread_of<void, ult_unit>;
  using gate = eventual;
  using mutex = abt_mutex;
  using condition = abt_condition;
  using channel = bounded_channel<mutex, condition>;
  using neighbours = neighbours_in_pool;
  static void yield() { must(ABT_self_yield(), "ABT_self_yield"); }
};

constexpr auto ult_cells = cells_of_threads<threads>();

constexpr auto tasklet_cells = cells_of_tasklets<as_tasklets_of<unit>>();

bool is_private(std::size_t workers) { return workers == 1; }

void make_pools(std::size_t count, ABT_pool_kind kind) {
  started.pools.resize(count);
  ABT_pool_access const access = is_private(count) ? ABT_POOL_ACCESS_PRIV : ABT_POOL_ACCESS_MPMC;
  for (ABT_pool& pool : started.pools) must(ABT_pool_create_basic(kind, access, ABT_TRUE, &pool), "ABT_pool_create_basic");
}

void make_stream(std::size_t rank) {
  std::size_t const count = started.pools.size();
  std::vector<ABT_pool> order(count);
  for (std::size_t place = 0; place < count; ++place) order[place] = started.pools[(rank + place) % count];
  ABT_xstream& stream = started.all[rank];
  auto const pools = static_cast<int>(count);
  if (rank > 0) {
    must(ABT_xstream_create_basic(ABT_SCHED_RANDWS, pools, order.data(), ABT_SCHED_CONFIG_NULL, &stream),
         "ABT_xstream_create_basic");
    return;
  }
  must(ABT_xstream_self(&stream), "ABT_xstream_self");
  must(ABT_xstream_set_main_sched_basic(stream, ABT_SCHED_RANDWS, pools, order.data()), "ABT_xstream_set_main_sched_basic");
}

unsigned start(unsigned workers, ABT_pool_kind kind) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  must(ABT_init(0, nullptr), "ABT_init");
  make_pools(count, kind);
  started.all.resize(count);
  for (std::size_t rank = 0; rank < count; ++rank) make_stream(rank);
  return count;
}

unsigned start_for_ults(unsigned workers) { return start(workers, ABT_POOL_RANDWS); }
unsigned start_for_tasklets(unsigned workers) { return start(workers, ABT_POOL_FIFO); }

void stop() {
  for (std::size_t rank = 1; rank < started.all.size(); ++rank) {
    must(ABT_xstream_join(started.all[rank]), "ABT_xstream_join");
    must(ABT_xstream_free(&started.all[rank]), "ABT_xstream_free");
  }
  must(ABT_finalize(), "ABT_finalize");
}

std::string version() { return "Argobots " ABT_VERSION; }
std::string tasklet_settings(unsigned workers) {
  return is_private(workers) ? "FIFO pool, private; create_to" : "FIFO pools; create_to";
}
std::string settings(unsigned workers) {
  return is_private(workers) ? "RANDWS pool, private; create_to" : "RANDWS pools; create_to";
}

constexpr runtime runtimes[] = {
    {"argobots", "Argobots ULTs", child_kind::thread, start_for_ults, stop, ult_cells, version, settings},
    {"argobots-tasklet", "Argobots ULTs whose leaves are tasklets", child_kind::tasklet, start_for_tasklets, stop, tasklet_cells,
     version, tasklet_settings},
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
