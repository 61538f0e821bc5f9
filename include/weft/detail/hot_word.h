/* The few atomic operations that hot.h compiles into programs, and where the calling worker's hot line is. The model tests put a file
 * of the same name before this one on the include path, so that hot.h itself runs on the explorer's memory. Not for users. */
#ifndef WEFT_DETAIL_HOT_WORD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_HOT_WORD_H

#include <stdbool.h>
#include <stdint.h>

struct weft_forked;
struct weft_hot_line;

/* A pointer that several OS threads read and write. */
typedef struct weft_hot_word {
  struct weft_forked *value;
} weft_hot_word;

#define WEFT_HOT_INLINE static inline __attribute__((always_inline))

/* order: one of the compiler's __ATOMIC_ words. */
WEFT_HOT_INLINE struct weft_forked *weft_hot_load(const weft_hot_word *word, int order) {
  return __atomic_load_n(&word->value, order);
}
WEFT_HOT_INLINE void weft_hot_store(weft_hot_word *word, struct weft_forked *value, int order) {
  __atomic_store_n(&word->value, value, order);
}
/* Of a word of the core's. */
WEFT_HOT_INLINE uintptr_t weft_hot_load_address(const uintptr_t *word, int order) { return __atomic_load_n(word, order); }
/* A relaxed load that is compared at once. Compilers do not make one instruction of the two; a build
 * that has to see each load (tests/many) defines WEFT_HOT_WITHOUT_ASSEMBLY. */
WEFT_HOT_INLINE bool weft_hot_is(const weft_hot_word *word, const struct weft_forked *wanted) {
#if defined(__x86_64__) && !defined(WEFT_HOT_WITHOUT_ASSEMBLY)
  bool result;
  __asm__ volatile("cmpq %2, %1" : "=@cce"(result) : "m"(word->value), "r"(wanted));
  return result;
#else
  return weft_hot_load(word, __ATOMIC_RELAXED) == wanted;
#endif
}
WEFT_HOT_INLINE bool weft_hot_is_above(const weft_hot_word *word, const struct weft_forked *place) {
#if defined(__x86_64__) && !defined(WEFT_HOT_WITHOUT_ASSEMBLY)
  bool result;
  __asm__ volatile("cmpq %2, %1" : "=@cca"(result) : "m"(word->value), "r"(place));
  return result;
#else
  return weft_hot_load(word, __ATOMIC_RELAXED) > place;
#endif
}

/* Orders earlier stores before later loads, as seen by an OS thread that has the kernel run a fence in all others. */
WEFT_HOT_INLINE void weft_hot_light_fence(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/* Never null. Read afresh each time: after a switch a ULT may be on another OS thread, and compilers keep addresses of thread-locals. */
WEFT_HOT_INLINE struct weft_hot_line *weft_hot_here(void) {
  struct weft_hot_line *line;
#if defined(__x86_64__)
  __asm__ volatile(
      "movq weft_hot_word_here@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(line));
#else
  __asm__ volatile(
      "adrp %0, :gottprel:weft_hot_word_here\n\t"
      "ldr %0, [%0, #:gottprel_lo12:weft_hot_word_here]\n\t"
      "mrs x16, tpidr_el0\n\t"
      "ldr %0, [x16, %0]"
      : "=r"(line)
      :
      : "x16");
#endif
  return line;
}

#endif
