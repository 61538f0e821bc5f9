/* Mutexes, rwlocks, futures and barriers, where Argobots' own tests stop. */
#include "check.h"

/* ---- mutexes ---- */

static void equality(void) {
  ABT_mutex one, other;
  ABT_bool is_same;
  OK(ABT_mutex_create(&one));
  OK(ABT_mutex_create(&other));
  OK(ABT_mutex_equal(one, one, &is_same));
  CHECK(is_same == ABT_TRUE);
  OK(ABT_mutex_equal(one, other, &is_same));
  CHECK(is_same == ABT_FALSE);
  OK(ABT_mutex_equal(ABT_MUTEX_NULL, ABT_MUTEX_NULL, &is_same));
  CHECK(is_same == ABT_TRUE);
  OK(ABT_mutex_free(&one));
  OK(ABT_mutex_free(&other));
}

static void attributes(void) {
  for (int is_recursive = 0; is_recursive < 2; ++is_recursive) {
    ABT_mutex_attr attr, copy;
    ABT_mutex mutex;
    ABT_bool answer;
    OK(ABT_mutex_attr_create(&attr));
    OK(ABT_mutex_attr_set_recursive(attr, is_recursive ? ABT_TRUE : ABT_FALSE));
    OK(ABT_mutex_create_with_attr(attr, &mutex));
    OK(ABT_mutex_attr_free(&attr));
    OK(ABT_mutex_get_attr(mutex, &copy));
    OK(ABT_mutex_attr_get_recursive(copy, &answer));
    CHECK(answer == is_recursive);
    OK(ABT_mutex_attr_free(&copy));
    OK(ABT_mutex_lock(mutex));
    IS(is_recursive ? ABT_SUCCESS : ABT_ERR_MUTEX_LOCKED, ABT_mutex_trylock(mutex));
    if (is_recursive) OK(ABT_mutex_unlock(mutex));
    OK(ABT_mutex_unlock(mutex));
    OK(ABT_mutex_free(&mutex));
  }
}

struct contest {
  ABT_mutex mutex;
  int (*lock)(ABT_mutex);
  int rounds;
  int count; /* inside mutex */
};

static void compete(void *argument) {
  struct contest *contest = argument;
  for (int i = 0; i < contest->rounds; ++i) {
    OK(contest->lock(contest->mutex));
    ++contest->count;
    OK(ABT_mutex_unlock(contest->mutex));
    if (i % 8 == 0) breathe();
  }
}

/* ULTs and tasklets of two streams, and an OS thread; a tasklet that waits blocks its stream. */
static void contend(int (*lock)(ABT_mutex)) {
  struct contest contest = {.lock = lock, .rounds = IS_SLOW ? 50 : 400};
  OK(ABT_mutex_create(&contest.mutex));
  ABT_xstream stream = start_stream();
  ABT_pool pools[2] = {my_pool(), pool_of(stream)};
  ABT_thread units[8];
  for (int i = 0; i < 4; ++i) {
    units[i] = start(pools[i % 2], compete, &contest);
    OK(ABT_task_create(pools[i % 2], compete, &contest, &units[4 + i]));
  }
  run_outside(compete, &contest);
  for (int i = 0; i < 8; ++i) end(units[i]);
  CHECK(contest.count == 9 * contest.rounds);
  end_stream(stream);
  OK(ABT_mutex_free(&contest.mutex));
}
static void contention(void) { contend(ABT_mutex_lock); }
static void spinning(void) { contend(ABT_mutex_spinlock); }

struct turns {
  ABT_mutex mutex;
  atomic_int done;
};

static void take_turn(void *argument) {
  struct turns *turns = argument;
  OK(ABT_mutex_lock(turns->mutex));
  add_one(&turns->done);
  OK(ABT_mutex_unlock(turns->mutex));
}

/* A tasklet that waits keeps the ULT behind it from running: the mutex must not be that ULT's
 * already. */
static void not_handed_over(void) {
  struct turns turns = {.done = 0};
  OK(ABT_mutex_create(&turns.mutex));
  OK(ABT_mutex_lock(turns.mutex));
  ABT_thread waiter = start(my_pool(), take_turn, &turns);
  await_blocked(waiter);
  OK(ABT_mutex_unlock(turns.mutex));
  OK(ABT_mutex_trylock(turns.mutex)); /* the waiter is woken, and will find it locked again */
  await_blocked(waiter);
  ABT_task task;
  OK(ABT_task_create(my_pool(), take_turn, &turns, &task));
  OK(ABT_mutex_unlock(turns.mutex));
  OK(ABT_task_free(&task));
  end(waiter);
  CHECK(atomic_load(&turns.done) == 2);
  OK(ABT_mutex_free(&turns.mutex));
}

/* ---- rwlocks ---- */

static ABT_rwlock rwlock;

static void write_once(void *argument) {
  OK(ABT_rwlock_wrlock(rwlock));
  add_one(argument);
  OK(ABT_rwlock_unlock(rwlock));
}

/* A reader may lock again although a writer waits. */
static void readers_come_again(void) {
  atomic_int written = 0;
  OK(ABT_rwlock_create(&rwlock));
  OK(ABT_rwlock_rdlock(rwlock));
  ABT_thread writer = start(my_pool(), write_once, &written);
  for (int i = 0; i < 8; ++i) breathe();
  OK(ABT_rwlock_rdlock(rwlock));
  OK(ABT_rwlock_unlock(rwlock));
  CHECK(atomic_load(&written) == 0);
  OK(ABT_rwlock_unlock(rwlock));
  end(writer);
  CHECK(atomic_load(&written) == 1);
  OK(ABT_rwlock_free(&rwlock));
}

static int shared[2]; /* written together */

static void read_or_write(void *argument) {
  const bool writes = argument != NULL;
  for (int i = 0; i < (IS_SLOW ? 40 : 200); ++i) {
    OK(writes ? ABT_rwlock_wrlock(rwlock) : ABT_rwlock_rdlock(rwlock));
    const int seen = shared[0];
    if (writes) shared[0] = seen + 1;
    if (i % 4 == 0) breathe();
    if (writes) shared[1] = seen + 1;
    CHECK(shared[0] == shared[1]);
    OK(ABT_rwlock_unlock(rwlock));
  }
}

static void readers_and_writers(void) {
  OK(ABT_rwlock_create(&rwlock));
  ABT_xstream stream = start_stream();
  ABT_pool pools[2] = {my_pool(), pool_of(stream)};
  ABT_thread threads[8];
  shared[0] = shared[1] = 0;
  for (int i = 0; i < 8; ++i) threads[i] = start(pools[i % 2], read_or_write, i / 2 % 2 == 0 ? &rwlock : NULL);
  run_outside(read_or_write, NULL);
  run_outside(read_or_write, &rwlock);
  for (int i = 0; i < 8; ++i) end(threads[i]);
  CHECK(shared[0] == 5 * (IS_SLOW ? 40 : 200));
  end_stream(stream);
  OK(ABT_rwlock_free(&rwlock));
}

/* ---- futures ---- */

enum { COMPARTMENTS = 5 };
static ABT_future future;
static int called;

static void see_all(void **values) {
  ++called;
  ABT_bool is_ready = ABT_TRUE;
  OK(ABT_future_test(future, &is_ready));
  CHECK(is_ready == ABT_FALSE);
  uintptr_t sum = 0;
  for (int i = 0; i < COMPARTMENTS; ++i) sum += (uintptr_t)values[i];
  CHECK(sum == COMPARTMENTS * (COMPARTMENTS + 1) / 2);
}

static void set_one(void *value) { OK(ABT_future_set(future, value)); }
static void await_future(void *count) {
  OK(ABT_future_wait(future));
  add_one(count);
}

static void compartments(void) {
  OK(ABT_future_create(COMPARTMENTS, see_all, &future));
  called = 0;
  for (int round = 1; round <= 3; ++round) {
    atomic_int awaited = 0;
    ABT_thread waiters[2] = {start(my_pool(), await_future, &awaited), start(my_pool(), await_future, &awaited)};
    for (uintptr_t i = 1; i < COMPARTMENTS; ++i) OK(ABT_task_create(my_pool(), set_one, (void *)i, NULL));
    for (int i = 0; i < 4; ++i) breathe();
    CHECK(called == round - 1 && atomic_load(&awaited) == 0);
    run_outside(set_one, (void *)(uintptr_t)COMPARTMENTS);
    for (int i = 0; i < 2; ++i) end(waiters[i]);
    CHECK(called == round && atomic_load(&awaited) == 2);
    IS(ABT_ERR_FUTURE, ABT_future_set(future, NULL));
    OK(ABT_future_reset(future));
  }
  OK(ABT_future_free(&future));
}

static void no_compartments(void) {
  OK(ABT_future_create(0, see_all, &future));
  for (int round = 0; round < 2; ++round) {
    ABT_bool is_ready = ABT_FALSE;
    OK(ABT_future_test(future, &is_ready));
    CHECK(is_ready == ABT_TRUE);
    OK(ABT_future_wait(future));
    IS(ABT_ERR_FUTURE, ABT_future_set(future, NULL));
    OK(ABT_future_reset(future));
  }
  OK(ABT_future_free(&future));
}

/* ---- barriers ---- */

enum { ROUNDS = IS_SLOW ? 20 : 100 };

struct meeting {
  ABT_barrier barrier;
  ABT_xstream_barrier streams;
  atomic_int arrived;
  int parties;
};

static void meet(void *argument) {
  struct meeting *meeting = argument;
  for (int round = 1; round <= ROUNDS; ++round) {
    atomic_fetch_add(&meeting->arrived, 1);
    OK(ABT_barrier_wait(meeting->barrier));
    CHECK(atomic_load(&meeting->arrived) >= round * meeting->parties);
  }
}

static void sizes_of_barriers(void) {
  struct meeting meeting;
  OK(ABT_barrier_create(1, &meeting.barrier));
  for (meeting.parties = 1; meeting.parties <= 4; ++meeting.parties) {
    OK(ABT_barrier_reinit(meeting.barrier, (uint32_t)meeting.parties));
    uint32_t parties = 0;
    OK(ABT_barrier_get_num_waiters(meeting.barrier, &parties));
    CHECK((int)parties == meeting.parties);
    atomic_store(&meeting.arrived, 0);
    ABT_thread threads[4];
    for (int i = 1; i < meeting.parties; ++i) threads[i] = start(my_pool(), meet, &meeting);
    run_outside(meet, &meeting);
    for (int i = 1; i < meeting.parties; ++i) end(threads[i]);
  }
  OK(ABT_barrier_free(&meeting.barrier));
}

static void meet_as_streams(void *argument) {
  struct meeting *meeting = argument;
  for (int round = 1; round <= ROUNDS; ++round) {
    atomic_fetch_add(&meeting->arrived, 1);
    OK(ABT_xstream_barrier_wait(meeting->streams));
    CHECK(atomic_load(&meeting->arrived) >= round * meeting->parties);
  }
}

static void *meet_as_os_thread(void *argument) {
  meet_as_streams(argument);
  return NULL;
}

/* A ULT, a tasklet and an OS thread: a unit that waits keeps its stream, so that the unit beside it
 * waits, too. */
static void barrier_of_streams(void) {
  struct meeting meeting = {.parties = 3};
  OK(ABT_xstream_barrier_create(1, &meeting.streams));
  OK(ABT_xstream_barrier_wait(meeting.streams));
  OK(ABT_xstream_barrier_free(&meeting.streams));
  OK(ABT_xstream_barrier_create(3, &meeting.streams));
  ABT_xstream stream = start_stream();
  atomic_int beside = 0;
  ABT_task task;
  OK(ABT_task_create(pool_of(stream), meet_as_streams, &meeting, &task));
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, meet_as_os_thread, &meeting) == 0);
  ABT_thread other = start(my_pool(), add_one, &beside);
  meet_as_streams(&meeting);
  CHECK(atomic_load(&beside) == 0);
  end(other);
  CHECK(pthread_join(outside, NULL) == 0);
  OK(ABT_task_free(&task));
  end_stream(stream);
  OK(ABT_xstream_barrier_free(&meeting.streams));
}

/* ---- tasklets ---- */

static ABT_mutex mutex;
static ABT_cond cond;
static ABT_eventual eventual;
static ABT_barrier barrier;

static void refused(void *unused) {
  (void)unused;
  OK(ABT_mutex_lock(mutex));
  IS(ABT_ERR_COND, ABT_cond_wait(cond, mutex));
  OK(ABT_mutex_unlock(mutex));
  IS(ABT_ERR_RWLOCK, ABT_rwlock_rdlock(rwlock));
  IS(ABT_ERR_RWLOCK, ABT_rwlock_wrlock(rwlock));
  IS(ABT_ERR_EVENTUAL, ABT_eventual_wait(eventual, NULL));
  IS(ABT_ERR_EVENTUAL, ABT_eventual_timedwait(eventual, NULL, &(struct timespec){0, 0}));
  IS(ABT_ERR_FUTURE, ABT_future_wait(future));
  IS(ABT_ERR_BARRIER, ABT_barrier_wait(barrier));
}

/* What a tasklet may not do, although it would not have to wait. */
static void not_in_tasklets(void) {
  OK(ABT_mutex_create(&mutex));
  OK(ABT_cond_create(&cond));
  OK(ABT_rwlock_create(&rwlock));
  OK(ABT_eventual_create(0, &eventual));
  OK(ABT_eventual_set(eventual, NULL, 0));
  OK(ABT_future_create(0, NULL, &future));
  OK(ABT_barrier_create(1, &barrier));
  ABT_task task;
  OK(ABT_task_create(my_pool(), refused, NULL, &task));
  OK(ABT_task_free(&task));
  OK(ABT_barrier_free(&barrier));
  OK(ABT_future_free(&future));
  OK(ABT_eventual_free(&eventual));
  OK(ABT_rwlock_free(&rwlock));
  OK(ABT_cond_free(&cond));
  OK(ABT_mutex_free(&mutex));
}

void check_locks(void) {
  RUN(equality);
  RUN(attributes);
  RUN(contention);
  RUN(spinning);
  RUN(not_handed_over);
  RUN(readers_come_again);
  RUN(readers_and_writers);
  RUN(compartments);
  RUN(no_compartments);
  RUN(sizes_of_barriers);
  RUN(barrier_of_streams);
  RUN(not_in_tasklets);
}
