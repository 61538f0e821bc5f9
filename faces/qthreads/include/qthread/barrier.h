/* Qthreads on Weft: barriers, places where tasks and OS threads wait for each other. */
#ifndef QTHREAD_BARRIER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_BARRIER_H

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

/* What the barrier is for; it makes no difference. */
typedef enum { REGION_BARRIER, LOOP_BARRIER } qt_barrier_btype;
/* What qt_barrier_dump would print. */
typedef enum { UPLOCK, DOWNLOCK, BOTHLOCKS } qt_barrier_dtype;

typedef struct qt_barrier_s qt_barrier_t;

/* Creates a barrier that opens for max_threads callers. With 0 no caller may enter until
 * qt_barrier_resize.
 * Returns: the barrier; null without memory, and for 2^32 or more.
 * Switches: never. */
qt_barrier_t *qt_barrier_create(size_t max_threads, qt_barrier_btype type);

/* Waits until as many callers have come as the barrier is for. It may be entered again at once; more
 * callers than that are the first ones of the next round. id means nothing. If b is null, nothing is
 * done.
 * Switches: may. */
void qt_barrier_enter(qt_barrier_t *b);
void qt_barrier_enter_id(qt_barrier_t *b, size_t id);

/* Waits until all callers that a barrier has opened for have left it, and frees it. If b is null,
 * nothing is done.
 * Switches: may.
 * Undefined: callers that still wait for others. */
void qt_barrier_destroy(qt_barrier_t *b);

/* Makes a barrier one for size callers. Callers that it has opened for may still be on their way
 * out. If b is null, or size is 2^32 or more, nothing is done.
 * Switches: never.
 * Undefined: callers that still wait for others. */
void qt_barrier_resize(qt_barrier_t *b, size_t size);

void qt_barrier_dump(qt_barrier_t *b, qt_barrier_dtype dt)
    QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_barrier_dump and has no such function");
qt_barrier_t *qt_get_barrier(void) QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_get_barrier and has no such function");
void qt_set_barrier(qt_barrier_t *) QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_set_barrier and has no such function");

Q_ENDCXX

#endif
