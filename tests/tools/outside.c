/* An OS thread outside ends the wait of the main thread, after so many of its looks as
 * OUTSIDE_LOOKS says; with 0 it has ended before. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <weft/weft.h>

#include "../../examples/must.h"

static long wanted;
static atomic_long looks;
static atomic_bool is_over;

static void *end_it(void *unused) {
  (void)unused;
  while (atomic_load(&looks) < wanted) sched_yield();
  atomic_store(&is_over, true);
  return NULL;
}

int main(void) {
  const char *words = getenv("OUTSIDE_LOOKS");
  wanted = words == NULL ? 0 : strtol(words, NULL, 10);
  must(weft_init(NULL));
  pthread_t outside;
  if (pthread_create(&outside, NULL, end_it, NULL) != 0) return 2;
  if (wanted == 0) pthread_join(outside, NULL);
  for (; !atomic_load(&is_over); atomic_fetch_add(&looks, 1)) weft_yield();
  if (wanted != 0) pthread_join(outside, NULL);
  must(weft_finalize());
  return 0;
}
