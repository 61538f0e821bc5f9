/* Units of one pool that a scheduler runs in a row, and that write down when they run. For one
 * file of a program. */
#ifndef WEFT_TESTS_ROW_SCENE_H
#define WEFT_TESTS_ROW_SCENE_H

#include <stdbool.h>
#include <string.h>
#include <weft/ext.h>

#include "check.h"

struct scene {
  weft_pool *pool;
  char log[64];
  atomic_int length;
  int asked;
  int asked_for_yields;
  int most; /* names so many at most */
};

static struct scene scene;

static inline void note(char what) { scene.log[atomic_fetch_add(&scene.length, 1)] = what; }

static inline void begin_in(weft_pool_kind kind) {
  memset(&scene, 0, sizeof scene);
  OK(weft_pool_create(kind, WEFT_POOL_SHARED, &scene.pool));
  scene.most = 1000;
}

static inline void begin(void) { begin_in(WEFT_POOL_FIFO); }

static inline weft_thread *next(void *state, weft_thread *yielding) {
  struct scene *mine = state;
  CHECK(weft_self() == NULL);
  ++mine->asked;
  if (yielding != NULL) ++mine->asked_for_yields;
  return mine->most-- > 0 ? weft_ext_pool_pop(mine->pool) : NULL;
}

static inline weft_thread *make(weft_function function, void *argument, bool tasklet, size_t stack_bytes) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = scene.pool;
  attr.stack_bytes = stack_bytes;
  weft_thread *made = NULL;
  OK(weft_ext_thread_make(function, argument, &attr, tasklet, &made));
  OK(weft_ext_pool_push(scene.pool, made, WEFT_PUSH_NEW));
  return made;
}

static const weft_row asks = {sizeof(weft_row), next, &scene, NULL, NULL, NULL};

/* As schedulers do, until the pool is empty. Returns how often the scheduler had to start anew. */
static inline int run_row(const weft_row *row) {
  int rounds = 0;
  for (weft_thread *unit; (unit = weft_ext_pool_pop(scene.pool)) != NULL; ++rounds) {
    OK(weft_ext_dispatch_in_turn(unit, row));
  }
  return rounds;
}

static inline int run_all(void) { return run_row(&asks); }

static inline void end(weft_thread **threads, size_t count) {
  OK(weft_thread_join_many(threads, count));
  OK(weft_pool_destroy(scene.pool));
}

static inline void yields_twice(void *argument) {
  const char name = *(const char *)argument;
  for (int i = 0; i < 3; ++i) {
    note(name);
    if (i < 2) weft_yield();
  }
}

static inline void tasklet(void *argument) { note(*(const char *)argument); }

static inline weft_thread *make_owned(weft_function function, void *argument, bool tasklet, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = scene.pool;
  attr.worker = worker;
  weft_thread *made = NULL;
  OK(weft_ext_thread_make(function, argument, &attr, tasklet, &made));
  return made;
}

#endif
