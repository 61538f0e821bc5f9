/* Weft: forks. A fork is a child that may run in parallel with what its forker does next, and that
 * the same forker joins. Unless another worker takes it, it costs a few stores in the forker's
 * worker and, at its join, a call: no allocation, no stack, no fence.
 *
 *   static long fib(long n);
 *   static void fib_run(void *work) { *(long *)work = fib(*(long *)work); }
 *   static long fib(long n) {
 *     if (n < 2) return n;
 *     long left = n - 1;
 *     weft_forked *forked = weft_fork(fib_run, &left, sizeof left);
 *     const long right = fib(n - 2);
 *     weft_fork_join(forked, fib_run, &left, sizeof left);
 *     return left + right;
 *   }
 *
 * A child that another worker takes works on a copy of *work, and the join brings the copy back; a
 * child that its join runs works on *work itself. Pass what does not fit by pointer. A word or two
 * cost the least: what the forker writes in small pieces and the copy reads in large ones stalls
 * most CPUs.
 *
 * A child may do whatever its forker may: block, yield, lock, fork. It has its forker's identity,
 * wherever it runs: weft_self(), keys, ownership of mutexes. A child that another worker took runs
 * as a ULT there, and the join parks the forker until the child has ended. When a ULT parks, its
 * forks that were not joined become ready ULTs (without memory for them the program ends). Such a
 * child has a stack of its own, as large as its thread's and at least as large as a main thread's
 * (the soft limit of RLIMIT_STACK, at most 1 GiB, or WEFT_FORK_STACK_SIZE). So a
 * recursion of forks that one worker can run does not overflow on two. Where address space is
 * short, or 10,000 such stacks are in use, it has a stack of the default size, and the library says
 * so once. A forker that stays long in one call does not hold its forks back: an idle worker takes
 * the oldest ones, by a fence that the kernel runs on its behalf. With WEFT_LOCALITY_STRICT no
 * other worker takes forks of a forker that runs.
 *
 * Since children have their forker's identity, a recursive mutex does not keep children of one
 * forker apart; a plain one does. If a child locks a recursive mutex that its forker holds at the
 * join, the forker must already have held it at the fork.
 *
 * From a tasklet, a callback (ext.h) and an OS thread outside, a fork runs in its join. Do not call
 * weft_suspend, weft_pin or weft_thread_migrate_to_* in a child: they concern the child or its
 * forker, depending on where the child runs.
 *
 * What is inlined here belongs to the core's own protocols K and T (docs/protocols). A program must
 * be compiled with the header of the library that it runs with (WEFT_HOT_VERSION). */
#ifndef WEFT_HOT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_HOT_H

#include <weft/detail/platform.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/detail/hot_word.h>
#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The version of what is inlined here. */
#define WEFT_HOT_VERSION 2
/* The most that a fork carries, in bytes. */
#define WEFT_FORK_BYTES 48

/* A fork that was not joined. It stays where it is until its join. */
typedef struct weft_forked {
  void (*run)(void *work);             /* the core's own once another worker has taken it */
  void *taker;                         /* the core's */
  unsigned char work[WEFT_FORK_BYTES]; /* the copy of the work */
} __attribute__((aligned(64))) weft_forked;

/* The part of a worker that programs touch. Its forks lie in [top, bottom). The owner alone writes
 * bottom. */
typedef struct weft_hot_line {
  weft_hot_word bottom;     /* where the next fork goes; null: ask the library */
  weft_hot_word limit;      /* a fork here or above calls the library: the last place, or a worker sleeps or wants forks */
  weft_hot_word taken;      /* forks below are other workers', or public, or about to be */
  weft_thread *const *self; /* where the unit that runs here is named, or null */
} weft_hot_line;

/* Thread-local: the calling worker's hot line, or one whose bottom is null. For weft_hot_here()
 * alone. */
extern WEFT_API __thread weft_hot_line *weft_hot_word_here;

/* Work of a word or two, in registers. */
typedef struct weft_small_work {
  unsigned long words[2]; /* as they lie in memory */
} weft_small_work;

/* Where the core keeps a thread's flags in a weft_thread. */
#define WEFT_HOT_FLAGS_AT 62
/* The flag of a fork that another worker took. */
#define WEFT_HOT_IS_FORK 512

/* Returns the calling ULT or tasklet where its handle can be read without a call.
 * Returns: the handle; null if it cannot: outside, in callbacks (ext.h), and in a fork that another
 * worker took. weft_self() then has the answer.
 * Switches: never. Callers: any. */
WEFT_HOT_INLINE weft_thread *weft_hot_known_self(void) {
  weft_thread *const self = *weft_hot_here()->self;
  if (__builtin_expect(self == NULL, 0)) return NULL;
  uintptr_t address;
  const uint16_t *flags;
  __builtin_memcpy(&address, &self, sizeof address);
  address += WEFT_HOT_FLAGS_AT;
  __builtin_memcpy(&flags, &address, sizeof flags);
  return __builtin_expect((__atomic_load_n(flags, __ATOMIC_RELAXED) & WEFT_HOT_IS_FORK) == 0, 1) ? self : NULL;
}

/* Returns the calling ULT or tasklet, in most cases without a call.
 * Returns: what weft_self() returns.
 * Switches: never. Callers: any. */
WEFT_HOT_INLINE weft_thread *weft_hot_self(void) {
  weft_thread *const self = weft_hot_known_self();
  return __builtin_expect(self != NULL, 1) ? self : weft_self();
}

/* Where the core keeps a thread's join word in a weft_thread. */
#define WEFT_HOT_JOIN_AT 32

/* Tells whether a thread has ended.
 * Do not poll by it: under WEFT_SCHEDULE other units do not go on at this call.
 * Returns: true if it has, and then the caller sees what the thread did; else false.
 * Switches: never. Callers: any.
 * Undefined: null; a thread that was joined. */
WEFT_HOT_INLINE bool weft_hot_has_ended(const weft_thread *thread) {
  uintptr_t address;
  const uintptr_t *word;
  __builtin_memcpy(&address, &thread, sizeof address);
  address += WEFT_HOT_JOIN_AT;
  __builtin_memcpy(&word, &address, sizeof word);
  /* [T11] acquire: as [T1]; pairs with [T2] [T9] */
  return (weft_hot_load_address(word, __ATOMIC_ACQUIRE) & 1) != 0;
}

/* Forks where weft_fork finds no place in the calling worker's line. For weft_fork alone.
 * The arguments are those of weft_fork.
 * Returns: what weft_fork returns.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: weft_fork.
 * Undefined: any other caller. */
WEFT_API weft_forked *weft_fork_slowly(void (*run)(void *work), const void *work, size_t bytes);

/* Forks where weft_fork finds no place, with work of at most two words in registers. For weft_fork
 * alone.
 * Returns: what weft_fork returns.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: weft_fork.
 * Undefined: any other caller. */
WEFT_API weft_forked *weft_fork_small_slowly(void (*run)(void *work), weft_small_work work);

/* Tells the library that a fork was made at or above the line's limit. For weft_fork alone.
 * Switches: never. Callers: weft_fork.
 * Undefined: any other caller. */
WEFT_API void weft_fork_at_limit(weft_forked *forked);

/* Joins a fork that is not the last one of its line, or that another worker may have taken. For
 * weft_fork_take_back alone.
 * Returns: what weft_fork_take_back returns.
 * Switches: may. Callers: weft_fork_take_back.
 * Undefined: any other caller. */
WEFT_API bool weft_fork_join_slowly(weft_forked *forked);

/* Tells whether a steal may move the stack frames of a forker to another process (libweft-dist). A
 * loop then passes values to its parts instead of addresses.
 * Returns: true in a root of libweft-dist; false otherwise.
 * Switches: never. Callers: any. */
WEFT_API bool weft_forks_move(void);

/* Forks a child: run is called once, with the forker's identity, at the latest in the child's join.
 *
 * The call copies bytes bytes of *work. Another worker that takes the child calls run on the copy;
 * otherwise weft_fork_join calls run. The forker joins each fork once, by weft_fork_join or
 * weft_fork_take_back, before it returns from the function that its thread or fork was started
 * with. It may join its forks in any order; the last one first is the cheapest by far.
 * Returns: the fork, which the library owns, or null, which stands for a fork that runs in its
 * join. The call never fails: a fork for which there is no memory runs in its join, as do those
 * that a tasklet, a callback (ext.h) or an OS thread outside makes.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: any.
 * Undefined: run is null; bytes above WEFT_FORK_BYTES; a fork that is not joined so (checked builds
 * name it). */
WEFT_HOT_INLINE weft_forked *weft_fork(void (*run)(void *work), const void *work, size_t bytes) {
  weft_hot_line *const line = weft_hot_here();
  weft_forked *const place = weft_hot_load(&line->bottom, __ATOMIC_RELAXED);
  if (__builtin_expect(place == NULL, 0)) {
    if (!__builtin_constant_p(bytes) || bytes > sizeof(weft_small_work)) return weft_fork_slowly(run, work, bytes);
    weft_small_work small = {{0, 0}};
    __builtin_memcpy(&small, work, bytes);
    return weft_fork_small_slowly(run, small);
  }
  __builtin_memcpy(place->work, work, bytes);
  place->run = run;
  /* [K1] release: publishes the fork to a thief; pairs with [K5] [K10] */
  weft_hot_store(&line->bottom, place + 1, __ATOMIC_RELEASE);
  /* [K2] light fence: the fork before the look whether a worker sleeps; pairs with [I5] */
  weft_hot_light_fence();
  if (__builtin_expect(!weft_hot_is_above(&line->limit, place), 0)) weft_fork_at_limit(place);
  return place;
}

/* Returns the place behind a fork. For weft_fork_take_back alone.
 * Returns: the next place; also for null, from which C forbids to count.
 * Switches: never. Callers: any. */
WEFT_HOT_INLINE weft_forked *weft_forked_end(weft_forked *forked) {
  uintptr_t address;
  __builtin_memcpy(&address, &forked, sizeof address);
  address += sizeof *forked;
  __builtin_memcpy(&forked, &address, sizeof forked);
  return forked;
}

/* Joins a fork without running it, for programs that inline more than weft_fork_join does.
 * forked is what weft_fork returned, which may be null.
 * Returns: true if no other worker has taken the fork: the caller must call the fork's function
 * now, on its own work; false after the fork has ended elsewhere: the copy that it worked on lies
 * in forked->work until the caller forks, joins or switches next.
 * Switches: may. Callers: the forker.
 * Undefined: a fork of another forker, or that was joined. */
WEFT_NODISCARD WEFT_HOT_INLINE bool weft_fork_take_back(weft_forked *forked) {
  __asm__("" : "+r"(forked)); /* so that its end is computed here, and not kept from the fork on */
  weft_hot_line *const line = weft_hot_here();
  if (__builtin_expect(!weft_hot_is(&line->bottom, weft_forked_end(forked)), 0)) return weft_fork_join_slowly(forked);
  /* [K6] release: as [K1], of the forks below; pairs with [K5] [K10] */
  weft_hot_store(&line->bottom, forked, __ATOMIC_RELEASE);
  /* [K3] light fence: bottom before taken; pairs with [K4] [K9] */
  weft_hot_light_fence();
  if (__builtin_expect(weft_hot_is_above(&line->taken, forked), 0)) return weft_fork_join_slowly(forked);
  return true;
}

/* Joins a fork: runs it now, or waits until the worker that took it has run it.
 * forked is what weft_fork returned, which may be null; run, work and bytes are those of that
 * weft_fork. If no other worker has taken the fork, the call runs run(work). Otherwise it waits
 * until the child has ended, and copies bytes bytes from the child's copy to *work.
 * Switches: may. Callers: the forker.
 * Undefined: a fork of another forker (checked builds name it), or that was joined. */
WEFT_HOT_INLINE void weft_fork_join(weft_forked *forked, void (*run)(void *work), void *work, size_t bytes) {
  if (__builtin_expect(weft_fork_take_back(forked), 1)) {
    run(work);
  } else {
    __builtin_memcpy(work, forked->work, bytes);
  }
}

#if defined(__cplusplus)
}
#endif

#endif
