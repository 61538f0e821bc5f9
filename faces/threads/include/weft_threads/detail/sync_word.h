/* Weft: the few atomic operations of full/empty variables. The model tests put a file of the same name before this one on the include
 * path, so that sync_fast.h and sync_slow.h themselves run on the explorer's memory. order: one of the compiler's __ATOMIC_ words. */
#ifndef WEFT_THREADS_DETAIL_SYNC_WORD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_SYNC_WORD_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t threads_sync_load(const uint32_t *word, int order) { return __atomic_load_n(word, order); }
static inline void threads_sync_store(uint32_t *word, uint32_t value, int order) { __atomic_store_n(word, value, order); }
static inline void threads_sync_subtract(uint32_t *word, uint32_t value, int order) { __atomic_fetch_sub(word, value, order); }
static inline void threads_sync_set_bits(uint32_t *word, uint32_t bits, int order) { __atomic_fetch_or(word, bits, order); }
/* order: of success; a failure is relaxed. */
static inline bool threads_sync_replace(uint32_t *word, uint32_t expected, uint32_t value, int order) {
  return __atomic_compare_exchange_n(word, &expected, value, false, order, __ATOMIC_RELAXED);
}

#endif
