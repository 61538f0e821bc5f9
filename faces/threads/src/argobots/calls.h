#ifndef WEFT_THREADS_SRC_ARGOBOTS_CALLS_H
#define WEFT_THREADS_SRC_ARGOBOTS_CALLS_H

#include <weft_threads/types.h>

threads_status calls_start(void); /* by the primary execution stream, after ABT_init */
void calls_stop(void);            /* by the same, before ABT_finalize */

#endif
