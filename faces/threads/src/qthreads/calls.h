/* The calls of threads.h on Qthreads: hidden in the module, so that they are not taken for the
 * library's own. And what its files share.
 *
 * What waits does so at full/empty words. Qthreads keeps their state beside them, by address,
 * and a fill touches nothing but that: so it may come after the word's memory went, and wakes at
 * worst a thread that looks again. */
#ifndef WEFT_THREADS_SRC_QTHREADS_CALLS_H
#define WEFT_THREADS_SRC_QTHREADS_CALLS_H

#include <qthread/qthread.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/types.h>

/* ---- thread.c ---- */
threads_status threads_create(threads_function function, void *argument, threads_thread **out);
threads_status threads_join(threads_thread *thread);
uint64_t threads_self_id(void);
bool threads_self_compare(const threads_thread *thread);
void threads_yield(void);
threads_status threads_sleep_ns(uint64_t interval_ns);
threads_status threads_list_start(threads_list *list);
threads_status threads_list_wait(threads_list *list);

bool is_outside(void);
threads_status adopt_caller(void); /* it has become a task */
void release_caller(void);
void wait_for_all_threads(void); /* by a task */

/* ---- mutex.c ---- */
threads_status threads_mutex_lock(threads_mutex *mutex);
threads_status threads_mutex_try_lock(threads_mutex *mutex);
threads_status threads_mutex_unlock(threads_mutex *mutex);
threads_status threads_mutex_destroy(threads_mutex *mutex);

/* ---- cond.c ---- */
threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex);
threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns);
threads_status threads_cond_signal(threads_cond *cond);
threads_status threads_cond_broadcast(threads_cond *cond);
threads_status threads_cond_destroy(threads_cond *cond);

/* ---- thread.c: values of keys, which the tasks hold ---- */
threads_status threads_key_create(void (*destructor)(void *value), threads_key *out);
threads_status threads_key_delete(threads_key key);
threads_status threads_key_set(threads_key key, void *value);
void *threads_key_get(threads_key key);

/* ---- runtime.c ---- */
threads_status runtime_start(const threads_config *config);
threads_status runtime_stop(void);
unsigned runtime_features(void);
unsigned runtime_worker_count(void);

#endif
