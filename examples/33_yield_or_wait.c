/* A loop that asks a library until it is done. With weft_yield it would keep its worker busy, and
 * the CPU with it; weft_yield_or_wait lets ready threads run, and sleeps a little if there are
 * none. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <weft/weft.h>

#include "must.h"

enum { requests = 3, pause_us = 5000 };

/* A library that knows nothing of Weft: it does its work on an OS thread of its own, and can only be
 * asked how far it is. */
static atomic_int answered;

static void *answer(void *argument) {
  for (int i = 0; i < requests; ++i) {
    usleep(pause_us);
    atomic_fetch_add(&answered, 1);
  }
  return argument;
}

static void compute(void *argument) {
  (void)argument;
  puts("others run");
}

int main(void) {
  must(weft_init(NULL));
  pthread_t library;
  if (pthread_create(&library, NULL, answer, NULL) != 0) return 1;
  weft_thread *other;
  must(weft_thread_create(compute, NULL, NULL, &other));
  must(weft_thread_join(other));
  while (atomic_load(&answered) < requests) must(weft_yield_or_wait(WEFT_FOREVER));
  printf("%d answers\n", atomic_load(&answered));

  const uint64_t deadline = weft_deadline_in(1000000); /* a millisecond: no further answer comes */
  weft_status status = WEFT_OK;
  while (status == WEFT_OK && atomic_load(&answered) == requests) status = weft_yield_or_wait(deadline);
  printf("then: %s\n", weft_status_name(status));
  pthread_join(library, NULL);
  must(weft_finalize());
  return 0;
}
