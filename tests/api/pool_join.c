/* Joins of threads that wait in a pool: a thread that its joiner's worker would run next may run on
 * the joiner's stack, and no thread ever runs before its turn. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <weft/ext.h>

#include "check.h"

enum { THREADS = 3, ROUNDS = 300, LARGE = 256 * 1024, NEAR = 16 * 1024 };

static weft_pool *served_pool(weft_pool_kind kind, unsigned workers) {
  weft_pool *pool = NULL;
  OK(weft_pool_create(kind, WEFT_POOL_SHARED, &pool));
  for (unsigned worker = 0; worker < workers; ++worker) OK(weft_pool_attach(pool, worker));
  return pool;
}

static void end_pool(weft_pool *pool, unsigned workers) {
  CHECK(weft_pool_total_count(pool) == 0);
  for (unsigned worker = 0; worker < workers; ++worker) OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

static weft_thread_attr in_pool(weft_pool *pool) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  return attr;
}

/* ---- where a thread runs ---- */

static void note_stack(void *argument) { *(uintptr_t *)argument = (uintptr_t)__builtin_frame_address(0); }

static bool is_near(uintptr_t ran_at) {
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return ran_at < here && here - ran_at < NEAR;
}

/* How many of ten ran there: a worker that looks after its timers first runs one elsewhere. */
static int ten_on_joiners_stack(const weft_thread_attr *attr) {
  int near = 0;
  for (int i = 0; i < 10; ++i) {
    uintptr_t ran_at = 0;
    OK(weft_thread_join(start_with(attr, note_stack, &ran_at)));
    CHECK(ran_at != 0);
    near += is_near(ran_at);
  }
  return near;
}

static void join_of_own_pool(void *argument) { CHECK(ten_on_joiners_stack(argument) >= 8); }

static void join_on_own_stack(void *argument) {
  (void)argument;
  for (weft_pool_kind kind = WEFT_POOL_FIFO; kind <= WEFT_POOL_DEQUE; ++kind) {
    weft_pool *pool = served_pool(kind, 1);
    weft_thread_attr attr = in_pool(pool);
    CHECK(ten_on_joiners_stack(&attr) >= 8);
    attr.name = "named";
    CHECK(ten_on_joiners_stack(&attr) >= 8);
    attr.name = NULL;
    OK(weft_thread_join(start_with(&attr, join_of_own_pool, &attr)));
    attr.stack_bytes = LARGE;
    CHECK(ten_on_joiners_stack(&attr) == 0);
    attr.stack_bytes = 0;
    attr.worker = 0;
    CHECK(ten_on_joiners_stack(&attr) == 0);
    attr.worker = WEFT_ANY_WORKER;
    attr.keep_fp = true;
    CHECK(ten_on_joiners_stack(&attr) == 0);
    end_pool(pool, 1);
  }
}

static void use_much(void *argument) {
  unsigned char bytes[LARGE / 2];
  memset(bytes, *(int *)argument, sizeof bytes);
  __asm__ volatile("" : : "r"(bytes) : "memory");
  *(int *)argument = bytes[sizeof bytes / 2] + 1;
}

static void join_large_ones(void *argument) {
  weft_pool *pool = served_pool(WEFT_POOL_FIFO, 1);
  weft_thread_attr attr = in_pool(pool);
  attr.stack_bytes = LARGE;
  int value = 1;
  OK(weft_thread_join(start_with(&attr, use_much, &value)));
  CHECK(value == 2);
  end_pool(pool, 1);
  (void)argument;
}

/* Each thread joins the next one: no stack would hold them all. */
struct link {
  weft_pool *pool;
  int left;
};

static void join_another(void *argument) {
  const struct link *self = argument;
  struct link next = {self->pool, self->left - 1};
  unsigned char used[2048];
  memset(used, self->left % 256, sizeof used);
  const weft_thread_attr attr = in_pool(self->pool);
  if (self->left != 0) OK(weft_thread_join(start_with(&attr, join_another, &next)));
  for (size_t i = 0; i < sizeof used; ++i) CHECK(used[i] == self->left % 256);
}

static void joins_nest(void) {
  struct link first = {served_pool(WEFT_POOL_FIFO, 1), 10000};
  const weft_thread_attr attr = in_pool(first.pool);
  OK(weft_thread_join(start_with(&attr, join_another, &first)));
  end_pool(first.pool, 1);
}

static void runs_on_the_joiners_stack(void) {
  OK(weft_thread_join(start(join_on_own_stack, NULL)));
  OK(weft_thread_join(start(join_large_ones, NULL)));
}

/* ---- order ---- */

static int order[THREADS];
static int ran;

static void note_turn(void *argument) { order[ran++] = *(int *)argument; }

/* Makes three threads, of which the kind says the order, and joins first the one that is last. */
static void joined_last_first(weft_pool_kind kind, const unsigned *priority, const int *wanted) {
  static int number[THREADS] = {0, 1, 2};
  weft_pool *pool = served_pool(kind, 1);
  weft_thread *threads[THREADS];
  ran = 0;
  for (int i = 0; i < THREADS; ++i) {
    weft_thread_attr attr = in_pool(pool);
    attr.priority = priority[i];
    threads[i] = start_with(&attr, note_turn, &number[i]);
  }
  for (int i = THREADS - 1; i >= 0; --i) OK(weft_thread_join(threads[wanted[i]]));
  for (int i = 0; i < THREADS; ++i) CHECK(order[i] == wanted[i]);
  end_pool(pool, 1);
}

static void join_last_first(void *argument) {
  const unsigned none[THREADS] = {0, 0, 0};
  const unsigned less_and_less_urgent[THREADS] = {0, 1, 2};
  const unsigned more_and_more_urgent[THREADS] = {3, 2, 1};
  const int upwards[THREADS] = {0, 1, 2};
  const int downwards[THREADS] = {2, 1, 0};
  joined_last_first(WEFT_POOL_FIFO, none, upwards);
  joined_last_first(WEFT_POOL_LIFO, none, downwards);
  joined_last_first(WEFT_POOL_DEQUE, none, downwards);
  joined_last_first(WEFT_POOL_PRIORITY, none, upwards);
  joined_last_first(WEFT_POOL_PRIORITY, less_and_less_urgent, upwards);
  joined_last_first(WEFT_POOL_PRIORITY, more_and_more_urgent, downwards);
  (void)argument;
}

static void keeps_the_pools_order(void) { OK(weft_thread_join(start(join_last_first, NULL))); }

/* A worker looks into its pools in the order in which it was told to serve them. */
static void join_of_second_pool(void *argument) {
  static int number[2] = {0, 1};
  weft_pool *pools[2];
  weft_thread *threads[2];
  for (int i = 0; i < 2; ++i) pools[i] = served_pool(WEFT_POOL_FIFO, 1);
  ran = 0;
  for (int i = 0; i < 2; ++i) {
    const weft_thread_attr attr = in_pool(pools[i]);
    threads[i] = start_with(&attr, note_turn, &number[i]);
  }
  OK(weft_thread_join(threads[1]));
  OK(weft_thread_join(threads[0]));
  CHECK(order[0] == 0 && order[1] == 1);
  for (int i = 0; i < 2; ++i) end_pool(pools[i], 1);
  (void)argument;
}

static void keeps_the_order_of_pools(void) { OK(weft_thread_join(start(join_of_second_pool, NULL))); }

/* A frameless scheduler is asked before the pools. */
static weft_thread *named;

static weft_thread *name_it(void *state, unsigned worker) {
  (void)state, (void)worker;
  weft_thread *const unit = named;
  named = NULL;
  return unit;
}

static void join_under_a_scheduler(void *argument) {
  static int number[2] = {0, 1};
  const weft_scheduler_ops ops = {sizeof ops, name_it};
  weft_pool *pool = served_pool(WEFT_POOL_FIFO, 1);
  const weft_thread_attr attr = in_pool(pool);
  weft_thread *first = NULL;
  ran = 0;
  OK(weft_ext_thread_make(note_turn, &number[0], NULL, false, &first));
  named = first;
  OK(weft_ext_worker_set_scheduler(0, &ops, NULL));
  OK(weft_thread_join(start_with(&attr, note_turn, &number[1])));
  OK(weft_thread_join(first));
  CHECK(order[0] == 0 && order[1] == 1);
  OK(weft_ext_worker_set_scheduler(0, NULL, NULL));
  end_pool(pool, 1);
  (void)argument;
}

static void asks_the_scheduler_first(void) { OK(weft_thread_join(start(join_under_a_scheduler, NULL))); }

/* ---- others ---- */

static bool is_over;
static int turns;

static void count_turns(void *argument) {
  while (!is_over) {
    ++turns;
    weft_yield();
  }
  (void)argument;
}

static void join_many(void *argument) {
  weft_pool *pool = served_pool(WEFT_POOL_FIFO, 1);
  const weft_thread_attr attr = in_pool(pool);
  is_over = false;
  turns = 0;
  weft_thread *other = start(count_turns, NULL);
  weft_thread *threads[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) threads[i] = start_with(&attr, nothing, NULL);
  for (int i = 0; i < ROUNDS; ++i) OK(weft_thread_join(threads[i]));
  CHECK(turns >= ROUNDS / 4); /* every other turn is the queue's */
  is_over = true;
  OK(weft_thread_join(other));
  end_pool(pool, 1);
  (void)argument;
}

static void others_have_their_turns(void) { OK(weft_thread_join(start(join_many, NULL))); }

/* ---- threads that wait on their joiner's stack ---- */

struct meeting {
  weft_event begun;
  weft_event may_end;
  int result;
};

static void wait_and_add(void *argument) {
  struct meeting *self = argument;
  OK(weft_event_set(&self->begun));
  OK(weft_event_wait(&self->may_end));
  ++self->result;
}

static void let_it_end(void *argument) {
  struct meeting *self = argument;
  OK(weft_event_wait(&self->begun));
  for (int i = self->result % 7; i > 0; --i) weft_yield();
  OK(weft_event_set(&self->may_end));
}

struct joiner {
  weft_pool *pool;
  bool is_in_pool;
};

static void join_waiting_ones(void *argument) {
  const struct joiner *self = argument;
  const weft_thread_attr attr = in_pool(self->pool);
  for (int round = 0; round < ROUNDS; ++round) {
    struct meeting meeting = {WEFT_EVENT_INIT, WEFT_EVENT_INIT, round};
    unsigned char mine[256];
    memset(mine, round % 256, sizeof mine);
    weft_thread *waits = start_with(&attr, wait_and_add, &meeting);
    weft_thread *other = start_with(self->is_in_pool ? &attr : NULL, let_it_end, &meeting);
    OK(weft_thread_join(waits));
    OK(weft_thread_join(other));
    CHECK(meeting.result == round + 1);
    for (size_t i = 0; i < sizeof mine; ++i) CHECK(mine[i] == round % 256);
  }
}

/* The joiner is in the default queue, or in the pool itself. */
static void waits_on_the_joiners_stack(void) {
  const unsigned workers = weft_worker_count();
  weft_pool *pool = served_pool(WEFT_POOL_FIFO, workers);
  struct joiner joiner = {pool, false};
  OK(weft_thread_join(start(join_waiting_ones, &joiner)));
  joiner.is_in_pool = true;
  const weft_thread_attr attr = in_pool(pool);
  OK(weft_thread_join(start_with(&attr, join_waiting_ones, &joiner)));
  end_pool(pool, workers);
}

/* The joiner's own pool is served by worker 0 alone, the other one by all. */
static void join_of_another_pool(void *argument) {
  const weft_thread_attr attr = in_pool(argument);
  for (int round = 0; round < ROUNDS; ++round) {
    struct meeting meeting = {WEFT_EVENT_INIT, WEFT_EVENT_INIT, round};
    weft_thread *waits = start_with(&attr, wait_and_add, &meeting);
    weft_thread *other = start_pinned(let_it_end, &meeting, 1);
    OK(weft_thread_join(waits));
    CHECK(weft_worker_self() == 0);
    OK(weft_thread_join(other));
    CHECK(weft_worker_self() == 0);
  }
}

static void stays_where_its_pool_is_served(void) {
  const unsigned workers = weft_worker_count();
  weft_pool *own = served_pool(WEFT_POOL_FIFO, 1);
  weft_pool *other = served_pool(WEFT_POOL_FIFO, workers);
  const weft_thread_attr attr = in_pool(own);
  OK(weft_thread_join(start_with(&attr, join_of_another_pool, other)));
  end_pool(own, 1);
  end_pool(other, workers);
}

/* An event sink hears of threads that are joined in their pool as of others. */
static atomic_int heard[WEFT_ON_STEAL + 1];

static void hear(void *state, weft_event_kind kind, weft_thread *thread) {
  (void)state, (void)thread;
  atomic_fetch_add(&heard[kind], 1);
}

static void join_heard(void *argument) {
  const weft_thread_attr attr = in_pool(argument);
  OK(weft_ext_set_event_sink(hear, NULL));
  for (int kind = 0; kind <= WEFT_ON_STEAL; ++kind) atomic_store(&heard[kind], 0);
  uintptr_t ran_at = 0;
  for (int i = 0; i < 10; ++i) OK(weft_thread_join(start_with(&attr, note_stack, &ran_at)));
  CHECK(atomic_load(&heard[WEFT_ON_CREATE]) == 10 && atomic_load(&heard[WEFT_ON_END]) == 10);
  CHECK(atomic_load(&heard[WEFT_ON_RUN]) >= 10 && atomic_load(&heard[WEFT_ON_JOIN]) == 10);
  OK(weft_ext_set_event_sink(NULL, NULL));
}

static void tells_the_event_sink(void) {
  weft_pool *pool = served_pool(WEFT_POOL_FIFO, 1);
  const weft_thread_attr attr = in_pool(pool);
  OK(weft_thread_join(start_with(&attr, join_heard, pool)));
  end_pool(pool, 1);
}

static void on_one(void) {
  RUN(tells_the_event_sink);
  RUN(joins_nest);
  RUN(runs_on_the_joiners_stack);
  RUN(keeps_the_pools_order);
  RUN(keeps_the_order_of_pools);
  RUN(asks_the_scheduler_first);
  RUN(others_have_their_turns);
  RUN(waits_on_the_joiners_stack);
}

static void on_some(void) {
  RUN(waits_on_the_joiners_stack);
  RUN(stays_where_its_pool_is_served);
}

int main(void) {
  with_workers("one worker", 1, on_one);
  with_workers("three workers", 3, on_some);
  return 0;
}
