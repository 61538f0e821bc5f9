/* Programs that stand still for ever, or die: environment_test.py reads what is said of them. */
#include "check.h"

static void lock(void *mutex) { OK(ABT_mutex_lock(*(ABT_mutex *)mutex)); }

void check_standing(void) {
  ABT_mutex mutex;
  OK(ABT_mutex_create(&mutex));
  OK(ABT_mutex_lock(mutex));
  end(start(pool_of(start_stream()), lock, &mutex));
}

/* A ULT takes the mutex and yields to a tasklet of the same stream, which wants it. */
static void hold_and_yield(void *mutex) {
  lock(mutex);
  OK(ABT_thread_yield());
  OK(ABT_mutex_unlock(*(ABT_mutex *)mutex));
}

void check_standing_tasklet(void) {
  ABT_mutex mutex;
  ABT_thread holder;
  ABT_task tasklet;
  OK(ABT_mutex_create(&mutex));
  ABT_pool pool = pool_of(start_stream());
  OK(ABT_thread_create(pool, hold_and_yield, &mutex, ABT_THREAD_ATTR_NULL, &holder));
  OK(ABT_task_create(pool, lock, &mutex, &tasklet));
  OK(ABT_task_free(&tasklet));
}

/* A tasklet blocks its stream at a barrier, to which a ULT of the same stream would come. */
static void come(void *barrier) { OK(ABT_xstream_barrier_wait(*(ABT_xstream_barrier *)barrier)); }

void check_standing_barrier(void) {
  ABT_xstream_barrier barrier;
  ABT_task tasklet;
  OK(ABT_xstream_barrier_create(2, &barrier));
  ABT_pool pool = pool_of(start_stream());
  OK(ABT_task_create(pool, come, &barrier, &tasklet));
  OK(ABT_thread_create(pool, come, &barrier, ABT_THREAD_ATTR_NULL, NULL));
  OK(ABT_task_free(&tasklet));
}

/* ---- more frames than a stack of any usual size holds ---- */

static int go_deeper(int depth) {
  volatile char frame[1000];
  frame[0] = (char)depth;
  return depth == 0 ? 0 : go_deeper(depth - 1) + frame[0];
}

static void dive(void *sum) { *(volatile int *)sum = go_deeper(100000); }

void check_too_deep(void) {
  int sum = 0;
  end(start(pool_of(start_stream()), dive, &sum));
}
