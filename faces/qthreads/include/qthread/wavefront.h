/* Qthreads on Weft: grids in which each cell is computed from three neighbours. In Qthreads 1.23
 * these functions are declared, and not in the library. */
#ifndef WEFT_QTHREADS_WAVEFRONT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_WAVEFRONT_H

#include "qarray.h"

Q_STARTCXX

/* Computes a cell, out, from those to the left, below to the left, and below. */
typedef void (*wave_comp_f)(void const *restrict left, void const *restrict leftdown, void const *restrict down,
                            void *restrict out);
/* No function takes one. */
typedef void (*wave_f)(qarray *restrict left, qarray *restrict below, void **R);

/* What is kept of a grid: the cells at the edges of its blocks. */
typedef struct qt_wavefront_lattice_s qt_wavefront_lattice;

/* Computes a grid of left->count rows, from the bottom up, and below->count - 1 columns.
 *
 * left has the cells to the left of the grid's rows, and below those below its columns, after the
 * one below to the left of all. A block has as many cells as a segment of left and of below; tasks
 * compute blocks at once where they can, and call func for each cell once. The two arrays are only
 * read.
 * Returns: the cells at the edges of blocks, the last row and the last column among them, for
 * qt_wavefront_destroy_lattice. Null: without memory; if an argument is null, the arrays have units
 * of different sizes, or below has fewer than 2 elements.
 * Switches: may. */
qt_wavefront_lattice *qt_wavefront(qarray *restrict const left, qarray *restrict const below, wave_comp_f func);
/* Prints the cells of a lattice on stdout as doubles, from the top row down; in place of those that
 * it does not keep are spaces. The cells are doubles. */
void qt_wavefront_print_lattice(qt_wavefront_lattice const *const L);
/* Frees a lattice. Null is ignored. */
void qt_wavefront_destroy_lattice(qt_wavefront_lattice *const L);

/* Computes a grid in its place, in the caller: func(&R[col-1][row], &R[col-1][row-1],
 * &R[col][row-1], &R[col][row]) for each col from 1 below cols, and in it each row from 1 below
 * rows. */
void qt_basic_wavefront(int *restrict const *const R, size_t cols, size_t rows, wave_comp_f func);

Q_ENDCXX

#endif
