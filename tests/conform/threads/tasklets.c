/* A tasklet of libweft's cannot wait: where a call has no way back, the program ends with a line that names the call. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/weft.h>

#include <weft_threads/progress.h>

#include "check.h"

const char *implementation = "weft";
const char *current_case = "a call that cannot go on";
bool is_outside;

static threads_lock lock = THREADS_LOCK_INIT;
static threads_progress_cond changed = THREADS_PROGRESS_COND_INIT;
static atomic_int may_take, has_taken;

/* Keeps the lock. */
static void *signal_and_hold(void *unused) {
  wait_for(&may_take, 1);
  OK(threads_lock_acquire(&lock));
  OK(threads_progress_cond_signal(&changed));
  atomic_store(&has_taken, 1);
  return unused;
}

static int let_another_take_the_lock(void *unused) {
  (void)unused;
  atomic_store(&may_take, 1);
  while (atomic_load(&has_taken) == 0) sched_yield();
  return 1;
}
static threads_progress progress = THREADS_PROGRESS_INIT(let_another_take_the_lock, NULL, 1);

static void wait_in_a_tasklet(void *unused) {
  (void)unused;
  OK(threads_lock_acquire(&lock));
  const threads_status status = threads_progress_cond_wait(&changed, &lock, &progress);
  fprintf(stderr, "it returned %s\n", threads_status_name(status));
  _exit(1);
}

static void be_the_child(void) {
  threads_config config = THREADS_CONFIG_INIT;
  pthread_t other;
  config.implementation = implementation;
  config.workers = 1;
  OK(threads_start(&config));
  CHECK(pthread_create(&other, NULL, signal_and_hold, NULL) == 0);
  CHECK(weft_tasklet_create(wait_in_a_tasklet, NULL, NULL, NULL) == WEFT_OK);
  for (;;) threads_yield();
}

int main(void) {
  static char text[4096];
  size_t length = 0;
  int ends[2], status = 0;
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(dup2(ends[1], STDERR_FILENO) >= 0);
    be_the_child();
  }
  close(ends[1]);
  for (ssize_t got = 1; got > 0 && length < sizeof text - 1; length += got > 0 ? (size_t)got : 0)
    got = read(ends[0], text + length, sizeof text - 1 - length);
  CHECK(waitpid(child, &status, 0) == child);
  fputs(text, stderr);
  CHECK(strstr(text, "weft-threads: error: threads_progress_cond_wait cannot go on") != NULL);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  return 0;
}
