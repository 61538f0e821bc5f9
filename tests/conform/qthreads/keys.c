/* qthread_key_*: a value for each task and each OS thread outside. Qthreads' library lacks them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <qthread/io.h>
#include <qthread/tls.h>

#include "check.h"
#include "tasks.h"

#if IS_WEFT
static qthread_key_t key, other;
static atomic_int destroyed;

static void destroy(void *value) {
  CHECK(value != NULL);
  atomic_fetch_add(&destroyed, 1);
}

static void *value_of(uintptr_t number) { return (void *)number; }

static void values(void *argument) {
  const uintptr_t mine = (uintptr_t)&argument;
  CHECK(qthread_getspecific(key) == NULL && qthread_getspecific(other) == NULL);
  CHECK(qthread_setspecific(key, value_of(mine)) == 0);
  qthread_yield();
  CHECK(qthread_getspecific(key) == value_of(mine) && qthread_getspecific(other) == NULL);
  CHECK(qthread_setspecific(other, value_of(mine + 1)) == 0);
  qthread_yield();
  CHECK(qthread_getspecific(key) == value_of(mine) && qthread_getspecific(other) == value_of(mine + 1));
  CHECK(qthread_setspecific(other, NULL) == 0 && qthread_getspecific(other) == NULL);
  CHECK(qthread_setspecific(key, &key) == 0 && qthread_getspecific(key) == &key);
}
static aligned_t values_in_a_task(void *argument) {
  values(argument);
  return 0;
}

static aligned_t moves(void *argument) {
  (void)argument;
  CHECK(qthread_setspecific(other, &other) == 0);
  for (qthread_shepherd_id_t i = 0; i < qthread_num_shepherds(); ++i) {
    OK(qthread_migrate_to(i));
    CHECK(qthread_getspecific(other) == &other);
  }
  return 0;
}

static void tasks_have_values_of_their_own(void) {
  atomic_store(&destroyed, 0);
  CHECK(qthread_key_create(&key, destroy) == 0 && qthread_key_create(&other, NULL) == 0);
  run_tasks(20, values_in_a_task, NULL);
  CHECK(atomic_load(&destroyed) == 20);
  run_outside(values, NULL);
  await_number(&destroyed, 21);
  run_tasks(1, moves, NULL);
  CHECK(qthread_getspecific(key) == NULL);
  CHECK(qthread_setspecific(key, &key) == 0 && qthread_getspecific(key) == &key);
  CHECK(qthread_setspecific(key, NULL) == 0);
  CHECK(qthread_key_delete(key) == 0 && qthread_key_delete(other) == 0);
  CHECK(atomic_load(&destroyed) == 21);
}

static aligned_t deletes_key(void *argument) {
  (void)argument;
  CHECK(qthread_setspecific(key, &key) == 0);
  CHECK(qthread_key_delete(key) == 0);
  CHECK(qthread_getspecific(key) == NULL);
  CHECK(qthread_setspecific(key, &key) == EINVAL && qthread_key_delete(key) == EINVAL);
  return 0;
}

/* A task that runs on its reader's stack has values of its own, and they have ended when the read
 * returns. */
static const char *place_of_reader;
static atomic_int ran_beneath;

static aligned_t sets_value(void *argument) {
  const char here = 0;
  CHECK(qthread_getspecific(key) == NULL && qthread_getspecific(other) == NULL);
  CHECK(qthread_setspecific(key, argument) == 0 && qthread_setspecific(other, &other) == 0);
  if (qthread_shep() == 0 && &here < place_of_reader && place_of_reader - &here < 4096) atomic_fetch_add(&ran_beneath, 1);
  CHECK(qthread_getspecific(key) == argument);
  return 0;
}

/* A task that runs on a stack like that, too, and is its maker again afterwards. */
static aligned_t makes_another(void *argument) {
  aligned_t end;
  const unsigned id = qthread_id();
  CHECK(qthread_setspecific(key, &end) == 0 && qthread_retloc() != &end);
  OK(qthread_fork(sets_value, argument, &end));
  OK(qthread_readFF(NULL, &end));
  CHECK(qthread_getspecific(key) == &end && qthread_id() == id && qthread_retloc() != NULL);
  return 0;
}

static void tasks_in_place(void) {
  const char here = 0;
  aligned_t end;
  place_of_reader = &here;
  atomic_store(&destroyed, 0);
  CHECK(qthread_key_create(&key, destroy) == 0 && qthread_key_create(&other, NULL) == 0);
  CHECK(qthread_setspecific(key, &key) == 0);
  for (uintptr_t i = 1; i <= 200; ++i) {
    OK(qthread_fork(sets_value, value_of(i), &end));
    OK(qthread_readFF(NULL, &end));
    CHECK(atomic_load(&destroyed) == (int)i);
    CHECK(qthread_getspecific(key) == &key && qthread_getspecific(other) == NULL);
    OK(qthread_fork(makes_another, value_of(i), &end));
    OK(qthread_readFF(NULL, &end));
    atomic_fetch_sub(&destroyed, 2);
  }
  CHECK(getenv("WEFT_SCHEDULE") != NULL || atomic_load(&ran_beneath) > 0); /* a schedule chooses the order */
  CHECK(qthread_setspecific(key, NULL) == 0);
  CHECK(qthread_key_delete(key) == 0 && qthread_key_delete(other) == 0);
}

/* In a blocking action a task still has its values. */
static aligned_t blocks(void *argument) {
  CHECK(qthread_setspecific(key, argument) == 0);
  qt_begin_blocking_action();
  CHECK(qthread_getspecific(key) == argument);
  CHECK(qthread_setspecific(key, &key) == 0);
  qt_end_blocking_action();
  CHECK(qthread_getspecific(key) == &key);
  return 0;
}

static void a_blocking_action(void) {
  atomic_store(&destroyed, 0);
  CHECK(qthread_key_create(&key, destroy) == 0);
  run_tasks(5, blocks, &other);
  CHECK(atomic_load(&destroyed) == 5);
  blocks(&other); /* in the main task */
  CHECK(qthread_setspecific(key, NULL) == 0);
  CHECK(qthread_key_delete(key) == 0 && atomic_load(&destroyed) == 5);
}

/* Values beside task-local bytes, each of which grows after the other. */
static aligned_t grows(void *argument) {
  (void)argument;
  unsigned char *bytes = qthread_get_tasklocal(8);
  memset(bytes, 'a', 8);
  CHECK(qthread_setspecific(key, &key) == 0);
  CHECK(qthread_get_tasklocal(8) == bytes && bytes[7] == 'a' && qthread_size_tasklocal() == 8);
  bytes = qthread_get_tasklocal(100);
  CHECK(bytes[0] == 'a' && bytes[7] == 'a' && bytes[8] == 0 && qthread_size_tasklocal() == 100);
  memset(bytes, 'b', 100);
  CHECK(qthread_getspecific(key) == &key);
  bytes = qthread_get_tasklocal(1000);
  CHECK(bytes[99] == 'b' && bytes[100] == 0 && qthread_getspecific(key) == &key);
  return 0;
}

/* A table that grows has nothing in it of the tables that tasks before had. */
enum { ROW = 40 };
static qthread_key_t row[ROW];
static aligned_t fills_row(void *argument) {
  for (int i = 0; i < ROW; ++i) {
    for (int k = i; k < ROW; ++k) CHECK(qthread_getspecific(row[k]) == NULL);
    CHECK(qthread_setspecific(row[i], argument) == 0);
  }
  return 0;
}

static aligned_t sets_few_of_row(void *argument) {
  CHECK(qthread_setspecific(row[3], argument) == 0 && qthread_setspecific(row[ROW - 1], argument) == 0);
  for (int i = 0; i < ROW - 1; ++i) CHECK(i == 3 || qthread_getspecific(row[i]) == NULL);
  return 0;
}

static void a_row_of_keys(void) {
  aligned_t end;
  for (int i = 0; i < ROW; ++i) CHECK(qthread_key_create(&row[i], NULL) == 0);
  for (int i = 0; i < 100; ++i) {
    OK(qthread_fork(i % 2 == 0 ? fills_row : sets_few_of_row, &row, &end));
    OK(qthread_readFF(NULL, &end));
  }
  for (int i = 0; i < ROW; ++i) CHECK(qthread_key_delete(row[i]) == 0);
}

/* A destructor that sets the value again is called again, four times in all. */
static atomic_int set_again;
static void sets_again(void *value) {
  atomic_fetch_add(&set_again, 1);
  CHECK(qthread_getspecific(key) == NULL && qthread_setspecific(key, value) == 0);
}
static aligned_t is_set_again(void *argument) {
  CHECK(qthread_setspecific(key, argument) == 0);
  return 0;
}

static void destructors(void) {
  atomic_store(&destroyed, 0);
  CHECK(qthread_key_create(&key, destroy) == 0);
  run_tasks(3, grows, NULL);
  CHECK(atomic_load(&destroyed) == 3 && qthread_key_delete(key) == 0);
  CHECK(qthread_key_create(&key, sets_again) == 0);
  run_tasks(3, is_set_again, &key);
  CHECK(atomic_load(&set_again) == 12 && qthread_key_delete(key) == 0);
}

/* The main task's values end with qthread_finalize. */
static void values_of_main(void) {
  atomic_store(&destroyed, 0);
  CHECK(qthread_key_create(&key, destroy) == 0 && qthread_setspecific(key, &key) == 0);
  qthread_finalize();
  CHECK(atomic_load(&destroyed) == 1 && qthread_getspecific(key) == NULL);
  OK(qthread_initialize());
  CHECK(qthread_getspecific(key) == NULL && qthread_key_delete(key) == 0);
}

static void a_deleted_key(void) {
  atomic_store(&destroyed, 0);
  CHECK(qthread_key_create(&key, destroy) == 0);
  run_tasks(1, deletes_key, NULL);
  CHECK(qthread_key_create(&other, NULL) == 0 && other != key);
  CHECK(qthread_getspecific(other) == NULL && qthread_setspecific(key, &key) == EINVAL);
  CHECK(qthread_key_delete(other) == 0);
}

static void keys_that_are_none(void) {
  CHECK(qthread_key_create(NULL, NULL) == EINVAL);
  CHECK(qthread_getspecific(NULL) == NULL && qthread_setspecific(NULL, &key) == EINVAL && qthread_key_delete(NULL) == EINVAL);
}

static void too_many_keys(void) {
  enum { most = 1024 };
  static qthread_key_t made[most + 1];
  int count = 0, code = 0;
  while (count <= most && (code = qthread_key_create(&made[count], NULL)) == 0) ++count;
  CHECK(code == EAGAIN && count > 900 && count <= most);
  for (int i = 0; i < count; ++i) CHECK(made[i] != NULL && (i == 0 || made[i] != made[i - 1]));
  while (count > 0) CHECK(qthread_key_delete(made[--count]) == 0);
}

int main(void) {
  keys_that_are_none(); /* without a runtime, too */
  OK(qthread_initialize());
  tasks_have_values_of_their_own();
  tasks_in_place();
  a_blocking_action();
  a_row_of_keys();
  destructors();
  values_of_main();
  a_deleted_key();
  keys_that_are_none();
  too_many_keys();
  qthread_finalize();
  return 0;
}
#else
int main(void) { return 0; }
#endif
