/* Forks, measured: what weft.c puts into its table. */
#ifndef WEFT_BENCH_WEFT_FORKS_H
#define WEFT_BENCH_WEFT_FORKS_H

#if defined(__cplusplus)
extern "C" {
#endif

double fork_nested(void);      /* C++ */
double fork_nested_in_c(void); /* the same in C */
double fork_flat(void);        /* batches in C, joined last one first */
double fork_only(void);        /* batches in C, without their joins */
double fork_one(void);         /* one fork at a time, in C, and its join */
double fork_taken(void); /* until another worker, which looks for work, has begun the child of a forker that stays in one call */
double fork_taken_asleep(void); /* the same when the others sleep */
double heavy_fence(void);       /* what a thief pays for it, while all other workers run */

#if defined(__cplusplus)
}
#endif

#endif
