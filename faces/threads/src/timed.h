/* What progress.c has for turn.c: a wait for a wait-sync that a deadline ends. */
#ifndef WEFT_THREADS_SRC_TIMED_H
#define WEFT_THREADS_SRC_TIMED_H

#include <weft_threads/progress.h>

/* As threads_wait_sync_wait, until deadline_ns (PARKING_NO_DEADLINE: without end). Else, beside that
 * call's: THREADS_TIMEOUT, and the wait-sync is not done; updates may still come. */
threads_status timed_wait(threads_wait_sync *sync, int *outcome, uint64_t deadline_ns);

#endif
