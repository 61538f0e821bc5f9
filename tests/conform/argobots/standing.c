/* A program that stands still for ever: environment_test.py reads what is said of it. */
#include "check.h"

static void lock(void *mutex) { OK(ABT_mutex_lock(*(ABT_mutex *)mutex)); }

void check_standing(void) {
  ABT_mutex mutex;
  OK(ABT_mutex_create(&mutex));
  OK(ABT_mutex_lock(mutex));
  end(start(pool_of(start_stream()), lock, &mutex));
}
