/* The least there is: start, a thread, end. */
#include <stdio.h>

#include <weft/weft.h>

#include "must.h"

static void greet(void *argument) {
  const char *whom = argument;
  printf("hello, %s\n", whom);
}

int main(void) {
  must(weft_init(NULL)); /* as many workers as there are CPUs for us; main is now a thread of Weft, too */
  char whom[] = "world";
  weft_thread *thread;
  must(weft_thread_create(greet, whom, NULL, &thread));
  must(weft_thread_join(thread));
  must(weft_finalize());
  return 0;
}
