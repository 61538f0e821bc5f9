/* Qthreads on Weft: what Chapel's runtime wants to know of the Qthreads that it was built for. The
 * build of Chapel writes a file of this name beside Qthreads' own headers, and its tasking layer
 * `qthreads` includes it. With this one the layer is built for Weft without a change.
 *
 * A build may define each of the macros itself. */
#ifndef WEFT_QTHREADS_QTHREAD_CHAPEL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QTHREAD_CHAPEL_H

#include "qthread/macros.h"

/* 1: Chapel asks for a shepherd for each of its workers. The program chooses the scheduler when it
 * starts, and all of them can serve such shepherds. */
#ifndef CHPL_QTHREAD_SCHEDULER_ONE_WORKER_PER_SHEPHERD
#define CHPL_QTHREAD_SCHEDULER_ONE_WORKER_PER_SHEPHERD 1
#endif

/* 1: a task may go on in another OS thread than the one that it has run in: so it is under every
 * QT_SCHEDULER but nemesis. A build for programs that are started with nemesis only may define 0:
 * Chapel's cache for remote data needs that. */
#ifndef CHPL_QTHREAD_TASKS_CAN_MIGRATE_THREADS
#define CHPL_QTHREAD_TASKS_CAN_MIGRATE_THREADS 1
#endif

/* 1: each stack ends in a guard. */
#ifndef CHPL_QTHREAD_HAVE_GUARD_PAGES
#define CHPL_QTHREAD_HAVE_GUARD_PAGES 1
#endif

/* 1: Chapel says in QT_CPUBIND which CPUs the shepherds get, and the library heeds it. */
#ifndef CHPL_QTHREAD_TOPOLOGY_BINDERS
#define CHPL_QTHREAD_TOPOLOGY_BINDERS 1
#endif

Q_STARTCXX

/* qthread_reset_target_shep under the name that the runtime of Chapel 1.x calls.
 * Switches: never. */
void qthread_chpl_reset_spawn_order(void);

Q_ENDCXX

#endif
