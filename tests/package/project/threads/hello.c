/* Creates a thread of the generic interface and joins it, as an outside program would. */
#include <stdio.h>
#include <weft_threads/threads.h>

static void greet(void *argument) { *(int *)argument = 42; }

int main(void) {
  int answer = 0;
  threads_thread *thread;
  if (threads_start(NULL) != THREADS_OK) return 1;
  if (threads_create(greet, &answer, &thread) != THREADS_OK || threads_join(thread) != THREADS_OK) return 1;
  printf("%s: %d\n", threads_implementation(), answer);
  if (threads_stop() != THREADS_OK) return 1;
  return answer == 42 ? 0 : 1;
}
