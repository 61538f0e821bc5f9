// Random programs: trees of threads and tasklets that create, join, detach, yield, suspend, lock,
// wait, sleep, migrate and use keys, at random from a seed, each with an answer that is known
// beforehand. Usage: programs WORKERS.
#include <atomic>
#include <cstring>

#include "stress.hpp"

namespace {

using weft::stress::dice;

constexpr unsigned most_children = 6;

// What all threads of one program share.
struct world {
  unsigned workers;
  weft_mutex mutexes[4];
  std::uint64_t guarded[4];  // by the mutex of that index
  std::atomic<std::uint64_t> locked[4];
  weft_semaphore tokens;
  std::uint64_t cells[4];  // full/empty words that hold a sum
  std::atomic<std::uint64_t> added[4];
  weft_key key;
  std::atomic<std::uint64_t> destroyed;
  std::atomic<std::uint64_t> values_set;
  std::atomic<std::int64_t> detached;  // that have not ended
};

world* shared;

void count_destroyed(void* value) {
  MUST(value != nullptr);
  shared->destroyed.fetch_add(1);
}

// ---- one thread ----

struct node {
  std::uint64_t seed;
  unsigned depth;
  bool is_tasklet;
  bool is_detached;
  std::uint64_t result;
};

// What a tree gives, by its seed alone.
unsigned children_of(dice* from, unsigned depth) { return depth == 0 ? 0 : from->below(most_children); }

node child_of(dice* from, const node& parent, bool may_be_detached) {
  node child{};
  child.seed = from->next();
  child.is_tasklet = from->below(4) == 0;
  child.is_detached = from->below(8) == 0 && may_be_detached;
  child.depth = child.is_tasklet ? 0 : parent.depth - 1;
  return child;
}

std::uint64_t expected(const node& one) {
  dice from(one.seed);
  std::uint64_t sum = one.seed;
  const unsigned count = children_of(&from, one.depth);
  for (unsigned i = 0; i < count; ++i) {
    const node child = child_of(&from, one, true);
    if (!child.is_detached) sum = sum * 31 + expected(child);
  }
  return sum;
}

// ---- what threads do to pass the time ----

void lock_something(dice* from) {
  const unsigned which = from->below(4);
  switch (from->below(3)) {
    case 0: OK(weft_mutex_lock(&shared->mutexes[which])); break;
    case 1:
      while (weft_mutex_lock_until(&shared->mutexes[which], weft_deadline_in(from->below(20000))) != WEFT_OK) weft_yield();
      break;
    default:
      if (weft_mutex_try_lock(&shared->mutexes[which]) != WEFT_OK) return;
  }
  const std::uint64_t before = shared->guarded[which];
  if (from->below(4) == 0) weft_yield();
  shared->guarded[which] = before + 1;
  shared->locked[which].fetch_add(1);
  OK(weft_mutex_unlock(&shared->mutexes[which]));
}

void use_token(dice* from) {
  OK(weft_semaphore_acquire(&shared->tokens));
  if (from->below(3) == 0) weft_yield();
  OK(weft_semaphore_release(&shared->tokens, 1));
}

void add_to_cell(dice* from) {
  const unsigned which = from->below(4);
  std::uint64_t value = 0;
  OK(weft_feb_read_fe(&shared->cells[which], &value));
  if (from->below(4) == 0) weft_yield();
  OK(weft_feb_write_ef(&shared->cells[which], value + 1));
  shared->added[which].fetch_add(1);
}

void set_key(dice* from) {
  static int somewhere[16];
  if (weft_key_get(shared->key) == nullptr) shared->values_set.fetch_add(1);
  OK(weft_key_set(shared->key, &somewhere[from->below(16)]));
}

struct meeting {
  weft_thread* sleeper;
  weft_mutex mutex;
  weft_cond cond;
  int stage;  // guarded by mutex
};

void resume_and_signal(void* argument) {
  auto* with = static_cast<meeting*>(argument);
  OK(weft_resume(with->sleeper));
  OK(weft_mutex_lock(&with->mutex));
  with->stage = 1;
  OK(weft_cond_signal(&with->cond));
  OK(weft_mutex_unlock(&with->mutex));
}

void meet_a_helper(dice* from) {
  meeting here{weft_self(), WEFT_MUTEX_INIT, WEFT_COND_INIT, 0};
  weft_thread* helper = nullptr;
  if (from->below(2) == 0) {
    OK(weft_thread_create(resume_and_signal, &here, nullptr, &helper));
  } else {
    OK(weft_tasklet_create([](void* argument) { OK(weft_resume(static_cast<meeting*>(argument)->sleeper)); }, &here, nullptr,
                           &helper));
    here.stage = 1;
  }
  OK(weft_suspend());
  OK(weft_mutex_lock(&here.mutex));
  while (here.stage == 0) OK(weft_cond_wait(&here.cond, &here.mutex));
  OK(weft_mutex_unlock(&here.mutex));
  OK(weft_thread_join(helper));
}

void move_about(dice* from) {
  const weft_status result = weft_thread_migrate_to_worker(weft_self(), from->below(shared->workers));
  MUST(result == WEFT_OK);
  if (from->below(2) == 0) weft_yield();
}

void stay_for_a_while(dice* from) {
  const int wanted = static_cast<int>(from->below(shared->workers));
  OK(weft_pin(wanted));
  MUST(weft_worker_self() == wanted);
  weft_yield();
  MUST(weft_worker_self() == wanted);
  OK(weft_pin(WEFT_ANY_WORKER));
}

void pass_the_time(dice* from) {
  for (unsigned left = from->below(4); left > 0; --left) {
    switch (from->below(10)) {
      case 0: lock_something(from); break;
      case 1: use_token(from); break;
      case 2: add_to_cell(from); break;
      case 3: set_key(from); break;
      case 4: meet_a_helper(from); break;
      case 5: OK(weft_sleep_ns(from->below(50000))); break;
      case 6: move_about(from); break;
      case 7: stay_for_a_while(from); break;
      default: weft_yield();
    }
  }
}

// ---- the tree ----

void run_node(void* argument);

void run_detached(void* argument) {
  run_node(argument);
  delete static_cast<node*>(argument);
  shared->detached.fetch_sub(1);
}

weft_thread* start_child(node* child, dice* time) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  if (time->below(6) == 0) attr.stack_bytes = 32768 + time->below(100000);
  if (time->below(6) == 0) attr.worker = static_cast<int>(time->below(shared->workers));
  if (time->below(8) == 0) attr.keep_fp = true;
  if (time->below(8) == 0) attr.name = "a child";
  const weft_thread_attr* given = time->below(2) == 0 ? &attr : nullptr;
  const auto create = child->is_tasklet ? weft_tasklet_create : weft_thread_create;
  weft_thread* made = nullptr;
  if (child->is_detached) {
    shared->detached.fetch_add(1);
    OK(create(run_detached, new node(*child), given, nullptr));
    return nullptr;
  }
  OK(create(run_node, child, given, &made));
  return made;
}

void join_child(weft_thread* child, dice* time) {
  switch (time->below(4)) {
    case 0:
      while (weft_thread_try_join(child) == WEFT_BUSY) weft_yield();
      return;
    case 1:
      while (weft_thread_join_until(child, weft_deadline_in(time->below(30000))) == WEFT_TIMEOUT) weft_yield();
      return;
    default: OK(weft_thread_join(child));
  }
}

void run_node(void* argument) {
  auto* self = static_cast<node*>(argument);
  weft_thread* const me = weft_self();
  dice from(self->seed);                       // decides what the tree is
  dice time(self->seed ^ weft::stress::seed);  // decides what else happens
  const unsigned count = children_of(&from, self->depth);
  node children[most_children];
  weft_thread* threads[most_children];
  for (unsigned i = 0; i < count; ++i) {
    children[i] = child_of(&from, *self, true);
    threads[i] = start_child(&children[i], &time);
    if (!self->is_tasklet && time.below(4) == 0) pass_the_time(&time);
  }
  if (!self->is_tasklet) pass_the_time(&time);
  const bool backwards = time.below(2) == 0;
  for (unsigned i = 0; i < count; ++i) {
    weft_thread* child = threads[backwards ? count - 1 - i : i];
    if (child != nullptr) join_child(child, &time);
  }
  std::uint64_t sum = self->seed;
  for (unsigned i = 0; i < count; ++i) {
    if (!children[i].is_detached) sum = sum * 31 + children[i].result;
  }
  MUST(weft_self() == me);
  self->result = sum;
}

void run_program(std::uint64_t seed) {
  node roots[4];
  weft_thread* threads[4];
  dice from(seed);
  for (int i = 0; i < 4; ++i) {
    roots[i] = node{from.next(), 4, false, false, 0};
    OK(weft_thread_create(run_node, &roots[i], nullptr, &threads[i]));
  }
  OK(weft_thread_join_many(threads, 4));
  for (const node& each : roots) MUST(each.result == expected(each));
  weft::stress::programs.fetch_add(1);
}

void check_world() {
  while (shared->detached.load() != 0) weft_yield();
  for (int i = 0; i < 4; ++i) {
    MUST(shared->guarded[i] == shared->locked[i].load());
    std::uint64_t sum = 0;
    OK(weft_feb_read_ff(&shared->cells[i], &sum));
    MUST(sum == shared->added[i].load());
  }
}

void live(unsigned workers, std::uint64_t seed) {
  world all{};
  all.workers = workers;
  all.tokens = weft_semaphore{{3, 0, 0, 0}};
  shared = &all;
  OK(weft_key_create(count_destroyed, &all.key));
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  OK(weft_init(&config));
  dice from(seed);
  for (int program = 0; program < 10; ++program) run_program(from.next());
  check_world();
  OK(weft_finalize());
  MUST(all.values_set.load() == all.destroyed.load());
  OK(weft_key_delete(all.key));
}

}  // namespace

int main(int count, char** arguments) { return weft::stress::live_on("programs", count, arguments, live); }
