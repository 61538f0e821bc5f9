/* Weft: atomic operations that are plain ones as long as the program says that it uses one thread
 * alone. Beside threads.h, whose conventions hold here.
 *
 * A message layer counts what is under way in every call; where its user has promised to call from
 * one thread, an atomic operation is a waste. threads_set_using(true) makes all calls below atomic,
 * with sequential consistency; the library starts with false. */
#ifndef WEFT_THREADS_GUARDED_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_GUARDED_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What threads_set_using said last; programs ask threads_are_used. */
THREADS_API extern bool threads_use;

/* Says whether several threads call.
 * Switches: never. Callers: any, also before threads_start, while no other caller is in a call of
 * this header. */
THREADS_API void threads_set_using(bool use);

/* Tells whether several threads call.
 * Returns: what threads_set_using said last; false before.
 * Switches: never. Callers: any, also before threads_start. */
static inline bool threads_are_used(void) { return __atomic_load_n(&threads_use, __ATOMIC_RELAXED); }

/* Adds delta to *word, which may overflow.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int32_t threads_guarded_fetch_add_32(int32_t *word, int32_t delta) {
  if (threads_are_used()) return __atomic_fetch_add(word, delta, __ATOMIC_SEQ_CST);
  const int32_t before = *word;
  *word = (int32_t)((uint32_t)before + (uint32_t)delta);
  return before;
}

/* Adds delta to *word, which may overflow.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int64_t threads_guarded_fetch_add_64(int64_t *word, int64_t delta) {
  if (threads_are_used()) return __atomic_fetch_add(word, delta, __ATOMIC_SEQ_CST);
  const int64_t before = *word;
  *word = (int64_t)((uint64_t)before + (uint64_t)delta);
  return before;
}

/* Sets the bits of *word that bits has.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int32_t threads_guarded_fetch_or_32(int32_t *word, int32_t bits) {
  if (threads_are_used()) return __atomic_fetch_or(word, bits, __ATOMIC_SEQ_CST);
  const int32_t before = *word;
  *word = before | bits;
  return before;
}

/* Sets the bits of *word that bits has.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int64_t threads_guarded_fetch_or_64(int64_t *word, int64_t bits) {
  if (threads_are_used()) return __atomic_fetch_or(word, bits, __ATOMIC_SEQ_CST);
  const int64_t before = *word;
  *word = before | bits;
  return before;
}

/* Clears the bits of *word that bits has not.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int32_t threads_guarded_fetch_and_32(int32_t *word, int32_t bits) {
  if (threads_are_used()) return __atomic_fetch_and(word, bits, __ATOMIC_SEQ_CST);
  const int32_t before = *word;
  *word = before & bits;
  return before;
}

/* Clears the bits of *word that bits has not.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int64_t threads_guarded_fetch_and_64(int64_t *word, int64_t bits) {
  if (threads_are_used()) return __atomic_fetch_and(word, bits, __ATOMIC_SEQ_CST);
  const int64_t before = *word;
  *word = before & bits;
  return before;
}

/* Inverts the bits of *word that bits has.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int32_t threads_guarded_fetch_xor_32(int32_t *word, int32_t bits) {
  if (threads_are_used()) return __atomic_fetch_xor(word, bits, __ATOMIC_SEQ_CST);
  const int32_t before = *word;
  *word = before ^ bits;
  return before;
}

/* Inverts the bits of *word that bits has.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int64_t threads_guarded_fetch_xor_64(int64_t *word, int64_t bits) {
  if (threads_are_used()) return __atomic_fetch_xor(word, bits, __ATOMIC_SEQ_CST);
  const int64_t before = *word;
  *word = before ^ bits;
  return before;
}

/* Puts value into *word.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int32_t threads_guarded_swap_32(int32_t *word, int32_t value) {
  if (threads_are_used()) return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  const int32_t before = *word;
  *word = value;
  return before;
}

/* Puts value into *word.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline int64_t threads_guarded_swap_64(int64_t *word, int64_t value) {
  if (threads_are_used()) return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  const int64_t before = *word;
  *word = value;
  return before;
}

/* Puts value into *word.
 * Returns: what *word was before.
 * Switches: never. Callers: any, also before threads_start. */
static inline void *threads_guarded_swap_pointer(void **word, void *value) {
  if (threads_are_used()) return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  void *const before = *word;
  *word = value;
  return before;
}

/* Puts value into *word if that is *expected; else puts *word into *expected.
 * Returns: true if value is there.
 * Switches: never. Callers: any, also before threads_start. */
static inline bool threads_guarded_compare_exchange_32(int32_t *word, int32_t *expected, int32_t value) {
  if (threads_are_used()) return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  const int32_t found = *word;
  if (found == *expected) {
    *word = value;
    return true;
  }
  *expected = found;
  return false;
}

/* Puts value into *word if that is *expected; else puts *word into *expected.
 * Returns: true if value is there.
 * Switches: never. Callers: any, also before threads_start. */
static inline bool threads_guarded_compare_exchange_64(int64_t *word, int64_t *expected, int64_t value) {
  if (threads_are_used()) return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  const int64_t found = *word;
  if (found == *expected) {
    *word = value;
    return true;
  }
  *expected = found;
  return false;
}

/* Puts value into *word if that is *expected; else puts *word into *expected.
 * Returns: true if value is there.
 * Switches: never. Callers: any, also before threads_start. */
static inline bool threads_guarded_compare_exchange_pointer(void **word, void **expected, void *value) {
  if (threads_are_used()) return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  void *const found = *word;
  if (found == *expected) {
    *word = value;
    return true;
  }
  *expected = found;
  return false;
}

#ifdef __cplusplus
}
#endif
#endif
