/* weft_dump into a pipe that is not read: callers that must wait for it sleep, the others do not
 * wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { OUTSIDE = 60 };

static int pipe_ends[2];
static weft_event the_end;

static uint64_t cpu_ns_of(pthread_t thread) {
  clockid_t clock;
  struct timespec used;
  CHECK(pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &used) == 0);
  return (uint64_t)used.tv_sec * SECOND + (uint64_t)used.tv_nsec;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static void fill_pipe(void) {
  CHECK(pipe(pipe_ends) == 0);
  CHECK(fcntl(pipe_ends[1], F_SETPIPE_SZ, 4096) > 0);
  CHECK(fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK) == 0);
  char zeros[1024] = {0};
  while (write(pipe_ends[1], zeros, sizeof zeros) > 0) continue;
  CHECK(errno == EAGAIN);
  CHECK(fcntl(pipe_ends[1], F_SETFL, 0) == 0);
}

static pthread_t begin(void *(*body)(void *argument), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

static void end(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static void *wait_for_the_end(void *argument) {
  OK(weft_event_wait(&the_end));
  return argument;
}

/* The thread that joins it checks its status: another one may be in weft_finalize meanwhile. */
static void *dump(void *argument) {
  (void)argument;
  return (void *)(intptr_t)weft_dump(pipe_ends[1]);
}

static void *read_all(void *argument) {
  pause_ms(*(long *)argument);
  char text[4096];
  while (read(pipe_ends[0], text, sizeof text) > 0) continue;
  return argument;
}

/* Its first wait makes the record of an OS thread outside, its end unmakes it. */
static void *come_and_go(void *argument) {
  weft_event never = WEFT_EVENT_INIT;
  IS(WEFT_TIMEOUT, weft_event_wait_until(&never, weft_deadline_in(MILLISECOND)));
  return argument;
}

static pthread_t begin_dump(void) {
  pthread_t dumper = begin(dump, NULL);
  pause_ms(100);
  return dumper;
}

static weft_status end_dump(pthread_t dumper) {
  void *status = NULL;
  CHECK(pthread_join(dumper, &status) == 0);
  return (weft_status)(intptr_t)status;
}

static void others_do_not_spin(void) {
  long no_delay = 0;
  fill_pipe();
  pthread_t first = begin_dump();
  pthread_t newcomer = begin(come_and_go, NULL);
  struct timespec patience;
  CHECK(clock_gettime(CLOCK_REALTIME, &patience) == 0);
  patience.tv_sec += 20;
  CHECK(pthread_timedjoin_np(newcomer, NULL, &patience) == 0);
  pthread_t second = begin(dump, NULL);
  pause_ms(300);
  CHECK(cpu_ns_of(second) < 150 * MILLISECOND);
  pthread_t reader = begin(read_all, &no_delay);
  OK(end_dump(first));
  OK(end_dump(second));
  CHECK(close(pipe_ends[1]) == 0);
  end(reader);
  CHECK(close(pipe_ends[0]) == 0);
}

static void finalize_does_not_spin(void) {
  long delay = 300;
  fill_pipe();
  pthread_t dumper = begin_dump();
  pthread_t reader = begin(read_all, &delay);
  const uint64_t before = cpu_ns_of(pthread_self());
  OK(weft_finalize());
  CHECK(cpu_ns_of(pthread_self()) - before < 150 * MILLISECOND);
  OK(end_dump(dumper));
  CHECK(close(pipe_ends[1]) == 0);
  end(reader);
  CHECK(close(pipe_ends[0]) == 0);
}

int main(void) {
  pthread_t outside[OUTSIDE];
  init_with(1);
  for (int i = 0; i < OUTSIDE; ++i) outside[i] = begin(wait_for_the_end, NULL);
  pause_ms(100);
  RUN(others_do_not_spin);
  RUN(finalize_does_not_spin);
  OK(weft_event_set(&the_end));
  for (int i = 0; i < OUTSIDE; ++i) end(outside[i]);
  return 0;
}
