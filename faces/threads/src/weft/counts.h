/* How many threads of libweft are queued, run and are blocked, by its events: only where the
 * program asked for it. */
#ifndef WEFT_THREADS_SRC_WEFT_COUNTS_H
#define WEFT_THREADS_SRC_WEFT_COUNTS_H

#include <weft_threads/types.h>

threads_status weft_counts_prepare(bool is_wanted); /* before weft_init */
void weft_counts_adopt_caller(void);                /* after it */
void weft_counts_end(void);                         /* after weft_finalize */
threads_status weft_counts_read(threads_count *out);
bool weft_counts_are_kept(void);

#endif
