/* Windows, the epochs of each way to synchronise, and what a checked round compares. Errors of the
 * MPI end the job, as its default error handler has it. */
#include "rma.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rma_kernels[] = {"bandwidth", "bidirectional", "latency", NULL};
const char *const rma_operations[] = {"put", "get", NULL};
const char *const rma_syncs[] = {"fence", "lock", "lock_all", "flush", "pscw", NULL};

void rma_lane_open(struct rma_lane *lane, int rank) {
  const int peer = 1 - rank;
  MPI_Group world;
  MPI_Comm_dup(MPI_COMM_WORLD, &lane->communicator);
  MPI_Comm_group(lane->communicator, &world);
  MPI_Group_incl(world, 1, &peer, &lane->peer);
  MPI_Group_free(&world);
  MPI_Win_allocate(RMA_WINDOW_BYTES, 1, MPI_INFO_NULL, lane->communicator, (void *)&lane->exposed, &lane->window);
  lane->local = calloc(1, RMA_WINDOW_BYTES);
  if (lane->local == NULL) {
    fprintf(stderr, "rma-mt: rank %d: no memory for a buffer of %d bytes\n", rank, RMA_WINDOW_BYTES);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void rma_lane_close(struct rma_lane *lane) {
  MPI_Win_free(&lane->window);
  MPI_Group_free(&lane->peer);
  MPI_Comm_free(&lane->communicator);
  free(lane->local);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static void operate(const struct rma_lane *lane, const struct rma_round *round) {
  const int peer = 1 - round->rank;
  const int count = (int)round->bytes;
  for (int i = 0; i < round->batch; ++i) {
    const size_t at = (size_t)i * round->bytes;
    char *const local = (char *)lane->local + at;
    if (round->operation == RMA_PUT)
      MPI_Put(local, count, MPI_BYTE, peer, (MPI_Aint)at, count, MPI_BYTE, lane->window);
    else
      MPI_Get(local, count, MPI_BYTE, peer, (MPI_Aint)at, count, MPI_BYTE, lane->window);
  }
}

void rma_begin(const struct rma_lane *lane, const struct rma_round *round) {
  if (round->sync == RMA_FENCE) MPI_Win_fence(MPI_MODE_NOPRECEDE, lane->window);
  if (round->sync == RMA_FLUSH && rma_is_origin(round)) MPI_Win_lock_all(0, lane->window);
}

void rma_end(const struct rma_lane *lane, const struct rma_round *round) {
  if (round->sync == RMA_FLUSH && rma_is_origin(round)) MPI_Win_unlock_all(lane->window);
}

/* Both ranks call these, the one whose memory is the target as well. */
static void iterate_fence(const struct rma_lane *lane, const struct rma_round *round, bool is_last) {
  if (rma_is_origin(round)) operate(lane, round);
  MPI_Win_fence(is_last ? MPI_MODE_NOSUCCEED : 0, lane->window);
}

static void iterate_pscw(const struct rma_lane *lane, const struct rma_round *round) {
  if (rma_is_target(round)) MPI_Win_post(lane->peer, 0, lane->window);
  if (rma_is_origin(round)) {
    MPI_Win_start(lane->peer, 0, lane->window);
    operate(lane, round);
    MPI_Win_complete(lane->window);
  }
  if (rma_is_target(round)) MPI_Win_wait(lane->window);
}

/* The origin alone calls this. */
static void iterate_passive(const struct rma_lane *lane, const struct rma_round *round) {
  const int peer = 1 - round->rank;
  if (round->sync == RMA_LOCK) MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, lane->window);
  if (round->sync == RMA_LOCK_ALL) MPI_Win_lock_all(0, lane->window);
  operate(lane, round);
  if (round->sync == RMA_LOCK) MPI_Win_unlock(peer, lane->window);
  if (round->sync == RMA_LOCK_ALL) MPI_Win_unlock_all(lane->window);
  if (round->sync == RMA_FLUSH) MPI_Win_flush(peer, lane->window);
}

void rma_run(const struct rma_lane *lane, const struct rma_round *round) {
  for (int i = 0; i < round->iterations; ++i) {
    if (round->sync == RMA_FENCE)
      iterate_fence(lane, round, i + 1 == round->iterations);
    else if (round->sync == RMA_PSCW)
      iterate_pscw(lane, round);
    else if (rma_is_origin(round))
      iterate_passive(lane, round);
  }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static size_t words_of(const struct rma_round *round) { return round->bytes * (size_t)round->batch / sizeof(uint64_t); }

/* The word that an origin's rank copies, or has copied, at a place of a thread's memory. */
static uint64_t word_at(int origin, unsigned thread, unsigned number, size_t at) {
  const uint64_t where = ((uint64_t)number << 40) | ((uint64_t)thread << 32) | ((uint64_t)(unsigned)origin << 31) | at;
  return (where + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The memory that a round reads: of the origin for puts, of the target for gets. */
static uint64_t *source_of(const struct rma_lane *lane, const struct rma_round *round) {
  return round->operation == RMA_PUT ? lane->local : lane->exposed;
}
static uint64_t *destination_of(const struct rma_lane *lane, const struct rma_round *round) {
  return round->operation == RMA_PUT ? lane->exposed : lane->local;
}

/* A rank has the source of what it puts, or of what the other one gets; and the other way round. */
static bool has_source(const struct rma_round *round) {
  return round->operation == RMA_PUT ? rma_is_origin(round) : rma_is_target(round);
}
static bool has_destination(const struct rma_round *round) {
  return round->operation == RMA_PUT ? rma_is_target(round) : rma_is_origin(round);
}

void rma_fill(const struct rma_lane *lane, const struct rma_round *round, unsigned thread, unsigned number) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, round->rank, 0, lane->window);
  for (size_t at = 0; at < words_of(round); ++at) {
    if (has_source(round)) source_of(lane, round)[at] = word_at(round->rank, thread, number, at);
    if (has_destination(round)) destination_of(lane, round)[at] = ~word_at(1 - round->rank, thread, number, at);
  }
  MPI_Win_unlock(round->rank, lane->window);
}

uint64_t rma_count_wrong(const struct rma_lane *lane, const struct rma_round *round, unsigned thread, unsigned number,
                         uint64_t *checked) {
  uint64_t wrong = 0;
  if (!has_destination(round)) return 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, round->rank, 0, lane->window);
  for (size_t at = 0; at < words_of(round); ++at) {
    const uint64_t expected = word_at(1 - round->rank, thread, number, at);
    const uint64_t found = destination_of(lane, round)[at];
    if (found != expected && ++wrong == 1)
      fprintf(stderr, "rma-mt: rank %d: %zu bytes by %s and %s: word %zu of thread %u is %" PRIx64 ", expected %" PRIx64 "\n",
              round->rank, round->bytes, rma_operations[round->operation], rma_syncs[round->sync], at, thread, found, expected);
  }
  MPI_Win_unlock(round->rank, lane->window);
  *checked += words_of(round);
  return wrong;
}
