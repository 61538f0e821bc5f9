/* The atomic words of the engine. The model tests put a file of the same name before this one on
 * the include path, so that arrivals.h itself runs on the explorer's memory. */
#ifndef WEFT_MPI_WORD_H
#define WEFT_MPI_WORD_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct mpi_word {
  uint32_t value;
} mpi_word;

/* Where the first of a list stands. */
struct mpi_link;
typedef struct mpi_slot {
  struct mpi_link *value;
} mpi_slot;

/* order: one of the compiler's __ATOMIC_ words. */
static inline uint32_t mpi_word_load(const mpi_word *word, int order) { return __atomic_load_n(&word->value, order); }
static inline void mpi_word_store(mpi_word *word, uint32_t value, int order) { __atomic_store_n(&word->value, value, order); }
static inline uint32_t mpi_word_exchange(mpi_word *word, uint32_t value, int order) {
  return __atomic_exchange_n(&word->value, value, order);
}
static inline void mpi_word_add(mpi_word *word, uint32_t by, int order) { __atomic_fetch_add(&word->value, by, order); }
static inline void mpi_word_subtract(mpi_word *word, uint32_t by, int order) { __atomic_fetch_sub(&word->value, by, order); }

static inline struct mpi_link *mpi_slot_load(const mpi_slot *slot, int order) { return __atomic_load_n(&slot->value, order); }
static inline struct mpi_link *mpi_slot_exchange(mpi_slot *slot, struct mpi_link *value, int order) {
  return __atomic_exchange_n(&slot->value, value, order);
}
/* A failure writes what is there to *expected. */
static inline bool mpi_slot_replace(mpi_slot *slot, struct mpi_link **expected, struct mpi_link *value, int order) {
  return __atomic_compare_exchange_n(&slot->value, expected, value, true, order, __ATOMIC_RELAXED);
}

/* Of a word of the core's (weft_ext_worker_word). */
static inline uint64_t mpi_number_load(const uint64_t *number, int order) { return __atomic_load_n(number, order); }
static inline void mpi_number_store(uint64_t *number, uint64_t value, int order) { __atomic_store_n(number, value, order); }

/* Sleeps while the word is `expected`, at most so long. */
static inline void mpi_futex_wait(mpi_word *word, uint32_t expected, uint64_t most_ns) {
  const struct timespec pause = {.tv_sec = (time_t)(most_ns / 1000000000u), .tv_nsec = (long)(most_ns % 1000000000u)};
  syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, expected, &pause, NULL, 0);
}
static inline void mpi_futex_wake(mpi_word *word) { syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

#endif
