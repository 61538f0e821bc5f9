/* A condition that only polling can see. A device computes squares, and says so in registers alone:
 * each thread waits for its own, and one worker polls for all of them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <weft/weft.h>

#include "must.h"

enum { jobs = 4, pause_us = 2000 };

typedef struct job {
  int input, output;
  atomic_bool is_done; /* the device's register */
} job;

static void *compute(void *argument) { /* the device */
  job *all = argument;
  for (int i = jobs - 1; i >= 0; --i) {
    usleep(pause_us);
    all[i].output = all[i].input * all[i].input;
    atomic_store(&all[i].is_done, true);
  }
  return NULL;
}

/* Called by workers, in no thread's name: it asks, and does nothing else. */
static bool is_done(void *argument) { return atomic_load(&((job *)argument)->is_done); }

static void wait_for(void *argument) { must(weft_wait_poll(is_done, argument, WEFT_FOREVER)); /* parks this thread */ }

int main(void) {
  must(weft_init(NULL));
  job all[jobs];
  weft_thread *threads[jobs];
  for (int i = 0; i < jobs; ++i) {
    all[i].input = i + 1;
    atomic_init(&all[i].is_done, false);
    must(weft_thread_create(wait_for, &all[i], NULL, &threads[i]));
  }
  pthread_t device;
  if (pthread_create(&device, NULL, compute, all) != 0) return 1;
  for (int i = 0; i < jobs; ++i) {
    must(weft_thread_join(threads[i]));
    printf("%d squared is %d\n", all[i].input, all[i].output);
  }
  pthread_join(device, NULL);
  must(weft_finalize());
  return 0;
}
