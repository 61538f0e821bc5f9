/* Qthreads on Weft: queues of a fixed length, as Qthreads has them for one writer and one reader. */
#ifndef WEFT_QTHREADS_QSWSRQUEUE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QSWSRQUEUE_H

#include <stddef.h>

#include "macros.h"

Q_STARTCXX

/* Elements leave a queue in the order in which they came. Any callers may write and read: here there
 * may be several of each. Null is no queue: what a call does with it is undefined, unless it says
 * otherwise. */
typedef struct qswsrqueue_s qswsrqueue_t;

/* Creates a queue that has room for at least elements elements, fewer than 2^32.
 * Returns: the queue, for qswsrqueue_destroy; null without memory, or if elements is too large. */
qswsrqueue_t *qswsrqueue_create(size_t elements);
/* Frees a queue that no call uses. What is in it is forgotten.
 * Errors: QTHREAD_BADARGS (q is null). */
int qswsrqueue_destroy(qswsrqueue_t *q);
/* Puts an element behind the others, if there is room.
 * Errors: QTHREAD_OPFAIL (there is none).
 * Switches: never. */
int qswsrqueue_enqueue(qswsrqueue_t *q, void *elem);
/* Waits until there is room, and puts an element behind the others.
 * Switches: may. */
int qswsrqueue_enqueue_blocking(qswsrqueue_t *q, void *elem);
/* Takes the first element.
 * Returns: the element; null if there is none.
 * Switches: never. */
void *qswsrqueue_dequeue(qswsrqueue_t *q);
/* Waits until there is an element, and takes the first one.
 * Returns: the element.
 * Switches: may. */
void *qswsrqueue_dequeue_blocking(qswsrqueue_t *q);
/* Returns: 1 if a queue has no element at this moment, else 0.
 * Switches: never. */
int qswsrqueue_empty(qswsrqueue_t *q);

Q_ENDCXX

#endif
