/* Work that comes from outside, without an OS thread that watches: messages in a pipe, written by
 * an OS thread that knows nothing of Weft. The worker that has nothing to do sleeps in epoll_wait,
 * and the message itself wakes it. All else that wakes a worker does so by an eventfd. */
#define _GNU_SOURCE /* pipe2 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/weft.h>

#include "must.h"

enum { messages = 5, most = 16, pause_us = 20000, ns_per_ms = 1000000 };

static int pipe_ends[2], bell, set;

/* Written by poll (one worker at a time), read by the one receiver. */
static char arrived[most];
static size_t written, taken;
static weft_semaphore available = WEFT_SEMAPHORE_INIT(0);

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

static int milliseconds_until(uint64_t deadline_ns) {
  if (deadline_ns == WEFT_FOREVER) return -1;
  const uint64_t now_ns = weft_now_ns();
  return deadline_ns > now_ns ? (int)((deadline_ns - now_ns) / ns_per_ms) + 1 : 0;
}

static void wait_for_news(void *state, uint64_t deadline_ns) {
  (void)state;
  struct epoll_event event;
  uint64_t rings;
  if (epoll_wait(set, &event, 1, milliseconds_until(deadline_ns)) != 1 || event.data.fd != bell) return;
  if (read(bell, &rings, sizeof rings) < 0) perror("read");
}

static void wake_waiting(void *state) {
  (void)state;
  const uint64_t one = 1;
  if (write(bell, &one, sizeof one) < 0) perror("write");
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
  return NULL;
}

static bool watch(int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  return descriptor >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

int main(void) {
  must(weft_init(NULL));
  set = epoll_create1(EPOLL_CLOEXEC);
  bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (pipe2(pipe_ends, O_NONBLOCK | O_CLOEXEC) != 0 || !watch(pipe_ends[0]) || !watch(bell)) return 1;

  const weft_source_ops ops = {.size = sizeof ops, .poll = poll_pipe, .wait = wait_for_news, .wake = wake_waiting};
  weft_source *source;
  must(weft_ext_source_add_with(&ops, NULL, &source));
  weft_ext_source_expect(source, 1); /* a thread that waits for messages is no deadlock */
  pthread_t sender;
  if (pthread_create(&sender, NULL, send, NULL) != 0) return 1;

  weft_thread *receiver;
  must(weft_thread_create(receive, NULL, NULL, &receiver));
  must(weft_thread_join(receiver));

  pthread_join(sender, NULL);
  must(weft_ext_source_remove(source));
  must(weft_finalize());
  return 0;
}
