/* Qthreads on Weft: arrays whose segments belong to shepherds. */
#ifndef WEFT_QTHREADS_QARRAY_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QARRAY_H

#include <stdint.h>

#include "macros.h"
#include "qloop.h"

Q_STARTCXX

/* Which shepherd a segment belongs to. An array has one of the first four; the others are for
 * qarray_create_configured, which makes one of the first four of them. */
typedef enum {
  FIXED_HASH = 0, /* segment by segment to one shepherd after the other, for ever */
  FIXED_FIELDS,   /* neighbouring segments to one shepherd, for ever */
  ALL_SAME,       /* all to one shepherd; created as ALL_LOCAL */
  DIST,           /* each to any shepherd; created as DIST_RAND */
  DIST_STRIPES,   /* DIST, at first as FIXED_HASH */
  DIST_FIELDS,    /* DIST, at first as FIXED_FIELDS */
  DIST_RAND,      /* DIST, at first to shepherds by chance */
  DIST_LEAST,     /* DIST, each at first to the shepherd that has fewest segments of all arrays */
  ALL_LOCAL,      /* ALL_SAME, at first the creator's shepherd; from outside, shepherd 0 */
  ALL_RAND,       /* ALL_SAME, at first a shepherd by chance */
  ALL_LEAST       /* ALL_SAME, at first the shepherd that has fewest segments of all arrays */
} distribution_t;

/* An array. The program may read the members. */
typedef struct qarray_s {
  size_t unit_size;         /* bytes from an element to the next one of its segment */
  size_t count;             /* elements */
  size_t segment_size;      /* elements of a segment */
  size_t segment_bytes;     /* bytes from a segment to the next one */
  char *base_ptr;           /* the first element */
  distribution_t dist_type; /* FIXED_HASH, FIXED_FIELDS, ALL_SAME or DIST */

  union {
    qthread_shepherd_id_t dist_shep; /* for ALL_SAME: the shepherd */

    struct {
      size_t segs_per_shep; /* segments of each shepherd */
      size_t extras;        /* the first so many shepherds have one more */
    } stripes;              /* for FIXED_FIELDS */
  } dist_specific;          /* what depends on the distribution */
} qarray;

/* What iterations call for elements [startat, stopat), which lie without gaps; ret receives their
 * result. */
typedef void (*qa_loop_f)(size_t const startat, size_t const stopat, qarray *array, void *arg);
typedef void (*qa_loopr_f)(size_t const startat, size_t const stopat, qarray *array, void *arg, void *ret);
typedef void (*qa_cloop_f)(size_t const startat, size_t const stopat, qarray const *array, void *arg);

/* Create an array of count elements, whose bytes are undefined.
 *
 * unit_size is rounded up to a multiple of 8, unless the array is tight. A segment has seg_pages
 * pages of memory, or as many as one element needs; with 0, 16. The first two functions create a
 * FIXED_HASH array with segments of 16 pages.
 * Returns: the array, for qarray_destroy; null if count or unit_size is 0 or the array too large,
 * without memory, and before qthread_initialize.
 * Switches: never. */
qarray *qarray_create(size_t const count, size_t const unit_size);
qarray *qarray_create_tight(size_t const count, size_t const unit_size);
qarray *qarray_create_configured(size_t const count, size_t const unit_size, distribution_t const d, char const tight,
                                 int const seg_pages);
/* Frees an array. Null is ignored.
 * Switches: never. */
void qarray_destroy(qarray *a);

/* Iterations over the elements [startat, stopat): each shepherd that has some of them runs a task,
 * which takes those in their order. The calls wait for these tasks. If startat is not below stopat,
 * or stopat is above the array's count, or a or func is null, nothing is called. Where no task can
 * be made, the caller does its work. */

/* Calls func for each element, with its address.
 * Switches: may. */
void qarray_iter(qarray *a, size_t const startat, size_t const stopat, qthread_f func);
/* Call func for ranges that together have each element once; none crosses from one shepherd's
 * segments into another's.
 * Switches: may. */
void qarray_iter_loop(qarray *a, size_t const startat, size_t const stopat, qa_loop_f func, void *arg);
void qarray_iter_constloop(qarray const *a, size_t const startat, size_t const stopat, qa_cloop_f func, void *arg);
/* Makes a task that calls qarray_iter_loop, and whose return word is ret, which may be null.
 * Without memory the caller does that itself.
 * Switches: may. */
void qarray_iter_loop_nb(qarray *a, size_t const startat, size_t const stopat, qa_loop_f func, void *arg, aligned_t *ret);
/* Calls func for ranges as qarray_iter_loop does. Each call has retsize bytes for its result, and
 * acc(x, y) adds the result y to x: ret receives the sum of all, and stays as it is if func is not
 * called. Without memory for the results nothing is called.
 * Switches: may. */
void qarray_iter_loopaccum(qarray *a, size_t const startat, size_t const stopat, qa_loopr_f func, void *arg, void *ret,
                           size_t const retsize, qt_accum_f acc);

/* Gives the segment of element i, or all of an ALL_SAME array, to a shepherd. Other kinds of arrays
 * than ALL_SAME and DIST stay as they are, as does any for an element or a shepherd that is not
 * there. It may not run at the time of an iteration.
 * Switches: never. */
void qarray_set_shepof(qarray *a, size_t const i, qthread_shepherd_id_t shep);
/* Returns: the shepherd of an element; NO_SHEPHERD if a is null or has no such element.
 * Switches: never. */
qthread_shepherd_id_t qarray_shepof(qarray const *a, size_t const index);
/* Distributes mod's segments as those of ref are: an ALL_SAME array as another one, a DIST array as
 * an ALL_SAME array, or as a DIST array with segments of as many elements. Arrays of other kinds, or
 * that have not as many elements of one size, stay as they are.
 * Switches: never. */
void qarray_dist_like(qarray const *ref, qarray *mod);

/* Migrates the calling task to the shepherd of an element.
 * Returns: the element's address; null if a is null or has no such element. Outside, nothing
 * migrates.
 * Switches: may. */
void *qarray_elem_migrate(qarray const *a, size_t const index);

/* Returns: the address of an element, or of the one that would follow the last; null if a is null,
 * or index is larger. */
static inline void *qarray_elem_nomigrate(qarray const *a, size_t const index) {
  if (a == NULL || index > a->count) return NULL;
  const size_t segment = index / a->segment_size;
  const size_t within = index - segment * a->segment_size;
  return a->base_ptr + segment * a->segment_bytes + within * a->unit_size;
}
#define qarray_elem(a, i) qarray_elem_nomigrate(a, i)

Q_ENDCXX

#endif
