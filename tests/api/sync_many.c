/* Many waiters on one object: a call that releases all of them releases all, however many there
 * are, and one that releases some leaves none out. What leaves a waiter behind hangs here. */
#include <string.h>

#include "check.h"

enum { WAITERS = 200 }; /* more than any list of a fixed size that a waker might have */

static union {
  struct {
    weft_mutex mutex;
    weft_cond cond;
    bool is_open;
  } gate;
  weft_event event;
  weft_future future;
  weft_barrier barrier;
  weft_rwlock rwlock;
  weft_semaphore semaphore;
  uint64_t full_or_empty;
  _Atomic uint32_t word;
} object;

static atomic_int passed;

static void at_condition(void *unused) {
  (void)unused;
  OK(weft_mutex_lock(&object.gate.mutex));
  while (!object.gate.is_open) OK(weft_cond_wait(&object.gate.cond, &object.gate.mutex));
  OK(weft_mutex_unlock(&object.gate.mutex));
  atomic_fetch_add(&passed, 1);
}

static void open_condition(void) {
  OK(weft_mutex_lock(&object.gate.mutex));
  object.gate.is_open = true;
  OK(weft_cond_broadcast(&object.gate.cond));
  CHECK(!weft_cond_has_waiters(&object.gate.cond));
  OK(weft_mutex_unlock(&object.gate.mutex));
}

static void at_event(void *unused) {
  (void)unused;
  OK(weft_event_wait(&object.event));
  atomic_fetch_add(&passed, 1);
}

static void open_event(void) { OK(weft_event_set(&object.event)); }

static void at_future(void *unused) {
  (void)unused;
  void *value = NULL;
  OK(weft_future_get(&object.future, &value));
  CHECK(value == &passed);
  atomic_fetch_add(&passed, 1);
}

static void open_future(void) { OK(weft_future_set(&object.future, &passed)); }

static void at_barrier(void *unused) {
  (void)unused;
  bool is_last = true;
  OK(weft_barrier_wait(&object.barrier, &is_last));
  CHECK(!is_last);
  atomic_fetch_add(&passed, 1);
}

static void close_barrier(void) { OK(weft_barrier_init(&object.barrier, WAITERS + 1)); }

static void open_barrier(void) {
  bool is_last = false;
  OK(weft_barrier_wait(&object.barrier, &is_last));
  CHECK(is_last);
}

static void at_rwlock(void *unused) {
  (void)unused;
  OK(weft_rwlock_read_lock(&object.rwlock));
  atomic_fetch_add(&passed, 1);
  wait_for(&passed, WAITERS); /* all readers are in at once */
  OK(weft_rwlock_unlock(&object.rwlock));
}

static void close_rwlock(void) { OK(weft_rwlock_write_lock(&object.rwlock)); }
static void open_rwlock(void) { OK(weft_rwlock_unlock(&object.rwlock)); }

static void at_semaphore(void *unused) {
  (void)unused;
  OK(weft_semaphore_acquire(&object.semaphore));
  atomic_fetch_add(&passed, 1);
}

static void open_semaphore(void) {
  OK(weft_semaphore_release(&object.semaphore, WAITERS));
  wait_for(&passed, WAITERS);
  IS(WEFT_BUSY, weft_semaphore_try_acquire(&object.semaphore));
}

static void at_full_word(void *unused) {
  (void)unused;
  uint64_t value = 0;
  OK(weft_feb_read_ff(&object.full_or_empty, &value));
  CHECK(value == 7);
  atomic_fetch_add(&passed, 1);
}

static void close_full_word(void) { OK(weft_feb_empty(&object.full_or_empty)); }
static void open_full_word(void) { OK(weft_feb_write_f(&object.full_or_empty, 7)); }

static void at_word(void *unused) {
  (void)unused;
  while (atomic_load(&object.word) == 0) OK(weft_word_wait(&object.word, sizeof object.word, 0, WEFT_FOREVER));
  atomic_fetch_add(&passed, 1);
}

static void open_word(void) {
  atomic_store(&object.word, 1);
  CHECK(weft_word_wake(&object.word, SIZE_MAX) == WAITERS);
}

static void all_pass(void (*close)(void), weft_function waiter, void (*open)(void)) {
  static weft_thread *threads[WAITERS];
  memset(&object, 0, sizeof object);
  atomic_store(&passed, 0);
  if (close != NULL) close();
  for (int i = 0; i < WAITERS; ++i) threads[i] = start(waiter, NULL);
  for (int i = 0; i < WAITERS; ++i) wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
  CHECK(atomic_load(&passed) == 0);
  open();
  wait_for(&passed, WAITERS);
  OK(weft_thread_join_many(threads, WAITERS));
}

static void conditions(void) { all_pass(NULL, at_condition, open_condition); }
static void events(void) { all_pass(NULL, at_event, open_event); }
static void futures(void) { all_pass(NULL, at_future, open_future); }
static void barriers(void) { all_pass(close_barrier, at_barrier, open_barrier); }
static void rwlocks(void) { all_pass(close_rwlock, at_rwlock, open_rwlock); }
static void semaphores(void) { all_pass(NULL, at_semaphore, open_semaphore); }
static void full_words(void) { all_pass(close_full_word, at_full_word, open_full_word); }
static void words(void) { all_pass(NULL, at_word, open_word); }

static void each_object(void) {
  RUN(conditions);
  RUN(events);
  RUN(futures);
  RUN(barriers);
  RUN(rwlocks);
  RUN(semaphores);
  RUN(full_words);
  RUN(words);
}

int main(void) {
  with_workers("one worker", 1, each_object);
  with_workers("three workers", 3, each_object);
  return 0;
}
