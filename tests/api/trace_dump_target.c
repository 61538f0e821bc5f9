/* What trace_dump_test.py reads: dumps of a trace while threads run. The second word is a folder for
 * the files. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/weft.h>

#include "check.h"

static const char *folder;

static weft_status dump_to(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.json", folder, name);
  return weft_trace_dump(path);
}

static weft_thread *start_named(weft_function function, void *argument, const char *name) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  return start_with(&attr, function, argument);
}

static weft_event go_on = WEFT_EVENT_INIT;
static void waits(void *unused) {
  (void)unused;
  OK(weft_event_wait(&go_on));
}

static atomic_int must_end;
static void yields(void *unused) {
  (void)unused;
  while (atomic_load(&must_end) == 0) weft_yield();
}
/* Units come and go while they are looked at. */
static void makes(void *unused) {
  (void)unused;
  while (atomic_load(&must_end) == 0) {
    weft_thread *made[8];
    for (int index = 0; index < 8; ++index) made[index] = start(nothing, NULL);
    for (int index = 0; index < 8; ++index) OK(weft_thread_join(made[index]));
  }
}

/* One waits, one runs. */
static void quiet(void) {
  weft_thread *patient = start_named(waits, NULL, "patient");
  wait_for_state(patient, WEFT_THREAD_BLOCKED);
  weft_ext_trace_note("before", 1);
  OK(dump_to("first"));
  OK(dump_to("first"));
  weft_ext_trace_note("between", 2);
  OK(dump_to("second"));
  OK(weft_event_set(&go_on));
  OK(weft_thread_join(patient));
}

static void *dumps_outside(void *unused) {
  (void)unused;
  OK(dump_to("outside"));
  return NULL;
}

static void heavy(void) {
  weft_thread *made[8];
  for (int index = 0; index < 8; ++index) made[index] = start(index % 2 == 0 ? yields : makes, NULL);
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, dumps_outside, NULL) == 0);
  char name[16];
  for (int number = 0; number < 6; ++number) {
    snprintf(name, sizeof name, "%d", number);
    OK(dump_to(name));
    for (int turn = 0; turn < 5; ++turn) weft_yield();
  }
  CHECK(pthread_join(outside, NULL) == 0);
  atomic_store(&must_end, 1);
  for (int index = 0; index < 8; ++index) OK(weft_thread_join(made[index]));
}

static void refused(void) {
  IS(WEFT_INVALID, weft_trace_dump(NULL));
  IS(WEFT_INVALID, dump_to("nowhere/file"));
  CHECK(strstr(weft_last_error(), "argument path") != NULL && strstr(weft_last_error(), "No such file") != NULL);
  IS(WEFT_INVALID, weft_trace_dump(folder));
  if (access("/dev/full", W_OK) == 0) {
    IS(WEFT_INVALID, weft_trace_dump("/dev/full"));
    CHECK(strstr(weft_last_error(), "No space left") != NULL);
  }
  OK(dump_to("after"));
}

/* A file that is written only in part, and one that stays. */
static void limited(void) {
  OK(dump_to("first"));
  CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  const struct rlimit least = {100, RLIM_INFINITY}, most = {RLIM_INFINITY, RLIM_INFINITY};
  CHECK(setrlimit(RLIMIT_FSIZE, &least) == 0);
  IS(WEFT_INVALID, dump_to("first"));
  CHECK(strstr(weft_last_error(), "File too large") != NULL);
  IS(WEFT_INVALID, dump_to("second"));
  CHECK(setrlimit(RLIMIT_FSIZE, &most) == 0);
  OK(dump_to("third"));
}

static void untraced(void) {
  IS(WEFT_UNSUPPORTED, dump_to("none"));
  CHECK(strstr(weft_last_error(), "no trace is recorded") != NULL);
}

static void child(void) {
  const pid_t made = fork();
  if (made == 0) _exit(dump_to("child") == WEFT_UNSUPPORTED ? 0 : 1);
  int status = -1;
  CHECK(waitpid(made, &status, 0) == made && status == 0);
}

static void asked(void) {
  weft_thread *patient = start_named(waits, NULL, "patient");
  wait_for_state(patient, WEFT_THREAD_BLOCKED);
  CHECK(kill(getpid(), SIGUSR1) == 0);
  /* The end of the runtime writes what was asked for. */
  OK(weft_event_set(&go_on));
  OK(weft_thread_join(patient));
}

static void blocks(void *unused) {
  (void)unused;
  const struct timespec time = {3, 0}; /* for the report and the dump */
  nanosleep(&time, NULL);
}
static void stalled(void) { OK(weft_thread_join(start_named(blocks, NULL, "culprit"))); }

static void quits(void) {
  weft_ext_trace_note("before", 1);
  CHECK(raise(SIGQUIT) == 0);
  OK(weft_sleep_ns(60 * SECOND)); /* another OS thread writes, and ends the program */
}

static void stands_still(void) {
  alarm(100); /* where the report does not come */
  weft_ext_trace_note("before", 1);
  OK(weft_event_wait(&go_on));
}

static void *dumps_to_pipe(void *unused) {
  (void)unused;
  IS(WEFT_INVALID, dump_to("pipe")); /* never: the pipe is full */
  return NULL;
}

/* A dump stands in the middle of a write when the program dies. */
static void dies_in_dump(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/pipe.json", folder);
  CHECK(mkfifo(path, 0600) == 0);
  const int pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  CHECK(pipe >= 0);
  for (unsigned number = 0; number < 5000; ++number) weft_ext_trace_note("before", number); /* more than a pipe takes */
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, dumps_to_pipe, NULL) == 0);
  struct pollfd there = {.fd = pipe, .events = POLLIN};
  CHECK(poll(&there, 1, 60000) == 1);
  abort();
}

static void aborts(void) {
  OK(dump_to("first"));
  abort();
}

static const struct {
  const char *word;
  unsigned workers;
  void (*body)(void);
} scenes[] = {{"quiet", 1, quiet},     {"heavy", 4, heavy},
              {"refused", 1, refused}, {"untraced", 1, untraced},
              {"child", 1, child},     {"asked", 2, asked},
              {"stalled", 2, stalled}, {"aborts", 1, aborts},
              {"quits", 2, quits},     {"stands_still", 2, stands_still},
              {"limited", 2, limited}, {"dies_in_dump", 2, dies_in_dump}};

int main(int count, char **words) {
  if (count != 3) return 2;
  folder = words[2];
  IS(WEFT_NOT_INITIALIZED, dump_to("before"));
  for (size_t index = 0; index < sizeof scenes / sizeof *scenes; ++index) {
    if (strcmp(scenes[index].word, words[1]) != 0) continue;
    with_workers(words[1], scenes[index].workers, scenes[index].body);
    IS(WEFT_NOT_INITIALIZED, dump_to("too late"));
    return 0;
  }
  return 2;
}
