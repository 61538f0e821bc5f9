/* Spin locks that work at any time. State 0: free, 1: held. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/lock.h>
#include <weft_threads_word/word.h>

#include "caller.h"

enum { is_free, is_held, looks_between_yields = 32 };

/* The second look alone writes: those that wait share the line until then. */
static bool take(threads_spin *spin) {
  uint32_t expected = is_free;
  if (word_load(&spin->state, __ATOMIC_RELAXED) != is_free) return false;
  /* acquire: what the last holder wrote; pairs with the release */
  return word_replace(&spin->state, &expected, is_held, __ATOMIC_ACQUIRE);
}

threads_status threads_spin_acquire(threads_spin *spin) {
  if (spin == NULL) return threads_fail_on_null("threads_spin_acquire", "spin");
  for (unsigned looks = 1; !take(spin); ++looks) {
    if (looks % looks_between_yields == 0) caller_pause();
  }
  return THREADS_OK;
}

threads_status threads_spin_try_acquire(threads_spin *spin) {
  if (spin == NULL) return threads_fail_on_null("threads_spin_try_acquire", "spin");
  return take(spin) ? THREADS_OK : threads_fail_at(THREADS_BUSY, "threads_spin_try_acquire", "spin", "it is held (%p)", spin);
}

threads_status threads_spin_release(threads_spin *spin) {
  if (spin == NULL) return threads_fail_on_null("threads_spin_release", "spin");
  /* release: what the holder wrote; pairs with take */
  if (word_exchange(&spin->state, is_free, __ATOMIC_RELEASE) == is_held) return THREADS_OK;
  return threads_fail_at(THREADS_NOT_OWNER, "threads_spin_release", "spin", "no caller holds it (%p)", spin);
}
