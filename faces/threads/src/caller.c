/* See caller.h; and the mark of the main thread, which follows its caller into the runtime and out
 * of it. */
#include "caller.h"

#include <sched.h>

#include <weft_threads/manage.h>

#include "builtin.h"

static const uint64_t of_os_thread = UINT64_C(1) << 63; /* an identity's bit; no thread has such a number */
static uint64_t starts;
static uint64_t main_thread; /* 0: no caller is marked */

static const threads_component *now(void) {
  /* acquire: what the start has set up; pairs with start.c */
  return __atomic_load_n(&threads_component_now, __ATOMIC_ACQUIRE);
}

/* Not inlined, so that no thread takes the address along from one OS thread to the next. */
__attribute__((noinline)) static uint64_t os_identity(void) {
  static __thread char own;
  __asm__ volatile("" ::: "memory");
  return (uint64_t)(uintptr_t)&own | of_os_thread;
}

uint64_t caller_identity(void) {
  const uint64_t id = now()->self_id();
  return id != 0 ? id : os_identity();
}

bool caller_is_outside(void) { return now()->self_id() == 0; }

uint64_t caller_starts(void) { return __atomic_load_n(&starts, __ATOMIC_RELAXED); }
void caller_counts_start(void) { __atomic_fetch_add(&starts, 1, __ATOMIC_RELAXED); }

void caller_pause(void) {
  if (threads_is_started()) {
    threads_component_now->yield();
  } else {
    sched_yield();
  }
}

/* ---- the main thread --------------------------------------------------------------------------- */

/* Another thread's mark ends with its implementation: the next one gives its number anew. */
void caller_has_changed(uint64_t identity) {
  const uint64_t marked = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
  if (marked == identity) {
    __atomic_store_n(&main_thread, caller_identity(), __ATOMIC_RELAXED);
  } else if ((marked & of_os_thread) == 0) {
    __atomic_store_n(&main_thread, 0, __ATOMIC_RELAXED);
  }
}

void threads_set_main(void) { __atomic_store_n(&main_thread, caller_identity(), __ATOMIC_RELAXED); }

bool threads_is_main(void) { return __atomic_load_n(&main_thread, __ATOMIC_RELAXED) == caller_identity(); }
