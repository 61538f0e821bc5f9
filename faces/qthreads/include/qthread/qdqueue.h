/* Qthreads on Weft: queues that are distributed over the shepherds. */
#ifndef WEFT_QTHREADS_QDQUEUE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QDQUEUE_H

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

/* A queue has a part for each shepherd that there is when it is created. Within a part elements
 * leave in the order in which they came. Callers that have no shepherd use the part of shepherd 0.
 * No call switches, and any caller may make it. */
typedef struct qdqueue_s qdqueue_t;

/* Returns: an empty queue, for qdqueue_destroy; null without memory, and before
 * qthread_initialize. */
qdqueue_t *qdqueue_create(void);
/* Frees a queue that no call uses. What is in it is forgotten.
 * Errors: QTHREAD_BADARGS (q is null). */
int qdqueue_destroy(qdqueue_t *q);
/* Put an element into the part of the caller's shepherd, or of shepherd there.
 * Errors: QTHREAD_BADARGS (q or elem is null; no such shepherd), QTHREAD_MALLOC_ERROR. */
int qdqueue_enqueue(qdqueue_t *q, void *elem);
int qdqueue_enqueue_there(qdqueue_t *q, void *elem, qthread_shepherd_id_t there);
/* Takes the first element of the part of the caller's shepherd or, if it has none, of another
 * shepherd's, the nearest one first.
 * Returns: the element; null if no part has one, or q is null. */
void *qdqueue_dequeue(qdqueue_t *q);
/* Returns: 1 if no part has an element at this moment, else 0; 0 if q is null. */
int qdqueue_empty(qdqueue_t *q);

Q_ENDCXX

#endif
