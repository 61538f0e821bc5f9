/* Waits at conditions, which are counted. */
#include "engine.h"

#include <errno.h>
#include <time.h>

#include <weft_threads/os/mutex.h>

threads_status threads_os_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  if (cond == NULL || mutex == NULL) return THREADS_INVALID;
  os_queue_blocked(1);
  const int error = pthread_cond_wait(threads_os_cond(cond), threads_os_mutex(mutex));
  os_queue_blocked(-1);
  return error == 0 ? THREADS_OK : THREADS_NOT_OWNER;
}

threads_status threads_os_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  if (cond == NULL || mutex == NULL) return THREADS_INVALID;
  if (deadline_ns == THREADS_FOREVER) return threads_os_cond_wait(cond, mutex);
  const struct timespec until = {(time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u)};
  os_queue_blocked(1);
  const int error = pthread_cond_clockwait(threads_os_cond(cond), threads_os_mutex(mutex), CLOCK_MONOTONIC, &until);
  os_queue_blocked(-1);
  return error == 0 ? THREADS_OK : error == ETIMEDOUT ? THREADS_TIMEOUT : THREADS_NOT_OWNER;
}
