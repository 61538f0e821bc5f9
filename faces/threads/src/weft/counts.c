#include "counts.h"

#include <weft/ext.h>

enum state { unknown, queued, running, blocked, states };

static size_t count_of[states];
static size_t offset_of_state;
static bool is_reserved, is_kept;

/* A thread's events come one after another. */
static void change(weft_thread *thread, enum state now) {
  unsigned char *const state = weft_ext_bytes(thread, offset_of_state);
  __atomic_fetch_sub(&count_of[*state], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&count_of[now], 1, __ATOMIC_RELAXED);
  *state = (unsigned char)now;
}

static void sink(void *unused, weft_event_kind kind, weft_thread *thread) {
  (void)unused;
  switch (kind) {
    case WEFT_ON_CREATE: change(thread, queued); break;
    case WEFT_ON_RUN: change(thread, running); break;
    case WEFT_ON_PARK: change(thread, blocked); break;
    case WEFT_ON_READY:
      if (*(unsigned char *)weft_ext_bytes(thread, offset_of_state) == blocked) change(thread, running);
      break;
    case WEFT_ON_END: change(thread, unknown); break;
    default: break;
  }
}

static threads_status refuse(weft_status status) { return (threads_status)status; }

threads_status weft_counts_prepare(bool is_wanted) {
  if (!is_wanted) return THREADS_OK;
  weft_status status = is_reserved ? WEFT_OK : weft_ext_reserve(1, &offset_of_state);
  if (status != WEFT_OK) return refuse(status);
  is_reserved = true;
  status = weft_ext_set_event_sink(sink, NULL);
  if (status != WEFT_OK) return refuse(status);
  for (int i = 0; i < states; ++i) count_of[i] = 0;
  is_kept = true;
  return THREADS_OK;
}

void weft_counts_adopt_caller(void) {
  if (is_kept && weft_self() != NULL) change(weft_self(), running);
}

void weft_counts_end(void) {
  if (!is_kept) return;
  is_kept = false;
  const weft_status status = weft_ext_set_event_sink(NULL, NULL);
  (void)status; /* it cannot fail */
}

threads_status weft_counts_read(threads_count *out) {
  if (!is_kept) return THREADS_UNSUPPORTED;
  out->queued = __atomic_load_n(&count_of[queued], __ATOMIC_RELAXED);
  out->running = __atomic_load_n(&count_of[running], __ATOMIC_RELAXED);
  out->blocked = __atomic_load_n(&count_of[blocked], __ATOMIC_RELAXED);
  return THREADS_OK;
}

bool weft_counts_are_kept(void) { return is_kept; }
