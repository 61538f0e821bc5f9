/* qthread_key_*: a value for each task and each OS thread outside. Qthreads' library hides them. */
#include <errno.h>

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
  await_number(&destroyed, 20); /* a task's return word may be full before */
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
  a_deleted_key();
  keys_that_are_none();
  too_many_keys();
  qthread_finalize();
  return 0;
}
#else
int main(void) { return 0; }
#endif
