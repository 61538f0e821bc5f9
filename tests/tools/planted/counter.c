/* Each access to the counter is locked, but what was read may be old by the time that it is
 * written back. */
#include <weft/weft.h>

#include "../../../examples/must.h"

enum { THREADS = 4 };

static weft_mutex mutex = WEFT_MUTEX_INIT;
static int counter;

static int read_counter(void) {
  must(weft_mutex_lock(&mutex));
  int const value = counter;
  must(weft_mutex_unlock(&mutex));
  return value;
}

static void write_counter(int value) {
  must(weft_mutex_lock(&mutex));
  counter = value;
  must(weft_mutex_unlock(&mutex));
}

static void count(void *unused) {
  (void)unused;
  write_counter(read_counter() + 1);
}

int main(void) {
  must(weft_init(NULL));
  weft_thread *threads[THREADS];
  for (int index = 0; index < THREADS; ++index) must(weft_thread_create(count, NULL, NULL, &threads[index]));
  must(weft_thread_join_many(threads, THREADS));
  if (counter != THREADS) fprintf(stderr, "counted %d instead of %d\n", counter, THREADS);
  must(weft_finalize());
  return counter == THREADS ? 0 : 1;
}
