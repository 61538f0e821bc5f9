/* Qthreads on Weft: calls that block in the kernel, made without keeping a worker. */
#ifndef QTHREAD_IO_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_IO_H

#include "macros.h"

Q_STARTCXX

/* Begins a blocking action of the calling task: another OS thread serves its worker if the action
 * lasts, and qthread_shep is NO_SHEPHERD meanwhile. Actions nest. On an OS thread outside, and
 * before qthread_initialize, nothing is done.
 * Switches: never. */
void qt_begin_blocking_action(void);

/* Ends the blocking action that the caller began last. errno stays as the action left it. Without
 * a beginning nothing is done.
 * Switches: may. */
void qt_end_blocking_action(void);

Q_ENDCXX

#endif
