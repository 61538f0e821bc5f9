/* Two threads lock two mutexes in opposite order. When nothing can ever run again, Weft says which
 * thread waits for what; it then waits on, or ends the program when told so:
 *
 *   WEFT_DEADLOCK=abort ./06_deadlock */
#include <stdio.h>

#include <weft/weft.h>

#include "must.h"

static weft_mutex fork_of[2] = {WEFT_MUTEX_INIT, WEFT_MUTEX_INIT};

struct philosopher {
  int left, right;
};

static void dine(void *argument) {
  const struct philosopher *self = argument;
  must(weft_mutex_lock(&fork_of[self->left]));
  must(weft_sleep_ns(10 * 1000 * 1000)); /* long enough for the other to do the same */
  must(weft_mutex_lock(&fork_of[self->right]));
  puts("dinner");
  weft_mutex_unlock(&fork_of[self->right]);
  weft_mutex_unlock(&fork_of[self->left]);
}

int main(void) {
  must(weft_init(NULL));
  struct philosopher one = {0, 1}, two = {1, 0};
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  weft_thread *threads[2];
  attr.name = "Plato";
  must(weft_thread_create(dine, &one, &attr, &threads[0]));
  attr.name = "Kant";
  must(weft_thread_create(dine, &two, &attr, &threads[1]));
  must(weft_thread_join_many(threads, 2));
  must(weft_finalize());
  return 0;
}
