/* Qthreads on Weft: queues of any number of pointers, for any number of callers. */
#ifndef WEFT_QTHREADS_QLFQUEUE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QLFQUEUE_H

#include "macros.h"

Q_STARTCXX

/* Elements leave a queue in the order in which they came. Its calls hold a lock for a few
 * instructions; none switches, and any caller may make it, also before qthread_initialize. */
typedef struct qlfqueue_s qlfqueue_t;

/* Returns: an empty queue, for qlfqueue_destroy; null without memory. */
qlfqueue_t *qlfqueue_create(void);
/* Frees a queue that no call uses. What is in it is forgotten.
 * Errors: QTHREAD_BADARGS (q is null). */
int qlfqueue_destroy(qlfqueue_t *q);
/* Puts an element behind the others.
 * Errors: QTHREAD_BADARGS (q or elem is null), QTHREAD_MALLOC_ERROR. */
int qlfqueue_enqueue(qlfqueue_t *q, void *elem);
/* Takes the first element.
 * Returns: the element; null if there is none, or q is null. */
void *qlfqueue_dequeue(qlfqueue_t *q);
/* Returns: 1 if a queue has no element at this moment, else 0. Errors: QTHREAD_BADARGS (q is
 * null). */
int qlfqueue_empty(qlfqueue_t *q);

Q_ENDCXX

#endif
