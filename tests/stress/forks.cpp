// Random trees of forks, made and joined in all orders or left to the end of their scope, whose
// nodes yield, lock, wait on full/empty bits, sleep, start threads and throw, at random from a
// seed, each with an outcome that is known beforehand. The threads that fork move between workers
// and pools meanwhile, and in every second runtime workers come and go. Usage: forks WORKERS
// [LOCALITY].
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include <weft/weft.hpp>

#include "stress.hpp"

namespace {

using weft::stress::dice;

constexpr unsigned children_of_node = 4;

// What all threads of one runtime share.
struct world {
  weft_mutex mutex;
  std::uint64_t guarded;  // by mutex
  std::atomic<std::uint64_t> locked;
  weft_semaphore tokens;
  std::uint64_t cell;  // a full/empty word that holds a sum
  std::atomic<std::uint64_t> added;
  weft_key key;
  weft_pool* pool;  // worker 0 serves it
};

world* shared;
weft_locality locality;

constexpr unsigned most_added = 3;  // workers beyond those that a runtime begins with
constexpr unsigned depth_of_root = 7;

// ---- what a tree is and gives, by its seed alone ----

struct node {
  std::uint64_t seed;
  unsigned depth;
};

struct thrown {
  std::uint64_t value;
};

struct outcome {
  bool has_thrown;
  std::uint64_t value;
};

struct plan {
  explicit plan(const node& one) {
    dice from(one.seed);
    for (node& child : children) child = {from.next(), one.depth == 0 ? 0 : one.depth - 1 - from.below(one.depth)};
    for (unsigned i = 0; i < children_of_node; ++i) order[i] = i;
    for (unsigned i = children_of_node; i-- > 1;) std::swap(order[i], order[from.below(i + 1)]);
    if (from.below(2) == 0) order = {3, 2, 1, 0};
    joined = from.below(4) == 0 ? from.below(children_of_node) : children_of_node;
    throws = from.below(24) == 0;
    catches = from.below(2) == 0;
  }

  std::array<node, children_of_node> children;
  std::array<unsigned, children_of_node> order;  // of the joins
  unsigned joined;                               // that many; the end of the scope joins the others
  bool throws, catches;
};

outcome expected(const node& one) {
  if (one.depth == 0) return {false, one.seed};
  const plan is(one);
  outcome result{false, one.seed};
  for (unsigned i = 0; i < is.joined && !result.has_thrown; ++i) {
    const outcome child = expected(is.children[is.order[i]]);
    result = child.has_thrown ? child : outcome{false, result.value * 31 + child.value};
  }
  if (!result.has_thrown && is.throws) result = {true, one.seed + 1};
  return result.has_thrown && is.catches ? outcome{false, result.value * 17} : result;
}

// ---- what nodes do to pass the time ----

void lock_something(dice* time) {
  const weft_status result = time->below(2) == 0 ? weft_mutex_lock(&shared->mutex)
                                                 : weft_mutex_lock_until(&shared->mutex, weft_deadline_in(time->below(20000)));
  if (result == WEFT_TIMEOUT) return;
  MUST(result == WEFT_OK);
  const std::uint64_t before = shared->guarded;
  if (time->below(4) == 0) weft_yield();
  shared->guarded = before + 1;
  shared->locked.fetch_add(1);
  OK(weft_mutex_unlock(&shared->mutex));
}

void use_token(dice* time) {
  OK(weft_semaphore_acquire(&shared->tokens));
  if (time->below(3) == 0) weft_yield();
  OK(weft_semaphore_release(&shared->tokens, 1));
}

void add_to_cell(dice* time) {
  std::uint64_t value = 0;
  OK(weft_feb_read_fe(&shared->cell, &value));
  if (time->below(4) == 0) weft_yield();
  OK(weft_feb_write_ef(&shared->cell, value + 1));
  shared->added.fetch_add(1);
}

void run_thread(dice* time) {
  std::uint64_t value = time->next();
  const std::uint64_t before = value;
  weft::thread([&value] { ++value; }).join();
  MUST(value == before + 1);
}

// The forker is sent elsewhere, by itself or by one of its forks.
void send_away(dice* time, void* identity) {
  if (identity == nullptr) return;
  auto* const forker = static_cast<weft_thread*>(identity);
  const weft_status result = time->below(3) == 0
                                 ? weft_thread_migrate_to_pool(forker, shared->pool)
                                 : weft_thread_migrate_to_worker(forker, time->below(weft_worker_count() + most_added));
  MUST(result == WEFT_OK || result == WEFT_INVALID || result == WEFT_NOT_OWNER);  // no such worker; the main thread
}

// Of a root, which a fork is not: what pins a fork depends on where it runs.
void move_root(dice* time) {
  const weft_status result = weft_pin(static_cast<int>(time->below(weft_worker_count() + most_added)));
  MUST(result == WEFT_OK || result == WEFT_INVALID || result == WEFT_NOT_OWNER);
}
void free_root(dice* time) {
  if (time->below(2) == 0) weft_yield();
  const weft_status result = weft_pin(WEFT_ANY_WORKER);
  MUST(result == WEFT_OK || result == WEFT_NOT_OWNER);
}

void pass_the_time(dice* time, void* identity) {
  for (unsigned left = time->below(3); left > 0; --left) {
    switch (time->below(13)) {
      case 0: lock_something(time); break;
      case 1: use_token(time); break;
      case 2: add_to_cell(time); break;
      case 3: run_thread(time); break;
      case 4: OK(weft_sleep_ns(time->below(20000))); break;
      case 5: weft_yield(); break;
      case 6: send_away(time, identity); break;
      default: break;
    }
  }
}

// ---- the tree ----

std::uint64_t run(node one, void* identity);

// The one travels to a thief as bytes, the other stays in its frame.
auto small_fork(node child, void* identity) {
  return weft::fork([=] { return run(child, identity); });
}
auto large_fork(node child, void* identity) {
  return weft::fork([child, identity, text = std::string(64, 'w')] {
    MUST(text == std::string(64, 'w'));
    return run(child, identity);
  });
}

std::uint64_t run_children(const node& one, const plan& is, dice* time, void* identity) {
  auto first = small_fork(is.children[0], identity);
  auto second = large_fork(is.children[1], identity);
  pass_the_time(time, identity);
  const bool moves = identity != nullptr && one.depth == depth_of_root && time->below(2) == 0;
  if (moves) move_root(time);
  auto third = small_fork(is.children[2], identity);
  auto fourth = large_fork(is.children[3], identity);
  pass_the_time(time, identity);
  if (moves) free_root(time);
  std::uint64_t value = one.seed;
  for (unsigned i = 0; i < is.joined; ++i) {
    switch (is.order[i]) {
      case 0: value = value * 31 + first.join(); break;
      case 1: value = value * 31 + second.join(); break;
      case 2: value = value * 31 + third.join(); break;
      default: value = value * 31 + fourth.join();
    }
    pass_the_time(time, identity);
  }
  if (is.throws) throw thrown{one.seed + 1};
  return value;
}

std::uint64_t run(node one, void* identity) {
  dice time(one.seed ^ weft::stress::seed);
  if (identity != nullptr) MUST(weft_self() == identity && weft_key_get(shared->key) == identity);
  if (one.depth == 0) {
    pass_the_time(&time, identity);
    return one.seed;
  }
  const plan is(one);
  if (!is.catches) return run_children(one, is, &time, identity);
  try {
    return run_children(one, is, &time, identity);
  } catch (const thrown& caught) {
    return caught.value * 17;
  }
}

void run_root(node root) {
  void* const identity = weft_self();  // null: an OS thread outside
  if (identity != nullptr) OK(weft_key_set(shared->key, identity));
  outcome found{};
  try {
    found = {false, run(root, identity)};
  } catch (const thrown& caught) {
    found = {true, caught.value};
  }
  const outcome wanted = expected(root);
  MUST(found.has_thrown == wanted.has_thrown && found.value == wanted.value);
}

void run_program(dice from) {
  std::array<weft::thread, 4> threads;
  for (weft::thread& each : threads) each = weft::thread([root = node{from.next(), depth_of_root}] { run_root(root); });
  weft_event outside_ended = WEFT_EVENT_INIT;
  std::thread outside([&, root = node{from.next(), 4}] {
    run_root(root);
    OK(weft_event_set(&outside_ended));
  });
  run_root({from.next(), depth_of_root});
  for (weft::thread& each : threads) each.join();
  OK(weft_event_wait(&outside_ended));  // what it waits for may need this worker
  outside.join();
  weft::stress::programs.fetch_add(1);
}

// ---- workers that come and go ----

// An OS thread outside that adds workers and removes them again, from wherever they are.
class changing_workers {
 public:
  explicit changing_workers(std::uint64_t seed) : thread_([this, seed] { change(dice(seed)); }) {}
  changing_workers(const changing_workers&) = delete;
  changing_workers& operator=(const changing_workers&) = delete;
  ~changing_workers() {
    is_over_.store(true);
    OK(weft_event_wait(&ended_));  // a worker that is removed may run what waits for this one
    thread_.join();
  }

 private:
  void change(dice from) {
    std::array<unsigned, most_added> added{};
    unsigned count = 0;
    while (!is_over_.load()) {
      if (count == 0 || (count < most_added && from.below(2) == 0)) {
        OK(weft_worker_add(&added[count++]));
      } else {
        std::swap(added[from.below(count)], added[count - 1]);
        const weft_status result = weft_worker_remove(added[count - 1]);
        MUST(result == WEFT_OK || result == WEFT_BUSY);  // a unit is pinned to it
        if (result == WEFT_OK) --count;
      }
      OK(weft_sleep_ns(from.below(200000)));
    }
    OK(weft_event_set(&ended_));
  }

  std::atomic<bool> is_over_{false};
  weft_event ended_ = WEFT_EVENT_INIT;
  std::thread thread_;
};

void run_programs(dice from) {
  constexpr int programs = IS_SLOW != 0 ? 3 : 10;
  for (int program = 0; program < programs; ++program) run_program(dice(from.next()));
}

void live(unsigned workers, std::uint64_t seed) {
  world all{};
  all.tokens = weft_semaphore{{3, 0, 0, 0}};
  shared = &all;
  OK(weft_key_create(nullptr, &all.key));
  dice from(seed);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.locality = locality;
  if (from.below(2) == 0) config.topology = "numa:2 core:2 pu:1";
  OK(weft_init(&config));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &all.pool));
  OK(weft_pool_attach(all.pool, 0));
  if (from.below(2) == 0) {
    run_programs(from);
  } else {
    const changing_workers changing(from.next());
    run_programs(from);
  }
  OK(weft_pool_detach(all.pool, 0));
  OK(weft_pool_destroy(all.pool));
  OK(weft_finalize());
  MUST(all.guarded == all.locked.load());
  MUST(all.cell == all.added.load());
  OK(weft_key_delete(all.key));
}

weft_locality locality_named(const char* name) {
  constexpr std::array<const char*, 3> names = {"steal", "strict", "domain"};
  for (unsigned i = 0; i < names.size(); ++i) {
    if (std::strcmp(name, names[i]) == 0) return static_cast<weft_locality>(i);
  }
  std::fprintf(stderr, "forks: no locality %s\n", name);
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2) locality = locality_named(arguments[2]);
  return weft::stress::live_on("forks", count, arguments, live);
}
