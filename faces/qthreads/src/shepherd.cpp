// Shepherds and their pools: made at the start, handed to other workers when a shepherd or a worker
// is disabled.
#include <cstdlib>
#include <iterator>

#include <qthread-chapel.h>

#include "children.hpp"
#include "runtime.hpp"
#include "task.hpp"

namespace weft::qthreads {

namespace {

constexpr int step_of_distance = 10;

template <class T>
T* zeroed(std::size_t count) {
  return static_cast<T*>(std::calloc(count, sizeof(T)));
}

class changing {
 public:
  explicit changing(runtime* all) : all_(all) { static_cast<void>(weft_mutex_lock(&all_->changes)); }
  ~changing() { static_cast<void>(weft_mutex_unlock(&all_->changes)); }
  changing(const changing&) = delete;
  changing& operator=(const changing&) = delete;

 private:
  runtime* all_;
};

bool deals_in_turn(const runtime* all) {
  return all->wanted.scheduler == scheduler_kind::nemesis || all->wanted.scheduler == scheduler_kind::distrib;
}
bool has_stealable_pools(const runtime* all) {
  return all->wanted.scheduler == scheduler_kind::sherwood || all->wanted.scheduler == scheduler_kind::distrib;
}

// The nearest come first; of those at the same distance, the next ones by number.
void sort_by_distance(runtime* all, unsigned from) {
  const unsigned others = all->shepherd_count - 1;
  qthread_shepherd_id_t* const list = all->distances + std::size_t{from} * others;
  unsigned sorted = 0;
  for (int distance = step_of_distance; sorted < others; distance += step_of_distance) {
    for (unsigned i = 1; i <= others; ++i) {
      const unsigned other = (from + i) % all->shepherd_count;
      if (distance_between(all, from, other) == distance) list[sorted++] = static_cast<qthread_shepherd_id_t>(other);
    }
  }
  all->shepherds[from].by_distance = list;
}

bool find_cpus(runtime* all) {
  for (unsigned i = 0; i < all->shepherd_count; ++i)
    if (weft_ext_worker_cpu(all->core_number(i * all->workers_each), &all->shepherds[i].cpu) != WEFT_OK) return false;
  return true;
}

bool make_open_pools(runtime* all, unsigned from) {
  worker* const mine = all->workers_of(from);
  for (unsigned i = 0; i < all->workers_each; ++i) {
    if (all->wanted.scheduler == scheduler_kind::nemesis) {
      mine[i].open = all->shepherds[from].staying;
    } else if (i > 0 && all->wanted.scheduler == scheduler_kind::sherwood) {
      mine[i].open = mine[0].open;
    } else if (has_stealable_pools(all) && weft_pool_create(WEFT_POOL_DEQUE, WEFT_POOL_SHARED, &mine[i].open) != WEFT_OK) {
      return false;
    }
    mine[i].made = zeroed<children>(1);
    if (mine[i].made == nullptr) return false;
    mine[i].is_active.store(true, base::relaxed);
    mine[i].runs = true;
  }
  return true;
}

bool make_pools(runtime* all) {
  for (unsigned i = 0; i < all->shepherd_count; ++i) {
    shepherd& one = all->shepherds[i];
    if (weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &one.staying) != WEFT_OK) return false;
    one.is_active.store(true, base::relaxed);
    sort_by_distance(all, i);
    if (!make_open_pools(all, i)) return false;
  }
  return true;
}

// Each open pool of a shepherd once, in the order in which one of its workers serves them.
template <class Each>
bool for_open_pools(runtime* all, unsigned shepherd, unsigned first, Each each) {
  worker* const mine = all->workers_of(shepherd);
  const unsigned count = all->wanted.scheduler == scheduler_kind::distrib ? all->workers_each : 1;
  for (unsigned i = 0; i < count; ++i)
    if (!each(mine[(first + i) % count].open)) return false;
  return true;
}

bool is_on_worker(runtime* all, unsigned worker) {
  return all->workers[worker].is_active.load(base::relaxed) && is_on(all, worker / all->workers_each);
}

// Calls each(pool) for the pools that a worker is to serve, in their order: its own, those of tasks
// that stay, and those from which it may take. So tasks that wait by yielding, the main task mostly,
// let new tasks run first.
template <class Each>
bool for_pools_of(runtime* all, unsigned worker, Each each) {
  if (!all->workers[worker].serves) return true;
  const unsigned home = worker / all->workers_each;
  const bool has_open_pools = has_stealable_pools(all);
  if (has_open_pools && !for_open_pools(all, home, worker % all->workers_each, each)) return false;
  for (unsigned i = 0; all->serves_staying.load(base::relaxed) && i < all->shepherd_count; ++i)
    if (all->shepherds[i].server == home && !each(all->shepherds[i].staying)) return false;
  if (!has_open_pools) return true;
  for (unsigned i = 0; i + 1 < all->shepherd_count; ++i) {
    const unsigned other = all->shepherds[home].by_distance[i];
    if ((all->wanted.steals || all->shepherds[other].server == home) && !for_open_pools(all, other, worker, each)) return false;
  }
  return true;
}

// ---- thefts of sherwood ----
//
// The scheduler of a worker, which the core asks for the next task before it looks into pools. It
// names none, but fills the worker's own pool, into which the core looks first.

bool has_work(const runtime* all, unsigned home) {
  if (weft_pool_ready_count(all->workers_of(home)->open) != 0) return true;
  for (unsigned i = 0; i < all->shepherd_count; ++i)
    if (all->shepherds[i].server == home && weft_pool_ready_count(all->shepherds[i].staying) != 0) return true;
  return false;
}

// Those that would have run last.
void take_oldest(weft_pool* from, weft_pool* to, std::size_t count) {
  for (; count != 0; --count) {
    weft_thread* const unit = weft_ext_pool_pop_last(from);
    if (unit == nullptr) return;
    task* const one = task_of(unit);
    if (one->home == from) one->home = to;
    static_cast<void>(weft_ext_pool_push(to, unit, WEFT_PUSH_NEW));
  }
}

weft_thread* steal_if_idle(void* state, unsigned number) {
  auto* const all = static_cast<runtime*>(state);
  const unsigned home = all->number_here(number) / all->workers_each;
  if (has_work(all, home)) return nullptr;
  for (unsigned i = 0; i + 1 < all->shepherd_count; ++i) {
    weft_pool* const victim = all->workers_of(all->shepherds[home].by_distance[i])->open;
    const std::size_t waiting = weft_pool_ready_count(victim);
    if (waiting == 0) continue;
    const std::size_t half = (waiting + 1) / 2, most = all->wanted.steal_chunk;
    take_oldest(victim, all->workers_of(home)->open, most != 0 && most < half ? most : half);
    return nullptr;
  }
  return nullptr;
}

bool steals_half(const runtime* all) { return all->wanted.scheduler == scheduler_kind::sherwood && all->shepherd_count > 1; }

bool start_stealing(runtime* all) {
  weft_scheduler_ops ops = {};
  ops.size = sizeof ops;
  ops.next = steal_if_idle;
  for (unsigned i = 0; steals_half(all) && i < all->worker_count(); ++i)
    if (all->workers[i].serves && weft_ext_worker_set_scheduler(all->core_number(i), &ops, all) != WEFT_OK) return false;
  return true;
}

void stop_stealing(runtime* all) {
  for (unsigned i = 0; steals_half(all) && i < all->worker_count(); ++i)
    if (all->workers[i].serves) static_cast<void>(weft_ext_worker_set_scheduler(all->core_number(i), nullptr, nullptr));
}

bool start_serving(runtime* all) {
  for (unsigned i = 0; i < all->shepherd_count; ++i) all->shepherds[i].server = server_of(all, i);
  for (unsigned i = 0; i < all->worker_count(); ++i) all->workers[i].serves = is_on_worker(all, i);
  for (unsigned i = 0; i < all->worker_count(); ++i) {
    const unsigned number = all->core_number(i);
    if (!for_pools_of(all, i, [number](weft_pool* pool) { return weft_pool_attach(pool, number) == WEFT_OK; })) return false;
  }
  return start_stealing(all);
}

void count_active(runtime* all) {
  std::uint32_t shepherds = 0;
  std::uint32_t workers = 0;
  for (unsigned i = 0; i < all->shepherd_count; ++i) shepherds += is_on(all, i) ? 1 : 0;
  for (unsigned i = 0; i < all->worker_count(); ++i) workers += is_on_worker(all, i) ? 1 : 0;
  all->active_shepherds.store(shepherds, base::relaxed);
  all->active_workers.store(workers, base::relaxed);
}

void detach_all(runtime* all) {
  stop_stealing(all);
  for (unsigned i = 0; i < all->worker_count(); ++i) {
    const unsigned number = all->core_number(i);
    for_pools_of(all, i, [number](weft_pool* pool) {
      static_cast<void>(weft_pool_detach(pool, number));  // invalid: it does not serve this one any more
      return true;
    });
  }
}

// Nothing of the pools runs anew meanwhile: units wait there.
void serve_anew(runtime* all) {
  detach_all(all);
  if (!start_serving(all)) report("no memory is left in which workers note the pools that they serve: tasks may not run");
}

// ---- workers of the core ----
//
// With the scheduler weft a worker that is disabled ends, so that its default queue goes to others.

constexpr unsigned most_workers = 1024;

class set_of_workers {
 public:
  bool has(unsigned worker) const { return has_[worker]; }
  void add(unsigned worker) { has_[worker] = true; }

 private:
  bool has_[most_workers] = {};
};

// The core chooses the number of a worker that it starts: those that came too soon end again.
bool start_worker(unsigned wanted) {
  set_of_workers others;
  unsigned number = wanted;
  bool is_there = false;
  do {
    if (weft_worker_add(&number) != WEFT_OK) break;
    is_there = number == wanted;
    if (!is_there) others.add(number);
  } while (!is_there);
  for (unsigned i = 0; i < most_workers; ++i)
    if (others.has(i)) static_cast<void>(weft_worker_remove(i));
  return is_there;
}

// Those that are to run do, and no others. False: a thread is pinned to one that is to end, or the
// system refuses an OS thread.
bool settle_workers(runtime* all) {
  if (all->has_pools()) return true;
  for (unsigned i = 1; i < all->worker_count(); ++i) {
    worker* const one = &all->workers[i];
    const bool wanted = is_on_worker(all, i);
    if (one->runs == wanted) continue;
    const unsigned number = all->core_number(i);
    if (wanted ? !start_worker(number) : weft_worker_remove(number) != WEFT_OK) return false;
    one->runs = wanted;
  }
  return true;
}

// Workers start before they are to serve pools, and end after that: the caller itself may wait in
// one of the pools until a worker has ended. False: not all could be done.
bool change(runtime* all, atomic<bool>* what, bool wanted) {
  what->store(wanted, base::relaxed);
  bool is_done = !wanted || settle_workers(all);
  serve_anew(all);
  if (!wanted) is_done = settle_workers(all);
  count_active(all);
  return is_done;
}

// False: it stays as it was.
bool set_active(runtime* all, atomic<bool>* what, bool wanted) {
  const changing alone(all);
  if (all->is_over || what->load(base::relaxed) == wanted || change(all, what, wanted)) return true;
  static_cast<void>(change(all, what, !wanted));
  return false;
}

// Workers that serve pools choose more slowly: with the scheduler weft they do so once a task is to
// stay on a shepherd.
void serve_staying(runtime* all) {
  const changing alone(all);
  if (all->is_over || all->serves_staying.load(base::relaxed)) return;
  all->serves_staying.store(true, base::relaxed);
  serve_anew(all);
}

unsigned next_in_turn(atomic<std::uint32_t>* counter) { return counter->fetch_add(1, base::relaxed); }

}  // namespace

int distance_between(const runtime* all, unsigned one, unsigned other) {
  if (one == other) return 0;
  const auto& from = all->shepherds[one].cpu.around;
  const auto& to = all->shepherds[other].cpu.around;
  unsigned apart = 0;
  while (apart < std::size(from) && from[apart] != to[apart]) ++apart;
  return step_of_distance * static_cast<int>(apart + 1);
}

bool is_on(const runtime* all, unsigned shepherd) {
  if (!all->shepherds[shepherd].is_active.load(base::relaxed)) return false;
  const worker* const mine = all->workers_of(shepherd);
  for (unsigned i = 0; i < all->workers_each; ++i)
    if (mine[i].is_active.load(base::relaxed)) return true;
  return false;
}

unsigned server_of(runtime* all, unsigned shepherd) {
  if (is_on(all, shepherd)) return shepherd;
  const qthread_shepherd_id_t* next = all->shepherds[shepherd].by_distance;
  while (!is_on(all, *next)) ++next;
  return *next;
}

void stop_serving(runtime* all) {
  const changing alone(all);
  all->is_over = true;
  detach_all(all);
}

bool make_shepherds(runtime* all) {
  const std::size_t others = all->shepherd_count - 1;
  all->shepherds = zeroed<shepherd>(all->shepherd_count);
  all->workers = zeroed<worker>(all->worker_count());
  all->distances = zeroed<qthread_shepherd_id_t>(all->shepherd_count * others + 1);
  if (all->shepherds == nullptr || all->workers == nullptr || all->distances == nullptr) return false;
  if (weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &all->dropped) != WEFT_OK) return false;
  if (!find_cpus(all) || !make_pools(all)) return false;
  count_active(all);
  all->serves_staying.store(all->has_pools(), base::relaxed);
  return start_serving(all);
}

void free_shepherds(runtime* all) {
  if (all->workers != nullptr) stop_stealing(all);  // after a start that failed, in a runtime that goes on
  for (unsigned i = 0; all->shepherds != nullptr && all->workers != nullptr && i < all->shepherd_count; ++i) {
    for_open_pools(all, i, 0, [&](weft_pool* pool) {
      if (pool != nullptr && pool != all->shepherds[i].staying) static_cast<void>(weft_pool_destroy(pool));
      return true;
    });
    if (all->shepherds[i].staying != nullptr) static_cast<void>(weft_pool_destroy(all->shepherds[i].staying));
  }
  for (unsigned i = 0; all->workers != nullptr && i < all->worker_count(); ++i) {
    if (all->workers[i].made != nullptr) all->workers[i].made->forget_all();
    std::free(all->workers[i].made);
  }
  if (all->dropped != nullptr) static_cast<void>(weft_pool_destroy(all->dropped));
  std::free(all->distances);
  std::free(all->workers);
  std::free(all->shepherds);
}

weft_pool* staying_pool(runtime* all, unsigned shepherd) {
  if (!all->serves_staying.load(base::relaxed)) serve_staying(all);
  return all->shepherds[shepherd].staying;
}

void make_ready(weft_thread* unit, weft_pool* home) {
  static_cast<void>(home != nullptr ? weft_ext_pool_push(home, unit, WEFT_PUSH_NEW) : weft_ext_thread_start(unit));
}

weft_status move_to_pool(weft_pool* home) {
  const weft_status result =
      home != nullptr ? weft_thread_migrate_to_pool(weft_self(), home) : weft_ext_thread_set_pool(weft_self(), nullptr);
  if (result == WEFT_OK) weft_yield();
  return result;
}

// With weft and sherwood a task waits where it was made. Otherwise tasks are dealt out in turn, to
// shepherds, and to the workers of each.
weft_pool* choose_open_pool(runtime* all) {
  const int here = worker_here(all);
  if (!deals_in_turn(all)) return all->workers[here >= 0 ? here : 0].open;
  atomic<std::uint32_t>* const turn = here >= 0 ? &all->shepherds[shepherd_of(all, here)].next_target : &all->next_target_outside;
  if (all->shepherd_count == 1 && all->workers_each == 1) return all->workers[0].open;
  const unsigned number = next_in_turn(turn);
  const unsigned shepherd = number % all->shepherd_count;
  return all->workers_of(shepherd)[number / all->shepherd_count % all->workers_each].open;
}

}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_disable_shepherd(qthread_shepherd_id_t shep) {
  runtime* const all = current_runtime();
  if (all == nullptr || shep >= all->shepherd_count) return QTHREAD_BADARGS;
  if (shep == 0) return QTHREAD_NOT_ALLOWED;
  return set_active(all, &all->shepherds[shep].is_active, false) ? QTHREAD_SUCCESS : QTHREAD_NOT_ALLOWED;
}

void qthread_enable_shepherd(qthread_shepherd_id_t shep) {
  runtime* const all = current_runtime();
  if (all != nullptr && shep < all->shepherd_count) static_cast<void>(set_active(all, &all->shepherds[shep].is_active, true));
}

int qthread_disable_worker(qthread_worker_id_t worker) {
  runtime* const all = current_runtime();
  if (all == nullptr || worker >= all->worker_count()) return QTHREAD_BADARGS;
  if (worker == 0) return QTHREAD_NOT_ALLOWED;
  return set_active(all, &all->workers[worker].is_active, false) ? QTHREAD_SUCCESS : QTHREAD_NOT_ALLOWED;
}

void qthread_enable_worker(qthread_worker_id_t worker) {
  runtime* const all = current_runtime();
  if (all != nullptr && worker < all->worker_count()) static_cast<void>(set_active(all, &all->workers[worker].is_active, true));
}

void qthread_reset_target_shep(void) {
  runtime* const all = current_runtime();
  if (all == nullptr) return;
  const int here = worker_here(all);
  (here >= 0 ? &all->shepherds[shepherd_of(all, here)].next_target : &all->next_target_outside)->store(0, weft::base::relaxed);
}

void qthread_chpl_reset_spawn_order(void) { qthread_reset_target_shep(); }
}
