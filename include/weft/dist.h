/* Weft: forks that migrate between processes.
 *
 *   static void run(void *work) { *(long *)work = fib(*(long *)work); }
 *   int main(void) {
 *     long n = 40;
 *     if (weft_dist_root(run, &n, sizeof n) != WEFT_OK) return 1;
 *     if (weft_dist_rank() == 0) printf("%ld\n", n);
 *   }
 *
 * A program that is linked with libweft-dist, and started by `weft launch -n P`, runs on P
 * processes of one machine, its ranks. Each rank runs main. In weft_dist_root all ranks run one
 * root together: its forks (hot.h, fork.hpp) are shared among the ranks. A fork runs its child
 * at once, and what its forker does next may be taken by another rank: then the forker's stack
 * frames move there. Without `weft launch` there is one rank, and nothing moves.
 *
 * Heap and globals are each rank's own. A thread that moves takes its stack frames and the bytes of
 * its forks along, and nothing else: an address of a global then names the other rank's global, and
 * an address that malloc returned names nothing there. So what a fork and its forker share are
 * values. A fork whose bytes hold an address of a stack stays with its forker and runs in its join.
 * By default the library looks for addresses of the heap in the first 64 continuations that move
 * from each function, and names the first function in which it finds one (WEFT_DIST_CHECK).
 *
 * A thread that blocks otherwise than in a join (a lock, sleep, I/O) keeps its rank. A thread in a
 * catch block, or in a destructor during unwinding, keeps its rank, too. errno, thread-local
 * variables, FILE, keys and locks do not move. */
#ifndef WEFT_DIST_H
#define WEFT_DIST_H

#include <weft/detail/platform.h>

#include <stddef.h>
#include <stdint.h>

#include <weft/hot.h>
#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Runs run(copy of *work) once, as a root: all ranks share its forks.
 *
 * Each rank must make the call, with the same run and bytes. If the ranks' calls differ, the job
 * ends, and a line on stderr says so. The library copies rank 0's *work to the stack of the root.
 * When the call returns, *work holds, on every rank, what run left in that copy. A thread in a root
 * must not call fork(2), which ends the job with a line; posix_spawn and system are allowed.
 * Errors: WEFT_INVALID (run is null; work is null, and bytes is not 0; bytes is above half of a
 * stack, WEFT_DIST_STACK; a call from inside a root, from another OS thread than the one that runs
 * main, or from a process that a rank has forked).
 * Switches: never. Callers: the OS thread that runs main, outside a root. */
WEFT_NODISCARD WEFT_API weft_status weft_dist_root(void (*run)(void *work), void *work, size_t bytes);

/* Returns the rank of the process in which the caller runs. For a thread in a root, each fork and
 * join may change it.
 * Returns: the rank, from 0.
 * Switches: never. Callers: any. */
WEFT_API int weft_dist_rank(void);

/* Returns how many ranks there are.
 * Returns: the number, at least 1.
 * Switches: never. Callers: any. */
WEFT_API int weft_dist_ranks(void);

/* Discards a fork whose result no thread reads. It is called instead of weft_fork_join, with the
 * same arguments.
 *
 * If no steal has separated the forker from this child, the call joins the child. Otherwise it
 * returns at once, and the child ends some time later. The root ends only after all such children
 * have ended.
 * Switches: may. Callers: those of weft_fork_join. */
WEFT_API void weft_dist_discard(weft_forked *forked, void (*run)(void *work), void *work, size_t bytes);

/* What a rank has done since the program began. */
typedef struct weft_dist_counts {
  uint64_t steals;         /* continuations that it took from other ranks */
  uint64_t stolen_bytes;   /* their frames and places */
  uint64_t evacuations;    /* waits in a join for which frames left the stack */
  uint64_t resumed;        /* of those, how many went on here */
  uint64_t waits_in_place; /* waits in a join that found no memory for their frames */
  uint64_t kept;           /* forks that stayed, because their bytes hold an address of a stack */
  uint64_t full;           /* forks that stayed, because the queue or the stack was full */
  /* What the steals took, in ticks of the CPU's counter (the TSC): */
  uint64_t claim_ticks;   /* from the look at the victim's queue to the claim */
  uint64_t copy_ticks;    /* the copy of frames and places */
  uint64_t take_up_ticks; /* from the copy until the continuation can go on */
} weft_dist_counts;

/* Reads the calling rank's counts.
 * Switches: never. Callers: any. */
WEFT_API void weft_dist_read_counts(weft_dist_counts *out);

#if defined(__cplusplus)
}
#endif

#endif
