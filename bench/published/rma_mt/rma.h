/* Remote memory accesses of many threads between two ranks: what the parts of rma-mt share.
 * Each thread has a window of its own, over a communicator of its own. */
#ifndef WEFT_RMA_MT_RMA_H
#define WEFT_RMA_MT_RMA_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rma_kernel { RMA_BANDWIDTH, RMA_BIDIRECTIONAL, RMA_LATENCY };
enum rma_operation { RMA_PUT, RMA_GET };
enum rma_sync { RMA_FENCE, RMA_LOCK, RMA_LOCK_ALL, RMA_FLUSH, RMA_PSCW };

#define RMA_WINDOW_BYTES (1 << 20) /* of one thread */

/* What all threads of a rank do in a round. */
struct rma_round {
  enum rma_kernel kernel;
  enum rma_operation operation;
  enum rma_sync sync;
  int rank;
  size_t bytes;   /* of one operation */
  int batch;      /* operations between two synchronisations, each at a place of its own */
  int iterations; /* batches of the round */
};

/* One thread's part. */
struct rma_lane {
  MPI_Comm communicator;
  MPI_Group peer; /* the other rank alone */
  MPI_Win window;
  uint64_t *exposed; /* the window's memory here: RMA_WINDOW_BYTES */
  uint64_t *local;   /* what puts read and gets write: as many bytes */
};

/* The name of each value, null behind the last. */
extern const char *const rma_kernels[], *const rma_operations[], *const rma_syncs[];

/* All ranks make, and free, the windows of their lanes in the same order. */
void rma_lane_open(struct rma_lane *lane, int rank);
void rma_lane_close(struct rma_lane *lane);

/* The three parts of a round. Between them no rank needs another one's: a thread that has begun may
 * wait for the others of its rank. */
void rma_begin(const struct rma_lane *lane, const struct rma_round *round);
void rma_run(const struct rma_lane *lane, const struct rma_round *round);
void rma_end(const struct rma_lane *lane, const struct rma_round *round);

/* Writes what a round is to copy, and marks the memory that it is to fill. */
void rma_fill(const struct rma_lane *lane, const struct rma_round *round, unsigned thread, unsigned number);
/* How many words of this rank's memory do not hold what the round has copied there; *checked grows
 * by the number that it looked at. The first wrong word is told on stderr. */
uint64_t rma_count_wrong(const struct rma_lane *lane, const struct rma_round *round, unsigned thread, unsigned number,
                         uint64_t *checked);

/* Whether the rank of a round has threads that do operations; else its memory is their target. */
static inline bool rma_is_origin(const struct rma_round *round) { return round->rank == 0 || round->kernel == RMA_BIDIRECTIONAL; }
static inline bool rma_is_target(const struct rma_round *round) { return round->rank == 1 || round->kernel == RMA_BIDIRECTIONAL; }

#endif
