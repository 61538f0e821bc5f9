/* Threads in pools, and the order in which they run. For one file of a program. */
#ifndef WEFT_TESTS_POOL_SUPPORT_H
#define WEFT_TESTS_POOL_SUPPORT_H

#include <weft/ext.h>

#include "check.h"

static inline weft_pool *make_pool(weft_pool_kind kind, weft_pool_access access) {
  weft_pool *pool = NULL;
  OK(weft_pool_create(kind, access, &pool));
  CHECK(pool != NULL);
  return pool;
}

static inline weft_thread *start_in(weft_pool *pool, weft_function function, void *argument, unsigned priority) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  attr.priority = priority;
  return start_with(&attr, function, argument);
}

struct runner {
  int number;
  int *place; /* where in order it ran */
};
static atomic_int places;

static inline void run_in_order(void *argument) {
  struct runner *self = argument;
  self->place[self->number] = atomic_fetch_add(&places, 1);
}

#endif
