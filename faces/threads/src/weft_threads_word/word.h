/* The atomic words of lock.c, parking.c, progress.c, spin.c, tracked.c and turn.c. The model tests
 * put a file of the same name before this one on the include path, so that those files themselves
 * run on the explorer's memory.
 * order: one of the compiler's __ATOMIC_ words. */
#ifndef WEFT_THREADS_WORD_H
#define WEFT_THREADS_WORD_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint32_t word_load(const uint32_t *word, int order) { return __atomic_load_n(word, order); }
static inline void word_store(uint32_t *word, uint32_t value, int order) { __atomic_store_n(word, value, order); }
static inline uint32_t word_exchange(uint32_t *word, uint32_t value, int order) {
  return __atomic_exchange_n(word, value, order);
}
static inline void word_add(uint32_t *word, uint32_t by, int order) { __atomic_fetch_add(word, by, order); }
/* A failure, which is relaxed, writes what is there to *expected. */
static inline bool word_replace(uint32_t *word, uint32_t *expected, uint32_t value, int order) {
  return __atomic_compare_exchange_n(word, expected, value, false, order, __ATOMIC_RELAXED);
}

static inline uint64_t word64_load(const uint64_t *word, int order) { return __atomic_load_n(word, order); }
static inline void word64_store(uint64_t *word, uint64_t value, int order) { __atomic_store_n(word, value, order); }
static inline void *word_pointer_load(void *const *word, int order) { return __atomic_load_n(word, order); }
static inline void word_pointer_store(void **word, void *value, int order) { __atomic_store_n(word, value, order); }

/* Sleeps while the word is value, or wakes spuriously. */
static inline void word_sleep(const uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}
/* The same, and no longer than until the monotonic clock says deadline_ns. */
static inline void word_sleep_until(const uint32_t *word, uint32_t value, uint64_t deadline_ns) {
  const struct timespec deadline = {(time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u)};
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
}
/* Wakes one that sleeps. */
static inline void word_wake(const uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

#endif
