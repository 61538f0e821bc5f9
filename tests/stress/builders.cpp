// What builders of runtimes use, all at once: trees of threads that live in pools of all kinds (one
// written here), and go from one to the other; schedulers that are threads and dispatch units out
// of pools; schedulers of workers; a source of work that unparks; while an OS thread adds and
// removes workers, has them serve pools or not, and changes their schedulers. Usage: builders
// WORKERS.
#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <weft/ext.h>

#include "stress.hpp"

namespace {

using weft::stress::dice;

constexpr unsigned most_children = 4;
constexpr unsigned depth_of_root = 5;
constexpr unsigned most_added = 3;

// ---- a pool of our own: a heap in no order ----

class bag {
 public:
  void push(weft_thread* unit) {
    const std::lock_guard hold(mutex_);
    units_.push_back(unit);
    count_.store(units_.size());
  }
  weft_thread* pop() {
    const std::lock_guard hold(mutex_);
    if (units_.empty()) return nullptr;
    std::swap(units_[chance_.below(static_cast<unsigned>(units_.size()))], units_.back());
    weft_thread* const unit = units_.back();
    units_.pop_back();
    count_.store(units_.size());
    return unit;
  }
  std::size_t count() const { return count_.load(); }
  bool remove(weft_thread* unit) {
    const std::lock_guard hold(mutex_);
    const bool is_there = std::erase(units_, unit) != 0;
    count_.store(units_.size());
    return is_there;
  }

 private:
  std::mutex mutex_;
  dice chance_{1};
  std::vector<weft_thread*> units_;
  std::atomic<std::size_t> count_{0};
};

bag* bag_of(void* state) { return static_cast<bag*>(state); }
void push_to_bag(void* state, weft_thread* unit, weft_push_reason) { bag_of(state)->push(unit); }
weft_thread* pop_from_bag(void* state) { return bag_of(state)->pop(); }
std::size_t count_in_bag(void* state) { return bag_of(state)->count(); }
bool remove_from_bag(void* state, weft_thread* unit) { return bag_of(state)->remove(unit); }
const weft_pool_ops bag_ops{sizeof(weft_pool_ops), push_to_bag, pop_from_bag, count_in_bag, remove_from_bag, nullptr};

// ---- units that parked until the source is polled ----

class parking {
 public:
  void park() { OK(weft_ext_park(publish, this, "the source")); }
  std::size_t wake_all() {
    std::vector<weft_thread*> found;
    {
      const std::lock_guard hold(mutex_);
      found.swap(parked_);
    }
    for (weft_thread* each : found) weft_ext_unpark(each);
    return found.size();
  }
  weft_source* source = nullptr;

 private:
  static bool publish(weft_thread* self, void* argument) {
    auto* here = static_cast<parking*>(argument);
    {
      const std::lock_guard hold(here->mutex_);
      here->parked_.push_back(self);
    }
    weft_ext_source_notify(here->source);
    return true;
  }

  std::mutex mutex_;
  std::vector<weft_thread*> parked_;
};

std::size_t poll_parking(void* state) { return static_cast<parking*>(state)->wake_all(); }

// ---- what all threads of one runtime share ----

constexpr unsigned shared_pools = 5;

struct world {
  std::array<weft_pool*, shared_pools + 1> pools{};  // worker 0 serves them all, the last one alone
  bag units;
  parking lot;
  weft_mutex mutex = WEFT_MUTEX_INIT;
  std::uint64_t guarded = 0;  // by mutex
  std::atomic<std::uint64_t> locked{0};
  std::atomic<bool> is_over{false};
  std::atomic<std::uint32_t> chance{0};  // of callbacks, which have no dice
};

world* shared;

weft_thread* pop_any() {
  const unsigned first = shared->chance.fetch_add(1);
  for (unsigned i = 0; i < shared_pools; ++i) {
    if (weft_thread* unit = weft_ext_pool_pop(shared->pools[(first + i) % shared_pools]); unit != nullptr) return unit;
  }
  return nullptr;
}

// Of a worker. Null now and then also when there is something.
weft_thread* next_unit(void*, unsigned) { return shared->chance.fetch_add(1) % 5 == 0 ? nullptr : pop_any(); }
const weft_scheduler_ops scheduler_ops{sizeof(weft_scheduler_ops), next_unit};

// One that is a thread.
void schedule(void* seed) {
  dice time(*static_cast<std::uint64_t*>(seed));
  while (!shared->is_over.load() && !weft_ext_should_stop()) {
    if (weft_thread* unit = pop_any(); unit != nullptr) {
      OK(weft_ext_dispatch(unit));
      continue;
    }
    const weft_status result =
        weft_ext_wait_for_work(shared->pools.data(), shared_pools, weft_deadline_in(time.below(300000)), nullptr, nullptr);
    MUST(result == WEFT_OK || result == WEFT_TIMEOUT);
  }
}

// ---- trees ----

struct node {
  std::uint64_t seed;
  unsigned depth;
  bool is_tasklet;
  std::uint64_t result;
};

unsigned children_of(dice* from, unsigned depth) { return depth == 0 ? 0 : from->below(most_children); }
node child_of(dice* from, unsigned depth) {
  const bool is_tasklet = from->one_in(5);
  return {from->next(), is_tasklet ? 0 : depth - 1, is_tasklet, 0};
}

std::uint64_t expected(const node& one) {
  dice from(one.seed);
  std::uint64_t sum = one.seed;
  const unsigned count = children_of(&from, one.depth);
  for (unsigned i = 0; i < count; ++i) sum = sum * 31 + expected(child_of(&from, one.depth));
  return sum;
}

void lock_something(dice* time) {
  OK(weft_mutex_lock(&shared->mutex));
  const std::uint64_t before = shared->guarded;
  if (time->one_in(4)) weft_yield();
  shared->guarded = before + 1;
  shared->locked.fetch_add(1);
  OK(weft_mutex_unlock(&shared->mutex));
}

void go_elsewhere(dice* time) {
  weft_status result = weft_thread_migrate_to_pool(weft_self(), shared->pools[time->below(shared_pools)]);
  if (time->one_in(4)) result = weft_thread_migrate_to_worker(weft_self(), time->below(weft_worker_count() + most_added));
  MUST(result == WEFT_OK || result == WEFT_INVALID || result == WEFT_NOT_OWNER);  // no such worker; it lives in the private pool
  if (time->one_in(2)) weft_yield();
}

// child may have ended, or run elsewhere.
void yield_to(weft_thread* child) {
  const weft_status result = weft_yield_to(child);
  MUST(result == WEFT_OK || result == WEFT_AGAIN || result == WEFT_INVALID);
}

void pass_the_time(dice* time) {
  for (unsigned left = time->below(3); left > 0; --left) {
    switch (time->below(8)) {
      case 0: lock_something(time); break;
      case 1: go_elsewhere(time); break;
      case 2: shared->lot.park(); break;
      case 3: OK(weft_sleep_ns(time->below(20000))); break;
      default: weft_yield();
    }
  }
}

void run_node(void* argument);

weft_thread* start_child(node* child, dice* time) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  if (!time->one_in(4)) attr.pool = shared->pools[time->below(shared_pools + 1)];
  attr.priority = time->below(WEFT_POOL_PRIORITIES);
  if (time->one_in(6)) attr.stack_bytes = 32768;
  weft_thread* made = nullptr;
  OK((child->is_tasklet ? weft_tasklet_create : weft_thread_create)(run_node, child, &attr, &made));
  return made;
}

void run_node(void* argument) {
  auto* self = static_cast<node*>(argument);
  dice from(self->seed);
  dice time(self->seed ^ weft::stress::seed);
  const unsigned count = children_of(&from, self->depth);
  std::array<node, most_children> children{};
  std::array<weft_thread*, most_children> threads{};
  for (unsigned i = 0; i < count; ++i) {
    children[i] = child_of(&from, self->depth);
    threads[i] = start_child(&children[i], &time);
    if (time.one_in(6)) yield_to(threads[i]);
  }
  if (!self->is_tasklet) pass_the_time(&time);
  OK(weft_thread_join_many(threads.data(), count));
  std::uint64_t sum = self->seed;
  for (unsigned i = 0; i < count; ++i) sum = sum * 31 + children[i].result;
  self->result = sum;
}

void run_program(dice from) {
  std::array<node, 3> roots{};
  std::array<weft_thread*, 3> threads{};
  dice time(from.next());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots[i] = {from.next(), depth_of_root, false, 0};
    threads[i] = start_child(&roots[i], &time);
  }
  OK(weft_thread_join_many(threads.data(), threads.size()));
  for (const node& each : roots) MUST(each.result == expected(each));
  weft::stress::programs.fetch_add(1);
}

// ---- what an OS thread outside changes meanwhile ----

class changes {
 public:
  explicit changes(std::uint64_t seed) : time_(seed), thread_([this] { run(); }) {}
  changes(const changes&) = delete;
  changes& operator=(const changes&) = delete;
  ~changes() {
    is_over_.store(true);
    OK(weft_event_wait(&ended_));  // what it does may need this worker
    thread_.join();
  }

 private:
  void run() {
    while (!is_over_.load()) {
      switch (time_.below(5)) {
        case 0: add(); break;
        case 1: remove(); break;
        case 2: attach(); break;
        case 3: detach(); break;
        default: set_scheduler(time_.below(weft_worker_count()), time_.one_in(2) ? &scheduler_ops : nullptr);
      }
      OK(weft_sleep_ns(time_.below(100000)));
    }
    while (!attached_.empty()) detach();
    for (unsigned worker = 0; worker < 64; ++worker) set_scheduler(worker, nullptr);
    OK(weft_event_set(&ended_));
  }
  void add() {
    if (added_.size() == most_added) return;
    OK(weft_worker_add(&added_.emplace_back()));
  }
  void remove() {
    if (added_.empty()) return;
    std::swap(added_[time_.below(static_cast<unsigned>(added_.size()))], added_.back());
    const weft_status result = weft_worker_remove(added_.back());
    MUST(result == WEFT_OK || result == WEFT_BUSY);  // it serves a pool
    if (result == WEFT_OK) added_.pop_back();
  }
  void attach() {
    const std::pair one{shared->pools[time_.below(shared_pools)], 1 + time_.below(weft_worker_count() + most_added)};
    for (const auto& each : attached_) {
      if (each == one) return;
    }
    const weft_status result = weft_pool_attach(one.first, one.second);
    MUST(result == WEFT_OK || result == WEFT_INVALID || result == WEFT_AGAIN);
    if (result == WEFT_OK) attached_.push_back(one);
  }
  void detach() {
    if (attached_.empty()) return;
    std::swap(attached_[time_.below(static_cast<unsigned>(attached_.size()))], attached_.back());
    OK(weft_pool_detach(attached_.back().first, attached_.back().second));
    attached_.pop_back();
  }
  void set_scheduler(unsigned worker, const weft_scheduler_ops* ops) {
    const weft_status result = weft_ext_worker_set_scheduler(worker, ops, nullptr);
    MUST(result == WEFT_OK || result == WEFT_INVALID);
  }

  dice time_;
  std::vector<unsigned> added_;
  std::vector<std::pair<weft_pool*, unsigned>> attached_;
  std::atomic<bool> is_over_{false};
  weft_event ended_ = WEFT_EVENT_INIT;
  std::thread thread_;  // last: it uses the others
};

// ---- a life ----

void make_pools() {
  constexpr std::array kinds = {WEFT_POOL_FIFO, WEFT_POOL_LIFO, WEFT_POOL_PRIORITY, WEFT_POOL_DEQUE};
  for (unsigned i = 0; i < kinds.size(); ++i) OK(weft_pool_create(kinds[i], WEFT_POOL_SHARED, &shared->pools[i]));
  OK(weft_ext_pool_create(&bag_ops, &shared->units, WEFT_POOL_SHARED, &shared->pools[kinds.size()]));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE, &shared->pools[shared_pools]));
  for (weft_pool* each : shared->pools) OK(weft_pool_attach(each, 0));
}

void free_pools() {
  for (weft_pool* each : shared->pools) {
    OK(weft_pool_detach(each, 0));
    MUST(weft_pool_total_count(each) == 0);
    OK(weft_pool_destroy(each));
  }
}

void run_programs(dice from) {
  std::array<std::uint64_t, 2> seeds = {from.next(), from.next()};
  std::array<weft_thread*, 2> schedulers{};
  const unsigned count = from.below(3);
  shared->is_over.store(false);
  for (unsigned i = 0; i < count; ++i) OK(weft_thread_create(schedule, &seeds[i], nullptr, &schedulers[i]));
  for (int program = 0; program < 5; ++program) run_program(dice(from.next()));
  shared->is_over.store(true);
  OK(weft_thread_join_many(schedulers.data(), count));
}

void live(unsigned workers, std::uint64_t seed) {
  dice from(seed);
  world all;
  shared = &all;
  const weft_config config = weft::stress::some_config(workers, &from);
  OK(weft_init(&config));
  OK(weft_ext_source_add(poll_parking, &all.lot, &all.lot.source));
  make_pools();
  if (from.one_in(4)) {
    run_programs(from);
  } else {
    const changes meanwhile(from.next());
    run_programs(from);
  }
  free_pools();
  OK(weft_ext_source_remove(all.lot.source));
  OK(weft_finalize());
  MUST(all.guarded == all.locked.load());
}

}  // namespace

int main(int count, char** arguments) { return weft::stress::live_on("builders", count, arguments, live); }
