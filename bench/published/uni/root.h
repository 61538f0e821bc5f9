/* Where a measured root runs: on ranks (on_ranks.c) or on the workers of one process (on_threads.c). */
#ifndef WEFT_BENCH_UNI_ROOT_H
#define WEFT_BENCH_UNI_ROOT_H

#include <stdbool.h>
#include <stddef.h>

/* Runs run(copy of *work) once, and brings the copy back. True: the caller is the one that prints. */
bool run_root(void (*run)(void *work), void *work, size_t bytes);

#endif
