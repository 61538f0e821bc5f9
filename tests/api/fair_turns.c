/* On one worker a ready unit and an expired timer have their turn within a bounded number of
 * switches, whatever the others do: each scene is a pattern that keeps itself ready for ever. */
#include <string.h>
#include <weft/ext.h>

#include "pool_support.h"

enum { victims = 3, most_turns = 5000 }; /* guide/how-a-thread-runs.md: 64 switches for a turn */

static struct {
  atomic_long turns; /* of the pattern */
  long expired_at;   /* in turns; 0: the deadline has not passed */
  uint64_t deadline_ns;
  atomic_int ran;  /* of the victims */
  atomic_int seen; /* victims that ran, and the sleeper */
  weft_thread *waiting[victims];
  weft_pool *pool; /* of the victims; null: none */
} scene;

static void is_seen(void *unused) {
  (void)unused;
  atomic_fetch_add(&scene.ran, 1);
  atomic_fetch_add(&scene.seen, 1);
}

static void sleeps(void *unused) {
  (void)unused;
  OK(weft_sleep_until(scene.deadline_ns));
  atomic_fetch_add(&scene.seen, 1);
}

/* One turn of the pattern, in which the sleeper's deadline may be seen to have passed. True: all
 * have run, and the pattern ends. */
static bool is_over(void) {
  if (atomic_load(&scene.seen) == victims + 1) return true;
  const long now = atomic_fetch_add(&scene.turns, 1) + 1;
  CHECK(now < most_turns || atomic_load(&scene.ran) == victims);
  if (scene.expired_at == 0 && weft_now_ns() >= scene.deadline_ns) scene.expired_at = now;
  CHECK(scene.expired_at == 0 || now - scene.expired_at < most_turns);
  return false;
}

/* The victims are ready before the pattern begins, and older than its units. */
static void make_victims(void) {
  for (int i = 0; i < victims; ++i) {
    scene.waiting[i] = scene.pool != NULL ? start_in(scene.pool, is_seen, NULL, 0) : start(is_seen, NULL);
  }
}

static weft_thread *sleeper;
static void begin(weft_pool *pool) {
  memset(&scene, 0, sizeof scene);
  scene.pool = pool;
  scene.deadline_ns = weft_now_ns() + 2 * MILLISECOND;
  sleeper = start(sleeps, NULL);
  weft_thread_state state; /* on a slow machine it has ended already */
  while ((state = weft_thread_get_state(sleeper)) != WEFT_THREAD_BLOCKED && state != WEFT_THREAD_ENDED) breathe();
}

static void end(void) {
  OK(weft_thread_join(sleeper));
  OK(weft_thread_join_many(scene.waiting, victims));
  CHECK(atomic_load(&scene.seen) == victims + 1);
}

/* Runs the pattern in a thread that makes the victims first. */
static void plays(weft_function pattern, void *argument) {
  begin(NULL);
  OK(weft_thread_join(start(pattern, argument)));
  end();
}

/* ---- create and join ---- */

static void creates_and_joins(void *attr) {
  make_victims();
  while (!is_over()) OK(weft_thread_join(start_with(attr, nothing, NULL)));
}
static void create_join(void) { plays(creates_and_joins, NULL); }

static void create_join_sized(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = 128 * 1024;
  plays(creates_and_joins, &attr);
}

static void create_join_in_pool(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  OK(weft_pool_attach(attr.pool, 0));
  plays(creates_and_joins, &attr);
  OK(weft_pool_detach(attr.pool, 0));
  OK(weft_pool_destroy(attr.pool));
}

static void tasklets(void *unused) {
  (void)unused;
  make_victims();
  while (!is_over()) {
    weft_thread *made = NULL;
    OK(weft_tasklet_create(nothing, NULL, NULL, &made));
    OK(weft_thread_join(made));
  }
}
static void tasklet_join(void) { plays(tasklets, NULL); }

static void many(void *unused) {
  (void)unused;
  make_victims();
  while (!is_over()) {
    weft_thread *made[4];
    OK(weft_thread_create_many(nothing, NULL, 0, 4, NULL, made));
    OK(weft_thread_join_many(made, 4));
  }
}
static void create_join_many(void) { plays(many, NULL); }

/* Each unit makes its successor and ends. */
static atomic_int chain_ended;
static void one_of_chain(void *unused) {
  (void)unused;
  if (is_over()) {
    atomic_store(&chain_ended, 1);
  } else {
    OK(weft_thread_create(one_of_chain, NULL, NULL, NULL));
  }
}
static void first_of_chain(void *unused) {
  make_victims();
  one_of_chain(unused);
}
static void chain(void) {
  atomic_store(&chain_ended, 0);
  plays(first_of_chain, NULL);
  wait_for(&chain_ended, 1);
}

/* ---- pairs ---- */

struct half {
  void (*step)(struct half *self);
  struct half *other;
  weft_thread *thread;
  weft_pool *pool; /* in which it is; null: none */
};
static weft_mutex handed = WEFT_MUTEX_INIT;
static atomic_int halves_over;

static void runs_half(void *argument) {
  struct half *self = argument;
  while (!is_over()) self->step(self);
  atomic_fetch_add(&halves_over, 1);
  if (atomic_load(&halves_over) == 1) OK(weft_resume(self->other->thread)); /* it may be suspended */
}

static void step_yield_to(struct half *self) {
  const weft_status done = weft_yield_to(self->other->thread);
  CHECK(done == WEFT_OK || done == WEFT_AGAIN || atomic_load(&halves_over) != 0);
}
static void step_suspend(struct half *self) {
  OK(weft_resume(self->other->thread));
  OK(weft_suspend());
}
static void step_hand_over(struct half *self) {
  (void)self;
  OK(weft_mutex_lock(&handed));
  weft_yield(); /* the other one comes to wait for it */
  OK(weft_mutex_unlock(&handed));
}

static void step_give_way(struct half *self) {
  if (weft_ext_pool_remove(self->pool, self->other->thread)) {
    OK(weft_ext_yield_to_owned(self->other->thread, false));
  } else {
    weft_yield();
  }
}

static void pair_in(weft_pool *of_victims, weft_pool *pool, void (*step)(struct half *self)) {
  static struct half halves[2];
  atomic_store(&halves_over, 0);
  begin(of_victims);
  for (int i = 0; i < 2; ++i) halves[i] = (struct half){step, &halves[1 - i], NULL, pool};
  make_victims();
  for (int i = 0; i < 2; ++i) {
    halves[i].thread = pool != NULL ? start_in(pool, runs_half, &halves[i], 0) : start(runs_half, &halves[i]);
  }
  for (int i = 0; i < 2; ++i) OK(weft_thread_join(halves[i].thread));
  end();
}
static void yield_to(void) { pair_in(NULL, NULL, step_yield_to); }
static void hand_over(void) { pair_in(NULL, NULL, step_hand_over); }
static void suspend_and_resume(void) { pair_in(NULL, NULL, step_suspend); }

static void beside_a_pool(bool has_victims, bool has_pair, void (*step)(struct half *self)) {
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  OK(weft_pool_attach(pool, 0));
  pair_in(has_victims ? pool : NULL, has_pair ? pool : NULL, step);
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}
static void yield_to_in_pool(void) { beside_a_pool(true, true, step_yield_to); }
static void yield_to_before_pool(void) { beside_a_pool(true, false, step_yield_to); }
static void yield_to_before_queue(void) { beside_a_pool(false, true, step_yield_to); }
static void yield_to_owned(void) { beside_a_pool(false, true, step_give_way); }

/* ---- pools and schedulers ---- */

static void keeps_yielding(void *unused) {
  (void)unused;
  while (!is_over()) weft_yield();
}

/* All pools but the last one, which has the victims, are never empty. */
static void in_last_pool_of(int count) {
  weft_pool *pools[3];
  weft_thread *busy[4];
  for (int i = 0; i < count; ++i) {
    pools[i] = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
    OK(weft_pool_attach(pools[i], 0));
  }
  begin(pools[count - 1]);
  const int all_busy = 2 * (count - 1);
  for (int i = 0; i < all_busy; ++i) busy[i] = start_in(pools[i / 2], keeps_yielding, NULL, 0);
  make_victims();
  OK(weft_thread_join_many(busy, (size_t)all_busy));
  end();
  for (int i = 0; i < count; ++i) {
    OK(weft_pool_detach(pools[i], 0));
    OK(weft_pool_destroy(pools[i]));
  }
}
static void two_pools(void) { in_last_pool_of(2); }
static void three_pools(void) { in_last_pool_of(3); }

static weft_thread *next_of_pool(void *pool, unsigned worker) {
  (void)worker;
  return weft_ext_pool_pop(pool);
}

/* A frameless scheduler that always has a unit. */
static void own_scheduler(void) {
  weft_pool *const pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  const weft_scheduler_ops ops = {sizeof ops, next_of_pool};
  begin(NULL);
  make_victims();
  weft_thread *busy[2];
  for (int i = 0; i < 2; ++i) busy[i] = start_in(pool, keeps_yielding, NULL, 0);
  OK(weft_ext_worker_set_scheduler(0, &ops, pool));
  OK(weft_thread_join_many(busy, 2));
  end();
  OK(weft_ext_worker_set_scheduler(0, NULL, NULL));
  OK(weft_pool_destroy(pool));
}

static weft_thread *next_in_row(void *pool, weft_thread *yielding) {
  (void)yielding;
  return weft_ext_pool_pop(pool);
}

/* A scheduler whose row never ends by itself. */
static void schedules(void *pool) {
  const weft_row row = {sizeof row, next_in_row, pool, NULL, NULL, NULL};
  for (weft_thread *one; (one = weft_ext_pool_pop(pool)) != NULL;) {
    OK(weft_ext_dispatch_in_turn(one, &row));
    weft_yield();
  }
}
static void endless_row(void) {
  weft_pool *const pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  begin(NULL);
  weft_thread *busy[3];
  for (int i = 0; i < 3; ++i) busy[i] = start_in(pool, keeps_yielding, NULL, 0);
  make_victims();
  OK(weft_thread_join(start(schedules, pool)));
  OK(weft_thread_join_many(busy, 3));
  end();
  OK(weft_pool_destroy(pool));
}

/* ---- recursion ---- */

static atomic_int begun, most_begun;

static void divides(void *depth) {
  const intptr_t left = (intptr_t)depth;
  if (left == 0) return;
  const int now = atomic_fetch_add(&begun, 1) + 1;
  if (now > atomic_load(&most_begun)) atomic_store(&most_begun, now);
  weft_thread *parts[2];
  for (int i = 0; i < 2; ++i) parts[i] = start(divides, (void *)(left - 1));
  for (int i = 2; i-- > 0;) OK(weft_thread_join(parts[i]));
  atomic_fetch_sub(&begun, 1);
}

/* The turns of the longest-waiting units, which are the largest parts, do not unfold the tree. */
static void recursion_stays_deep(void) {
  enum { depth = 15 };
  OK(weft_thread_join(start(divides, (void *)(intptr_t)depth)));
  printf("figure: recursive threads begun at a time = %d\n", atomic_load(&most_begun));
  CHECK(atomic_load(&most_begun) < 40 * depth); /* of 32767 */
}

static void all(void) {
  RUN(create_join);
  RUN(create_join_sized);
  RUN(create_join_in_pool);
  RUN(tasklet_join);
  RUN(create_join_many);
  RUN(chain);
  RUN(yield_to);
  RUN(hand_over);
  RUN(suspend_and_resume);
  RUN(yield_to_in_pool);
  RUN(yield_to_before_pool);
  RUN(yield_to_before_queue);
  RUN(yield_to_owned);
  RUN(two_pools);
  RUN(three_pools);
  RUN(own_scheduler);
  RUN(endless_row);
  RUN(recursion_stays_deep);
}

int main(void) {
  with_workers("one worker", 1, all);
  return 0;
}
