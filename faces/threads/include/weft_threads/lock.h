/* Weft: a lock that works at any time, for libraries that other libraries start and stop. Beside
 * threads.h, whose conventions hold here.
 *
 * A message layer, an allocator or a logger takes its locks before main, while threads run, and
 * after the last of them has ended. threads_lock is for them: it is the same object on every
 * implementation, may be static, and works for threads and OS threads mixed, before threads_start,
 * after threads_stop, and across them: a lock that was taken before the start may be released after
 * it. A thread that waits for it parks as at a threads_mutex; an OS thread outside sleeps in the
 * kernel. It is not handed over: a caller that releases it and takes it again may come before those
 * that wait.
 *
 * "At any time" in this header, progress.h and tracked.h means: threads and OS threads outside,
 * also before threads_start and after threads_stop, but not while one of the two runs on another OS
 * thread. */
#ifndef WEFT_THREADS_LOCK_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_LOCK_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where callers wait: threads at an implementation's mutex and condition, OS threads in the
 * kernel. */
typedef struct threads_parking {
  uint32_t outside;    /* the library's own */
  uint32_t start;      /* the library's own */
  uint64_t opaque[16]; /* the library's own */
} threads_parking;
/* A place at which no caller waits. */
#define THREADS_PARKING_INIT {0, 0, {0}}

/* A lock that one caller holds at a time. */
typedef struct threads_lock {
  uint32_t state;          /* the library's own */
  uint32_t is_recursive;   /* by THREADS_LOCK_RECURSIVE_INIT */
  uint64_t owner;          /* the library's own */
  uint64_t times;          /* the library's own */
  threads_parking parking; /* the library's own */
} threads_lock;
/* A free lock. */
#define THREADS_LOCK_INIT {0, 0, 0, 0, THREADS_PARKING_INIT}
/* A free lock that its holder may take again, and releases as often. Tasks of an anonymous list may
 * have their parent's identity (on libweft: weft/hot.h), wherever they run: a recursive lock that
 * one of them has taken is held by its parent and its siblings, too, and does not keep them apart.
 * A plain one does. */
#define THREADS_LOCK_RECURSIVE_INIT {0, 1, 0, 0, THREADS_PARKING_INIT}

/* Waits until a lock is free, and takes it.
 * Errors: THREADS_INVALID (lock is null), THREADS_CANNOT_BLOCK (the caller must not wait, as a
 * tasklet of libweft's).
 * Switches: may. Callers: at any time.
 * Undefined: to hold a recursive lock where threads_start adopts the caller or threads_stop
 * releases it: it is another caller then. */
THREADS_NODISCARD THREADS_API threads_status threads_lock_acquire(threads_lock *lock);

/* Takes a lock if it is free, or recursive and the caller's.
 * Errors: THREADS_INVALID (lock is null), THREADS_BUSY (another caller holds it, or the caller does
 * and it is not recursive).
 * Switches: never. Callers: at any time. */
THREADS_NODISCARD THREADS_API threads_status threads_lock_try_acquire(threads_lock *lock);

/* Releases a lock that the caller holds; a recursive one, once.
 * Errors: THREADS_INVALID (lock is null), THREADS_NOT_OWNER (no caller holds it; or it is
 * recursive, and another caller holds it), THREADS_CANNOT_BLOCK (the caller must not wait, as a
 * tasklet of libweft's, and would have to, to wake another one; it still holds the lock).
 * Switches: may. Callers: at any time.
 * Undefined: a lock that is not recursive and that another caller holds. */
THREADS_API threads_status threads_lock_release(threads_lock *lock);

/* Frees what an implementation may have attached to a lock, which is then as it was initialised.
 * Locks at which no thread ever waited need no such call. It comes before threads_stop, or after it
 * for locks at which none has waited since the last start.
 * Errors: THREADS_INVALID (lock is null), THREADS_BUSY (a caller holds it).
 * Switches: never. Callers: at any time.
 * Undefined: a lock that another call still uses, the release by its last holder included. */
THREADS_API threads_status threads_lock_destroy(threads_lock *lock);

/* A lock of one word, for a few instructions: those that wait look again and again, and yield
 * between looks. */
typedef struct threads_spin {
  uint32_t state; /* the library's own */
} threads_spin;
/* A free lock. */
#define THREADS_SPIN_INIT {0}

/* Waits until a spin lock is free, and takes it.
 * Errors: THREADS_INVALID (spin is null).
 * Switches: may. Callers: at any time.
 * Undefined: a tasklet or a callback of libweft's, where the holder may be on the same worker. */
THREADS_NODISCARD THREADS_API threads_status threads_spin_acquire(threads_spin *spin);

/* Takes a spin lock if it is free.
 * Errors: THREADS_INVALID (spin is null), THREADS_BUSY (a caller holds it).
 * Switches: never. Callers: at any time. */
THREADS_NODISCARD THREADS_API threads_status threads_spin_try_acquire(threads_spin *spin);

/* Releases a spin lock.
 * Errors: THREADS_INVALID (spin is null), THREADS_NOT_OWNER (no caller holds it).
 * Switches: never. Callers: at any time.
 * Undefined: a lock that another caller holds. */
THREADS_API threads_status threads_spin_release(threads_spin *spin);

#ifdef __cplusplus
}
#endif
#endif
