/* main ends by pthread_exit: its threads go on, and the process ends with status 0 behind the last
 * one. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static atomic_int ended;

static void goes_on(void *argument) {
  (void)argument;
  for (int i = 0; i < 100; ++i) weft_yield();
  OK(weft_sleep_ns(MILLISECOND));
  atomic_fetch_add(&ended, 1);
}

static void look(void) {
  if (atomic_load(&ended) != 4 || weft_is_initialized()) _exit(1);
}

int main(void) {
  CHECK(atexit(look) == 0);
  init_with(2);
  for (int i = 0; i < 4; ++i) OK(weft_thread_create(goes_on, NULL, NULL, NULL));
  pthread_exit(NULL);
}
