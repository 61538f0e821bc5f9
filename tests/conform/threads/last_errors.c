/* usage: last_errors IMPLEMENTATION. Calls that fail, each for one of the causes that its Errors names, and what threads_last_error() says
 * then: a line each of function, status, cause as in the header, and text. last_errors_test.py reads them. */
#include <pthread.h>

#include <weft_threads/component.h>
#include <weft_threads/lock.h>
#include <weft_threads/progress.h>
#include <weft_threads/tracked.h>

#include "check.h"

const char *implementation = "";
const char *current_case = "";
bool is_outside;

#define FAILS(status, cause, call) (note(#call, status, cause, (call)))

static void note(const char *call, threads_status wanted, const char *cause, threads_status got) {
  IS(wanted, got);
  printf("%.*s\t%s\t%s\t%s\n", (int)strcspn(call, "("), call, threads_status_name(wanted), cause, threads_last_error());
}

static threads_mutex mutex = THREADS_MUTEX_INIT, held = THREADS_MUTEX_INIT;
static threads_cond cond = THREADS_COND_INIT;
static threads_key deleted;
static atomic_int is_held, is_over;
static bool is_weft;

static void nothing(void *unused) { (void)unused; }

static void hold(void *unused) {
  (void)unused;
  OK(threads_mutex_lock(&held));
  atomic_store(&is_held, 1);
  wait_for(&is_over, 1);
  OK(threads_mutex_unlock(&held));
}

/* ---- in a thread ---- */

static void null_arguments(void) {
  threads_list list = THREADS_LIST_INIT;
  FAILS(THREADS_INVALID, "component is null", threads_add_component(NULL));
  FAILS(THREADS_INVALID, "out is null", threads_counts(NULL));
  FAILS(THREADS_INVALID, "function is null", threads_create(NULL, NULL, NULL));
  FAILS(THREADS_INVALID, "thread is null", threads_join(NULL));
  FAILS(THREADS_INVALID, "list is null", threads_list_add(NULL, nothing, NULL));
  FAILS(THREADS_INVALID, "function is null", threads_list_add(&list, NULL, NULL));
  FAILS(THREADS_INVALID, "list is null", threads_list_add_many(NULL, nothing, NULL, 0, 1));
  FAILS(THREADS_INVALID, "function is null", threads_list_add_many(&list, NULL, NULL, 0, 1));
  FAILS(THREADS_INVALID, "list is null", threads_list_start(NULL));
  FAILS(THREADS_INVALID, "list is null", threads_list_wait(NULL));
  FAILS(THREADS_INVALID, "list is null", threads_list_destroy(NULL));
  FAILS(THREADS_INVALID, "mutex is null", threads_mutex_lock(NULL));
  FAILS(THREADS_INVALID, "mutex is null", threads_mutex_try_lock(NULL));
  FAILS(THREADS_INVALID, "mutex is null", threads_mutex_unlock(NULL));
  FAILS(THREADS_INVALID, "mutex is null", threads_mutex_destroy(NULL));
  FAILS(THREADS_INVALID, "cond is null", threads_cond_wait(NULL, &mutex));
  FAILS(THREADS_INVALID, "mutex is null", threads_cond_wait(&cond, NULL));
  FAILS(THREADS_INVALID, "cond is null", threads_cond_wait_until(NULL, &mutex, 1));
  FAILS(THREADS_INVALID, "mutex is null", threads_cond_wait_until(&cond, NULL, 1));
  FAILS(THREADS_INVALID, "cond is null", threads_cond_signal(NULL));
  FAILS(THREADS_INVALID, "cond is null", threads_cond_broadcast(NULL));
  FAILS(THREADS_INVALID, "cond is null", threads_cond_destroy(NULL));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_read_fe(NULL, NULL));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_read_ff(NULL, NULL));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_write_ef(NULL, 1));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_write_xf(NULL, 1));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_empty(NULL));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_fill(NULL));
  FAILS(THREADS_INVALID, "sync is null", threads_sync_destroy(NULL));
  FAILS(THREADS_INVALID, "out is null", threads_key_create(NULL, NULL));
}

static threads_thread *self;
static atomic_int knows_self;

static void join_oneself(void *unused) {
  (void)unused;
  wait_for(&knows_self, 1);
  FAILS(THREADS_DEADLOCK, "thread is the caller", threads_join(self));
  FAILS(THREADS_NOT_OWNER, "the caller is not that of threads_start", threads_stop());
}

static void lists(void) {
  static char many[8];
  threads_list list = THREADS_LIST_INIT;
  OK(threads_list_add(&list, nothing, NULL));
  FAILS(THREADS_NOMEM, "never for the first THREADS_TASKS_INSIDE tasks",
        threads_list_add_many(&list, nothing, many, 0, SIZE_MAX));
  FAILS(THREADS_NOMEM, "never for the first THREADS_TASKS_INSIDE tasks",
        threads_list_add_many(&list, nothing, many, 0, SIZE_MAX / 2));
  OK(threads_list_start(&list));
  FAILS(THREADS_BUSY, "already started", threads_list_start(&list));
  FAILS(THREADS_BUSY, "the list was started, and not waited for", threads_list_add(&list, nothing, NULL));
  FAILS(THREADS_BUSY, "the list was started, and not waited for", threads_list_add_many(&list, nothing, many, 0, 1));
  FAILS(THREADS_BUSY, "it was started, and not waited for", threads_list_destroy(&list));
  OK(threads_list_wait(&list));
}

static void mutexes(void) {
  threads_thread *const holder = start(hold, NULL);
  wait_for(&is_held, 1);
  FAILS(THREADS_BUSY, "it is held", threads_mutex_try_lock(&held));
  atomic_store(&is_over, 1);
  OK(threads_join(holder));
  OK(threads_mutex_lock(&mutex));
  FAILS(THREADS_TIMEOUT, "", threads_cond_wait_until(&cond, &mutex, 1));
  OK(threads_mutex_unlock(&mutex));
}

static void too_many_tracked_keys(void);

static void keys(void) {
  enum { more_than_all = 2048 };
  static threads_key all[more_than_all];
  size_t made = 0;
  OK(threads_key_create(NULL, &deleted));
  OK(threads_key_delete(deleted));
  FAILS(THREADS_INVALID, "there is no such key", threads_key_delete(deleted));
  FAILS(THREADS_INVALID, "there is no such key", threads_key_set(deleted, NULL));
  while (made < more_than_all && threads_key_create(NULL, &all[made]) == THREADS_OK) ++made;
  CHECK(made < more_than_all);
  FAILS(THREADS_AGAIN, "there are too many keys", threads_key_create(NULL, &all[made]));
  too_many_tracked_keys();
  while (made-- != 0) OK(threads_key_delete(all[made]));
}

/* ---- what libraries use ---- */

static void locks(void) {
  threads_lock lock = THREADS_LOCK_INIT, recursive = THREADS_LOCK_RECURSIVE_INIT;
  FAILS(THREADS_INVALID, "lock is null", threads_lock_acquire(NULL));
  FAILS(THREADS_INVALID, "lock is null", threads_lock_try_acquire(NULL));
  FAILS(THREADS_INVALID, "lock is null", threads_lock_release(NULL));
  FAILS(THREADS_INVALID, "lock is null", threads_lock_destroy(NULL));
  FAILS(THREADS_NOT_OWNER, "no caller holds it", threads_lock_release(&lock));
  FAILS(THREADS_NOT_OWNER, "it is recursive, and another caller holds it", threads_lock_release(&recursive));
  OK(threads_lock_acquire(&lock));
  FAILS(THREADS_BUSY, "another caller holds it, or the caller does and it is not recursive", threads_lock_try_acquire(&lock));
  FAILS(THREADS_BUSY, "a caller holds it", threads_lock_destroy(&lock));
  OK(threads_lock_release(&lock));
}

static void waits_with_progress(void) {
  threads_progress progress = THREADS_PROGRESS_INIT(NULL, NULL, 1);
  threads_lock lock = THREADS_LOCK_RECURSIVE_INIT;
  threads_progress_cond changed = THREADS_PROGRESS_COND_INIT;
  threads_spin spin = THREADS_SPIN_INIT;
  threads_turn turn = THREADS_TURN_INIT;
  threads_wait_sync sync;
  FAILS(THREADS_INVALID, "sync is null", threads_wait_sync_init(NULL, &progress, 1));
  FAILS(THREADS_INVALID, "progress is null", threads_wait_sync_init(&sync, NULL, 1));
  FAILS(THREADS_INVALID, "count is negative", threads_wait_sync_init(&sync, &progress, -1));
  FAILS(THREADS_INVALID, "sync is null", threads_wait_sync_wait(NULL, NULL));
  FAILS(THREADS_INVALID, "sync is null", threads_wait_sync_update(NULL, 1, 0));
  FAILS(THREADS_INVALID, "sync is null", threads_wait_sync_release(NULL));
  OK(threads_wait_sync_init(&sync, &progress, 1));
  FAILS(THREADS_INVALID, "updates is negative", threads_wait_sync_update(&sync, -1, 0));
  FAILS(THREADS_BUSY, "it is not done", threads_wait_sync_release(&sync));
  FAILS(THREADS_INVALID, "progress is null", threads_progress_wake_all(NULL, 1));
  FAILS(THREADS_INVALID, "outcome is 0", threads_progress_wake_all(&progress, 0));
  FAILS(THREADS_INVALID, "cond is null", threads_progress_cond_signal(NULL));
  FAILS(THREADS_INVALID, "cond is null", threads_progress_cond_broadcast(NULL));
  FAILS(THREADS_INVALID, "cond is null", threads_progress_cond_wait(NULL, &lock, &progress));
  FAILS(THREADS_INVALID, "lock is null", threads_progress_cond_wait(&changed, NULL, &progress));
  FAILS(THREADS_INVALID, "progress is null", threads_progress_cond_wait(&changed, &lock, NULL));
  FAILS(THREADS_NOT_OWNER, "no caller holds lock, or it is recursive and another caller does",
        threads_progress_cond_wait(&changed, &lock, &progress));
  FAILS(THREADS_INVALID, "cond is null", threads_progress_cond_wait_until(NULL, &lock, &progress, 1));
  FAILS(THREADS_INVALID, "lock is null", threads_progress_cond_wait_until(&changed, NULL, &progress, 1));
  FAILS(THREADS_INVALID, "progress is null", threads_progress_cond_wait_until(&changed, &lock, NULL, 1));
  FAILS(THREADS_NOT_OWNER, "no caller holds lock, or it is recursive and another caller does",
        threads_progress_cond_wait_until(&changed, &lock, &progress, 1));
  OK(threads_lock_acquire(&lock));
  OK(threads_lock_acquire(&lock));
  FAILS(THREADS_INVALID, "the caller holds lock, a recursive one, more than once",
        threads_progress_cond_wait(&changed, &lock, &progress));
  FAILS(THREADS_INVALID, "the caller holds lock, a recursive one, more than once",
        threads_progress_cond_wait_until(&changed, &lock, &progress, 1));
  OK(threads_lock_release(&lock));
  FAILS(THREADS_TIMEOUT, "", threads_progress_cond_wait_until(&changed, &lock, &progress, 1));
  OK(threads_lock_release(&lock));
  FAILS(THREADS_INVALID, "spin is null", threads_spin_acquire(NULL));
  FAILS(THREADS_INVALID, "spin is null", threads_spin_try_acquire(NULL));
  FAILS(THREADS_INVALID, "spin is null", threads_spin_release(NULL));
  FAILS(THREADS_NOT_OWNER, "no caller holds it", threads_spin_release(&spin));
  OK(threads_spin_acquire(&spin));
  FAILS(THREADS_BUSY, "a caller holds it", threads_spin_try_acquire(&spin));
  FAILS(THREADS_INVALID, "turn is null", threads_turn_acquire(NULL, &progress));
  FAILS(THREADS_INVALID, "progress is null", threads_turn_acquire(&turn, NULL));
  FAILS(THREADS_INVALID, "turn is null", threads_turn_release(NULL));
  FAILS(THREADS_NOT_OWNER, "no caller has it", threads_turn_release(&turn));
  FAILS(THREADS_INVALID, "key is null", threads_tracked_set(NULL, NULL));
  FAILS(THREADS_INVALID, "key is null", threads_tracked_delete(NULL));
}

/* The table is full of keys. */
static void too_many_tracked_keys(void) {
  threads_tracked_key key = THREADS_TRACKED_KEY_INIT(NULL);
  FAILS(THREADS_AGAIN, "there are too many keys", threads_tracked_set(&key, &key));
}

/* ---- components ---- */

static void components(void) {
  static const threads_component old = {.version = THREADS_COMPONENT_VERSION + 1, .size = sizeof old, .name = "old"};
  static const threads_component small = {.version = THREADS_COMPONENT_VERSION, .size = 1, .name = "small"};
  static const threads_component unnamed = {.version = THREADS_COMPONENT_VERSION, .size = sizeof unnamed};
  static const threads_component good = {.version = THREADS_COMPONENT_VERSION, .size = sizeof good, .name = "good"};
  FAILS(THREADS_INVALID, "of another version, or has no name", threads_add_component(&old));
  FAILS(THREADS_INVALID, "of another version, or has no name", threads_add_component(&small));
  FAILS(THREADS_INVALID, "of another version, or has no name", threads_add_component(&unnamed));
  for (int i = 0; i < 8; ++i) OK(threads_add_component(&good));
  FAILS(THREADS_AGAIN, "8 have been added", threads_add_component(&good));
}

/* ---- each has its own ---- */

static atomic_int has_failed;

static void fail_elsewhere(void *unused) {
  (void)unused;
  CHECK(strcmp(threads_last_error(), "") == 0);
  IS(THREADS_INVALID, threads_mutex_lock(NULL));
  CHECK(strcmp(threads_last_error(), "threads_mutex_lock: argument mutex: it is null") == 0);
  atomic_store(&has_failed, 1);
}
static void *fail_outside(void *unused) {
  fail_elsewhere(unused);
  return NULL;
}

static void others_do_not_disturb(void) {
  pthread_t other;
  IS(THREADS_INVALID, threads_join(NULL));
  if (is_weft) OK(threads_join(start(fail_elsewhere, NULL)));
  CHECK(pthread_create(&other, NULL, fail_outside, NULL) == 0);
  pthread_join(other, NULL);
  CHECK(strcmp(threads_last_error(), "threads_join: argument thread: it is null") == 0);
}

#if !IS_INLINED
static void calls_before_the_start(void) {
  threads_list list = THREADS_LIST_INIT;
  threads_sync sync = THREADS_SYNC_INIT;
  threads_count count;
  FAILS(THREADS_NOT_STARTED, "", threads_counts(&count));
  FAILS(THREADS_NOT_STARTED, "", threads_create(nothing, NULL, NULL));
  FAILS(THREADS_NOT_STARTED, "", threads_join(self));
  FAILS(THREADS_NOT_STARTED, "", threads_sleep_ns(1));
  FAILS(THREADS_NOT_STARTED, "", threads_list_start(&list));
  FAILS(THREADS_NOT_STARTED, "", threads_list_wait(&list));
  FAILS(THREADS_NOT_STARTED, "", threads_mutex_lock(&mutex));
  FAILS(THREADS_NOT_STARTED, "", threads_mutex_try_lock(&mutex));
  FAILS(THREADS_NOT_STARTED, "", threads_mutex_unlock(&mutex));
  FAILS(THREADS_NOT_STARTED, "", threads_mutex_destroy(&mutex));
  FAILS(THREADS_NOT_STARTED, "", threads_cond_wait(&cond, &mutex));
  FAILS(THREADS_NOT_STARTED, "", threads_cond_wait_until(&cond, &mutex, 1));
  FAILS(THREADS_NOT_STARTED, "", threads_cond_signal(&cond));
  FAILS(THREADS_NOT_STARTED, "", threads_cond_broadcast(&cond));
  FAILS(THREADS_NOT_STARTED, "", threads_cond_destroy(&cond));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_read_fe(&sync, NULL));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_read_ff(&sync, NULL));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_write_ef(&sync, 1));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_write_xf(&sync, 1));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_empty(&sync));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_fill(&sync));
  FAILS(THREADS_NOT_STARTED, "", threads_sync_destroy(&sync));
  FAILS(THREADS_NOT_STARTED, "", threads_key_create(NULL, &deleted));
  FAILS(THREADS_NOT_STARTED, "", threads_key_delete(deleted));
  FAILS(THREADS_NOT_STARTED, "", threads_key_set(deleted, NULL));
}
#else
static void calls_before_the_start(void) {}
#endif

static void *set_a_key_outside(void *unused) {
  threads_key key;
  OK(threads_key_create(NULL, &key));
  if (!is_weft)
    FAILS(THREADS_UNSUPPORTED, "the caller is outside, where the implementation keeps no values", threads_key_set(key, NULL));
  OK(threads_key_delete(key));
  return unused;
}

static void starts(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.implementation = "nosuch";
  FAILS(THREADS_INVALID, "no such implementation, or not the one that the program was compiled for", threads_start(&config));
  config.size = 1;
  FAILS(THREADS_INVALID, "a bad setting", threads_start(&config));
  config.size = sizeof config;
  config.implementation = implementation;
  config.workers = 1u << 30;
  FAILS(THREADS_INVALID, "a bad setting", threads_start(&config));
  FAILS(THREADS_NOT_STARTED, "", threads_stop());
  config.workers = workers;
  OK(threads_start(&config));
  FAILS(THREADS_BUSY, "an implementation runs already", threads_start(NULL));
}

int main(int count, char **arguments) {
  pthread_t other;
  threads_count counted;
  if (count != 2) return 2;
  implementation = arguments[1];
  is_weft = strcmp(implementation, "weft") == 0;
  CHECK(strcmp(threads_last_error(), "") == 0);
  calls_before_the_start();
  starts();
  null_arguments();
  lists();
  mutexes();
  keys();
  locks();
  waits_with_progress();
  others_do_not_disturb();
  if (is_weft)
    FAILS(THREADS_UNSUPPORTED, "the implementation does not count, as threads_features() says", threads_counts(&counted));
  CHECK(pthread_create(&other, NULL, set_a_key_outside, NULL) == 0);
  pthread_join(other, NULL);
  self = start(join_oneself, NULL);
  atomic_store(&knows_self, 1);
  OK(threads_join(self));
  components();
  OK(threads_stop());
  return 0;
}
