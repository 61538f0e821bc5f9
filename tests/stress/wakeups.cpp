// No wake-up is lost: ping-pong of two threads pinned to two workers, which both go to sleep
// between, and storms of all kinds of waits. A lost one is a hang.
#include <pthread.h>
#include <sched.h>

#include <atomic>

#include "stress.hpp"

namespace {

constexpr bool is_slow = IS_SLOW != 0;
constexpr int rounds_of_players = is_slow ? 1000 : 5000;
constexpr int rounds_outside = is_slow ? 100 : 500;
constexpr int rounds_of_server = is_slow ? 20 : 100;
constexpr int storms = is_slow ? 2 : 5;

using weft::stress::dice;

struct game {
  weft_semaphore side[2] = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_cond cond = WEFT_COND_INIT;
  int turn = 0;  // guarded by mutex
  long rounds = 0;
};

struct player {
  game* at;
  int side;
  std::uint64_t seed;
};

void rest(dice* from) {
  const unsigned what = from->below(64);
  if (what == 0) OK(weft_sleep_ns(from->below(100000)));  // long enough for the other worker to fall asleep
  for (unsigned left = what * 16; left > 0; --left) asm volatile("");
}

void play_semaphores(void* argument) {
  auto* self = static_cast<player*>(argument);
  dice from(self->seed);
  for (long round = 0; round < self->at->rounds; ++round) {
    if (self->side == 0) {
      OK(weft_semaphore_release(&self->at->side[1], 1));
      rest(&from);
      OK(weft_semaphore_acquire(&self->at->side[0]));
    } else {
      OK(weft_semaphore_acquire(&self->at->side[1]));
      rest(&from);
      OK(weft_semaphore_release(&self->at->side[0], 1));
    }
  }
}

void play_conditions(void* argument) {
  auto* self = static_cast<player*>(argument);
  for (long round = 0; round < self->at->rounds; ++round) {
    OK(weft_mutex_lock(&self->at->mutex));
    while (self->at->turn != self->side) OK(weft_cond_wait(&self->at->cond, &self->at->mutex));
    self->at->turn = 1 - self->side;
    OK(weft_cond_signal(&self->at->cond));
    OK(weft_mutex_unlock(&self->at->mutex));
  }
}

void play(weft_function how, long rounds, std::uint64_t seed) {
  game one;
  one.rounds = rounds;
  player players[2] = {{&one, 0, seed}, {&one, 1, seed + 1}};
  weft_thread* threads[2];
  for (int side = 0; side < 2; ++side) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.worker = side;
    OK(weft_thread_create(how, &players[side], &attr, &threads[side]));
  }
  OK(weft_thread_join_many(threads, 2));
}

// ---- from outside ----

void* run_outside(void* argument) {
  dice from(*static_cast<std::uint64_t*>(argument));
  for (int round = 0; round < rounds_outside; ++round) {
    std::atomic<int> done{0};
    weft_thread* one = nullptr;
    OK(weft_thread_create([](void* flag) { static_cast<std::atomic<int>*>(flag)->store(1); }, &done, nullptr, &one));
    if (from.below(20) == 0) OK(weft_sleep_ns(from.below(100000)));
    OK(weft_thread_join(one));
    MUST(done.load() == 1);
  }
  return nullptr;
}

void storm_from_outside(std::uint64_t seed) {
  pthread_t threads[3];
  std::uint64_t seeds[3] = {seed, seed + 1, seed + 2};
  for (int i = 0; i < 3; ++i) MUST(pthread_create(&threads[i], nullptr, run_outside, &seeds[i]) == 0);
  for (pthread_t each : threads) MUST(pthread_join(each, nullptr) == 0);
}

// ---- many wake many ----

struct crowd {
  weft_event gates[8];
  std::atomic<int> passed{0};
};

struct visitor {
  crowd* among;
  std::uint64_t seed;
};

void pass_gates(void* argument) {
  auto* self = static_cast<visitor*>(argument);
  dice from(self->seed);
  for (weft_event& gate : self->among->gates) {
    if (from.below(4) == 0) {
      while (weft_event_wait_until(&gate, weft_deadline_in(from.below(200000))) != WEFT_OK) {
      }
    } else {
      OK(weft_event_wait(&gate));
    }
    self->among->passed.fetch_add(1);
  }
}

void storm(std::uint64_t seed) {
  constexpr int visitors = 200;
  crowd one{};
  visitor all[visitors];
  weft_thread* threads[visitors];
  for (int i = 0; i < visitors; ++i) {
    all[i] = {&one, seed + static_cast<unsigned>(i)};
    OK(weft_thread_create(pass_gates, &all[i], nullptr, &threads[i]));
  }
  dice from(seed);
  for (weft_event& gate : one.gates) {
    if (from.below(2) == 0) OK(weft_sleep_ns(from.below(300000)));
    OK(weft_event_set(&gate));
  }
  OK(weft_thread_join_many(threads, visitors));
  MUST(one.passed.load() == 8 * visitors);
}

// ---- a pool with several servers ----

struct shop {
  weft_pool* pool = nullptr;
  std::atomic<bool> is_served{false};
};

void serve(void* argument) { static_cast<shop*>(argument)->is_served.store(true); }

// Keeps its worker. Under a schedule others go on while it locks.
void watch_until_served(void* argument) {
  weft_mutex own = WEFT_MUTEX_INIT;
  while (!static_cast<shop*>(argument)->is_served.load()) {
    OK(weft_mutex_lock(&own));
    OK(weft_mutex_unlock(&own));
    sched_yield();
  }
}

// The server that was woken for the pool may have something else to do first: then the other one
// must come.
void busy_server(std::uint64_t seed) {
  dice from(seed);
  shop one;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &one.pool));
  for (const int server : {1, 2}) OK(weft_pool_attach(one.pool, static_cast<unsigned>(server)));
  weft_thread_attr in_pool = WEFT_THREAD_ATTR_INIT, on_server = WEFT_THREAD_ATTR_INIT;
  in_pool.pool = one.pool;
  on_server.worker = 1;
  for (int round = 0; round < rounds_of_server; ++round) {
    one.is_served.store(false);
    OK(weft_sleep_ns(from.below(200000)));  // the servers fall asleep
    weft_thread* threads[2];
    OK(weft_thread_create(serve, &one, &in_pool, &threads[0]));
    OK(weft_thread_create(watch_until_served, &one, &on_server, &threads[1]));
    OK(weft_thread_join_many(threads, 2));
  }
  for (const int server : {1, 2}) OK(weft_pool_detach(one.pool, static_cast<unsigned>(server)));
  OK(weft_pool_destroy(one.pool));
}

void with(unsigned workers, weft_wait_policy policy, bool caller_outside, std::uint64_t seed) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.wait_policy = policy;
  config.caller_outside = caller_outside;
  OK(weft_init(&config));
  play(play_semaphores, rounds_of_players, seed);
  play(play_conditions, rounds_of_players, seed);
  if (caller_outside) storm_from_outside(seed);
  if (workers > 2) busy_server(seed);
  for (int round = 0; round < storms; ++round) storm(seed + static_cast<unsigned>(round) * 1000);
  OK(weft_finalize());
}

}  // namespace

int main() {
  weft::stress::start("wakeups");
  dice from(weft::stress::seed);
  do {
    const unsigned workers = 2 + from.below(3);
    const auto policy = static_cast<weft_wait_policy>(from.below(2));
    with(workers, policy, from.below(2) == 0, from.next());
    weft::stress::programs.fetch_add(1);
  } while (weft::stress::has_time());
  weft::stress::print_programs();
  return 0;
}
