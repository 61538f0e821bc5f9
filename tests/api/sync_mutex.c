/* weft_mutex: exclusion, recursion, fairness, deadlines, reuse of its memory, misuse. */
#include <string.h>

#include "sync_support.h"

enum { CALLERS = 8, ROUNDS = IS_SLOW ? 400 : 2000 };

/* ---- exclusion ---- */

struct counted {
  weft_mutex mutex;
  long count;
  bool is_inside;
};

static void count_up(void *argument, int index) {
  struct counted *shared = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    if (i % 3 == 0) {
      while (weft_mutex_try_lock(&shared->mutex) != WEFT_OK) breathe();
    } else if (i % 3 == 1) {
      IS_OK(weft_mutex_lock(&shared->mutex));
    } else {
      IS_OK(weft_mutex_lock_until(&shared->mutex, weft_deadline_in(60 * SECOND)));
    }
    CHECK(!shared->is_inside);
    shared->is_inside = true;
    ++shared->count;
    if ((i + index) % 16 == 0) breathe();
    shared->is_inside = false;
    IS_OK(weft_mutex_unlock(&shared->mutex));
  }
}

static void excludes(weft_mutex mutex) {
  struct counted shared = {mutex, 0, false};
  run_team(CALLERS, count_up, &shared);
  CHECK(shared.count == (long)CALLERS * ROUNDS);
}

/* Many callers give up while others hold and hand over: none is lost, none is let in twice. */
static void count_or_give_up(void *argument, int index) {
  struct counted *shared = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    const weft_status got = weft_mutex_lock_until(&shared->mutex, weft_deadline_in((uint64_t)((i + index) % 7) * 10000));
    if (got == WEFT_TIMEOUT) continue;
    IS_OK(got);
    CHECK(!shared->is_inside);
    shared->is_inside = true;
    if (i % 8 == 0) breathe();
    shared->is_inside = false;
    IS_OK(weft_mutex_unlock(&shared->mutex));
  }
}

static void survives_deadlines(void) {
  struct counted shared = {WEFT_MUTEX_INIT, 0, false};
  run_team(CALLERS, count_or_give_up, &shared);
  IS_OK(weft_mutex_try_lock(&shared.mutex));
  IS_OK(weft_mutex_unlock(&shared.mutex));
}

/* ---- recursion ---- */

static void check_not_ours(void *argument, int index) {
  (void)index;
  CHECK(weft_mutex_try_lock(argument) == WEFT_BUSY);
  CHECK(weft_mutex_unlock(argument) == WEFT_NOT_OWNER);
}

static void recursion(void) {
  weft_mutex mutex = WEFT_MUTEX_RECURSIVE_INIT;
  CHECK(weft_mutex_unlock(&mutex) == WEFT_NOT_OWNER);
  IS_OK(weft_mutex_lock(&mutex));
  IS_OK(weft_mutex_lock(&mutex));
  IS_OK(weft_mutex_try_lock(&mutex));
  IS_OK(weft_mutex_lock_until(&mutex, weft_now_ns()));
  for (int left = 4; left > 0; --left) {
    run_team(2, check_not_ours, &mutex);
    IS_OK(weft_mutex_unlock(&mutex));
  }
  CHECK(weft_mutex_unlock(&mutex) == WEFT_NOT_OWNER);
}

/* ---- deadlines ---- */

static void time_out(void *argument, int index) {
  (void)index;
  const uint64_t deadline = weft_deadline_in(2 * MILLISECOND);
  CHECK(weft_mutex_lock_until(argument, deadline) == WEFT_TIMEOUT);
  CHECK(weft_now_ns() >= deadline);
  CHECK(weft_mutex_lock_until(argument, 0) == WEFT_TIMEOUT);
}

static void deadlines(void) {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  IS_OK(weft_mutex_lock_until(&mutex, 0)); /* free: no need to wait */
  run_team(4, time_out, &mutex);
  IS_OK(weft_mutex_unlock(&mutex));
  IS_OK(weft_mutex_lock_until(&mutex, 0));
  IS_OK(weft_mutex_unlock(&mutex));
}

/* ---- its memory may go with the last unlock ---- */

struct owned {
  weft_mutex mutex;
  int owners;
};

static void release_owned(void *argument, int index) {
  (void)index;
  struct owned *shared = argument;
  IS_OK(weft_mutex_lock(&shared->mutex));
  const bool is_last = --shared->owners == 0;
  IS_OK(weft_mutex_unlock(&shared->mutex));
  if (!is_last) return;
  memset(shared, 0xff, sizeof *shared); /* an unlock that is still at work here would be lost */
  free(shared);
}

static void goes_with_its_last_user(void) {
  for (int round = 0; round < 200; ++round) {
    struct owned *shared = calloc(1, sizeof *shared);
    CHECK(shared != NULL);
    shared->owners = 4;
    run_team(4, release_owned, shared);
  }
}

/* ---- arguments ---- */

static void arguments(void) {
  CHECK(weft_mutex_lock(NULL) == WEFT_INVALID);
  CHECK(weft_mutex_lock_until(NULL, 0) == WEFT_INVALID);
  CHECK(weft_mutex_try_lock(NULL) == WEFT_INVALID);
  CHECK(weft_mutex_unlock(NULL) == WEFT_INVALID);
}

/* ---- with a runtime ---- */

struct line {
  weft_mutex mutex;
  atomic_int served;
  int order[CALLERS];
};

static void join_line(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_mutex_lock(&line->mutex));
  line->order[atomic_fetch_add(&line->served, 1)] = index;
  IS_OK(weft_mutex_unlock(&line->mutex));
}

static void first_come_first_served(void) {
  struct line line = {.mutex = WEFT_MUTEX_INIT};
  struct caller callers[CALLERS];
  IS_OK(weft_mutex_lock(&line.mutex));
  for (int i = 0; i < CALLERS; ++i) {
    start_caller(&callers[i], true, join_line, &line, i);
    wait_until_blocked(&callers[i]);
  }
  IS_OK(weft_mutex_unlock(&line.mutex));
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  for (int i = 0; i < CALLERS; ++i) CHECK(line.order[i] == i);
}

/* A caller that takes the lock again at once, for ever, does not keep a waiter out. */
static void hog(void *argument, int index) {
  (void)index;
  struct line *line = argument;
  while (atomic_load(&line->served) == 0) {
    IS_OK(weft_mutex_lock(&line->mutex));
    breathe();
    IS_OK(weft_mutex_unlock(&line->mutex));
  }
}

static void no_starvation(void) {
  struct line line = {.mutex = WEFT_MUTEX_INIT};
  struct caller greedy, patient;
  start_caller(&greedy, true, hog, &line, 0);
  breathe();
  start_caller(&patient, true, join_line, &line, 1);
  end_caller(&patient);
  end_caller(&greedy);
}

static void lock_once(void *mutex) {
  IS_OK(weft_mutex_lock(mutex));
  IS_OK(weft_mutex_unlock(mutex));
}

/* A waiter that lost once gets the lock at the next unlock; an unfair one lets the caller, whose
 * worker the waiter needs, have it. */
static void handed_over(weft_mutex *mutex, weft_status after_unlock) {
  weft_thread_attr here = WEFT_THREAD_ATTR_INIT;
  here.worker = weft_worker_self();
  weft_thread *waiter;
  IS_OK(weft_mutex_lock(mutex));
  IS_OK(weft_thread_create(lock_once, mutex, &here, &waiter));
  for (int round = 0; round < 2; ++round) {
    while (weft_thread_get_state(waiter) != WEFT_THREAD_BLOCKED) breathe();
    IS_OK(weft_mutex_unlock(mutex));
    const weft_status got = weft_mutex_try_lock(mutex);
    CHECK(got == (round == 0 ? WEFT_OK : after_unlock));
  }
  if (after_unlock == WEFT_OK) IS_OK(weft_mutex_unlock(mutex));
  IS_OK(weft_thread_join(waiter));
}

static void who_lost_once(void) {
  handed_over(&(weft_mutex)WEFT_MUTEX_INIT, WEFT_BUSY);
  handed_over(&(weft_mutex)WEFT_MUTEX_RECURSIVE_INIT, WEFT_BUSY);
  handed_over(&(weft_mutex)WEFT_MUTEX_UNFAIR_INIT, WEFT_OK);
  handed_over(&(weft_mutex)WEFT_MUTEX_RECURSIVE_UNFAIR_INIT, WEFT_OK);
}

static weft_status lock_and_unlock(void *mutex) {
  const weft_status got = weft_mutex_lock(mutex);
  return got == WEFT_OK ? weft_mutex_unlock(mutex) : got;
}

static void tasklets(void) {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  IS_OK(in_tasklet(lock_and_unlock, &mutex)); /* free: no need to wait */
  IS_OK(weft_mutex_lock(&mutex));
  CHECK(in_tasklet(lock_and_unlock, &mutex) == WEFT_CANNOT_BLOCK);
  IS_OK(weft_mutex_unlock(&mutex));
}

static void anywhere(void) {
  excludes((weft_mutex)WEFT_MUTEX_INIT);
  excludes((weft_mutex)WEFT_MUTEX_RECURSIVE_INIT);
  excludes((weft_mutex)WEFT_MUTEX_UNFAIR_INIT);
  survives_deadlines();
  recursion();
  deadlines();
  goes_with_its_last_user();
  arguments();
}

static void with_runtime(void) {
  first_come_first_served();
  no_starvation();
  who_lost_once();
  tasklets();
}

/* The caller keeps its identity when it becomes a ULT. */
static void held_across_the_start(weft_mutex mutex) {
  IS_OK(weft_mutex_lock(&mutex));
  IS_OK(weft_init(NULL));
  IS_OK(weft_mutex_unlock(&mutex));
  IS_OK(weft_mutex_lock(&mutex));
  IS_OK(weft_finalize());
  IS_OK(weft_mutex_unlock(&mutex));
}

int main(void) {
  held_across_the_start((weft_mutex)WEFT_MUTEX_INIT);
  held_across_the_start((weft_mutex)WEFT_MUTEX_RECURSIVE_INIT);
  return run_phases(anywhere, with_runtime);
}
