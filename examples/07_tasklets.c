/* Tasklets: cheaper than threads, since they need no stack of their own; in exchange they must
 * not wait. */
#include <stdatomic.h>
#include <stdio.h>

#include <weft/weft.h>

#include "must.h"

enum { count = 1000 };

static atomic_long sum;
static weft_event never = WEFT_EVENT_INIT;

static void add(void *argument) { atomic_fetch_add(&sum, *(const int *)argument); }

static void wait_for_it(void *argument) {
  weft_status *said = argument;
  *said = weft_event_wait(&never);
}

int main(void) {
  must(weft_init(NULL));
  static int numbers[count];
  static weft_thread *tasklets[count];
  for (int i = 0; i < count; ++i) {
    numbers[i] = i + 1;
    must(weft_tasklet_create(add, &numbers[i], NULL, &tasklets[i]));
  }
  must(weft_thread_join_many(tasklets, count)); /* joined as threads are */
  printf("the sum is %ld\n", atomic_load(&sum));

  weft_status said = WEFT_OK;
  weft_thread *tasklet;
  must(weft_tasklet_create(wait_for_it, &said, NULL, &tasklet));
  must(weft_thread_join(tasklet));
  printf("a tasklet that waits gets %s\n", weft_status_name(said));
  must(weft_finalize());
  return 0;
}
