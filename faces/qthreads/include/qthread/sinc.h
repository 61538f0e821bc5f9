/* Qthreads on Weft: sincs, counts of what is still to come, with a value that its parts make up.
 *
 * A sinc is the number of submits that it still expects. Waiters go on when the last of them has
 * come. A sinc that was made for values has one, too: each submit combines its own with it.
 *
 * A sinc without a value has no memory besides its own 24 bytes, and needs no qt_sinc_fini. A waiter
 * may destroy a sinc, or leave the function on whose stack it lies, as soon as its wait returns,
 * even if the last submit has not returned yet. The destruction waits for other waiters that were
 * parked there before it; waits that begin later are undefined. All calls may come from tasks and
 * from OS threads outside. */
#ifndef QTHREAD_SINC_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_SINC_H

#include <stdalign.h>

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

/* Combines the value at src with the one at tgt. Calls with the same tgt come one at a time. */
typedef void (*qt_sinc_op_f)(void *tgt, void const *src);

/* The library's own bytes. */
typedef struct qt_opaque_sinc_s {
  alignas(QTHREAD_ALIGNMENT_ALIGNED_T) uint8_t opaque_data[24];
} qt_sinc_t;

/* Makes a sinc that expects expect submits, in memory whose content does not matter.
 *
 * For values, sizeof_value is their number of bytes, initial_value the value of a sinc that nothing
 * was submitted to, which is copied, and op what combines values. As each worker combines its own
 * part first, op must be associative and commutative, and initial_value neutral. Without values,
 * sizeof_value is 0, and initial_value and op are null. Without memory for values the program ends,
 * with a line on stderr.
 * Switches: never. */
void qt_sinc_init(qt_sinc_t *restrict sinc, size_t sizeof_value, void const *restrict initial_value, qt_sinc_op_f op,
                  size_t expect);

/* As qt_sinc_init, in memory that qt_sinc_destroy frees.
 * Returns: the sinc; null without memory.
 * Switches: never. */
qt_sinc_t *qt_sinc_create(size_t sizeof_value, void const *initial_value, qt_sinc_op_f op, size_t expect);

/* Makes a sinc that nothing is expected of, and at which no caller waits, one that expects expect
 * submits, and has the initial value.
 * Switches: never. */
void qt_sinc_reset(qt_sinc_t *sinc, size_t expect);

/* Frees what a sinc has besides its own bytes.
 * Switches: may. */
void qt_sinc_fini(qt_sinc_t *sinc);

/* Ends a sinc of qt_sinc_create, and frees it.
 * Switches: may. */
void qt_sinc_destroy(qt_sinc_t *sinc);

/* Adds count to the submits that a sinc expects. A task that a submit is expected of may call it at
 * any time; others only before the last of them comes, or when no caller waits.
 * Switches: never. */
void qt_sinc_expect(qt_sinc_t *sinc, size_t count);

/* Submits once, with the value at value, or, if that is null, without one. More submits than the
 * sinc expects end the program, with a line on stderr.
 * Switches: may, where op does; not without a value. */
void qt_sinc_submit(qt_sinc_t *restrict sinc, void const *restrict value);

/* Waits until a sinc expects nothing, and copies its value to target, unless that is null or the
 * sinc has none.
 * Switches: may. */
void qt_sinc_wait(qt_sinc_t *restrict sinc, void *restrict target);

void *qt_sinc_tmpdata(qt_sinc_t *sinc) QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_sinc_tmpdata and has no such function");

Q_ENDCXX

#endif
