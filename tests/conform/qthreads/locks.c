/* Words that are locks, words that were made mutexes, and spinlocks. */
#include "tasks.h"

enum { TASKS = 8, ROUNDS = 50 };

static aligned_t word;
static qthread_spinlock_t spinlock;
static long count; /* under the lock */

static aligned_t count_with_word(void *depth) {
  for (int i = 0; i < ROUNDS; ++i) {
    for (uintptr_t held = 0; held < (uintptr_t)depth; ++held) OK(qthread_lock(&word));
    const long before = count;
    qthread_yield();
    count = before + 1;
    for (uintptr_t held = 0; held < (uintptr_t)depth; ++held) OK(qthread_unlock(&word));
  }
  return 0;
}
static aligned_t count_with_spinlock(void *depth) {
  for (int i = 0; i < ROUNDS; ++i) {
    for (uintptr_t held = 0; held < (uintptr_t)depth; ++held) OK(qthread_spinlock_lock(&spinlock));
    const long before = count;
    qthread_yield();
    count = before + 1;
    for (uintptr_t held = 0; held < (uintptr_t)depth; ++held) OK(qthread_spinlock_unlock(&spinlock));
  }
  return 0;
}
static void count_with_word_outside(void *depth) { count_with_word(depth); }
static void count_with_spinlock_outside(void *depth) { count_with_spinlock(depth); }

static void one_at_a_time(qthread_f body, void (*outside)(void *), uintptr_t depth) {
  count = 0;
  run_tasks(TASKS, body, (void *)depth);
  run_outside(outside, (void *)depth);
  CHECK(count == (TASKS + 1L) * ROUNDS);
}

static aligned_t try_word(void *unused) {
  (void)unused;
  return qthread_trylock(&word) == QTHREAD_OPFAIL;
}
static aligned_t try_spinlock(void *unused) {
  (void)unused;
  return qthread_spinlock_trylock(&spinlock) == QTHREAD_OPFAIL && qthread_spinlock_unlock(&spinlock) == QTHREAD_OPFAIL;
}
static bool another_task_fails(qthread_f body) {
  aligned_t end = 0;
  OK(qthread_fork_to(body, NULL, &end, qthread_num_shepherds() - 1));
  OK(qthread_readFF(&end, &end));
  return end == 1;
}

static void words_that_are_locks(void) {
  word = 17;
  OK(qthread_lock(&word));
  CHECK(qthread_feb_status(&word) == 0);
  IS(QTHREAD_OPFAIL, qthread_trylock(&word));
  CHECK(another_task_fails(try_word));
  OK(qthread_unlock(&word));
  OK(qthread_trylock(&word));
  OK(qthread_unlock(&word));
  CHECK(qthread_feb_status(&word) == 1 && word == 17);
  one_at_a_time(count_with_word, count_with_word_outside, 1);
}

static void words_that_are_mutexes(bool is_recursive) {
  OK(qthread_lock_init(&word, is_recursive));
  OK(qthread_lock(&word));
  CHECK(qthread_feb_status(&word) == 1); /* the mutex is another thing than the word */
  CHECK(another_task_fails(try_word));
  if (is_recursive) {
    OK(qthread_lock(&word));
    OK(qthread_trylock(&word));
    OK(qthread_unlock(&word));
    OK(qthread_unlock(&word));
    CHECK(another_task_fails(try_word));
  } else {
    IS(QTHREAD_OPFAIL, qthread_trylock(&word));
  }
  OK(qthread_unlock(&word));
  if (is_recursive) IS(QTHREAD_OPFAIL, qthread_unlock(&word));
  one_at_a_time(count_with_word, count_with_word_outside, is_recursive ? 3 : 1);
  OK(qthread_lock_destroy(&word));
  OK(qthread_lock(&word));
  CHECK(qthread_feb_status(&word) == 0);
  OK(qthread_unlock(&word));
}

static void spinlocks(bool is_recursive) {
  OK(qthread_spinlock_init(&spinlock, is_recursive));
  OK(qthread_spinlock_trylock(&spinlock));
  if (is_recursive) {
    OK(qthread_spinlock_trylock(&spinlock));
    OK(qthread_spinlock_unlock(&spinlock));
    CHECK(another_task_fails(try_spinlock));
  } else {
    IS(QTHREAD_OPFAIL, qthread_spinlock_trylock(&spinlock));
  }
  OK(qthread_spinlock_unlock(&spinlock));
  one_at_a_time(count_with_spinlock, count_with_spinlock_outside, is_recursive ? 3 : 1);
  OK(qthread_spinlock_destroy(&spinlock));
}

static void spinlocks_that_need_no_call(void) {
  static qthread_spinlock_t plain = QTHREAD_MUTEX_INITIALIZER, again = QTHREAD_RECURSIVE_MUTEX_INITIALIZER;
  OK(qthread_spinlock_lock(&plain));
  IS(QTHREAD_OPFAIL, qthread_spinlock_trylock(&plain));
  OK(qthread_spinlock_unlock(&plain));
  for (int i = 0; i < 2; ++i) OK(qthread_spinlock_lock(&again));
  for (int i = 0; i < 2; ++i) OK(qthread_spinlock_unlock(&again));
  OK(qthread_spinlocks_init(&plain, true));
  for (int i = 0; i < 2; ++i) OK(qthread_spinlock_lock(&plain));
  for (int i = 0; i < 2; ++i) OK(qthread_spinlock_unlock(&plain));
  OK(qthread_spinlocks_destroy(&plain));
}

/* Many words are mutexes at once; those that are destroyed are none, and the others stay. */
static void many_mutexes(void) {
  enum { MANY = 500 };
  static aligned_t words[MANY];
  for (int i = 0; i < MANY; ++i) OK(qthread_lock_init(&words[i], true));
  for (int i = 0; i < MANY; ++i) IS(QTHREAD_OPFAIL, qthread_lock_init(&words[i], false));
  for (int i = 0; i < MANY; i += 2) OK(qthread_lock_destroy(&words[i]));
  for (int i = 0; i < MANY; ++i) {
    OK(qthread_lock(&words[i]));
    IS(i % 2 == 0 ? QTHREAD_OPFAIL : QTHREAD_SUCCESS, qthread_trylock(&words[i]));
    for (int k = 0; k < 1 + i % 2; ++k) OK(qthread_unlock(&words[i]));
  }
  for (int i = 1; i < MANY; i += 2) OK(qthread_lock_destroy(&words[i]));
}

static void bad_arguments(void) {
  aligned_t *const none = NULL;
  qthread_spinlock_t *const nothing = NULL;
  IS(QTHREAD_BADARGS, qthread_lock(none));
  IS(QTHREAD_BADARGS, qthread_trylock(none));
  IS(QTHREAD_BADARGS, qthread_unlock(none));
  IS(QTHREAD_BADARGS, qthread_lock_init(none, false));
  IS(QTHREAD_BADARGS, qthread_spinlock_init(nothing, false));
  IS(QTHREAD_BADARGS, qthread_spinlock_lock(nothing));
  IS(QTHREAD_BADARGS, qthread_spinlock_trylock(nothing));
  IS(QTHREAD_BADARGS, qthread_spinlock_unlock(nothing));
  IS(QTHREAD_BADARGS, qthread_spinlock_destroy(nothing));
}

int main(void) {
  OK(qthread_initialize());
  words_that_are_locks();
  words_that_are_mutexes(false);
  words_that_are_mutexes(true);
  if (IS_WEFT) many_mutexes();
  spinlocks(false);
  spinlocks(true);
  spinlocks_that_need_no_call();
  bad_arguments();
  qthread_finalize();
  return 0;
}
