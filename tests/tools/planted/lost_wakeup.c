/* A lost wake-up: the consumer looks at the flag without the mutex, so that the signal may come
 * between its look and its wait. */
#include <weft/weft.h>

#include "../../../examples/must.h"

static weft_mutex mutex = WEFT_MUTEX_INIT;
static weft_cond filled = WEFT_COND_INIT;
static bool is_filled;

static void consume(void *unused) {
  (void)unused;
  bool const must_wait = !is_filled;
  must(weft_mutex_lock(&mutex));
  if (must_wait) must(weft_cond_wait(&filled, &mutex));
  must(weft_mutex_unlock(&mutex));
}

static void produce(void *unused) {
  (void)unused;
  must(weft_mutex_lock(&mutex));
  is_filled = true;
  must(weft_cond_signal(&filled));
  must(weft_mutex_unlock(&mutex));
}

int main(void) {
  must(weft_init(NULL));
  weft_thread *consumer = NULL;
  weft_thread *producer = NULL;
  must(weft_thread_create(produce, NULL, NULL, &producer));
  must(weft_thread_create(consume, NULL, NULL, &consumer));
  must(weft_thread_join(consumer));
  must(weft_thread_join(producer));
  must(weft_finalize());
  return 0;
}
