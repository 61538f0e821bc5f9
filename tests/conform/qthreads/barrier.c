/* qthread/barrier.h: rounds, sizes that change, ends while others still leave. */
#include <pthread.h>

#include <qthread/barrier.h>

#include "check.h"

enum { parties = 20, rounds = IS_SLOW ? 10 : 100 };

struct game {
  qt_barrier_t *barrier;
  aligned_t arrived;
};

/* Others count meanwhile. */
static aligned_t arrived_so_far(struct game *game) { return qthread_incr(&game->arrived, 0); }

static aligned_t play(void *argument) {
  struct game *const game = argument;
  for (aligned_t round = 1; round <= rounds; ++round) {
    qthread_incr(&game->arrived, 1);
    if (round % 2 != 0) {
      qt_barrier_enter(game->barrier);
    } else {
      qt_barrier_enter_id(game->barrier, round % parties);
    }
    CHECK(arrived_so_far(game) >= round * parties);
    qt_barrier_enter(game->barrier);
    CHECK(arrived_so_far(game) >= round * parties);
  }
  return 0;
}

static void all_come_before_one_leaves(void) {
  struct game game = {qt_barrier_create(parties, REGION_BARRIER), 0};
  CHECK(game.barrier != NULL);
  aligned_t ends[parties];
  for (int i = 0; i < parties; ++i) OK(qthread_fork_to(play, &game, &ends[i], (qthread_shepherd_id_t)(i % 2)));
  for (int i = 0; i < parties; ++i) OK(qthread_readFF(NULL, &ends[i]));
  CHECK(game.arrived == (aligned_t)parties * rounds);
  qt_barrier_destroy(game.barrier);
}

static aligned_t enter(void *barrier) {
  qt_barrier_enter(barrier);
  return 0;
}

static void destroyed_by_the_first_that_leaves(void) {
  for (int i = 0; i < (IS_SLOW ? 50 : 1000); ++i) {
    qt_barrier_t *const barrier = qt_barrier_create(5, LOOP_BARRIER);
    CHECK(barrier != NULL);
    aligned_t ends[4];
    for (int k = 0; k < 4; ++k) OK(qthread_fork_to(enter, barrier, &ends[k], (qthread_shepherd_id_t)(k % 2)));
    qt_barrier_enter(barrier);
    qt_barrier_destroy(barrier);
    for (int k = 0; k < 4; ++k) OK(qthread_readFF(NULL, &ends[k]));
  }
}

static void sizes_change(void) {
  qt_barrier_t *const barrier = qt_barrier_create(1, REGION_BARRIER);
  CHECK(barrier != NULL);
  qt_barrier_enter(barrier);
  for (int size = 2; size < 6; ++size) {
    aligned_t ends[6];
    qt_barrier_resize(barrier, (size_t)size);
    for (int k = 1; k < size; ++k) OK(qthread_fork(enter, barrier, &ends[k]));
    qt_barrier_enter(barrier);
    for (int k = 1; k < size; ++k) OK(qthread_readFF(NULL, &ends[k]));
  }
  qt_barrier_destroy(barrier);
}

/* More callers than a round has places; and a size from 0. 1.23 asserts that there are not. */
static void more_than_fit(void) {
  if (!IS_WEFT) return;
  qt_barrier_t *const barrier = qt_barrier_create(0, REGION_BARRIER);
  CHECK(barrier != NULL);
  qt_barrier_resize(barrier, 3);
  aligned_t ends[12];
  for (int k = 0; k < 12; ++k) OK(qthread_fork(enter, barrier, &ends[k]));
  for (int k = 0; k < 12; ++k) OK(qthread_readFF(NULL, &ends[k]));
  qt_barrier_destroy(barrier);
}

/* The task waits for the OS thread by a word: its worker is wanted meanwhile. */
static aligned_t has_left;

static void *enter_outside(void *barrier) {
  for (int i = 0; i < rounds; ++i) qt_barrier_enter(barrier);
  OK(qthread_fill(&has_left));
  return NULL;
}

static void outside(void) {
  qt_barrier_t *const barrier = qt_barrier_create(2, REGION_BARRIER);
  CHECK(barrier != NULL);
  pthread_t thread;
  OK(qthread_empty(&has_left));
  CHECK(pthread_create(&thread, NULL, enter_outside, barrier) == 0);
  for (int i = 0; i < rounds; ++i) qt_barrier_enter(barrier);
  OK(qthread_readFF(NULL, &has_left));
  CHECK(pthread_join(thread, NULL) == 0);
  qt_barrier_destroy(barrier);
}

static void wrong_arguments(void) {
  qt_barrier_enter(NULL);
  qt_barrier_enter_id(NULL, 1);
  if (!IS_WEFT) return;
  qt_barrier_destroy(NULL);
  qt_barrier_resize(NULL, 2);
  CHECK(qt_barrier_create((size_t)UINT32_MAX + 1, REGION_BARRIER) == NULL);
}

int main(void) {
  OK(qthread_initialize());
  all_come_before_one_leaves();
  destroyed_by_the_first_that_leaves();
  sizes_change();
  more_than_fit();
  outside();
  wrong_arguments();
  return 0;
}
