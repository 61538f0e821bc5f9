/* Blocking regions: calls that wait in the kernel, made by a ULT that does not keep its worker
 * meanwhile. Included by weft.h, whose conventions hold here.
 *
 * Between weft_blocking_begin and weft_blocking_end the caller is on its OS thread, but that OS
 * thread is no worker. What a library keeps by OS thread stays right, as the caller does not move
 * before the region ends. Weft's own calls act as on an OS thread outside:
 * - weft_worker_self is -1, and weft_self is null.
 * - A wait, with a deadline or without, blocks the OS thread in the kernel. weft_yield yields the
 *   CPU, and weft_sleep_ns sleeps in the kernel.
 * - weft_key_get and weft_key_set mean values of the OS thread: the thread's own are back after the
 *   region. What is set inside stays with the OS thread, where other regions find it, and its
 *   destructor runs when the OS thread ends.
 * - weft_last_error tells of the calls of the OS thread: look at it before the region ends.
 * - What only a ULT may do fails, as weft_pin with WEFT_CANNOT_BLOCK. A scope of weft_pinned_begin
 *   that begins inside means nothing, so it must end inside, and one from before after the region.
 * - weft_worker_adopt returns WEFT_BUSY, the last weft_finalize WEFT_NOT_OWNER. weft_init nests in
 *   the runtime that runs, also while that ends, as the end waits for the region.
 *
 * Locks and joins know the thread all the same: a mutex or a read-write lock keeps its holder in a
 * region. What the thread locked before it may unlock inside, and the reverse; a recursive
 * mutex that it holds it may enter again inside, and other threads may not, even if they run, or
 * are in a region, on the same OS thread. A thread that joins itself inside gets WEFT_DEADLOCK.
 *
 * A region that ends within the time that WEFT_BLOCKING sets (20 us unless it is set) costs some
 * tens of ns. If it lasts longer, another OS thread runs the caller's worker: its queue, its mail,
 * its pools, the units that are pinned to it. A guard sees to that, which looks at the workers from
 * time to time: at first as often as WEFT_BLOCKING says, so that a worker goes after once to twice
 * that time, and down to once in 5 ms while all regions that it sees are short, so that the first
 * long one after many short ones may keep its worker for 5 ms more, or 10. From a place where the
 * last call lasted longer the worker goes at once, if units wait for it. At most
 * WEFT_BLOCKING_THREADS OS threads are made for that. Where none is left, workers wait with their
 * threads, and get the next one in the order in which the guard saw their regions. OS threads end
 * after a second in which they were not needed, and have what the OS thread of weft_init had when
 * it was called: signal mask, scheduling policy, affinity, FP control words.
 *
 * A unit that is pinned to the worker, the caller of weft_init among them, may so run on another OS
 * thread while a region of another unit of that worker is open. */
#ifndef WEFT_BLOCKING_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_BLOCKING_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Begins a blocking region of the caller. Regions nest: those inside of another one only count.
 *
 * On an OS thread outside, and where no runtime has started, a region means nothing, and succeeds.
 * Under WEFT_SCHEDULE all workers share one OS thread, so the caller stays a ULT on its worker: all
 * calls act as if no region were open, and one that waits in the kernel for another thread of the
 * program waits for ever. Whether other units of the worker run meanwhile is then a choice of the
 * schedule, at either end of the region.
 * Errors: WEFT_CANNOT_BLOCK (the caller is a tasklet or a callback).
 * Switches: never; may under WEFT_SCHEDULE. Callers: any.
 * Undefined: to end the ULT, or to leave its stack (longjmp, a context's switch), inside of a
 * region. */
WEFT_NODISCARD WEFT_API weft_status weft_blocking_begin(void);

/* Ends the innermost region of the caller. The end of the outermost one waits, if another OS thread
 * runs the worker. A ULT that is pinned gets its worker back and goes on on its OS thread, as does
 * each ULT on an OS thread that the program made a worker. Any other ULT becomes ready, and may go
 * on on another OS thread.
 *
 * The call keeps errno, also on another OS thread. On an OS thread outside, and under
 * WEFT_SCHEDULE, the library does not count regions: there an end without a begin succeeds, too.
 * Errors: WEFT_NOT_OWNER (the caller, a ULT, has no region).
 * Switches: may. Callers: as weft_blocking_begin, on the same OS thread. */
WEFT_NODISCARD WEFT_API weft_status weft_blocking_end(void);

/* Calls function(argument) in a blocking region. Where that fails, function is not called.
 * Errors: WEFT_INVALID (function is null), WEFT_CANNOT_BLOCK (the caller is a tasklet or a
 * callback).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_blocking(void (*function)(void *argument), void *argument);

#if defined(__cplusplus)
}
#endif

#endif
