/* A yield in a function that holds AVX-512's masks and upper registers keeps them, as a call
 * does. */
#include "check.h"

#include <immintrin.h>

enum { VECTORS = 24, LANES = 16, ROUNDS = 50 };

static volatile int step = 1; /* so that nothing is known before it runs */

/* More vectors and masks than there are registers that a call would keep: none. */
__attribute__((noinline)) static bool keeps_vectors(int mine) {
  __m512i vectors[VECTORS];
  __mmask16 masks[VECTORS];
  for (int i = 0; i < VECTORS; ++i) {
    vectors[i] = _mm512_set1_epi32(mine + i * step);
    masks[i] = _mm512_cmpgt_epi32_mask(vectors[i], _mm512_set1_epi32(mine + 7 * step));
  }
  weft_yield();
  bool is_right = true;
  for (int i = 0; i < VECTORS; ++i) {
    is_right = is_right && masks[i] == (i > 7 ? (1u << LANES) - 1 : 0);
    is_right = is_right && _mm512_cmpeq_epi32_mask(vectors[i], _mm512_set1_epi32(mine + i * step)) == (1u << LANES) - 1;
  }
  return is_right;
}

/* One mask alone, which the compiler may keep in any mask register that it takes for untouched. */
__attribute__((noinline)) static bool keeps_mask(int mine) {
  const __mmask16 mask = _mm512_cmpgt_epi32_mask(_mm512_set1_epi32(mine * step), _mm512_setzero_si512());
  weft_yield();
  return mask == (mine > 0 ? (1u << LANES) - 1 : 0);
}

struct keeper {
  int number;
  bool is_right;
};

static void keeps(void *argument) {
  struct keeper *self = argument;
  for (int i = 0; i < ROUNDS; ++i) self->is_right = self->is_right && keeps_vectors(self->number) && keeps_mask(self->number);
}

static void keeps_what_a_call_keeps(void) {
  enum { KEEPERS = 4 };
  struct keeper keepers[KEEPERS];
  weft_thread *threads[KEEPERS];
  for (int i = 0; i < KEEPERS; ++i) {
    keepers[i] = (struct keeper){i % 2 == 0 ? i + 1 : -i, true};
    threads[i] = start(keeps, &keepers[i]);
  }
  for (int i = 0; i < KEEPERS; ++i) OK(weft_thread_join(threads[i]));
  for (int i = 0; i < KEEPERS; ++i) CHECK(keepers[i].is_right);
}

static void one_worker(void) { RUN(keeps_what_a_call_keeps); }

int main(void) {
  if (!__builtin_cpu_supports("avx512f")) return 0;
  with_workers("one worker", 1, one_worker);
  return 0;
}
