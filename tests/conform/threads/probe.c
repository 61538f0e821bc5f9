/* Starts what the environment asks for, says what it is, runs some threads and stops. usage:
 * probe [also-compiled-for]. */
#include <stdio.h>

#include <weft_threads/threads.h>

enum { many = 100 };

/* Takes long enough for OS threads to be made for the others. */
static void answer(void *number) {
  if (threads_sleep_ns(1000000) == THREADS_OK) *(int *)number = 42;
}

static bool many_answer(void) {
  int numbers[many] = {0};
  int right = 0;
  threads_list list = THREADS_LIST_INIT;
  if (threads_list_add_many(&list, answer, numbers, sizeof *numbers, many) != THREADS_OK) return false;
  if (threads_list_wait(&list) != THREADS_OK || threads_list_destroy(&list) != THREADS_OK) return false;
  for (int i = 0; i < many; ++i) right += numbers[i] == 42;
  return right == many;
}

int main(int count, char **arguments) {
  if (count > 1) threads_compiled_for(arguments[1]);
  const threads_status status = threads_start(NULL);
  if (status != THREADS_OK) {
    printf("%s\n", threads_status_name(status));
    return 1;
  }
  printf("%s%s%s\n", threads_implementation(), (threads_features() & THREADS_LIMITED) != 0 ? " limited" : "",
         (threads_features() & THREADS_IDLE_SPINS) != 0 ? " spins" : "");
  if (!many_answer()) return 2;
  return threads_stop() == THREADS_OK ? 0 : 3;
}
