/* Requests for memory that fail when a test wants it. A program with this is linked with
 * -Wl,--wrap for malloc, calloc, aligned_alloc, free and mmap, and to static libraries. */
#ifndef WEFT_TESTS_CONFORM_QTHREADS_FAILING_REQUESTS_H
#define WEFT_TESTS_CONFORM_QTHREADS_FAILING_REQUESTS_H

#include <errno.h>
#include <sys/mman.h>

#include "check.h"
#include "tasks.h"

/* ---- requests that fail ---- */

static atomic_int seen, failing, in_a_row;
static atomic_bool failed;
static atomic_long live;

static void fail_requests(int nth, int count) {
  atomic_store(&failing, 0);
  atomic_store(&seen, 0);
  atomic_store(&in_a_row, count);
  atomic_store(&failed, false);
  atomic_store(&failing, nth);
}

static bool fails_now(void) {
  const int first = atomic_load(&failing), this_one = atomic_fetch_add(&seen, 1) + 1;
  if (first == 0 || this_one < first || this_one >= first + atomic_load(&in_a_row)) return false;
  atomic_store(&failed, true);
  errno = ENOMEM;
  return true;
}

static void *count_block(void *made) {
  if (made != NULL) atomic_fetch_add(&live, 1);
  return made;
}

/* What the linker calls the functions that are wrapped, and those that stand for them. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);
void *__real_mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *block);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset);

void *__wrap_malloc(size_t bytes) { return fails_now() ? NULL : count_block(__real_malloc(bytes)); }
void *__wrap_calloc(size_t count, size_t bytes) { return fails_now() ? NULL : count_block(__real_calloc(count, bytes)); }
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return fails_now() ? NULL : count_block(__real_aligned_alloc(alignment, bytes));
}
void __wrap_free(void *block) {
  if (block != NULL) atomic_fetch_sub(&live, 1);
  __real_free(block);
}
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset) {
  return fails_now() ? MAP_FAILED : __real_mmap(where, bytes, protection, flags, file, offset);
}

/* ---- the driver ---- */

static inline bool fails_at(void (*body)(void), int nth, int count) {
  fail_requests(nth, count);
  body();
  const bool has = atomic_load(&failed);
  fail_requests(0, 0);
  return has;
}

/* Returns: how many more blocks there are after each request has failed once. */
static inline long blocks_lost(void (*body)(void)) {
  const long before = atomic_load(&live);
  for (int nth = 1; fails_at(body, nth, 1); ++nth) continue;
  fails_at(body, 0, 0);
  return atomic_load(&live) - before;
}

/* The runtime keeps some of what it got for later: what is lost is lost every time. */
static inline void lack_memory_for(void (*body)(void)) {
  enum { most_requests = 1000, times = 10 };
  for (int count = 1; count <= 3; count += 2) {
    int nth = 1;
    for (; nth < most_requests && fails_at(body, nth, count); ++nth) fails_at(body, 0, 0);
    CHECK(nth > 1 && nth < most_requests);
  }
  int time = 0;
  while (time < times && blocks_lost(body) > 0) ++time;
  CHECK(time < times);
}

#endif
