/* Qthreads on Weft: a function of each pair of elements of two arrays. */
#ifndef QTHREAD_ALLPAIRS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_ALLPAIRS_H

#include "macros.h"
#include "qarray.h"

Q_STARTCXX

typedef void (*dist_f)(void const *unit1, void const *unit2);
typedef void (*dist_out_f)(void const *unit1, void const *unit2, void *restrict outstore);

/* Calls distfunc for each element of array1 with each of array2, by tasks on all workers, and
 * returns when all calls have. If an argument is null, nothing is done.
 * Switches: may. */
void qt_allpairs(qarray const *array1, qarray const *array2, dist_f distfunc);

/* As qt_allpairs; for the elements i of array1 and j of array2, outstore is the address of the
 * outsize bytes at index j of output[i], or null if output is null. */
void qt_allpairs_output(qarray const *array1, qarray const *array2, dist_out_f distfunc, void *restrict *restrict output,
                        size_t outsize);

Q_ENDCXX

#endif
