/* Weft's threads interface as Open MPI's threads: mutexes and conditions, inlined into
 * opal/mca/threads/mutex.h. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_MUTEX_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_MUTEX_H

#include "opal/class/opal_object.h"
#include "opal/mca/threads/mutex.h"
#include "opal/mca/threads/weft/threads_weft_choice.h"

BEGIN_C_DECLS

typedef threads_lock opal_thread_internal_mutex_t;
#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER THREADS_LOCK_INIT
#define OPAL_THREAD_INTERNAL_RECURSIVE_MUTEX_INITIALIZER THREADS_LOCK_RECURSIVE_INIT

static inline int opal_thread_internal_mutex_init(opal_thread_internal_mutex_t *mutex, bool recursive) {
  const threads_lock plain = THREADS_LOCK_INIT, reentrant = THREADS_LOCK_RECURSIVE_INIT;
  *mutex = recursive ? reentrant : plain;
  return OPAL_SUCCESS;
}

static inline void opal_thread_internal_mutex_lock(opal_thread_internal_mutex_t *mutex) {
  opal_threads_weft_choice_must("mutex lock", threads_lock_acquire(mutex));
}

/* Returns 0 if the caller has it now. */
static inline int opal_thread_internal_mutex_trylock(opal_thread_internal_mutex_t *mutex) {
  return threads_lock_try_acquire(mutex) == THREADS_OK ? 0 : 1;
}

/* The framework skips locks while threads are not used, which may change before the unlock: that then
 * finds the mutex free, and leaves it so. */
static inline void opal_thread_internal_mutex_unlock(opal_thread_internal_mutex_t *mutex) {
  const threads_status status = threads_lock_release(mutex);
  if (__builtin_expect(status == THREADS_CANNOT_BLOCK, 0)) opal_threads_weft_choice_give_up("mutex unlock", status);
}

static inline void opal_thread_internal_mutex_destroy(opal_thread_internal_mutex_t *mutex) {
  (void)threads_lock_destroy(mutex); /* one that is held stays */
}

/* A list of waiters that only park, with a lock of its own: the framework's mutex may be recursive,
 * and need not be held by a caller that signals. */
typedef struct {
  threads_lock lock;
  threads_progress_cond waiters;
  threads_progress parked;
} opal_thread_internal_cond_t;
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER \
  {THREADS_LOCK_INIT, THREADS_PROGRESS_COND_INIT, THREADS_PROGRESS_INIT(NULL, NULL, 1)}

static inline int opal_thread_internal_cond_init(opal_thread_internal_cond_t *cond) {
  const opal_thread_internal_cond_t fresh = OPAL_THREAD_INTERNAL_COND_INITIALIZER;
  *cond = fresh;
  return OPAL_SUCCESS;
}

static inline void opal_thread_internal_cond_wait(opal_thread_internal_cond_t *cond, opal_thread_internal_mutex_t *mutex) {
  opal_threads_weft_choice_must("condition wait", threads_lock_acquire(&cond->lock));
  opal_thread_internal_mutex_unlock(mutex);
  opal_threads_weft_choice_must("condition wait", threads_progress_cond_wait(&cond->waiters, &cond->lock, &cond->parked));
  opal_threads_weft_choice_must("condition wait", threads_lock_release(&cond->lock));
  opal_thread_internal_mutex_lock(mutex);
}

static inline void opal_thread_internal_cond_signal(opal_thread_internal_cond_t *cond) {
  opal_threads_weft_choice_must("condition signal", threads_lock_acquire(&cond->lock));
  opal_threads_weft_choice_must("condition signal", threads_progress_cond_signal(&cond->waiters));
  opal_threads_weft_choice_must("condition signal", threads_lock_release(&cond->lock));
}

static inline void opal_thread_internal_cond_broadcast(opal_thread_internal_cond_t *cond) {
  opal_threads_weft_choice_must("condition broadcast", threads_lock_acquire(&cond->lock));
  opal_threads_weft_choice_must("condition broadcast", threads_progress_cond_broadcast(&cond->waiters));
  opal_threads_weft_choice_must("condition broadcast", threads_lock_release(&cond->lock));
}

static inline void opal_thread_internal_cond_destroy(opal_thread_internal_cond_t *cond) {
  (void)threads_lock_destroy(&cond->lock);
  (void)threads_lock_destroy(&cond->parked.lock);
}

END_C_DECLS

#endif
