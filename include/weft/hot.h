/* Weft: forks. A fork is a child that may run in parallel with what its forker does next, and is joined by the same forker. Unless
 * another worker takes it, it costs a few stores in the forker's worker and, at its join, a call: no allocation, no stack, no fence.
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
 * The child works on a copy of *work; the join brings the copy back. What does not fit goes by pointer. A word or two cost the least: what
 * the forker writes in small pieces and the copy reads in large ones stalls most CPUs.
 *
 * A child may do whatever its forker may: block, yield, lock, fork. It has its forker's identity, wherever it runs: weft_self(), keys,
 * ownership of mutexes. A child that another worker took runs as a ULT there, on a stack of the default size (WEFT_STACK_SIZE, or
 * stack_bytes of weft_config) whatever its forker's is, and the join parks the forker until it has ended. When a ULT parks, its forks
 * that were not joined become ready ULTs (without memory for them the program ends). A forker that stays long in one call keeps its
 * forks from nobody: an idle worker takes the oldest ones, by a fence that the kernel runs on its behalf.
 *
 * So a recursive mutex does not keep children of one forker apart; a plain one does. Who holds a recursive one while it joins a fork
 * that locks it must have held it when it forked. With WEFT_LOCALITY_STRICT nobody takes forks of a forker that runs.
 *
 * From a tasklet, and from an OS thread outside, a fork runs in its join. weft_suspend, weft_pin and weft_migrate inside a child concern
 * the child, or the forker, depending on where it runs: don't.
 *
 * What is inlined here belongs to the core's own protocols K and T (docs/protocols); a program must be compiled with the header of the library
 * that it runs with (WEFT_HOT_VERSION). */
#ifndef WEFT_HOT_H
#define WEFT_HOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/detail/hot_word.h>
#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define WEFT_HOT_VERSION 2
#define WEFT_FORK_BYTES 48 /* the most that a fork carries */

/* A fork that was not joined. It stays where it is until then. */
typedef struct weft_forked {
  void (*run)(void *work); /* the core's own once another worker has taken it */
  void *taker;             /* the core's */
  unsigned char work[WEFT_FORK_BYTES];
} __attribute__((aligned(64))) weft_forked;

/* The part of a worker that programs touch. Its forks lie in [top, bottom). The owner alone writes bottom. */
typedef struct weft_hot_line {
  weft_hot_word bottom;     /* where the next fork goes; null: ask the library */
  weft_hot_word limit;      /* a fork here or above tells the library: the last place, or somebody sleeps */
  weft_hot_word taken;      /* those below are others', or about to be */
  weft_thread *const *self; /* what runs here; null there: nothing. A fork that was taken has its forker's identity */
} weft_hot_line;

/* Thread-local: the calling worker's hot line, or one whose bottom is null. For weft_hot_here() alone. */
extern WEFT_API __thread weft_hot_line *weft_hot_word_here;

/* Work of a word or two, in registers. */
typedef struct weft_small_work {
  unsigned long words[2];
} weft_small_work;

/* The calling thread, of the kind whose handle is at hand; null: ask weft_self(). Callable from any. */
#define WEFT_HOT_FLAGS_AT 62 /* the core's, in a weft_thread */
#define WEFT_HOT_IS_FORK 512
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
/* As weft_self, without a call for most. */
WEFT_HOT_INLINE weft_thread *weft_hot_self(void) {
  weft_thread *const self = weft_hot_known_self();
  return __builtin_expect(self != NULL, 1) ? self : weft_self();
}

/* Whether thread has ended; what it did is visible then. Not for polling: it is no call at which a schedule (WEFT_SCHEDULE) lets others go on.
 * Undefined: a handle that was joined. */
#define WEFT_HOT_JOIN_AT 32 /* the core's, in a weft_thread */
WEFT_HOT_INLINE bool weft_hot_has_ended(const weft_thread *thread) {
  uintptr_t address;
  const uintptr_t *word;
  __builtin_memcpy(&address, &thread, sizeof address);
  address += WEFT_HOT_JOIN_AT;
  __builtin_memcpy(&word, &address, sizeof word);
  /* [T11] acquire: as [T1]; pairs with [T2] [T9] */
  return (weft_hot_load_address(word, __ATOMIC_ACQUIRE) & 1) != 0;
}

/* Twins for what is not inlined: undefined unless called as below. */
WEFT_API weft_forked *weft_fork_slowly(void (*run)(void *work), const void *work, size_t bytes);
WEFT_API weft_forked *weft_fork_small_slowly(void (*run)(void *work), weft_small_work work);
WEFT_API void weft_fork_at_limit(weft_forked *forked);
WEFT_API bool weft_fork_join_slowly(weft_forked *forked);

/* Forks run(copy of *work). bytes: at most WEFT_FORK_BYTES (undefined otherwise). Never fails: without memory, as from an OS thread
 * outside, null is returned, which stands for a fork that runs in its join. Does not switch. Callable from any.
 * Each fork must be joined, once, by its forker, before the function that the forker's thread or fork was started with returns
 * (checked builds name it otherwise). In any order; the last one first is the cheapest by far. */
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
  /* [K1] release: publishes the fork to a thief; pairs with [K5] */
  weft_hot_store(&line->bottom, place + 1, __ATOMIC_RELEASE);
  /* [K2] light fence: the fork before the look whether somebody sleeps; pairs with [I5] */
  weft_hot_light_fence();
  if (__builtin_expect(!weft_hot_is_above(&line->limit, place), 0)) weft_fork_at_limit(place);
  return place;
}

/* The next place; also of null, which C forbids to count from. */
WEFT_HOT_INLINE weft_forked *weft_forked_end(weft_forked *forked) {
  uintptr_t address;
  __builtin_memcpy(&address, &forked, sizeof address);
  address += sizeof *forked;
  __builtin_memcpy(&forked, &address, sizeof forked);
  return forked;
}

/* The join without its call, for those who inline more. True: nobody has taken the fork; the caller must run it now. False: it has
 * ended, and its copy of the work lies in forked->work until the caller forks, joins or switches next. May switch. */
WEFT_NODISCARD WEFT_HOT_INLINE bool weft_fork_take_back(weft_forked *forked) {
  __asm__("" : "+r"(forked)); /* so that its end is computed here, and not kept from the fork on */
  weft_hot_line *const line = weft_hot_here();
  if (__builtin_expect(!weft_hot_is(&line->bottom, weft_forked_end(forked)), 0)) return weft_fork_join_slowly(forked);
  /* [K6] release: as [K1], of the forks below; pairs with [K5] */
  weft_hot_store(&line->bottom, forked, __ATOMIC_RELEASE);
  /* [K3] light fence: bottom before taken; pairs with [K4] */
  weft_hot_light_fence();
  if (__builtin_expect(weft_hot_is_above(&line->taken, forked), 0)) return weft_fork_join_slowly(forked);
  return true;
}

/* Joins: afterwards run has been called on *work, by the caller or by another worker on the copy, which is brought back. The
 * arguments as at the fork. May switch. Callable by the forker (undefined otherwise: checked builds name it). */
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
