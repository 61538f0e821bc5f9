/* Threads of one worker that call what blocks in regions, and a source that brings what they have
 * written. What each has read of the counter may be old when its region ends: prints the order in
 * which the messages came, and what was counted. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/weft.h>

#include "../../examples/must.h"

enum { THREADS = 4 };

static int pipe_ends[2];
static char arrived[THREADS];
static size_t written;
static weft_semaphore available = WEFT_SEMAPHORE_INIT(0);
static int counter;

static size_t poll_pipe(void *unused) {
  (void)unused;
  size_t count = 0;
  while (written < THREADS && read(pipe_ends[0], &arrived[written], 1) == 1) {
    ++written;
    ++count;
  }
  if (count != 0) must(weft_semaphore_release(&available, (uint32_t)count));
  return count;
}

/* Not called under a schedule. */
static void wait_for_news(void *unused, uint64_t deadline_ns) {
  (void)unused;
  (void)deadline_ns;
}
static void wake_waiting(void *unused) { (void)unused; }

static void report(void *name) {
  const ssize_t sent = write(pipe_ends[1], name, 1);
  errno = sent == 1 ? 7 : 8;
}

__attribute__((noinline)) static int error_now(void) { return errno; }

static void count(void *name) {
  const int read_before = counter;
  must(weft_blocking_begin());
  must(weft_blocking(report, name));
  must(weft_blocking_end());
  if (error_now() != 7) exit(3);
  counter = read_before + 1;
}

/* Under a schedule the caller stays a thread on its worker, and no region is counted. */
static void stay_a_thread(void) {
  const char *schedule = getenv("WEFT_SCHEDULE");
  const bool is_scheduled = schedule != NULL && schedule[0] != '\0';
  must(weft_blocking_begin());
  if ((weft_worker_self() >= 0) != is_scheduled || (weft_self() != NULL) != is_scheduled) exit(4);
  must(weft_blocking_end());
  if (weft_blocking_end() != (is_scheduled ? WEFT_OK : WEFT_NOT_OWNER)) exit(5);
}

int main(void) {
  must(weft_init(NULL));
  stay_a_thread();
  if (pipe2(pipe_ends, O_NONBLOCK | O_CLOEXEC) != 0) return 2;
  const weft_source_ops ops = {.size = sizeof ops, .poll = poll_pipe, .wait = wait_for_news, .wake = wake_waiting};
  weft_source *source;
  must(weft_ext_source_add_with(&ops, NULL, &source));
  char names[THREADS];
  weft_thread *threads[THREADS];
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = (int)weft_worker_count() - 1;
  for (int index = 0; index < THREADS; ++index) {
    names[index] = (char)('a' + index);
    must(weft_thread_create(count, &names[index], &attr, &threads[index]));
  }
  for (int index = 0; index < THREADS; ++index) {
    must(weft_semaphore_acquire(&available));
    printf("%c", arrived[index]);
  }
  must(weft_thread_join_many(threads, THREADS));
  printf(" %d\n", counter);
  must(weft_ext_source_remove(source));
  must(weft_finalize());
  return counter == THREADS ? 0 : 1;
}
