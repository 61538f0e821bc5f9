/* Calls that block in the kernel. One worker runs a thread that reads from a pipe and a thread that
 * writes to it: the reader's blocking regions let the worker run the writer meanwhile. */
#include <stdio.h>
#include <unistd.h>

#include <weft/weft.h>

#include "must.h"

enum { messages = 3 };

static int pipe_ends[2];

static void receive(void *argument) {
  (void)argument;
  for (int i = 0; i < messages; ++i) {
    char message = '?';
    must(weft_blocking_begin()); /* from here the worker may go to another OS thread */
    const ssize_t got = read(pipe_ends[0], &message, 1);
    must(weft_blocking_end()); /* waits for a worker, if it has gone; errno is as read left it */
    if (got == 1) printf("got %c\n", message);
  }
}

static void send(void *argument) {
  (void)argument;
  for (int i = 0; i < messages; ++i) {
    const char message = (char)('a' + i);
    if (write(pipe_ends[1], &message, 1) != 1) return;
    weft_yield();
  }
}

int main(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  must(weft_init(&config));
  if (pipe(pipe_ends) != 0) return 1;

  weft_thread *receiver, *sender;
  must(weft_thread_create(receive, NULL, NULL, &receiver));
  must(weft_thread_create(send, NULL, NULL, &sender));
  must(weft_thread_join(receiver));
  must(weft_thread_join(sender));
  must(weft_finalize());
  return 0;
}
