/* The caller, for objects that work at any time: a thread of the implementation that runs, or an OS
 * thread. */
#ifndef WEFT_THREADS_SRC_CALLER_H
#define WEFT_THREADS_SRC_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include <weft_threads/types.h>

/* Of no other caller that lives, except that tasks of an anonymous list may have their parent's;
 * never 0. */
uint64_t caller_identity(void);
bool caller_is_outside(void);
uint64_t caller_starts(void); /* how often an implementation was started */
void caller_pause(void);      /* lets others run */

/* start.c: the caller becomes a thread, or an OS thread again; identity: what it was before. */
void caller_has_changed(uint64_t identity);
void caller_counts_start(void);

#endif
