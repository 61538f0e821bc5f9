/* Weft for builders: the calls on which faces, schedulers, pools, languages and distributed layers
 * stand. The conventions of weft.h hold. The core's own loop is written on the same dispatch.
 *
 * Words
 *   Own          A builder owns a unit that it made, revived (weft_ext_thread_revive), unparked by
 *                weft_ext_unpark_owned, or took out of a pool. It must run the unit
 *                (weft_ext_dispatch, weft_ext_yield_to_owned, or return it from next), put it into
 *                a pool, or, if the unit has not started, discard it.
 *   Home         The home of a unit is the pool into which it goes when it becomes ready; null: the
 *                default queue of the worker that makes it ready.
 *   Identity     The caller's identity is the unit that weft_self() returns.
 *   Callback     A function that the library calls, and that its comment calls a callback, runs
 *                without identity (weft_self() is null), and must not block or switch. Its comment
 *                says on which thread it runs.
 *   Pool         A "built-in pool" is one of weft_pool_create, as against weft_ext_pool_create.
 *   Scheduler    A "frameless" scheduler names units (weft_ext_worker_set_scheduler); a scheduler
 *                ULT runs them (weft_ext_dispatch). */
#ifndef WEFT_EXT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_H

#include <weft/at_worker.h>
#include <weft/await.h>
#include <weft/ext_cpu.h>
#include <weft/ext_event.h>
#include <weft/ext_layer.h>
#include <weft/ext_park.h>
#include <weft/ext_pool.h>
#include <weft/ext_scheduler.h>
#include <weft/ext_source.h>
#include <weft/ext_stack.h>
#include <weft/ext_unit.h>
#include <weft/weft.h>

#endif
