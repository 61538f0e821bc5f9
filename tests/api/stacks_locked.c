/* Under mlockall(MCL_FUTURE) the kernel fills each new mapping. Stacks of threads and of forks are
 * not filled: they are locked as they are touched. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"

enum { WAITING = 40, MANY = 300, ALLOWED_KB_EACH = 64 }; /* many: more than a worker keeps */

static long number_in(const char *key) {
  FILE *const file = fopen("/proc/self/status", "r");
  CHECK(file != NULL);
  char line[256];
  long number = -1;
  while (number < 0 && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0) number = strtol(line + strlen(key), NULL, 10);
  }
  fclose(file);
  return number;
}

/* Deep enough for memory that is given back, and not only kept. */
static void wait_deep(void *event) {
  volatile char used[100 * 1024];
  for (size_t at = 0; at < sizeof used; at += 512) used[at] = 1;
  OK(weft_event_wait(event));
  CHECK(used[0] == 1);
}
static void wait_here(void *event) { OK(weft_event_wait(event)); }
static void wait_in_fork(void *work) { OK(weft_event_wait(*(weft_event **)work)); }

/* How many KiB more are resident and locked while that many wait. */
static void hold(int count, bool is_fork, weft_function wait, long *resident_kb, long *locked_kb) {
  weft_event may_end = WEFT_EVENT_INIT;
  weft_event *work = &may_end;
  weft_forked *forked[MANY];
  weft_thread *threads[MANY];
  const long resident_before = number_in("VmRSS:"), locked_before = number_in("VmLck:");
  for (int i = 0; i < count; ++i) {
    if (is_fork) {
      forked[i] = weft_fork(wait_in_fork, &work, sizeof work);
      weft_yield();
    } else {
      threads[i] = start(wait, &may_end);
      wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
    }
  }
  *resident_kb = number_in("VmRSS:") - resident_before;
  *locked_kb = number_in("VmLck:") - locked_before;
  OK(weft_event_set(&may_end));
  for (int i = count; i-- > 0;) {
    if (is_fork) {
      weft_fork_join(forked[i], wait_in_fork, &work, sizeof work);
    } else {
      OK(weft_thread_join(threads[i]));
    }
  }
}

static void scene(bool is_fork, bool is_before) {
  phase = is_fork ? "forks" : "threads";
  long resident_kb = 0, locked_kb = 0;
  if (is_before) CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  init_with(1);
  if (!is_before) CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  hold(WAITING, is_fork, wait_here, &resident_kb, &locked_kb);
  fprintf(stderr, "%d %s that wait, locked %s weft_init: %ld KiB resident\n", WAITING, phase, is_before ? "before" : "after",
          resident_kb);
  CHECK(resident_kb < WAITING * ALLOWED_KB_EACH);
  CHECK(locked_kb > 0);
  OK(weft_finalize());
  CHECK(munlockall() == 0);
}

static void touch_guard(void *nothing_given) {
  (void)nothing_given;
  void *low = NULL;
  size_t bytes = 0;
  weft_ext_thread_stack(weft_self(), &low, &bytes);
  *((volatile char *)low - 64) = 1;
}

/* Dies. */
static void meets_its_guard(void) {
  CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  init_with(1);
  OK(weft_thread_join(start(touch_guard, NULL)));
}

/* Memory is given back. */
static void cools(void) {
  phase = "locked stacks give their memory back";
  CHECK(setenv("WEFT_STACK_CACHE", "0", 1) == 0);
  CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  init_with(1);
  long resident_kb = 0, locked_kb = 0;
  const long before_kb = number_in("VmRSS:");
  for (int round = 0; round < 3; ++round) {
    hold(MANY, false, wait_deep, &resident_kb, &locked_kb);
    fprintf(stderr, "%d deep ones: %ld KiB resident, and %ld afterwards\n", MANY, resident_kb, number_in("VmRSS:") - before_kb);
    CHECK(round != 0 || resident_kb > MANY * 90L);
  }
  CHECK(number_in("VmRSS:") - before_kb < MANY * 50L);
  OK(weft_finalize());
  CHECK(munlockall() == 0);
}

int main(void) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    printf("skipped: this user may not lock memory\n");
    return 0;
  }
  CHECK(munlockall() == 0);
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork(); /* each with mappings of its own */
    CHECK(child >= 0);
    if (child == 0) {
      scene(i % 2 == 0, i < 2);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    meets_its_guard();
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  cools();
  return 0;
}
