/* Protocol M (docs/protocols/M.md): what OS threads share in the engine. Threads that park push
 * their records onto a stack; the holder of the engine takes all of them. A worker that has nothing
 * to do sleeps on a futex, which those that push and those that ring end. */
#ifndef WEFT_MPI_ARRIVALS_H
#define WEFT_MPI_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>
#include <weft_mpi/word.h>

/* The beginning of each record. */
typedef struct mpi_link {
  struct mpi_link *next;
} mpi_link;

typedef struct mpi_arrivals {
  mpi_slot newest;  /* of those that are pushed and not taken */
  mpi_word sleeps;  /* a worker is about to sleep, or sleeps, on it; also the futex */
  mpi_word is_rung; /* ring was called */
  mpi_word is_held; /* the engine */
  mpi_word calls;   /* that spin, poll or have parked, and are not ended */
} mpi_arrivals;

/* ---- the engine's lock ----------------------------------------------------------------------- */

static inline bool hold_arrivals(mpi_arrivals *all) {
  if (mpi_word_load(&all->is_held, __ATOMIC_RELAXED) != 0) return false;
  /* [M1] acquire: what earlier holders wrote; pairs with [M2] */
  return mpi_word_exchange(&all->is_held, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void let_arrivals_go(mpi_arrivals *all) {
  /* [M2] release: what the holder wrote; pairs with [M1] */
  mpi_word_store(&all->is_held, 0, __ATOMIC_RELEASE);
}

/* ---- those that arrive ----------------------------------------------------------------------- */

/* What is sought was written before. */
static inline void end_sleep_of_engine(mpi_arrivals *all) {
  /* [M3] seq_cst: stands behind the write of what is sought; pairs with [M6] */
  if (mpi_word_load(&all->sleeps, __ATOMIC_SEQ_CST) == 0) return;
  mpi_word_store(&all->sleeps, 0, __ATOMIC_RELAXED);
  mpi_futex_wake(&all->sleeps);
}

/* The record is the engine's until the engine has made its thread ready. */
static inline void push_arrival(mpi_arrivals *all, mpi_link *one) {
  mpi_link *newest = mpi_slot_load(&all->newest, __ATOMIC_RELAXED);
  do {
    one->next = newest;
    /* [M4] seq_cst: publishes the record, before the look at `sleeps`; pairs with [M5] [M7] */
  } while (!mpi_slot_replace(&all->newest, &newest, one, __ATOMIC_SEQ_CST));
  end_sleep_of_engine(all);
}

static inline bool has_arrivals(const mpi_arrivals *all) { return mpi_slot_load(&all->newest, __ATOMIC_RELAXED) != 0; }

/* By the holder: the oldest first. */
static inline mpi_link *take_arrivals_in_order(mpi_arrivals *all) {
  mpi_link *oldest = 0;
  if (!has_arrivals(all)) return 0;
  /* [M5] acquire: sees the records; pairs with [M4] */
  mpi_link *newest = mpi_slot_exchange(&all->newest, 0, __ATOMIC_ACQUIRE);
  while (newest != 0) {
    mpi_link *const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

/* ---- the sleep ------------------------------------------------------------------------------- */

/* By one caller at a time, which looks for arrivals and takes rings before and after. May return
 * for no reason. */
static inline void sleep_in_engine(mpi_arrivals *all, uint64_t most_ns) {
  /* [M6] seq_cst: stands before the looks at what those that end sleeps write first; pairs with
   * [M3] */
  mpi_word_store(&all->sleeps, 1, __ATOMIC_SEQ_CST);
  /* [M7] seq_cst: stands behind the announcement; pairs with [M4] */
  const bool has_some = mpi_slot_load(&all->newest, __ATOMIC_SEQ_CST) != 0;
  /* [M8] seq_cst: stands behind the announcement; pairs with [M9] */
  if (!has_some && mpi_word_load(&all->is_rung, __ATOMIC_SEQ_CST) == 0) mpi_futex_wait(&all->sleeps, 1, most_ns);
  mpi_word_store(&all->sleeps, 0, __ATOMIC_RELAXED);
}

static inline void ring_engine(mpi_arrivals *all) {
  /* [M9] seq_cst: publishes what the caller rings for, before the look at `sleeps`; pairs with [M8]
   * [M10] */
  mpi_word_store(&all->is_rung, 1, __ATOMIC_SEQ_CST);
  end_sleep_of_engine(all);
}

static inline bool is_rung(const mpi_arrivals *all) { return mpi_word_load(&all->is_rung, __ATOMIC_RELAXED) != 0; }

static inline bool take_ring(mpi_arrivals *all) {
  if (!is_rung(all)) return false;
  /* [M10] acquire: what the caller rang for; pairs with [M9] */
  return mpi_word_exchange(&all->is_rung, 0, __ATOMIC_ACQUIRE) != 0;
}

/* ---- calls that wait ------------------------------------------------------------------------- */

static inline void begin_call(mpi_arrivals *all) { mpi_word_add(&all->calls, 1, __ATOMIC_RELAXED); }

static inline void end_call(mpi_arrivals *all) {
  /* [M11] release: MPI_Finalize comes after the call; pairs with [M12] */
  mpi_word_subtract(&all->calls, 1, __ATOMIC_RELEASE);
}

static inline uint32_t open_calls(const mpi_arrivals *all) {
  /* [M12] acquire: the calls have ended; pairs with [M11] */
  return mpi_word_load(&all->calls, __ATOMIC_ACQUIRE);
}

/* ---- the source of this life of the runtime -------------------------------------------------- */

static inline void publish_source(uint64_t *word, uint64_t source) {
  /* [M13] release: the source is made; pairs with [M14] */
  mpi_number_store(word, source, __ATOMIC_RELEASE);
}

static inline uint64_t read_source(const uint64_t *word) {
  /* [M14] acquire: the source is made; pairs with [M13] */
  return mpi_number_load(word, __ATOMIC_ACQUIRE);
}

#endif
