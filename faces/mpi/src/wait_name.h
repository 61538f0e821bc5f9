/* What a call that waits is called in traces, and since when it waits. */
#ifndef WEFT_MPI_WAIT_NAME_H
#define WEFT_MPI_WAIT_NAME_H

#include <stdint.h>
#include <time.h>

/* Reports leave out all but the name of the function. */
#define WAIT_NAME(CALL) "mpi: " CALL " (ns)"
#define WAIT_NAME_BEGIN (sizeof "mpi: " - 1)
#define WAIT_NAME_END (sizeof " (ns)" - 1)

static inline uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
