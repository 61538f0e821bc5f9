/* What threads with large stacks leave deep in them is given back while their worker sleeps: on the
 * stack where the worker stands, and on those that it keeps. */
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { MIB = 1 << 20, THREADS = 6, STACK = 16 * MIB, USED = 8 * MIB, LEFT = 4 * MIB };

static size_t resident_bytes(void) {
  unsigned long all, resident;
  FILE *const file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL);
  CHECK(fscanf(file, "%lu %lu", &all, &resident) == 2);
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static __attribute__((noinline)) size_t use_stack(size_t bytes) {
  volatile char frame[1024];
  memset((char *)frame, 1, sizeof frame);
  if (bytes <= sizeof frame) return (size_t)frame[0];
  const size_t below = use_stack(bytes - sizeof frame);
  __asm__ volatile("" : : "r"(frame) : "memory"); /* so that no compiler makes a loop of the calls */
  return below + (size_t)frame[sizeof frame - 1];
}

static atomic_int arrived;
static size_t most_resident;

/* All stand deep at once, each on a stack of its own. */
static void go_deep(void *unused) {
  (void)unused;
  CHECK(use_stack(USED) > 0);
  if (atomic_fetch_add(&arrived, 1) + 1 == THREADS) most_resident = resident_bytes();
  while (atomic_load(&arrived) != THREADS) weft_yield();
}

static void sleep_until_less_than(size_t bytes) {
  for (int tries = 0; tries < 1000 && resident_bytes() >= bytes; ++tries) OK(weft_sleep_ns(10 * MILLISECOND));
  CHECK(resident_bytes() < bytes);
}

static void all(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = STACK;
  weft_thread *threads[THREADS];
  atomic_store(&arrived, 0);
  const size_t before = resident_bytes();
  OK(weft_thread_create_many(go_deep, NULL, 0, THREADS, &attr, threads));
  OK(weft_thread_join_many(threads, THREADS));
  CHECK(most_resident - before >= (size_t)USED * THREADS);
  sleep_until_less_than(before + LEFT);
}

int main(void) {
  with_workers("one worker", 1, all);
  return 0;
}
