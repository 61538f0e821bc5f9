/* Work that comes from outside: messages in a pipe, written by an OS thread that knows nothing of
 * Weft. A watcher, an OS thread that sleeps in the kernel, notices that the pipe has become
 * readable and notifies; a worker, woken if all of them sleep, reads the messages and makes the
 * waiting thread ready. Busy workers look by themselves now and then. */
#define _GNU_SOURCE /* pipe2 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/weft.h>

#include "must.h"

enum { messages = 5, most = 16, pause_us = 20000 };

static int pipe_ends[2];

/* Written by poll (one worker at a time), read by the one receiver. */
static char arrived[most];
static size_t written, taken;
static weft_semaphore available = WEFT_SEMAPHORE_INIT(0);

/* The source's callback: must not block. Returns how many units it made ready. */
static size_t poll_pipe(void *state) {
  (void)state;
  size_t count = 0;
  while (read(pipe_ends[0], &arrived[written % most], 1) == 1) {
    ++written;
    ++count;
  }
  if (count != 0) weft_semaphore_release(&available, (uint32_t)count);
  return count;
}

static void receive(void *argument) {
  (void)argument;
  for (int i = 0; i < messages; ++i) {
    must(weft_semaphore_acquire(&available)); /* parks this thread; the worker may sleep */
    printf("got %c\n", arrived[taken++ % most]);
  }
}

static void *send(void *argument) { /* the outside */
  (void)argument;
  for (int i = 0; i < messages; ++i) {
    usleep(pause_us);
    const char message = (char)('a' + i);
    if (write(pipe_ends[1], &message, 1) != 1) return NULL;
  }
  close(pipe_ends[1]);
  return NULL;
}

static void *watch(void *source) {
  int const set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET}; /* once for each arrival */
  if (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, pipe_ends[0], &event) != 0) return NULL;
  do {
    if (epoll_wait(set, &event, 1, -1) != 1) continue;
    weft_ext_source_notify(source);
  } while ((event.events & EPOLLHUP) == 0);
  close(set);
  return NULL;
}

int main(void) {
  must(weft_init(NULL));
  if (pipe2(pipe_ends, O_NONBLOCK | O_CLOEXEC) != 0) return 1;
  weft_source *source;
  must(weft_ext_source_add(poll_pipe, NULL, &source));
  pthread_t watcher, sender;
  if (pthread_create(&watcher, NULL, watch, source) != 0 || pthread_create(&sender, NULL, send, NULL) != 0) return 1;

  weft_thread *receiver;
  must(weft_thread_create(receive, NULL, NULL, &receiver));
  must(weft_thread_join(receiver));

  pthread_join(sender, NULL);
  pthread_join(watcher, NULL);
  must(weft_ext_source_remove(source));
  must(weft_finalize());
  return 0;
}
