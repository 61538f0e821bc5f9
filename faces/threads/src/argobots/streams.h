/* Argobots' execution streams, and their start. */
#ifndef WEFT_THREADS_SRC_ARGOBOTS_STREAMS_H
#define WEFT_THREADS_SRC_ARGOBOTS_STREAMS_H

#include <weft_threads/types.h>

threads_status streams_start(unsigned count); /* by the OS thread that becomes the primary execution stream */
void streams_stop(void);                      /* by the same; waits until all threads have ended */
unsigned streams_count(void);

/* The same on an OS thread of its own, so that the caller stays outside. */
threads_status streams_start_elsewhere(unsigned count);
void streams_stop_elsewhere(void);

#endif
