/* A pool of one's own: it finishes what was begun before it starts anything new, so that few
 * jobs are under way at a time. Weft's FIFO pool would give a1 b1 c1 a2 b2 c2. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <weft/ext.h>
#include <weft/weft.h>

#include "must.h"

enum { most = 64 };

struct queue {
  weft_thread *units[most];
  size_t first, count;
};

struct own_pool {
  atomic_flag lock; /* the callbacks come from any worker, and must not block: they hold it for some instructions */
  struct queue begun, fresh;
};

static void lock(struct own_pool *pool) {
  while (atomic_flag_test_and_set_explicit(&pool->lock, memory_order_acquire)) {
  }
}
static void unlock(struct own_pool *pool) { atomic_flag_clear_explicit(&pool->lock, memory_order_release); }

static void put(struct queue *queue, weft_thread *unit) { queue->units[(queue->first + queue->count++) % most] = unit; }

static weft_thread *take(struct queue *queue) {
  if (queue->count == 0) return NULL;
  --queue->count;
  return queue->units[queue->first++ % most];
}

static void push(void *state, weft_thread *unit, weft_push_reason reason) {
  struct own_pool *pool = state;
  lock(pool);
  put(reason == WEFT_PUSH_NEW ? &pool->fresh : &pool->begun, unit);
  unlock(pool);
}

static weft_thread *pop(void *state) {
  struct own_pool *pool = state;
  lock(pool);
  weft_thread *unit = take(&pool->begun);
  if (unit == NULL) unit = take(&pool->fresh);
  unlock(pool);
  return unit;
}

static size_t count(void *state) {
  struct own_pool *pool = state;
  lock(pool);
  size_t result = pool->begun.count + pool->fresh.count;
  unlock(pool);
  return result;
}

static void job(void *argument) {
  const char *name = argument;
  for (int step = 1; step <= 2; ++step) {
    printf("%s%d ", name, step);
    weft_yield();
  }
}

int main(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  must(weft_init(&config));

  static struct own_pool state = {.lock = ATOMIC_FLAG_INIT};
  weft_pool_ops ops = {sizeof ops, push, pop, count, NULL, NULL};
  weft_pool *pool;
  must(weft_ext_pool_create(&ops, &state, WEFT_POOL_SHARED, &pool));
  must(weft_pool_attach(pool, 0));

  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  static char names[3][2] = {"a", "b", "c"};
  weft_thread *threads[3];
  must(weft_thread_create_many(job, names, sizeof names[0], 3, &attr, threads));
  must(weft_thread_join_many(threads, 3));
  printf("\n");

  must(weft_pool_detach(pool, 0));
  must(weft_pool_destroy(pool));
  must(weft_finalize());
  return 0;
}
