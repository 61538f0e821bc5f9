/* Starts what the environment asks for, says what it is and stops. usage: probe [also-compiled-for]. */
#include <stdio.h>

#include <weft_threads/threads.h>

static void answer(void *number) { *(int *)number = 42; }

int main(int count, char **arguments) {
  int number = 0;
  threads_thread *thread = NULL;
  if (count > 1) threads_compiled_for(arguments[1]);
  const threads_status status = threads_start(NULL);
  if (status != THREADS_OK) {
    printf("%s\n", threads_status_name(status));
    return 1;
  }
  printf("%s%s%s\n", threads_implementation(), (threads_features() & THREADS_LIMITED) != 0 ? " limited" : "",
         (threads_features() & THREADS_IDLE_SPINS) != 0 ? " spins" : "");
  if (threads_create(answer, &number, &thread) != THREADS_OK || threads_join(thread) != THREADS_OK || number != 42) return 2;
  return threads_stop() == THREADS_OK ? 0 : 3;
}
