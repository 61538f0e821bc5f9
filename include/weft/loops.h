/* Weft: parallel loops for C.
 *
 *   static void add(size_t begin, size_t end, void *argument) {
 *     struct vectors *v = argument;
 *     for (size_t i = begin; i < end; ++i) v->c[i] = v->a[i] + v->b[i];
 *   }
 *   weft_parallel_for(0, n, 0, add, &vectors);
 *
 * The indexes are divided into parts, which several workers run at once by forks (hot.h): a part may do whatever a fork may, block, lock,
 * fork and loop. One worker alone runs the parts in their order. All calls here return when everything has ended, may switch, and are
 * callable from any; in a tasklet, and on an OS thread outside, they are plain loops. None of them allocates, except as noted.
 *
 * grain   The most indexes in a part, whoever runs it: the parts are then the same in every run. 0: as many parts as keep the workers busy,
 *         which depends on who is idle. */
#ifndef WEFT_LOOPS_H
#define WEFT_LOOPS_H

#include <stddef.h>

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Calls body(from, to, argument) for parts [from, to) of [begin, end), none of them empty. Errors: WEFT_INVALID (null body, end below
 * begin). */
WEFT_NODISCARD WEFT_API weft_status weft_parallel_for(size_t begin, size_t end, size_t grain,
                                                      void (*body)(size_t from, size_t to, void *argument), void *argument);

#define WEFT_REDUCE_BYTES 256 /* the most that a value may have; what does not fit goes by pointer */

typedef struct weft_reduction {
  size_t value_bytes;                                                       /* 1 to WEFT_REDUCE_BYTES */
  const void *identity;                                                     /* what every part's value begins as */
  void (*body)(size_t from, size_t to, void *argument, void *value);        /* adds indexes [from, to) to *value */
  void (*combine)(void *value, const void *value_of_later, void *argument); /* adds the value of the part behind to *value */
} weft_reduction;

/* Reduces [begin, end); *out is the identity when that is empty. Values lie aligned to 16 bytes and are moved as bytes. They are combined
 * in the order of the indexes: combine must be associative, not commutative. Where it is not quite, as with floating point, a grain makes
 * the result the same in every run. Errors: WEFT_INVALID (null, end below begin, value_bytes); *out is then left untouched. */
WEFT_NODISCARD WEFT_API weft_status weft_parallel_reduce(size_t begin, size_t end, size_t grain, const weft_reduction *how,
                                                         void *argument, void *out);

/* Sorts count elements of element_bytes each as qsort_r does, not stably; compare is called by several workers at once.
 * Quicksort: with many workers the first, sequential partitions bound the speed-up. Small parts go to qsort_r, which may
 * allocate. Errors: WEFT_INVALID (null compare, null elements of which there are some, element_bytes 0). */
WEFT_NODISCARD WEFT_API weft_status weft_parallel_sort(void *elements, size_t count, size_t element_bytes,
                                                       int (*compare)(const void *left, const void *right, void *argument),
                                                       void *argument);

#if defined(__cplusplus)
}
#endif

#endif
