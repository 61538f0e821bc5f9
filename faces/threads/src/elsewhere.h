/* The OS thread on which another library's runtime starts and ends where the caller of
 * threads_start stays outside of it. One for each implementation, which brings what runs there:
 * it starts the runtime, says so by elsewhere_tell, and if that went well waits, in the
 * runtime's own way, until it is to stop it. */
#ifndef WEFT_THREADS_ELSEWHERE_H
#define WEFT_THREADS_ELSEWHERE_H

#include <pthread.h>
#include <stdbool.h>

#include <weft_threads/types.h>

typedef struct elsewhere {
  pthread_t os_thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool is_told;
  threads_status status;
} elsewhere;
#define ELSEWHERE_INIT {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}

static inline void elsewhere_tell(elsewhere *it, threads_status status) {
  pthread_mutex_lock(&it->mutex);
  it->status = status;
  it->is_told = true;
  pthread_cond_signal(&it->changed);
  pthread_mutex_unlock(&it->mutex);
}

/* Returns what was told; it has ended where that is no THREADS_OK. THREADS_AGAIN: there is no OS
 * thread. */
static inline threads_status elsewhere_start(elsewhere *it, void *(*function)(void *argument), void *argument) {
  it->is_told = false;
  if (pthread_create(&it->os_thread, NULL, function, argument) != 0) return THREADS_AGAIN;
  pthread_mutex_lock(&it->mutex);
  while (!it->is_told) pthread_cond_wait(&it->changed, &it->mutex);
  pthread_mutex_unlock(&it->mutex);
  if (it->status != THREADS_OK) pthread_join(it->os_thread, NULL);
  return it->status;
}

#endif
