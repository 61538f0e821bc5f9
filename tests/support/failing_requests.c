#include "failing_requests.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

static atomic_int seen, failing, in_a_row;
static atomic_bool failed;
static atomic_long live;

void fail_requests(int nth, int count) {
  atomic_store(&failing, 0);
  atomic_store(&seen, 0);
  atomic_store(&in_a_row, count);
  atomic_store(&failed, false);
  atomic_store(&failing, nth);
}

bool has_failed(void) { return atomic_load(&failed); }
long live_blocks(void) { return atomic_load(&live); }

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
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *block);
void *__real_mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *block);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset);

void *__wrap_malloc(size_t bytes) { return fails_now() ? NULL : count_block(__real_malloc(bytes)); }
void *__wrap_calloc(size_t count, size_t bytes) { return fails_now() ? NULL : count_block(__real_calloc(count, bytes)); }

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return fails_now() ? NULL : count_block(__real_aligned_alloc(alignment, bytes));
}

void *__wrap_realloc(void *old, size_t bytes) {
  if (fails_now()) return NULL;
  void *const made = __real_realloc(old, bytes);
  return old == NULL ? count_block(made) : made;
}

void __wrap_free(void *block) {
  if (block != NULL) atomic_fetch_sub(&live, 1);
  __real_free(block);
}

void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset) {
  return fails_now() ? MAP_FAILED : __real_mmap(where, bytes, protection, flags, file, offset);
}
