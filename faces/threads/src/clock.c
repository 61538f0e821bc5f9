#include "clock.h"

#include <time.h>

enum { ns_per_second = 1000000000 };

uint64_t clock_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * ns_per_second + (uint64_t)now.tv_nsec;
}

uint64_t clock_deadline_in(uint64_t interval_ns) {
  const uint64_t now = clock_now_ns();
  return interval_ns > UINT64_MAX - now ? UINT64_MAX : now + interval_ns;
}

void clock_sleep_until(uint64_t deadline_ns) {
  const struct timespec until = {(time_t)(deadline_ns / ns_per_second), (long)(deadline_ns % ns_per_second)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  } /* a signal came */
}
