// Argobots, set up as its authors advise where many ULTs are made: an execution stream a worker, each with a pool of which its owner takes
// the newest and others steal the oldest (ABT_POOL_RANDWS); a single worker's is private, without locks. A new ULT runs at once and its
// maker waits in the pool (ABT_thread_create_to). Tried, and slower: ABT_thread_create; a FIFO pool, which goes through a recursion in
// breadth and makes millions of ULTs before it joins one.
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

// A pool that only a scheduler of its own takes from, which some stream runs until the pool is empty: nobody else can steal the one of the
// two that waits in the pool, where a yield must find it.
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
  using thread = ult;
  using gate = eventual;
  using mutex = abt_mutex;
  using condition = abt_condition;
  using channel = bounded_channel<mutex, condition>;
  using neighbours = neighbours_in_pool;
  static void yield() { must(ABT_self_yield(), "ABT_self_yield"); }
};

template <std::uint64_t Cutoff>
struct fib_tree {
  using input = std::uint64_t;
  static bool is_leaf(std::uint64_t n) { return n < Cutoff; }
  static std::uint64_t result_of_leaf(std::uint64_t n) { return fib::plain(n); }
  static std::uint64_t left(std::uint64_t n) { return n - 1; }
  static std::uint64_t right(std::uint64_t n) { return n - 2; }
};

struct btc_tree {
  using input = std::uint64_t;
  static bool is_leaf(std::uint64_t depth) { return depth == 0; }
  static std::uint64_t result_of_leaf(std::uint64_t) { return 1; }
  static std::uint64_t left(std::uint64_t depth) { return depth - 1; }
  static std::uint64_t right(std::uint64_t depth) { return depth - 1; }
};

struct comp_tree {
  using input = comp::block;
  static bool is_leaf(const input& of) { return of.is_leaf(); }
  static std::uint64_t result_of_leaf(const input& of) { return comp::count_leaf(of); }
  static input left(const input& of) { return comp::halve(of).first; }
  static input right(const input& of) { return comp::halve(of).second; }
};

// Leaves are tasklets; what waits for children must be a ULT.
template <class Tree>
struct call_in {
  typename Tree::input of;
  std::uint64_t result;

  static void run(void* argument) {
    auto* const self = static_cast<call_in*>(argument);
    if (Tree::is_leaf(self->of)) {
      self->result = Tree::result_of_leaf(self->of);
      return;
    }
    call_in left{Tree::left(self->of), 0};
    call_in right{Tree::right(self->of), 0};
    ABT_thread const left_unit = create(left);
    ABT_thread const right_unit = create(right);
    free_unit(right_unit);
    free_unit(left_unit);
    self->result = left.result + right.result;
  }

  static ABT_thread create(call_in& call) {
    ABT_thread unit = ABT_THREAD_NULL;
    if (Tree::is_leaf(call.of))
      must(ABT_task_create(own_pool(), run, &call, &unit), "ABT_task_create");
    else
      must(ABT_thread_create_to(own_pool(), run, &call, ABT_THREAD_ATTR_NULL, &unit), "ABT_thread_create_to");
    return unit;
  }
  static void free_unit(ABT_thread unit) { must(ABT_thread_free(&unit), "ABT_thread_free"); }
};

template <class Tree>
std::uint64_t run_tree(const typename Tree::input& of) {
  call_in<Tree> root{of, 0};
  call_in<Tree>::run(&root);
  return root.result;
}

template <std::uint64_t Cutoff>
kernel_run run_fib_with_tasklets(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = run_tree<fib_tree<Cutoff>>(input.size);
  watch.stop();
  return {result, fib::calls(input.size, Cutoff), {}};
}

kernel_run run_btc_with_tasklets(const kernel_input& input, stopwatch& watch) {
  return btc::run(input, watch, run_tree<btc_tree>);
}

kernel_run run_comp_with_tasklets(const kernel_input& input, stopwatch& watch) {
  return comp::run(input, watch, run_tree<comp_tree>);
}

class tasklet {
 public:
  template <class Record>
  void start_record(Record* record) {
    auto const function = [](void* argument) { static_cast<Record*>(argument)->run(); };
    must(ABT_task_create(own_pool(), function, record, &task_), "ABT_task_create");
  }
  void join() { must(ABT_task_free(&task_), "ABT_task_free"); }

 private:
  ABT_task task_;
};

constexpr auto ult_cells = cells_of_threads<threads>();

constexpr std::string_view waits = "a tasklet cannot wait for its children, and which are leaves is not known before they run";
constexpr std::string_view blocks = "a tasklet cannot block or give way";
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
    {&btc::btc, run_btc_with_tasklets},
    {&pentomino::pentomino, nullptr, waits},
    {&comp::comp, run_comp_with_tasklets},
    {&creation::flat, creation::run_flat_by<as_threads_of<tasklet>>},
    {&creation::nested, nullptr, "a tasklet cannot wait for its child"},
    {&yield::any, nullptr, blocks},
    {&yield::to, nullptr, blocks},
    {&ping_pong::mutex_handover, nullptr, blocks},
    {&ping_pong::condition, nullptr, blocks},
    {&ping_pong::channel, nullptr, blocks},
    {&blocked::blocked, nullptr, blocks},
    {&thread_ops::without_yields, nullptr, blocks},
    {&thread_ops::with_yields, nullptr, blocks},
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
