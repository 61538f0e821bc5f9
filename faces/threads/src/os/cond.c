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

/* THREADS_NO_CLOCKWAIT: a test of what is done without that call. */
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ) && !defined(THREADS_NO_CLOCKWAIT)
#if __GLIBC_PREREQ(2, 30)
#define HAS_CLOCKWAIT 1
#endif
#endif

/* Until a deadline on the steady clock. */
#if defined(HAS_CLOCKWAIT)
static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns) {
  const struct timespec until = {(time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u)};
  return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &until);
}
#else /* On the clock that may be set, a second at most, so that no change of it counts for longer than that wait, and no sum
       * overflows. Where that second is over first, the wait ends without a cause, as any wait at a condition may: to wait
       * on would miss a signal of meanwhile. */
#define LONGEST_WAIT_NS 1000000000u

static uint64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns) {
  const uint64_t now = now_ns(CLOCK_MONOTONIC);
  uint64_t rest_ns = deadline_ns > now ? deadline_ns - now : 0;
  if (rest_ns > LONGEST_WAIT_NS) rest_ns = LONGEST_WAIT_NS;
  const uint64_t until_ns = now_ns(CLOCK_REALTIME) + rest_ns;
  const struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
  const int error = pthread_cond_timedwait(cond, mutex, &until);
  return error == ETIMEDOUT && now_ns(CLOCK_MONOTONIC) < deadline_ns ? 0 : error;
}
#endif

threads_status threads_os_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait_until", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait_until", "mutex");
  if (deadline_ns == THREADS_FOREVER) {
    const threads_status status = threads_os_cond_wait(cond, mutex);
    return status == THREADS_OK ? status : threads_fail_as(status, "threads_cond_wait_until");
  }
  os_queue_blocked(1);
  const int error = wait_until(threads_os_cond(cond), threads_os_mutex(mutex), deadline_ns);
  os_queue_blocked(-1);
  if (error == 0) return THREADS_OK;
  return refuse(error == ETIMEDOUT ? THREADS_TIMEOUT : THREADS_NOT_OWNER, "threads_cond_wait_until", mutex);
}
