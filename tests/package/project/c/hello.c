/* Creates a thread and joins it, as an outside program would. */
#include <stdio.h>
#include <weft/ext.h>
#include <weft/weft.h>

static void greet(void *argument) { *(int *)argument = 42; }

int main(void) {
  int answer = 0;
  weft_thread *thread;
  if (weft_init(NULL) != WEFT_OK) return 1;
  if (weft_thread_create(greet, &answer, NULL, &thread) != WEFT_OK || weft_thread_join(thread) != WEFT_OK) return 1;
  if (weft_finalize() != WEFT_OK) return 1;
  printf("Weft %s: %d\n", WEFT_VERSION, answer);
  return answer == 42 ? 0 : 1;
}
