/* weft_semaphore and weft_barrier. */
#include "sync_support.h"

enum { CALLERS = 8, ROUNDS = IS_SLOW ? 400 : 2000, UNITS = 3 };

/* ---- semaphore ---- */

struct pool {
  weft_semaphore units;
  atomic_int in_use;
};

static void use_units(void *argument, int index) {
  struct pool *pool = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    const weft_status got = (i + index) % 2 == 0
                                ? weft_semaphore_acquire(&pool->units)
                                : weft_semaphore_acquire_until(&pool->units, weft_deadline_in((uint64_t)(i % 5) * 10000));
    if (got == WEFT_TIMEOUT) continue;
    IS_OK(got);
    CHECK(atomic_fetch_add(&pool->in_use, 1) < UNITS);
    if (i % 8 == 0) breathe();
    atomic_fetch_sub(&pool->in_use, 1);
    IS_OK(weft_semaphore_release(&pool->units, 1));
  }
}

static void limits(void) {
  struct pool pool = {.units = WEFT_SEMAPHORE_INIT(UNITS)};
  run_team(CALLERS, use_units, &pool);
  for (int i = 0; i < UNITS; ++i) IS_OK(weft_semaphore_try_acquire(&pool.units)); /* none was lost or made */
  CHECK(weft_semaphore_try_acquire(&pool.units) == WEFT_BUSY);
}

static void acquire_one(void *argument, int index) {
  (void)index;
  IS_OK(weft_semaphore_acquire(argument));
}

static void one_release_serves_many(void) {
  weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0);
  struct team team;
  start_team(&team, CALLERS, acquire_one, &semaphore);
  IS_OK(weft_semaphore_release(&semaphore, CALLERS + 1));
  end_team(&team);
  IS_OK(weft_semaphore_try_acquire(&semaphore));
  CHECK(weft_semaphore_try_acquire(&semaphore) == WEFT_BUSY);
}

static void semaphore_arguments(void) {
  weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0);
  CHECK(weft_semaphore_acquire_until(&semaphore, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  CHECK(weft_semaphore_acquire_until(&semaphore, 0) == WEFT_TIMEOUT);
  IS_OK(weft_semaphore_release(&semaphore, UINT32_MAX));
  CHECK(weft_semaphore_release(&semaphore, 1) == WEFT_INVALID);
  IS_OK(weft_semaphore_try_acquire(&semaphore));
  IS_OK(weft_semaphore_release(&semaphore, 1));
  CHECK(weft_semaphore_acquire(NULL) == WEFT_INVALID);
  CHECK(weft_semaphore_acquire_until(NULL, 0) == WEFT_INVALID);
  CHECK(weft_semaphore_try_acquire(NULL) == WEFT_INVALID);
  CHECK(weft_semaphore_release(NULL, 1) == WEFT_INVALID);
}

/* ---- barrier ---- */

struct steps {
  weft_barrier barrier;
  atomic_int arrived, lasts;
};

static void step(void *argument, int index) {
  (void)index;
  struct steps *steps = argument;
  for (int round = 0; round < ROUNDS / 4; ++round) {
    atomic_fetch_add(&steps->arrived, 1);
    bool last = false;
    IS_OK(weft_barrier_wait(&steps->barrier, &last));
    CHECK(atomic_load(&steps->arrived) >= (round + 1) * CALLERS); /* no caller passes before all have come */
    atomic_fetch_add(&steps->lasts, last);
    IS_OK(weft_barrier_wait(&steps->barrier, NULL));
    CHECK(atomic_load(&steps->lasts) == round + 1);
    IS_OK(weft_barrier_wait(&steps->barrier, NULL));
  }
}

static void rounds(void) {
  struct steps steps = {.arrived = 0};
  IS_OK(weft_barrier_init(&steps.barrier, CALLERS));
  run_team(CALLERS, step, &steps);
}

static void barrier_arguments(void) {
  weft_barrier barrier;
  bool last = false;
  CHECK(weft_barrier_init(&barrier, 0) == WEFT_INVALID);
  CHECK(weft_barrier_init(NULL, 1) == WEFT_INVALID);
  CHECK(weft_barrier_wait(NULL, &last) == WEFT_INVALID);
  IS_OK(weft_barrier_init(&barrier, 1));
  IS_OK(weft_barrier_wait(&barrier, &last)); /* alone: no waiting */
  CHECK(last);
  weft_barrier zero = {{0}};
  CHECK(weft_barrier_wait(&zero, &last) == WEFT_INVALID); /* never started */
}

/* The last of a round may free it at once, although the others are still on their way out. */
static void leave_and_free(void *argument, int index) {
  (void)index;
  bool last;
  IS_OK(weft_barrier_wait(argument, &last));
  if (last) free(argument);
}

static void goes_with_its_last_user(void) {
  for (int round = 0; round < 200; ++round) {
    weft_barrier *barrier = malloc(sizeof *barrier);
    CHECK(barrier != NULL);
    IS_OK(weft_barrier_init(barrier, 4));
    run_team(4, leave_and_free, barrier);
  }
}

/* ---- with a runtime ---- */

struct line {
  weft_semaphore semaphore;
  atomic_int served;
  int order[CALLERS];
};

static void join_line(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_semaphore_acquire(&line->semaphore));
  line->order[atomic_load(&line->served)] = index;
  atomic_fetch_add(&line->served, 1);
}

static void first_come_first_served(void) {
  struct line line = {.semaphore = WEFT_SEMAPHORE_INIT(0)};
  struct caller callers[CALLERS];
  for (int i = 0; i < CALLERS; ++i) {
    start_caller(&callers[i], true, join_line, &line, i);
    wait_until_blocked(&callers[i]);
  }
  for (int i = 0; i < CALLERS; ++i) {
    IS_OK(weft_semaphore_release(&line.semaphore, 1));
    CHECK(weft_semaphore_try_acquire(&line.semaphore) == WEFT_BUSY); /* it was given to the waiter */
    wait_for(&line.served, i + 1);
  }
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  for (int i = 0; i < CALLERS; ++i) CHECK(line.order[i] == i);
}

static weft_status acquire(void *semaphore) { return weft_semaphore_acquire(semaphore); }
static weft_status enter(void *barrier) { return weft_barrier_wait(barrier, NULL); }

static void tasklets(void) {
  weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(1);
  IS_OK(in_tasklet(acquire, &semaphore));
  CHECK(in_tasklet(acquire, &semaphore) == WEFT_CANNOT_BLOCK);
  weft_barrier barrier;
  IS_OK(weft_barrier_init(&barrier, 2));
  CHECK(in_tasklet(enter, &barrier) == WEFT_CANNOT_BLOCK);
}

static void anywhere(void) {
  limits();
  one_release_serves_many();
  semaphore_arguments();
  rounds();
  barrier_arguments();
  goes_with_its_last_user();
}

static void with_runtime(void) {
  first_come_first_served();
  tasklets();
}

int main(void) { return run_phases(anywhere, with_runtime); }
