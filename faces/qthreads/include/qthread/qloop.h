/* Qthreads on Weft: parallel loops, and reductions and a sort that are made of them.
 *
 * A loop returns when all its calls of the program's function have returned. These calls run in
 * tasks of their own, and may do whatever tasks may. Unless it says otherwise, a call of this header
 * may switch, and may come from a task or from an OS thread outside, which then waits in the kernel.
 * For an empty range (stop is not above start) a loop calls nothing. Where there is no memory for a
 * task, the caller or another task of the loop does its work. */
#ifndef QTHREAD_QLOOP_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_QLOOP_H

#include "qthread.h"

Q_STARTCXX

/* Does the indexes [startat, stopat) of a loop. */
typedef void (*qt_loop_f)(size_t const startat, size_t const stopat, void *arg);
typedef void (*qt_loop_step_f)(void *arg);
/* Writes the result of the indexes [startat, stopat) to *ret, whose content does not matter. */
typedef void (*qt_loopr_f)(size_t const startat, size_t const stopat, void *restrict arg, void *restrict ret);
/* Combines the result at b with that at a. */
typedef void (*qt_accum_f)(void *restrict a, void const *restrict b);

/* ---- a task an index ------------------------------------------------------------------------- */

/* Calls func(i, i + 1, argptr) for each index i of [start, stop), each in a task of its own, so that
 * indexes may wait for each other.
 *
 * All are one function: in Qthreads they differ in how the end is waited for. The tasks of
 * qt_loop_simple, too, may block, as those of Qthreads 1.23. */
void qt_loop(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_simple(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_sv(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_dc(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_aligned(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_sinc(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_step(size_t start, size_t stop, size_t stride, qt_loop_step_f func, void *argptr)
    QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_loop_step and has no such function");

/* ---- a task a worker ------------------------------------------------------------------------- */

/* Divides [start, stop) into as many parts of one size as there are workers, or indexes if these are
 * fewer, and calls func(begin, end, argptr) for each. Unless the scheduler is weft, each part is a
 * task of its own that stays on one shepherd, and the same parts are on the same one every time.
 *
 * All are one function, except that the tasks of qt_loop_balance_simple are simple ones
 * (QTHREAD_SPAWN_SIMPLE), which must not block. */
void qt_loop_balance(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_simple(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_sv(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_dc(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_aligned(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_sinc(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);

/* Divides a range as qt_loop_balance does, and calls func(begin, end, argptr, ret) for each part.
 * The results, of size bytes each, are combined by acc in the order of the parts; *out receives what
 * they make up. For an empty range func is called once, for that range. All are one function. */
void qt_loopaccum_balance(size_t const start, size_t const stop, size_t const size, void *restrict out, qt_loopr_f const func,
                          void *restrict argptr, qt_accum_f const acc);
void qt_loopaccum_balance_sv(size_t const start, size_t const stop, size_t const size, void *restrict out, qt_loopr_f const func,
                             void *restrict argptr, qt_accum_f const acc);
void qt_loopaccum_balance_dc(size_t const start, size_t const stop, size_t const size, void *restrict out, qt_loopr_f const func,
                             void *restrict argptr, qt_accum_f const acc);
void qt_loopaccum_balance_sinc(size_t const start, size_t const stop, size_t const size, void *restrict out,
                               qt_loopr_f const func, void *restrict argptr, qt_accum_f const acc);

/* ---- queues of indexes ----------------------------------------------------------------------- */

/* A loop whose tasks, one a worker, take their next indexes when they are done with the last. */
typedef struct qqloop_handle_s qqloop_handle_t;
typedef struct qqloop_step_handle_s qqloop_step_handle_t;

/* How many indexes a task takes at a time. */
typedef enum {
  CHUNK,    /* a fixed number, at first a tenth of an equal share */
  GUIDED,   /* an equal share of what is left */
  FACTORED, /* an equal share of half of what is left; as many of the same size as there are workers */
  TIMED     /* half of an equal share of what is left, or its last number, if that took less than 0.75 us */
} qt_loop_queue_type;

/* Creates a loop that calls func(begin, end, argptr) for parts of [start, stop). Each part but the
 * last one has a multiple of incr indexes.
 * Returns: the loop, which a run frees; null if func is null, for another type, and without memory.
 * Switches: never. */
qqloop_handle_t *qt_loop_queue_create(qt_loop_queue_type const type, size_t const start, size_t const stop, size_t const incr,
                                      qt_loop_f const func, void *const argptr);
qqloop_step_handle_t *qt_loop_step_queue_create(qt_loop_queue_type const type, size_t start, size_t stop, size_t incr,
                                                qt_loop_step_f func, void *argptr)
    QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_loop_step_queue_create and has no such function");

/* Sets how many indexes, at least 1, a task of a CHUNK loop takes at a time. Other loops, and null,
 * stay as they are.
 * Switches: never. Callers: before the run. */
void qt_loop_queue_setchunk(qqloop_handle_t *l, size_t chunk);

/* Runs a loop by a task on each worker, and frees it. If loop is null, nothing is done. A task whose
 * shepherd is disabled takes no further indexes. */
void qt_loop_queue_run(qqloop_handle_t *loop);

/* Runs a loop by a task on one shepherd, and frees it. If loop is null or there is no such shepherd,
 * nothing is done, and the loop stays. */
void qt_loop_queue_run_there(qqloop_handle_t *loop, qthread_shepherd_id_t shep);

/* Adds a task on a shepherd to a loop. The loop's own tasks may call it, and others before the run.
 * If loop is null, there is no such shepherd, or no index is left, nothing is done.
 * Switches: never. */
void qt_loop_queue_addworker(qqloop_handle_t *loop, qthread_shepherd_id_t const shep);

/* ---- reductions ------------------------------------------------------------------------------ */

/* Return: the sum, the product, the largest or the smallest one of an array's elements; of no
 * elements 0, and as product 1. The array is divided as by qt_loop_balance. If checkfeb is not 0,
 * each element is awaited until it is full. Integers wrap around. */
double qt_double_sum(double *array, size_t length, int checkfeb);
double qt_double_prod(double *array, size_t length, int checkfeb);
double qt_double_max(double *array, size_t length, int checkfeb);
double qt_double_min(double *array, size_t length, int checkfeb);

saligned_t qt_int_sum(saligned_t *array, size_t length, int checkfeb);
saligned_t qt_int_prod(saligned_t *array, size_t length, int checkfeb);
saligned_t qt_int_max(saligned_t *array, size_t length, int checkfeb);
saligned_t qt_int_min(saligned_t *array, size_t length, int checkfeb);

aligned_t qt_uint_sum(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_prod(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_max(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_min(aligned_t *array, size_t length, int checkfeb);

/* Functions to combine results with. */
#define QTHREAD_ACCUMULATORS(letters, type)                                                                                \
  static inline void qt_##letters##_add_acc(void *restrict a, void const *restrict b) { *(type *)a += *(type const *)b; }  \
  static inline void qt_##letters##_prod_acc(void *restrict a, void const *restrict b) { *(type *)a *= *(type const *)b; } \
  static inline void qt_##letters##_max_acc(void *restrict a, void const *restrict b) {                                    \
    if (*(type const *)b > *(type *)a) *(type *)a = *(type const *)b;                                                      \
  }                                                                                                                        \
  static inline void qt_##letters##_min_acc(void *restrict a, void const *restrict b) {                                    \
    if (*(type const *)b < *(type *)a) *(type *)a = *(type const *)b;                                                      \
  }
QTHREAD_ACCUMULATORS(dbl, double)
QTHREAD_ACCUMULATORS(int, saligned_t)
QTHREAD_ACCUMULATORS(uint, aligned_t)
#undef QTHREAD_ACCUMULATORS

/* Sorts an array, the smallest element first; NaNs come last. */
void qt_qsort(double *array, size_t const length);

Q_ENDCXX

#endif
