/* What is not inlined of threads, conditions, sync variables and keys on Argobots. */
#include <time.h>

#include <weft_threads/argobots/functions.h>
#include <weft_threads/detail/fail.h>
#include <weft_threads/detail/sync_slow.h>

#include "../clock.h"
#include "../keys.h"
#include "calls.h"

/* ---- time ------------------------------------------------------------------------------------ */

/* Argobots has no timers: a thread that sleeps yields until it is time. */
threads_status threads_argobots_sleep_ns(uint64_t interval_ns) {
  const uint64_t deadline = clock_deadline_in(interval_ns);
  if (threads_argobots_is_outside()) {
    clock_sleep_until(deadline);
    return THREADS_OK;
  }
  while (clock_now_ns() < deadline) threads_yield();
  return THREADS_OK;
}

/* Its deadlines are on the clock of the day; a wait that this one ends too early counts as
 * spurious. */
threads_status threads_argobots_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait_until", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait_until", "mutex");
  if (deadline_ns == THREADS_FOREVER) return threads_cond_wait(cond, mutex);
  const uint64_t now = clock_now_ns();
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
  const uint64_t ns = (uint64_t)until.tv_nsec + left % 1000000000u;
  until.tv_sec += (time_t)(left / 1000000000u + ns / 1000000000u);
  until.tv_nsec = (long)(ns % 1000000000u);
  const int code = ABT_cond_timedwait(threads_argobots_cond(cond), threads_argobots_mutex(mutex), &until);
  if (code != ABT_ERR_COND_TIMEDOUT) return threads_of_argobots("threads_cond_wait_until", code);
  if (clock_now_ns() < deadline_ns) return THREADS_OK;
  return threads_fail(THREADS_TIMEOUT, "threads_cond_wait_until", NULL, "the deadline passed", 0);
}

/* ---- sync variables -------------------------------------------------------------------------- */

threads_status threads_argobots_sync_slowly(threads_sync *sync, threads_sync_want want, threads_sync_leave leave,
                                            const uint64_t *in, uint64_t *out) {
  return threads_sync_by_mutex(sync, want, leave, in, out);
}

threads_status threads_argobots_sync_destroy(threads_sync *sync) { return threads_sync_destroy_parts(sync); }

/* ---- keys: one of Argobots' own leads to all values of a thread ------------------------------ */

static ABT_key values_key;

/* Argobots calls this when the thread is freed, on the thread that does that. */
static void end_values(void *values) { key_values_end(values); }

threads_status calls_start(void) { return threads_of_argobots("threads_start", ABT_key_create(end_values, &values_key)); }

void calls_stop(void) {
  void *values = NULL;
  ABT_self_get_specific(values_key, &values);
  if (values != NULL) key_values_end(values);
  ABT_self_set_specific(values_key, NULL);
  ABT_key_free(&values_key);
  keys_clear();
}

threads_status threads_argobots_key_create(void (*destructor)(void *value), threads_key *out) {
  return keys_create(destructor, out);
}
threads_status threads_argobots_key_delete(threads_key key) { return keys_delete(key); }

threads_status threads_argobots_key_set(threads_key key, void *value) {
  if (!key_is_living(key)) return threads_fail(THREADS_INVALID, "threads_key_set", "key", "there is no key %u", key.opaque[0]);
  if (threads_argobots_is_outside())
    return threads_fail(THREADS_UNSUPPORTED, "threads_key_set", NULL, "the caller is no thread of this interface", 0);
  void *values = NULL;
  ABT_self_get_specific(values_key, &values);
  if (values == NULL) {
    values = key_values_new();
    if (values == NULL) return threads_fail_without_memory("threads_key_set");
    const int code = ABT_self_set_specific(values_key, values);
    if (code != ABT_SUCCESS) {
      key_values_end(values);
      return threads_of_argobots("threads_key_set", code);
    }
  }
  key_values_set(values, key, value);
  return THREADS_OK;
}

void *threads_argobots_key_get(threads_key key) {
  void *values = NULL;
  if (!threads_argobots_is_outside()) ABT_self_get_specific(values_key, &values);
  return key_values_get(values, key);
}
