/* Weft: forks that migrate between processes. The conventions of weft.h hold.
 *
 *   static void run(void *work) { *(long *)work = fib(*(long *)work); }
 *   int main(void) {
 *     long n = 40;
 *     if (weft_dist_root(run, &n, sizeof n) != WEFT_OK) return 1;
 *     if (weft_dist_rank() == 0) printf("%ld\n", n);
 *   }
 *
 * Words
 *   Rank           One of the processes that run the program together. `weft launch -n P` starts P
 *                  ranks on one machine, and with --mpi on several. Each rank runs main. A program
 *                  that is started without `weft launch` is one rank, and nothing moves.
 *   Job            All ranks of one start.
 *   Root           A function that all ranks run together, in weft_dist_root.
 *   Thread         The root, or a child that it or another thread forked. The OS thread that runs
 *                  main runs the threads on its rank. Another OS thread is never in a root.
 *   Continuation   What a forker does after a fork. Another rank may take it.
 *   Frames         The part of the stack that a thread uses.
 *
 * A program is linked with libweft-dist instead of libweft. In a root, forks (hot.h, fork.hpp) are
 * shared among the ranks. A fork runs its child at once, and another rank may take the forker's
 * continuation: then the forker's frames move there, to the same addresses.
 *
 * Heap and globals are each rank's own. A thread that moves takes its frames and the bytes of its
 * forks along, and nothing else: an address of a global then names the other rank's global, and an
 * address that malloc returned names nothing there. So a fork and its forker may share values only.
 * A fork whose bytes hold an address of a stack stays with its forker and runs in its join. By
 * default the library looks for addresses of the heap in the first 64 continuations that move from
 * each function, and names the first function in which it finds one (WEFT_DIST_CHECK).
 *
 * A thread that blocks otherwise than in a join (a lock, sleep, I/O) keeps its rank. A thread in a
 * catch block, or in a destructor during unwinding, keeps its rank, too. errno, thread-local
 * variables, FILE, keys and locks do not move. */
#ifndef WEFT_DIST_H /* SPDX-License-Identifier: BSD-3-Clause */
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
 * ends, and a line on stderr says so. The library copies rank 0's *work, of bytes bytes, to the
 * stack of the root, aligned as malloc aligns memory. run begins on rank 0, and may end on another
 * rank. The call returns on every rank when run has returned and all forks have ended. *work then
 * holds, on every rank, what run left in that copy. If bytes is 0, work may be null, and run must
 * not use what it receives.
 *
 * A thread in a root must not call fork(2), which ends the job with a line; posix_spawn and system
 * are allowed.
 * Errors: WEFT_INVALID (run is null; work is null, and bytes is not 0; bytes is above half of a
 * stack, WEFT_DIST_STACK; a call from inside a root, from another OS thread than the one that runs
 * main, or from a process that a rank has forked).
 * Switches: never. Callers: the OS thread that runs main, outside a root.
 * Undefined: an exception that leaves run; a fork that no thread has joined or discarded when run
 * returns. */
WEFT_NODISCARD WEFT_API weft_status weft_dist_root(void (*run)(void *work), void *work, size_t bytes);

/* Returns the rank of the process in which the caller runs. For a thread in a root, each fork and
 * join may change it.
 * Returns: the rank, from 0 to one less than weft_dist_ranks().
 * Switches: never. Callers: any. */
WEFT_API int weft_dist_rank(void);

/* Returns how many ranks the job has.
 * Returns: the number, at least 1.
 * Switches: never. Callers: any. */
WEFT_API int weft_dist_ranks(void);

/* Discards a fork whose result no thread reads. It is called instead of weft_fork_join, with the
 * same arguments.
 *
 * If the caller was separated from this child, by a steal or by a wait of the child, the call
 * returns at once, and the child ends some time later. Otherwise the call joins the child as
 * weft_fork_join does, which runs run(work) if the fork is null, and *work holds what the child
 * left. The root ends only after all discarded children have ended.
 * Switches: may. Callers: those of weft_fork_join.
 * Undefined: a fork of another forker, or that was joined or discarded. */
WEFT_API void weft_dist_discard(weft_forked *forked, void (*run)(void *work), void *work, size_t bytes);

/* What a rank has done since the program began. */
typedef struct weft_dist_counts {
  uint64_t steals;         /* continuations that it took from other ranks */
  uint64_t stolen_bytes;   /* the bytes of their frames and forks */
  uint64_t evacuations;    /* waits for which the waiting thread's frames left the stack */
  uint64_t resumed;        /* of the threads that left a stack, how many went on here */
  uint64_t waits_in_place; /* waits in a join whose frames stayed: no memory, or in a catch block */
  uint64_t kept;           /* forks that stayed, because their bytes hold an address of a stack */
  uint64_t full;           /* forks that stayed, because the queue or the stack was full */
  /* What the steals took, in ticks of the CPU's counter (the TSC): */
  uint64_t claim_ticks;   /* from the look at the victim's queue to the claim */
  uint64_t copy_ticks;    /* the copy of the frames and the forks' bytes */
  uint64_t take_up_ticks; /* from the copy until the continuation can go on */
} weft_dist_counts;

/* Stores in *out the counts of the rank on which the caller runs. While a root runs, the counts are
 * those of this moment.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_API void weft_dist_read_counts(weft_dist_counts *out);

#if defined(__cplusplus)
}
#endif

#endif
