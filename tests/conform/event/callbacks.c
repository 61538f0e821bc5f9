/* The functions that libweft-event gives to libevent, called as libevent calls them: this program
 * stands in for libevent. */
#include <event2/thread.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "check.h"

static struct evthread_lock_callbacks locks;
static struct evthread_condition_callbacks conditions;
static unsigned long (*id)(void);

int evthread_set_lock_callbacks(const struct evthread_lock_callbacks *given) {
  locks = *given;
  return 0;
}
int evthread_set_condition_callbacks(const struct evthread_condition_callbacks *given) {
  conditions = *given;
  return 0;
}
void evthread_set_id_callback(unsigned long (*given)(void)) { id = given; }

static void *lock, *condition;
static atomic_int waiting, woken;
static unsigned long ids[2];

static void *try_lock(void *argument) {
  *(int *)argument = locks.lock(EVTHREAD_TRY, lock);
  if (*(int *)argument == 0) CHECK(locks.unlock(0, lock) == 0);
  return NULL;
}
static int tried_elsewhere(void) {
  int result;
  join_os(start_os(try_lock, &result));
  return result;
}

static void locks_and_tries(void) {
  for (unsigned kind = 0; kind <= EVTHREAD_LOCKTYPE_RECURSIVE; kind += EVTHREAD_LOCKTYPE_RECURSIVE) {
    CHECK((lock = locks.alloc(kind)) != NULL);
    CHECK(locks.lock(0, lock) == 0);
    CHECK(tried_elsewhere() != 0);
    if (kind != 0) CHECK(locks.lock(EVTHREAD_TRY, lock) == 0);
    if (kind != 0) CHECK(locks.unlock(0, lock) == 0);
    CHECK(tried_elsewhere() != 0);
    CHECK(locks.unlock(0, lock) == 0);
    CHECK(tried_elsewhere() == 0);
    locks.free(lock, kind);
  }
}

static void wait_for_signal(void *argument) {
  (void)argument;
  CHECK(locks.lock(0, lock) == 0);
  ++waiting;
  CHECK(conditions.wait_condition(condition, lock, NULL) == 0);
  ++woken;
  CHECK(locks.unlock(0, lock) == 0);
}

/* The signaller has the lock, so that the threads that count as waiting do wait. */
static void signal_all(int is_for_all) {
  CHECK(locks.lock(0, lock) == 0);
  CHECK(conditions.signal_condition(condition, is_for_all) == 0);
  CHECK(locks.unlock(0, lock) == 0);
}

static void conditions_wake(void) {
  weft_thread *waiters[3];
  const struct timeval soon = {0, 2000};
  CHECK((lock = locks.alloc(EVTHREAD_LOCKTYPE_RECURSIVE)) != NULL && (condition = conditions.alloc_condition(0)) != NULL);
  for (int i = 0; i < 3; ++i) waiters[i] = start(wait_for_signal, NULL);
  while (waiting != 3) weft_yield();
  signal_all(0);
  while (woken == 0) weft_yield();
  CHECK(woken == 1);
  signal_all(1);
  for (int i = 0; i < 3; ++i) OK(weft_thread_join(waiters[i]));
  CHECK(woken == 3);

  const uint64_t begin = weft_now_ns();
  CHECK(locks.lock(0, lock) == 0 && conditions.wait_condition(condition, lock, &soon) == 1);
  CHECK(weft_now_ns() - begin >= 2000000);
  CHECK(tried_elsewhere() != 0); /* it is held again */
  CHECK(locks.unlock(0, lock) == 0);
  conditions.free_condition(condition);
  locks.free(lock, EVTHREAD_LOCKTYPE_RECURSIVE);
}

static void note_id(void *at) { *(unsigned long *)at = id(); }
static void *note_id_outside(void *at) {
  note_id(at);
  return NULL;
}

static void ids_differ(void) {
  weft_thread *const one = start(note_id, &ids[0]);
  weft_thread *const other = start(note_id, &ids[1]);
  const unsigned long mine = id();
  OK(weft_thread_join(one));
  OK(weft_thread_join(other));
  CHECK(mine == id() && mine != ids[0] && mine != ids[1] && ids[0] != ids[1]);
  join_os(start_os(note_id_outside, &ids[1]));
  CHECK(mine != ids[1] && ids[0] != ids[1]);
}

int main(void) {
  CHECK(evthread_use_pthreads() == 0);
  CHECK(locks.lock_api_version == EVTHREAD_LOCK_API_VERSION &&
        conditions.condition_api_version == EVTHREAD_CONDITION_API_VERSION);
  CHECK((locks.supported_locktypes & EVTHREAD_LOCKTYPE_RECURSIVE) != 0);
  locks_and_tries();
  init(1);
  locks_and_tries();
  conditions_wake();
  ids_differ();
  OK(weft_finalize());
  locks_and_tries();
  return 0;
}
