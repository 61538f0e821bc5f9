/* libevent's locks and conditions, as Weft's: what libevent_pthreads has by the same name.
 *
 * A ULT that waits at one of them parks, and its worker goes on; with those of libevent_pthreads
 * the worker waits, and the thread that would end the wait may be in its queue. OS threads wait in
 * the kernel as before. */
#include <event2/thread.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <weft/weft.h>

/* They are found in the libevent that the program has; there are several libraries with them. */
#pragma weak evthread_set_lock_callbacks
#pragma weak evthread_set_condition_callbacks
#pragma weak evthread_set_id_callback

/* libevent takes no error of a lock for an answer. */
static void must(weft_status status, const char *call) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "libweft-event: %s: %s (%s)%s\n", call, weft_status_name(status), weft_last_error(),
          status == WEFT_CANNOT_BLOCK ? ": call libevent in a thread, not in a tasklet or a callback of Weft's" : "");
  abort();
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void *make_lock(unsigned kind) {
  const weft_mutex plain = WEFT_MUTEX_INIT;
  const weft_mutex recursive = WEFT_MUTEX_RECURSIVE_INIT;
  weft_mutex *const mutex = malloc(sizeof *mutex);
  if (mutex != NULL) *mutex = kind & EVTHREAD_LOCKTYPE_RECURSIVE ? recursive : plain;
  return mutex;
}

static void free_lock(void *mutex, unsigned kind) {
  (void)kind;
  free(mutex);
}

/* A child of fork(2), where Weft's runtime is gone and event_reinit begins libevent anew: its one OS
 * thread needs no lock. */
static bool needs_no_lock(weft_status status) { return status == WEFT_UNSUPPORTED; }

static int lock(unsigned mode, void *mutex) {
  const weft_status status = mode & EVTHREAD_TRY ? weft_mutex_try_lock(mutex) : weft_mutex_lock(mutex);
  if (status == WEFT_OK || needs_no_lock(status)) return 0;
  if (mode & EVTHREAD_TRY) return 1;
  must(status, "lock");
  return 0;
}

static int unlock(unsigned mode, void *mutex) {
  (void)mode;
  const weft_status status = weft_mutex_unlock(mutex);
  if (!needs_no_lock(status)) must(status, "unlock");
  return 0;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void *make_condition(unsigned kind) {
  const weft_cond fresh = WEFT_COND_INIT;
  weft_cond *const condition = malloc(sizeof *condition);
  (void)kind;
  if (condition != NULL) *condition = fresh;
  return condition;
}

static int signal_condition(void *condition, int is_for_all) {
  return (is_for_all ? weft_cond_broadcast(condition) : weft_cond_signal(condition)) == WEFT_OK ? 0 : -1;
}

static uint64_t deadline_of(const struct timeval *timeout) {
  return weft_now_ns() + (uint64_t)timeout->tv_sec * 1000000000U + (uint64_t)timeout->tv_usec * 1000U;
}

static int wait_condition(void *condition, void *mutex, const struct timeval *timeout) {
  const weft_status status =
      timeout == NULL ? weft_cond_wait(condition, mutex) : weft_cond_wait_until(condition, mutex, deadline_of(timeout));
  if (status == WEFT_TIMEOUT) return 1;
  must(status, "condition wait");
  return 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A ULT runs a loop, or an OS thread outside: numbers of ULTs are small, and addresses are not. */
static unsigned long caller(void) {
  weft_thread *const self = weft_self();
  return self != NULL ? (unsigned long)weft_thread_id(self) : (unsigned long)pthread_self();
}

__attribute__((visibility("default"))) int evthread_use_pthreads(void) {
  static const struct evthread_lock_callbacks locks = {
      EVTHREAD_LOCK_API_VERSION, EVTHREAD_LOCKTYPE_RECURSIVE, make_lock, free_lock, lock, unlock};
  static const struct evthread_condition_callbacks conditions = {EVTHREAD_CONDITION_API_VERSION, make_condition, free,
                                                                 signal_condition, wait_condition};
  if (evthread_set_lock_callbacks == NULL || evthread_set_condition_callbacks == NULL || evthread_set_id_callback == NULL) {
    fprintf(stderr, "libweft-event: the program has no libevent; link it with -levent or -levent_core\n");
    return -1;
  }
  if (evthread_set_lock_callbacks(&locks) != 0 || evthread_set_condition_callbacks(&conditions) != 0)
    return -1; /* libevent says so */
  evthread_set_id_callback(caller);
  return 0;
}
