// Argobots, set up as its authors advise where many ULTs are made: an execution stream a worker, each with a pool of which its owner takes
// the newest and others steal the oldest (ABT_POOL_RANDWS); a single worker's is private, without locks. A new ULT runs at once and its
// maker waits in the pool (ABT_thread_create_to). Tried, and slower: ABT_thread_create; a FIFO pool, which goes through a recursion in
// breadth and makes millions of ULTs before it joins one.
#include <abt.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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

class ult {
 public:
  template <class Part>
  void start(const Part& part) {
    create([](void* argument) { (*static_cast<const Part*>(argument))(); }, const_cast<Part*>(&part));
  }
  template <class Record>
  void start_record(Record* record) {
    create([](void* argument) { static_cast<Record*>(argument)->run(); }, record);
  }
  void join() { must(ABT_thread_free(&thread_), "ABT_thread_free"); }

 private:
  void create(void (*function)(void*), void* argument) {
    must(ABT_thread_create_to(own_pool(), function, argument, ABT_THREAD_ATTR_NULL, &thread_), "ABT_thread_create_to");
  }
  ABT_thread thread_;
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

struct threads {
  using thread = ult;
  using gate = eventual;
  static void yield() { must(ABT_self_yield(), "ABT_self_yield"); }
};

// Calls below the cutoff are leaves, and leaves are tasklets; what waits for children must be a ULT.
template <std::uint64_t Cutoff>
struct fib_call {
  std::uint64_t n;
  std::uint64_t result;

  static void run(void* argument) {
    auto* const self = static_cast<fib_call*>(argument);
    if (self->n < Cutoff) {
      self->result = fib::plain(self->n);
      return;
    }
    fib_call left{self->n - 1, 0};
    fib_call right{self->n - 2, 0};
    ABT_thread const left_unit = create(left);
    ABT_thread const right_unit = create(right);
    free_unit(right_unit);
    free_unit(left_unit);
    self->result = left.result + right.result;
  }

  static ABT_thread create(fib_call& call) {
    ABT_thread unit = ABT_THREAD_NULL;
    if (call.n < Cutoff)
      must(ABT_task_create(own_pool(), run, &call, &unit), "ABT_task_create");
    else
      must(ABT_thread_create_to(own_pool(), run, &call, ABT_THREAD_ATTR_NULL, &unit), "ABT_thread_create_to");
    return unit;
  }
  static void free_unit(ABT_thread unit) { must(ABT_thread_free(&unit), "ABT_thread_free"); }
};

template <std::uint64_t Cutoff>
kernel_run run_fib_with_tasklets(const kernel_input& input, stopwatch& watch) {
  fib_call<Cutoff> root{input.size, 0};
  watch.start();
  fib_call<Cutoff>::run(&root);
  watch.stop();
  return {root.result, fib::calls(input.size, Cutoff), {}};
}

constexpr auto ult_cells = cells_of_threads<threads>();

constexpr std::string_view waits = "a tasklet cannot wait for its children, and which are leaves is not known before they run";
constexpr cell tasklet_cells[] = {
    {&fib::every_call, run_fib_with_tasklets<fib::no_cutoff>},
    {&fib::with_cutoff, run_fib_with_tasklets<fib::cutoff>},
    {&uts::t1, nullptr, waits},
    {&uts::t3, nullptr, waits},
    {&uts::t1l, nullptr, waits},
    {&queens::queens, nullptr, waits},
    {&queens_array::queens_array, nullptr, waits},
    {&quicksort::with_cutoff, nullptr, waits},
    {&quicksort::every_segment, nullptr, waits},
    {&mergesort::mergesort, nullptr, waits},
    {&matmul::matmul, nullptr, waits},
    {&strassen::strassen, nullptr, waits},
    {&tree::tree, nullptr, waits},
    {&blocked::blocked, nullptr, "a tasklet cannot block"},
    {&thread_ops::without_yields, nullptr, "a tasklet cannot yield"},
    {&thread_ops::with_yields, nullptr, "a tasklet cannot yield"},
    {&hash::hash, nullptr, not_written_yet},
};

bool is_private(std::size_t workers) { return workers == 1; }

void make_pools(std::size_t count) {
  started.pools.resize(count);
  ABT_pool_access const access = is_private(count) ? ABT_POOL_ACCESS_PRIV : ABT_POOL_ACCESS_MPMC;
  for (ABT_pool& pool : started.pools)
    must(ABT_pool_create_basic(ABT_POOL_RANDWS, access, ABT_TRUE, &pool), "ABT_pool_create_basic");
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

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  must(ABT_init(0, nullptr), "ABT_init");
  make_pools(count);
  started.all.resize(count);
  for (std::size_t rank = 0; rank < count; ++rank) make_stream(rank);
  return count;
}

void stop() {
  for (std::size_t rank = 1; rank < started.all.size(); ++rank) {
    must(ABT_xstream_join(started.all[rank]), "ABT_xstream_join");
    must(ABT_xstream_free(&started.all[rank]), "ABT_xstream_free");
  }
  must(ABT_finalize(), "ABT_finalize");
}

std::string version() { return "Argobots " ABT_VERSION; }
std::string settings(unsigned workers) {
  return is_private(workers) ? "RANDWS pool, private; create_to" : "RANDWS pools; create_to";
}

constexpr runtime runtimes[] = {
    {"argobots", "Argobots ULTs", child_kind::thread, start, stop, ult_cells, version, settings},
    {"argobots-tasklet", "Argobots, leaves are tasklets", child_kind::thread, start, stop, tasklet_cells, version, settings},
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
