/* See weft_kinds.h. Each makes and joins batches of threads that do nothing, as create-join does
 * with default attributes. */
#include "weft_kinds.h"

#include <weft/weft.h>

#include "micro.h"

static void must(weft_status status) { micro_check(status == WEFT_OK, weft_status_name(status)); }

static void nothing(void *argument) { (void)argument; }

struct batches {
  const weft_thread_attr *attr;
  long creations;
  double result_ns;
};

static void make_and_join(void *argument) {
  struct batches *self = argument;
  weft_thread *threads[MICRO_BATCH];
  const double start = micro_now();
  for (long done = 0; done < self->creations; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(weft_thread_create(nothing, NULL, self->attr, &threads[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(weft_thread_join(threads[i]));
  }
  self->result_ns = (micro_now() - start) / (double)self->creations;
}

/* By a ULT, as what programs do often is done. */
static double flat(const weft_thread_attr *attr, long creations) {
  struct batches batches = {attr, creations, 0};
  weft_thread *thread;
  must(weft_thread_create(make_and_join, &batches, NULL, &thread));
  must(weft_thread_join(thread));
  return batches.result_ns;
}

double create_join_sized(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = MICRO_SIZED_STACK;
  return flat(&attr, MICRO_CREATIONS / 50);
}

/* The threads are in a pool that worker 0 serves. */
static double in_pool(weft_pool_kind kind) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.priority = kind == WEFT_POOL_PRIORITY ? 1 : 0;
  must(weft_pool_create(kind, WEFT_POOL_SHARED, &attr.pool));
  must(weft_pool_attach(attr.pool, 0));
  const double result = flat(&attr, MICRO_CREATIONS / 10);
  must(weft_pool_detach(attr.pool, 0));
  must(weft_pool_destroy(attr.pool));
  return result;
}

double create_join_fifo(void) { return in_pool(WEFT_POOL_FIFO); }
double create_join_priority(void) { return in_pool(WEFT_POOL_PRIORITY); }
