/* Weft: parallel loops for C. The conventions of weft.h hold.
 *
 *   static void add(size_t begin, size_t end, void *argument) {
 *     struct vectors *v = argument;
 *     for (size_t i = begin; i < end; ++i) v->c[i] = v->a[i] + v->b[i];
 *   }
 *   weft_parallel_for(0, n, 0, add, &vectors);
 *
 * A call divides the indexes into parts, which several workers run at once by forks (hot.h). A part
 * may do whatever a fork may: block, lock, fork and loop. It has the identity of the caller:
 * weft_self(), keys, ownership of mutexes. One worker alone runs the parts in their order. In a
 * tasklet, and on an OS thread outside, the caller runs all parts in their order. The calls return
 * when every part has ended, keep no argument, and allocate nothing unless the comment says so.
 *
 * The grain is the largest number of indexes in a part; with a grain, the parts are the same in
 * every run. With a grain of 0, there are as many parts as keep the workers busy, which depends on
 * which workers are idle. A part runs its indexes in order, so indexes that wait for each other
 * need a grain of 1.
 *
 * In a root of libweft-dist (dist.h), parts of weft_parallel_for and weft_parallel_reduce may run
 * on other ranks. Parts stay on their rank if the bytes of their forks hold an address of a stack.
 * Other pointers among the arguments must mean the same on all ranks.
 *
 * Undefined: an exception or a longjmp that leaves a function which a call received. */
#ifndef WEFT_LOOPS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_LOOPS_H

#include <weft/detail/platform.h>

#include <stddef.h>

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Calls body(from, to, argument) for parts [from, to) of [begin, end), which several workers run.
 *
 * The parts cover each index once. No part is empty, and none has more than grain indexes; 0: the
 * library chooses. For an empty range, body is not called. argument may be null.
 * Errors: WEFT_INVALID (body is null; end is below begin).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_parallel_for(size_t begin, size_t end, size_t grain,
                                                      void (*body)(size_t from, size_t to, void *argument), void *argument);

/* The largest value of a reduction, in bytes; pass what does not fit by pointer. */
#define WEFT_REDUCE_BYTES 256

/* What a reduction does. Values are aligned to 16 bytes, and copied and dropped as bytes. */
typedef struct weft_reduction {
  size_t value_bytes;   /* 1 to WEFT_REDUCE_BYTES */
  const void *identity; /* value_bytes that the value of every part is at first */
  /* Adds the indexes [from, to) to *value. */
  void (*body)(size_t from, size_t to, void *argument, void *value);
  /* Adds the value of the part that follows, which is not used afterwards, to *value. */
  void (*combine)(void *value, const void *value_of_later, void *argument);
} weft_reduction;

/* Reduces the indexes [begin, end) to one value.
 *
 * Each part has a value, which is a copy of the identity at first. how->body adds the part's
 * indexes to it, and how->combine then adds the values of later parts to those of earlier ones.
 * *out, of how->value_bytes, receives the value of all parts, or the identity if there are no
 * indexes. argument, which may be null, is given to both functions.
 *
 * Values are combined in the order of the indexes, so that combine must be associative, but not
 * commutative. Where it is not quite associative, as with floating point, a grain makes the result
 * the same in every run. No part has more than grain indexes; 0: the library chooses.
 * Errors: WEFT_INVALID (how, one of its functions, its identity or out is null; end is below begin;
 * value_bytes is 0 or above WEFT_REDUCE_BYTES).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_parallel_reduce(size_t begin, size_t end, size_t grain, const weft_reduction *how,
                                                         void *argument, void *out);

/* Sorts count elements of element_bytes each, in the order that compare gives.
 *
 * compare(left, right, argument) returns a number below, equal to or above 0 if *left comes before,
 * with or after *right, as for qsort_r(3). Several workers call it at once. The elements are moved
 * as bytes. The sort is not stable. It is a quicksort: with many workers its first, sequential
 * partitions bound the speed-up. Small parts go to qsort_r, which may allocate. elements may be
 * null if count is 0.
 * Errors: WEFT_INVALID (compare is null; elements is null, and count is not 0; element_bytes is 0).
 * Switches: may. Callers: any.
 * Undefined: a compare that orders the same elements differently in two calls. */
WEFT_NODISCARD WEFT_API weft_status weft_parallel_sort(void *elements, size_t count, size_t element_bytes,
                                                       int (*compare)(const void *left, const void *right, void *argument),
                                                       void *argument);

#if defined(__cplusplus)
}
#endif

#endif
