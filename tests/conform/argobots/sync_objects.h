/* One object of each kind that a ULT waits for. For one file of a program. */
#ifndef WEFT_TESTS_CONFORM_ARGOBOTS_SYNC_OBJECTS_H
#define WEFT_TESTS_CONFORM_ARGOBOTS_SYNC_OBJECTS_H

#include "check.h"

static ABT_mutex mutex;
static ABT_cond cond;
static ABT_rwlock rwlock;
static ABT_eventual eventual;
static ABT_future future;
static ABT_barrier barrier;

static void make_objects(void) {
  OK(ABT_mutex_create(&mutex));
  OK(ABT_cond_create(&cond));
  OK(ABT_rwlock_create(&rwlock));
  OK(ABT_eventual_create(0, &eventual));
  OK(ABT_future_create(1, NULL, &future));
  OK(ABT_barrier_create(2, &barrier));
}

static void free_objects(void) {
  OK(ABT_barrier_free(&barrier));
  OK(ABT_future_free(&future));
  OK(ABT_eventual_free(&eventual));
  OK(ABT_rwlock_free(&rwlock));
  OK(ABT_cond_free(&cond));
  OK(ABT_mutex_free(&mutex));
}

#endif
