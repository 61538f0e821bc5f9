// Threads of known depth, for weft stacks (stacks_test.py). WAY: all | own | beneath | plain | fail.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

static void use(size_t bytes) {
  volatile char* const frame = __builtin_alloca(bytes);
  for (size_t each = 0; each < bytes; ++each) frame[each] = 1;
}

static void shallow(void* none) {
  (void)none;
  weft_yield();
  use(10000);
}

static void deep(void* none) {
  (void)none;
  weft_yield();
  use(1000000);
}

// A frame of which only the lowest words are written: it jumps over the part of a guard that faults.
static void far(void* none) {
  (void)none;
  volatile char* const frame = __builtin_alloca(560000);
  for (size_t each = 0; each < 64; ++each) frame[each] = 1;
}

static void run(weft_function function, const weft_thread_attr* attributes, int count) {
  for (int each = 0; each < count; ++each) {
    weft_thread* thread;
    if (weft_thread_create(function, NULL, attributes, &thread) != WEFT_OK || weft_thread_join(thread) != WEFT_OK) abort();
  }
}

int main(int count, char** words) {
  const char* const way = count > 1 ? words[1] : "all";
  if (strcmp(way, "plain") == 0) return 0;
  if (weft_init(NULL) != WEFT_OK) return 2;
  weft_thread_attr own = WEFT_THREAD_ATTR_INIT;
  own.stack_bytes = (size_t)48 << 10;
  run(shallow, strcmp(way, "own") == 0 ? &own : NULL, 3);
  if (strcmp(way, "beneath") == 0) run(far, &own, 1);
  if (strcmp(way, "all") == 0) run(deep, NULL, 1);
  (void)fprintf(stderr, "weft: deepest in the words of the program\nthe program's own line\nand no newline");
  (void)puts("answer");
  if (weft_finalize() != WEFT_OK) return 2;
  return strcmp(way, "fail") == 0 ? 3 : 0;
}
