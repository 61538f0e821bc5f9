/* Where callers wait until a word has changed: see lock.h in the public headers.
 *
 * A thread waits at the implementation's condition and an OS thread outside at the word itself, in
 * the kernel. The waker changes the word between parking_begin_wake and parking_end_wake. */
#ifndef WEFT_THREADS_SRC_PARKING_H
#define WEFT_THREADS_SRC_PARKING_H

#include <weft_threads/lock.h>

/* A deadline that never comes. */
#define PARKING_NO_DEADLINE UINT64_MAX

/* Returns when *word is not value, when the deadline has passed, or spuriously. Else: the caller
 * cannot wait. */
threads_status parking_wait(threads_parking *parking, const uint32_t *word, uint32_t value, uint64_t deadline_ns);

/* Else: the caller would have to wait and cannot; there is no end then. */
threads_status parking_begin_wake(threads_parking *parking);
/* Wakes one caller of each kind, if some wait: those that find that they were not meant wait again. */
void parking_end_wake(threads_parking *parking, const uint32_t *word);

void parking_destroy(threads_parking *parking);

#endif
