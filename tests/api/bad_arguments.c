/* What every call of weft.h answers to arguments that are null, foreign, finished or out of
 * range: the documented status, and an output that was not touched. The files about each family
 * of calls have more; here is the table that misses none. */
#include <string.h>

#include "check.h"

/* ---- the objects that go wrong ---- */

static weft_mutex mutex = WEFT_MUTEX_INIT;
static weft_mutex free_recursive = WEFT_MUTEX_RECURSIVE_INIT;
static weft_cond cond = WEFT_COND_INIT;
static weft_rwlock free_rwlock = WEFT_RWLOCK_INIT;
static weft_semaphore full_semaphore = WEFT_SEMAPHORE_INIT(UINT32_MAX);
static weft_barrier never_started;
static weft_event latch_of_two = WEFT_LATCH_INIT(2);
static weft_once once = WEFT_ONCE_INIT;
static weft_future future = WEFT_FUTURE_INIT, set_future = WEFT_FUTURE_INIT;
static uint64_t words[2];
static weft_syncvar empty_var = WEFT_SYNCVAR_EMPTY_INIT;
static uint64_t *const crooked = (uint64_t *)(void *)((char *)words + 4);
static weft_thread *ended, *tasklet; /* joinable */
static weft_pool *pool;
static weft_key deleted;
static const weft_key foreign_key = {5000, 1};

/* ---- outputs: each is filled with this before a call ---- */

static union {
  void *pointer;
  weft_thread *thread;
  weft_pool *pool;
  weft_key key;
  uint64_t word;
  unsigned number;
  bool truth;
  unsigned char bytes[16];
} out;
enum { MARK = 0xa5 };

static weft_thread_attr attr_with(size_t size, size_t stack_bytes, int worker, unsigned priority) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.size = size;
  attr.stack_bytes = stack_bytes;
  attr.worker = worker;
  attr.priority = priority;
  return attr;
}

static weft_status create_with(size_t size, size_t stack_bytes, int worker, unsigned priority) {
  const weft_thread_attr attr = attr_with(size, stack_bytes, worker, priority);
  return weft_thread_create(nothing, NULL, &attr, &out.thread);
}
static weft_status create_tasklet_with(size_t size, int worker, unsigned priority) {
  const weft_thread_attr attr = attr_with(size, 0, worker, priority);
  return weft_tasklet_create(nothing, NULL, &attr, &out.thread);
}
static weft_status create_many_with(size_t size, size_t stack_bytes, int worker, unsigned priority, void *stack) {
  weft_thread_attr attr = attr_with(size, stack_bytes, worker, priority);
  attr.stack = stack;
  return weft_thread_create_many(nothing, NULL, 0, 1, &attr, &out.thread);
}

static weft_status unlock_read_side(void) { return weft_rwlock_unlock(&free_rwlock); }

/* ---- the table ---- */

#define ATTR sizeof(weft_thread_attr)
#define EACH_CASE(DO)                                                                    \
  DO(WEFT_INVALID, weft_worker_add(NULL))                                                \
  DO(WEFT_INVALID, weft_worker_remove(1000))                                             \
  DO(WEFT_INVALID, weft_worker_remove(UINT32_MAX))                                       \
  DO(WEFT_BUSY, weft_worker_remove(0))                                                   \
  DO(WEFT_INVALID, weft_thread_create(NULL, NULL, NULL, &out.thread))                    \
  DO(WEFT_INVALID, create_with(ATTR - 1, 0, WEFT_ANY_WORKER, 0))                         \
  DO(WEFT_INVALID, create_with(ATTR, WEFT_STACK_MIN - 1, WEFT_ANY_WORKER, 0))            \
  DO(WEFT_NOMEM, create_with(ATTR, SIZE_MAX / 2, WEFT_ANY_WORKER, 0))                    \
  DO(WEFT_INVALID, create_with(ATTR, 0, 1000, 0))                                        \
  DO(WEFT_INVALID, create_with(ATTR, 0, -3, 0))                                          \
  DO(WEFT_INVALID, create_with(ATTR, 0, WEFT_ANY_WORKER, WEFT_POOL_PRIORITIES))          \
  DO(WEFT_INVALID, weft_thread_create_many(NULL, NULL, 0, 1, NULL, &out.thread))         \
  DO(WEFT_INVALID, create_many_with(0, 0, WEFT_ANY_WORKER, 0, NULL))                     \
  DO(WEFT_INVALID, create_many_with(ATTR, 1, WEFT_ANY_WORKER, 0, NULL))                  \
  DO(WEFT_INVALID, create_many_with(ATTR, 0, 1000, 0, NULL))                             \
  DO(WEFT_INVALID, create_many_with(ATTR, 0, WEFT_ANY_WORKER, UINT32_MAX, NULL))         \
  DO(WEFT_INVALID, create_many_with(ATTR, 1 << 16, WEFT_ANY_WORKER, 0, words))           \
  DO(WEFT_INVALID, weft_tasklet_create(NULL, NULL, NULL, &out.thread))                   \
  DO(WEFT_INVALID, create_tasklet_with(ATTR + 1, WEFT_ANY_WORKER, 0))                    \
  DO(WEFT_INVALID, create_tasklet_with(ATTR, 1000, 0))                                   \
  DO(WEFT_INVALID, create_tasklet_with(ATTR, WEFT_ANY_WORKER, 16))                       \
  DO(WEFT_INVALID, weft_thread_join(NULL))                                               \
  DO(WEFT_INVALID, weft_thread_join_until(NULL, WEFT_FOREVER))                           \
  DO(WEFT_INVALID, weft_thread_try_join(NULL))                                           \
  DO(WEFT_INVALID, weft_thread_join_many(NULL, 3))                                       \
  DO(WEFT_INVALID, weft_thread_detach(NULL))                                             \
  DO(WEFT_INVALID, weft_thread_set_name(NULL, "name"))                                   \
  DO(WEFT_INVALID, weft_thread_set_name(ended, NULL))                                    \
  DO(WEFT_INVALID, weft_yield_to(NULL))                                                  \
  DO(WEFT_INVALID, weft_yield_to(ended))                                                 \
  DO(WEFT_INVALID, weft_resume(NULL))                                                    \
  DO(WEFT_INVALID, weft_resume(ended))                                                   \
  DO(WEFT_INVALID, weft_resume(tasklet))                                                 \
  DO(WEFT_INVALID, weft_pin(1000))                                                       \
  DO(WEFT_INVALID, weft_pin(-2))                                                         \
  DO(WEFT_INVALID, weft_thread_migrate_to_worker(NULL, 0))                               \
  DO(WEFT_INVALID, weft_thread_migrate_to_worker(ended, 0))                              \
  DO(WEFT_INVALID, weft_thread_migrate_to_worker(weft_self(), 1000))                     \
  DO(WEFT_INVALID, weft_thread_migrate_to_pool(NULL, pool))                              \
  DO(WEFT_INVALID, weft_thread_migrate_to_pool(weft_self(), NULL))                       \
  DO(WEFT_INVALID, weft_thread_migrate_to_pool(ended, pool))                             \
  DO(WEFT_INVALID, weft_key_create(NULL, NULL))                                          \
  DO(WEFT_INVALID, weft_key_delete(deleted))                                             \
  DO(WEFT_INVALID, weft_key_delete(foreign_key))                                         \
  DO(WEFT_INVALID, weft_key_set(deleted, words))                                         \
  DO(WEFT_INVALID, weft_key_set(foreign_key, words))                                     \
  DO(WEFT_INVALID, weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, NULL))             \
  DO(WEFT_INVALID, weft_pool_create((weft_pool_kind)4, WEFT_POOL_SHARED, &out.pool))     \
  DO(WEFT_INVALID, weft_pool_create((weft_pool_kind) - 1, WEFT_POOL_SHARED, &out.pool))  \
  DO(WEFT_INVALID, weft_pool_create(WEFT_POOL_FIFO, (weft_pool_access)2, &out.pool))     \
  DO(WEFT_INVALID, weft_pool_destroy(NULL))                                              \
  DO(WEFT_INVALID, weft_pool_attach(NULL, 0))                                            \
  DO(WEFT_INVALID, weft_pool_attach(pool, 1000))                                         \
  DO(WEFT_INVALID, weft_pool_detach(NULL, 0))                                            \
  DO(WEFT_INVALID, weft_pool_detach(pool, 1000))                                         \
  DO(WEFT_INVALID, weft_pool_detach(pool, 0)) /* which does not serve it */              \
  DO(WEFT_INVALID, weft_mutex_lock(NULL))                                                \
  DO(WEFT_INVALID, weft_mutex_lock_until(NULL, 0))                                       \
  DO(WEFT_INVALID, weft_mutex_try_lock(NULL))                                            \
  DO(WEFT_INVALID, weft_mutex_unlock(NULL))                                              \
  DO(WEFT_NOT_OWNER, weft_mutex_unlock(&free_recursive))                                 \
  DO(WEFT_INVALID, weft_cond_wait(NULL, &mutex))                                         \
  DO(WEFT_INVALID, weft_cond_wait(&cond, NULL))                                          \
  DO(WEFT_INVALID, weft_cond_wait_until(NULL, &mutex, 0))                                \
  DO(WEFT_INVALID, weft_cond_wait_until(&cond, NULL, 0))                                 \
  DO(WEFT_NOT_OWNER, weft_cond_wait(&cond, &free_recursive))                             \
  DO(WEFT_INVALID, weft_cond_signal(NULL))                                               \
  DO(WEFT_INVALID, weft_cond_broadcast(NULL))                                            \
  DO(WEFT_INVALID, weft_rwlock_read_lock(NULL))                                          \
  DO(WEFT_INVALID, weft_rwlock_read_lock_until(NULL, 0))                                 \
  DO(WEFT_INVALID, weft_rwlock_try_read_lock(NULL))                                      \
  DO(WEFT_INVALID, weft_rwlock_write_lock(NULL))                                         \
  DO(WEFT_INVALID, weft_rwlock_write_lock_until(NULL, 0))                                \
  DO(WEFT_INVALID, weft_rwlock_try_write_lock(NULL))                                     \
  DO(WEFT_INVALID, weft_rwlock_unlock(NULL))                                             \
  DO(WEFT_NOT_OWNER, unlock_read_side())                                                 \
  DO(WEFT_INVALID, weft_semaphore_acquire(NULL))                                         \
  DO(WEFT_INVALID, weft_semaphore_acquire_until(NULL, 0))                                \
  DO(WEFT_INVALID, weft_semaphore_try_acquire(NULL))                                     \
  DO(WEFT_INVALID, weft_semaphore_release(NULL, 1))                                      \
  DO(WEFT_INVALID, weft_semaphore_release(&full_semaphore, 1))                           \
  DO(WEFT_INVALID, weft_semaphore_release(&full_semaphore, UINT32_MAX))                  \
  DO(WEFT_INVALID, weft_semaphore_release_from_handler(NULL, 1))                         \
  DO(WEFT_INVALID, weft_semaphore_release_from_handler(&full_semaphore, 1))              \
  DO(WEFT_INVALID, weft_barrier_init(NULL, 1))                                           \
  DO(WEFT_INVALID, weft_barrier_init(&never_started, 0))                                 \
  DO(WEFT_INVALID, weft_barrier_wait(NULL, &out.truth))                                  \
  DO(WEFT_INVALID, weft_barrier_wait(&never_started, &out.truth))                        \
  DO(WEFT_INVALID, weft_event_wait(NULL))                                                \
  DO(WEFT_INVALID, weft_event_wait_until(NULL, 0))                                       \
  DO(WEFT_INVALID, weft_event_set(NULL))                                                 \
  DO(WEFT_INVALID, weft_event_reset(NULL))                                               \
  DO(WEFT_INVALID, weft_latch_count_down(NULL, 1))                                       \
  DO(WEFT_INVALID, weft_latch_count_down(&latch_of_two, 3))                              \
  DO(WEFT_INVALID, weft_once_call(NULL, nothing, NULL))                                  \
  DO(WEFT_INVALID, weft_once_call(&once, NULL, NULL))                                    \
  DO(WEFT_INVALID, weft_future_set(NULL, NULL))                                          \
  DO(WEFT_BUSY, weft_future_set(&set_future, NULL))                                      \
  DO(WEFT_INVALID, weft_future_get(NULL, &out.pointer))                                  \
  DO(WEFT_INVALID, weft_future_get(&set_future, NULL))                                   \
  DO(WEFT_INVALID, weft_future_get_until(NULL, 0, &out.pointer))                         \
  DO(WEFT_INVALID, weft_future_get_until(&set_future, 0, NULL))                          \
  DO(WEFT_TIMEOUT, weft_future_get_until(&future, 0, &out.pointer))                      \
  DO(WEFT_BUSY, weft_feb_try_read_fe(&words[1], &out.word)) /* empty */                  \
  DO(WEFT_BUSY, weft_feb_try_read_ff(&words[1], &out.word))                              \
  DO(WEFT_TIMEOUT, weft_feb_read_fe_until(&words[1], 0, &out.word))                      \
  DO(WEFT_TIMEOUT, weft_feb_read_ff_until(&words[1], 0, &out.word))                      \
  DO(WEFT_BUSY, weft_feb_try_write_ef(&words[0], 1)) /* full */                          \
  DO(WEFT_TIMEOUT, weft_feb_write_ef_until(&words[0], 1, 0))                             \
  DO(WEFT_BUSY, weft_feb_try_write_ff(&words[1], 1))                                     \
  DO(WEFT_TIMEOUT, weft_feb_write_ff_until(&words[1], 1, 0))                             \
  DO(WEFT_INVALID, weft_feb_forget(NULL, 8))                                             \
  DO(WEFT_INVALID, weft_feb_forget(&words[1], SIZE_MAX))                                 \
  DO(WEFT_INVALID, weft_syncvar_read_fe(NULL, &out.word))                                \
  DO(WEFT_INVALID, weft_syncvar_read_ff(NULL, &out.word))                                \
  DO(WEFT_INVALID, weft_syncvar_read_xx(NULL, &out.word))                                \
  DO(WEFT_INVALID, weft_syncvar_try_read_fe(NULL, &out.word))                            \
  DO(WEFT_INVALID, weft_syncvar_try_read_ff(NULL, &out.word))                            \
  DO(WEFT_INVALID, weft_syncvar_read_fe_until(NULL, 0, &out.word))                       \
  DO(WEFT_TIMEOUT, weft_syncvar_read_fe_until(&empty_var, 0, &out.word))                 \
  DO(WEFT_INVALID, weft_syncvar_read_ff_until(NULL, 0, &out.word))                       \
  DO(WEFT_TIMEOUT, weft_syncvar_read_ff_until(&empty_var, 0, &out.word))                 \
  DO(WEFT_BUSY, weft_syncvar_try_read_fe(&empty_var, &out.word))                         \
  DO(WEFT_BUSY, weft_syncvar_try_read_ff(&empty_var, &out.word))                         \
  DO(WEFT_INVALID, weft_syncvar_write_ef(NULL, 1))                                       \
  DO(WEFT_INVALID, weft_syncvar_write_ff(NULL, 1))                                       \
  DO(WEFT_INVALID, weft_syncvar_write_f(NULL, 1))                                        \
  DO(WEFT_INVALID, weft_syncvar_add_f(NULL, 1, &out.word))                               \
  DO(WEFT_INVALID, weft_syncvar_try_write_ef(NULL, 1))                                   \
  DO(WEFT_INVALID, weft_syncvar_try_write_ff(NULL, 1))                                   \
  DO(WEFT_INVALID, weft_syncvar_purge_to(NULL, 1))                                       \
  DO(WEFT_INVALID, weft_syncvar_write_ef_until(NULL, 1, 0))                              \
  DO(WEFT_INVALID, weft_syncvar_write_ff_until(NULL, 1, 0))                              \
  DO(WEFT_INVALID, weft_syncvar_fill(NULL))                                              \
  DO(WEFT_INVALID, weft_syncvar_empty(NULL))                                             \
  DO(WEFT_INVALID, weft_syncvar_purge(NULL))                                             \
  DO(WEFT_INVALID, weft_syncvar_write_f(&empty_var, UINT64_MAX)) /* more than 60 bits */ \
  DO(WEFT_INVALID, weft_dump(-1))                                                        \
  DO(WEFT_INVALID, weft_trace_dump(NULL))

/* Each with null and with a word that is not aligned. */
#define EACH_WORD_CASE(DO)                       \
  DO(weft_feb_read_fe(word, &out.word))          \
  DO(weft_feb_read_ff(word, &out.word))          \
  DO(weft_feb_write_ef(word, 1))                 \
  DO(weft_feb_write_ff(word, 1))                 \
  DO(weft_feb_write_f(word, 1))                  \
  DO(weft_feb_read_xx(word, &out.word))          \
  DO(weft_feb_read_fe_until(word, 0, &out.word)) \
  DO(weft_feb_read_ff_until(word, 0, &out.word)) \
  DO(weft_feb_write_ef_until(word, 1, 0))        \
  DO(weft_feb_write_ff_until(word, 1, 0))        \
  DO(weft_feb_try_write_ff(word, 1))             \
  DO(weft_feb_purge_to(word, 1))                 \
  DO(weft_feb_try_read_fe(word, &out.word))      \
  DO(weft_feb_try_read_ff(word, &out.word))      \
  DO(weft_feb_try_write_ef(word, 1))             \
  DO(weft_feb_fill(word))                        \
  DO(weft_feb_empty(word))                       \
  DO(weft_feb_purge(word))

static int checked;

static void check_untouched(const char *call) {
  for (size_t i = 0; i < sizeof out.bytes; ++i) {
    if (out.bytes[i] == MARK) continue;
    fprintf(stderr, "[%s] %s wrote to its output\n", phase, call);
    abort();
  }
  ++checked;
}

#define CHECK_CASE(wanted, call)             \
  memset(out.bytes, MARK, sizeof out.bytes); \
  IS(wanted, call);                          \
  check_untouched(#call);
#define CHECK_WORD_CASE(call) CHECK_CASE(WEFT_INVALID, call)

static void check_table(void) { EACH_CASE(CHECK_CASE) }
static void check_words(uint64_t *word) { EACH_WORD_CASE(CHECK_WORD_CASE) }

/* Calls that return what they found. */
static void answers_to_nothing(void) {
  CHECK(weft_thread_id(NULL) == 0);
  CHECK(weft_thread_get_state(NULL) == WEFT_THREAD_ENDED);
  CHECK(!weft_thread_is_tasklet(NULL));
  CHECK(strcmp(weft_thread_get_name(NULL), "") == 0);
  CHECK(weft_key_get(deleted) == NULL && weft_key_get(foreign_key) == NULL);
  CHECK(weft_pool_ready_count(NULL) == 0 && weft_pool_total_count(NULL) == 0);
  CHECK(!weft_event_is_set(NULL) && !weft_future_is_set(NULL) && !weft_cond_has_waiters(NULL));
  CHECK(!weft_syncvar_is_full(NULL) && !weft_syncvar_is_full(&empty_var));
  CHECK(!weft_feb_is_full(NULL) && !weft_feb_is_full(crooked));
  OK(weft_thread_join_many(NULL, 0));
  CHECK(words[0] == 7 && words[1] == 8);
}

static void all(void *argument) {
  (void)argument;
  RUN(check_table);
  check_words(NULL);
  check_words(crooked);
  RUN(answers_to_nothing);
}

static void set_up(void) {
  ended = start(nothing, NULL);
  OK(weft_tasklet_create(nothing, NULL, NULL, &tasklet));
  wait_for_state(ended, WEFT_THREAD_ENDED);
  wait_for_state(tasklet, WEFT_THREAD_ENDED);
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_key_create(NULL, &deleted));
  OK(weft_key_delete(deleted));
  words[0] = 7;
  words[1] = 8;
  OK(weft_feb_empty(&words[1]));
}

static void tear_down(void) {
  OK(weft_feb_fill(&words[1]));
  OK(weft_thread_join(ended));
  OK(weft_thread_join(tasklet));
  OK(weft_pool_destroy(pool));
}

static void in_a_thread(void) {
  set_up();
  OK(weft_thread_join(start(all, NULL)));
  tear_down();
}

/* Without a runtime: a named status as well. */
static void without_a_runtime(void) {
  phase = "without a runtime";
  memset(out.bytes, MARK, sizeof out.bytes);
  IS(WEFT_NOT_INITIALIZED, weft_worker_add(&out.number));
  IS(WEFT_NOT_INITIALIZED, weft_worker_remove(0));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  IS(WEFT_NOT_INITIALIZED, weft_pool_attach(pool, 0));
  IS(WEFT_NOT_INITIALIZED, weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
  IS(WEFT_CANNOT_BLOCK, weft_pin(0));
  IS(WEFT_NOT_INITIALIZED, weft_dump(2));
  IS(WEFT_NOT_INITIALIZED, weft_trace_dump("/nonexistent/trace"));
  check_untouched("calls without a runtime");
  CHECK(weft_self() == NULL && weft_worker_self() == -1 && weft_worker_count() == 0);
}

int main(void) {
  OK(weft_future_set(&set_future, NULL));
  without_a_runtime();
  with_workers("one worker", 1, in_a_thread);
  with_workers("three workers", 3, in_a_thread);
  CHECK(checked > 200);
  without_a_runtime();
  return 0;
}
