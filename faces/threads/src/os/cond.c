/* Waits at conditions, which are counted. */
#include "engine.h"

#include <errno.h>
#include <time.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/os/mutex.h>

static threads_status refuse(threads_status status, const char *call, const threads_mutex *mutex) {
  if (status == THREADS_TIMEOUT) return threads_fail(status, call, NULL, "the deadline passed", 0);
  return threads_fail_at(status, call, "mutex", "the caller does not hold it (%p)", mutex);
}

threads_status threads_os_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait", "mutex");
  os_queue_blocked(1);
  const int error = pthread_cond_wait(threads_os_cond(cond), threads_os_mutex(mutex));
  os_queue_blocked(-1);
  return error == 0 ? THREADS_OK : refuse(THREADS_NOT_OWNER, "threads_cond_wait", mutex);
}

threads_status threads_os_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait_until", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait_until", "mutex");
  if (deadline_ns == THREADS_FOREVER) {
    const threads_status status = threads_os_cond_wait(cond, mutex);
    return status == THREADS_OK ? status : threads_fail_as(status, "threads_cond_wait_until");
  }
  const struct timespec until = {(time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u)};
  os_queue_blocked(1);
  const int error = pthread_cond_clockwait(threads_os_cond(cond), threads_os_mutex(mutex), CLOCK_MONOTONIC, &until);
  os_queue_blocked(-1);
  if (error == 0) return THREADS_OK;
  return refuse(error == ETIMEDOUT ? THREADS_TIMEOUT : THREADS_NOT_OWNER, "threads_cond_wait_until", mutex);
}
