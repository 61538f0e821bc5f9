/* Qthreads on Weft: sums, products, extremes and sorts of arrays.
 *
 * Parts of an array of more than 10,000 elements are worked on by tasks of their own. The calls
 * return when all is done. They may switch, and may come from tasks and from OS threads outside. */
#ifndef QTHREAD_QUTIL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_QUTIL_H

#include "qthread.h"

Q_STARTCXX

/* Return: the sum, the product, the largest or the smallest one of an array's elements; of no
 * elements 0, and as product 1. If checkfeb is not 0, each element is awaited until it is full.
 * Integers wrap around. */
double qutil_double_sum(double const *array, size_t length, int checkfeb);
double qutil_double_mult(double const *array, size_t length, int checkfeb);
double qutil_double_max(double const *array, size_t length, int checkfeb);
double qutil_double_min(double const *array, size_t length, int checkfeb);
aligned_t qutil_uint_sum(aligned_t const *array, size_t length, int checkfeb);
aligned_t qutil_uint_mult(aligned_t const *array, size_t length, int checkfeb);
aligned_t qutil_uint_max(aligned_t const *array, size_t length, int checkfeb);
aligned_t qutil_uint_min(aligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_sum(saligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_mult(saligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_max(saligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_min(saligned_t const *array, size_t length, int checkfeb);

/* Sort an array, the smallest element first; NaNs come last. qutil_mergesort takes memory for a copy
 * of it, and does without if there is none. */
void qutil_mergesort(double *array, size_t length);
void qutil_qsort(double *array, size_t length);
void qutil_aligned_qsort(aligned_t *array, size_t length);

Q_ENDCXX

#endif
