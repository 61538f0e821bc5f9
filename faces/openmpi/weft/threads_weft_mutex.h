/* Weft as Open MPI's threads: mutexes and conditions, inlined into opal/mca/threads/mutex.h.
 *
 * An unlock does not yield: a waiter that lost the lock once is handed it, so that none starves. A
 * waiter parks, and its worker goes on with other threads. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_MUTEX_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_MUTEX_H

#include "opal/class/opal_object.h"
#include "opal/mca/threads/mutex.h"
#include "opal/mca/threads/weft/threads_weft.h"

BEGIN_C_DECLS

typedef weft_mutex opal_thread_internal_mutex_t;
#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER WEFT_MUTEX_INIT
#define OPAL_THREAD_INTERNAL_RECURSIVE_MUTEX_INITIALIZER WEFT_MUTEX_RECURSIVE_INIT

static inline int opal_thread_internal_mutex_init(opal_thread_internal_mutex_t *mutex, bool recursive) {
  const weft_mutex plain = WEFT_MUTEX_INIT, reentrant = WEFT_MUTEX_RECURSIVE_INIT;
  *mutex = recursive ? reentrant : plain;
  return OPAL_SUCCESS;
}

static inline void opal_thread_internal_mutex_lock(opal_thread_internal_mutex_t *mutex) {
  opal_threads_weft_must("mutex lock", weft_mutex_lock(mutex));
}

/* Returns 0 if the caller has it now. */
static inline int opal_thread_internal_mutex_trylock(opal_thread_internal_mutex_t *mutex) {
  return weft_mutex_try_lock(mutex) == WEFT_OK ? 0 : 1;
}

/* The framework skips locks while threads are not used, which may change before the unlock: that then
 * finds the mutex free, and leaves it so. */
static inline void opal_thread_internal_mutex_unlock(opal_thread_internal_mutex_t *mutex) { (void)weft_mutex_unlock(mutex); }

static inline void opal_thread_internal_mutex_destroy(opal_thread_internal_mutex_t *mutex) {
  (void)mutex; /* it has nothing attached */
}

typedef weft_cond opal_thread_internal_cond_t;
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER WEFT_COND_INIT

static inline int opal_thread_internal_cond_init(opal_thread_internal_cond_t *cond) {
  const weft_cond fresh = WEFT_COND_INIT;
  *cond = fresh;
  return OPAL_SUCCESS;
}

static inline void opal_thread_internal_cond_wait(opal_thread_internal_cond_t *cond, opal_thread_internal_mutex_t *mutex) {
  opal_threads_weft_must("condition wait", weft_cond_wait(cond, mutex));
}

static inline void opal_thread_internal_cond_signal(opal_thread_internal_cond_t *cond) {
  opal_threads_weft_must("condition signal", weft_cond_signal(cond));
}

static inline void opal_thread_internal_cond_broadcast(opal_thread_internal_cond_t *cond) {
  opal_threads_weft_must("condition broadcast", weft_cond_broadcast(cond));
}

static inline void opal_thread_internal_cond_destroy(opal_thread_internal_cond_t *cond) {
  (void)cond; /* it has nothing attached */
}

END_C_DECLS

#endif
