/* An end that does not wait. A server has a thread for each of its clients, which waits for the
 * next request. When the server shuts down these threads will never go on: WEFT_DROP drops them,
 * and a line on stderr says how many they were. */
#include <stdio.h>

#include <weft/weft.h>

#include "must.h"

enum { clients = 3 };

typedef struct client {
  char name;
  weft_semaphore requests, answers;
} client;

static void serve(void *argument) {
  client *mine = argument;
  for (;;) { /* until the thread is dropped */
    must(weft_semaphore_acquire(&mine->requests));
    printf("served %c\n", mine->name);
    must(weft_semaphore_release(&mine->answers, 1));
  }
}

int main(void) {
  static client all[clients]; /* the dropped threads' frames stay as they are, and may point here */
  must(weft_init(NULL));
  for (int i = 0; i < clients; ++i) {
    all[i] = (client){(char)('a' + i), WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0)};
    weft_thread *server;
    must(weft_thread_create(serve, &all[i], NULL, &server));
    must(weft_thread_detach(server));
  }
  for (int i = 0; i < clients; ++i) {
    must(weft_semaphore_release(&all[i].requests, 1));
    must(weft_semaphore_acquire(&all[i].answers));
  }
  must(weft_finalize_with(WEFT_DROP)); /* weft_finalize would wait for ever */
  puts("shut down");
  return 0;
}
