/* Where a measured root runs: on ranks (on_ranks.c) or on the workers of one process
 * (on_threads.c). */
#ifndef WEFT_BENCH_UNI_ROOT_H
#define WEFT_BENCH_UNI_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Runs run(copy of *work) once, and brings the copy back. workers: of threads; ranks are as many
 * as were launched. True: the caller is the one that prints. */
bool run_root(unsigned workers, void (*run)(void *work), void *work, size_t bytes);

/* How many ranks there are, or that many threads. */
int root_ranks(unsigned workers);

/* What the caller's rank has done; zeros on threads. */
struct root_counts {
  unsigned long long kept;   /* forks that stayed, because their bytes hold an address of the stack */
  unsigned long long steals; /* continuations that it took */
};
struct root_counts read_root_counts(void);

#if defined(__cplusplus)
}
#endif

#endif
