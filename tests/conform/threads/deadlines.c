/* Waits until a deadline on OS threads where the C library has no pthread_cond_clockwait: cond.c is
 * compiled for that, with a clock and a wait of this test's. No single wait is longer than a second,
 * however far the deadline, and none ends as timed out before it. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <weft_threads/manage.h>
#include <weft_threads/os/mutex.h>

#define SECOND UINT64_C(1000000000)
#define NEED(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s is wrong\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static uint64_t steady_ns, set_ns; /* the two clocks */
static uint64_t asked_ns;          /* until when the last wait was to last */
static int waits, answer;

int clock_gettime(clockid_t clock, struct timespec *now) { /* told_clock, by a macro */
  const uint64_t ns = clock == CLOCK_MONOTONIC ? steady_ns : set_ns;
  now->tv_sec = (time_t)(ns / SECOND);
  now->tv_nsec = (long)(ns % SECOND);
  return 0;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) { /* told_wait */
  (void)cond, (void)mutex;
  asked_ns = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec;
  if (answer == ETIMEDOUT && asked_ns > set_ns) steady_ns += asked_ns - set_ns, set_ns = asked_ns;
  waits++;
  return answer;
}

int main(void) {
  threads_cond cond = {0};
  threads_mutex mutex = {0};
  steady_ns = 100 * SECOND;
  set_ns = 1800000000 * SECOND;

  answer = ETIMEDOUT; /* far: a second, which is no time-out, however far */
  const uint64_t far_ns[] = {3600 * SECOND, UINT64_MAX / 2, THREADS_FOREVER - 1};
  for (size_t each = 0; each < sizeof far_ns / sizeof far_ns[0]; ++each) {
    const uint64_t before_ns = set_ns;
    NEED(threads_os_cond_wait_until(&cond, &mutex, far_ns[each]) == THREADS_OK);
    NEED(asked_ns == before_ns + SECOND);
  }

  const uint64_t deadline_ns = steady_ns + 5 * SECOND / 2; /* near: two seconds and the half that is left */
  waits = 0;
  threads_status status = THREADS_OK;
  while (status == THREADS_OK) status = threads_os_cond_wait_until(&cond, &mutex, deadline_ns);
  NEED(status == THREADS_TIMEOUT);
  NEED(waits == 3 && steady_ns == deadline_ns);
  NEED(threads_os_cond_wait_until(&cond, &mutex, deadline_ns - SECOND) == THREADS_TIMEOUT); /* past */
  NEED(asked_ns == set_ns);

  set_ns -= 86400 * SECOND; /* a clock that was set back counts for nothing */
  NEED(threads_os_cond_wait_until(&cond, &mutex, steady_ns + 10) == THREADS_TIMEOUT);

  answer = 0;
  NEED(threads_os_cond_wait_until(&cond, &mutex, steady_ns + SECOND) == THREADS_OK);
  answer = EPERM;
  NEED(threads_os_cond_wait_until(&cond, &mutex, steady_ns + SECOND) == THREADS_NOT_OWNER);
  return 0;
}
