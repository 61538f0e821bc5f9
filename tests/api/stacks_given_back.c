/* Threads that end after a wait, so that the library leaves its frames by a jump, on stacks whose
 * memory is given back at once and taken again: what AddressSanitizer knows of those frames must be
 * forgotten before the stack is laid out anew. */
#include <string.h>

#include "check.h"

enum { THREADS = IS_SLOW ? 100 : 500, ROUNDS = 4, FRAME = 2048 };

static weft_event opened;

/* The depths differ, so that the threads stand in different places of their stacks. */
__attribute__((noinline)) static void wait_in_depth(int depth) {
  volatile char frame[FRAME];
  memset((char *)frame, depth, sizeof frame);
  if (depth > 0) wait_in_depth(depth - 1);
  if (depth == 0) OK(weft_event_wait(&opened));
}

static void wait_and_end(void *argument) { wait_in_depth(*(const int *)argument); }

static void all_at_once(void) {
  static int depths[THREADS];
  weft_thread *threads[THREADS];
  for (int round = 0; round < ROUNDS; ++round) {
    opened = (weft_event)WEFT_EVENT_INIT;
    for (int i = 0; i < THREADS; ++i) {
      depths[i] = (i + round) % 5;
      threads[i] = start(wait_and_end, &depths[i]);
    }
    for (int i = 0; i < THREADS; ++i) wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
    OK(weft_event_set(&opened));
    OK(weft_thread_join_many(threads, THREADS));
  }
}

int main(void) {
  CHECK(setenv("WEFT_STACK_CACHE", "0", 1) == 0);
  with_workers("one worker", 1, all_at_once);
  with_workers("two workers", 2, all_at_once);
  return 0;
}
