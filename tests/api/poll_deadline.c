/* weft_wait_poll by an OS thread outside: between two looks it sleeps no longer than until its
 * deadline. The program sees each sleep, by a clock_nanosleep of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <weft/polled.h>
#include <weft/weft.h>

#include "check.h"

static uint64_t latest_ns; /* until when it wanted to sleep */
static int sleeps;

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
  if (clock == CLOCK_MONOTONIC && (flags & TIMER_ABSTIME) != 0) {
    const uint64_t until_ns = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec;
    if (until_ns > latest_ns) latest_ns = until_ns;
    ++sleeps;
  }
  return syscall(SYS_clock_nanosleep, clock, flags, until, left) == 0 ? 0 : errno;
}

static bool never(void *argument) {
  (void)argument;
  return false;
}

int main(void) {
  for (uint64_t each = 0; each < 10; ++each) {
    latest_ns = 0;
    const uint64_t deadline_ns = weft_deadline_in(10 * MILLISECOND + each * 77 * MICROSECOND);
    IS(WEFT_TIMEOUT, weft_wait_poll(never, NULL, deadline_ns));
    CHECK(latest_ns <= deadline_ns);
  }
  CHECK(sleeps > 0);
  return 0;
}
