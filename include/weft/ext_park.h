/* Weft for builders: a ULT leaves its worker until a waker makes it ready: the verbs beneath
 * every wait. Included by ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_PARK_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_PARK_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Parks the calling ULT until a call of weft_ext_unpark or weft_ext_unpark_owned for it.
 *
 * Once the caller's context is saved, commit(self, argument) runs on the same worker, as a
 * callback. It hands self to the future waker and returns true; the waker may unpark the ULT at
 * once, even before commit has returned. If commit returns false, no waker may unpark the ULT, and
 * the call returns WEFT_OK. what names the wait in reports, such as "mutex", and must stay as long
 * as the wait; null: "unpark".
 * Errors: WEFT_INVALID (commit is null), WEFT_CANNOT_BLOCK (the caller is not a ULT).
 * Switches: may. Callers: ULTs.
 * Undefined: commit blocks, switches, or calls anything that may. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park(bool (*commit)(weft_thread *self, void *argument), void *argument,
                                                  const char *what);

/* Parks the calling ULT as weft_ext_park does, and then unlocks a spinlock that the waker takes.
 *
 * *lock is 1 while the lock is held and 0 while it is free; the caller holds it. The call first
 * writes the caller's handle to *self, where the waker reads it while it holds the lock. Once the
 * ULT can be unparked, the library sets *lock to 0, with release order. Until then, for the time of
 * a switch, another OS thread that wants the lock spins. On return the caller does not hold the
 * lock. lock may be null if no other OS thread can unpark the caller. what is that of
 * weft_ext_park, but not null.
 * Errors: WEFT_INVALID (self or what is null), WEFT_CANNOT_BLOCK (the caller is not a ULT). After
 * an error the caller still holds the lock.
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park_unlocking(uint32_t *lock, weft_thread **self, const char *what);

/* Makes a ULT ready that is parked by weft_ext_park or weft_ext_park_unlocking.
 * Each park takes exactly one unpark, of either kind. For null, nothing is done. A ULT that wants
 * the unparked one to run next calls weft_yield_to afterwards, if the handle is still good: another
 * worker may have run the unparked ULT to its end by then.
 * Switches: never. Callers: any.
 * Undefined: a ULT that is neither parked by these calls nor in its commit, such as one that was
 * unparked already. */
WEFT_API void weft_ext_unpark(weft_thread *thread);

/* Ends a park as weft_ext_unpark does, but does not make the ULT ready: the caller then owns it.
 * For null, nothing is done.
 * Switches: never. Callers: any.
 * Undefined: what is undefined for weft_ext_unpark. */
WEFT_API void weft_ext_unpark_owned(weft_thread *thread);

/* Calls function(argument) on the caller's stack, as if an OS thread outside had called it.
 *
 * It is for tasklets that must block. In function, a call that waits blocks this worker's OS
 * thread, which runs no other unit meanwhile. Use it only if the waker runs on another worker;
 * otherwise this deadlocks, always so under WEFT_SCHEDULE, where all workers share one OS thread.
 * Deadlock reports list the OS thread. In function weft_self() is null, weft_yield does nothing,
 * and calls for ULTs alone return WEFT_CANNOT_BLOCK. A mutex that function locks belongs to the OS
 * thread: unlock it in another call of weft_ext_call_outside on the same worker.
 * Errors: WEFT_INVALID (function is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_call_outside(weft_function function, void *argument);

#if defined(__cplusplus)
}
#endif
#endif
