/* Under mlockall(MCL_FUTURE) the kernel fills each new mapping. Stacks of threads and of forks are
 * not filled: they are locked as they are touched. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/hot.h>

#include "check.h"

enum { WAITING = 40, ALLOWED_KB_EACH = 64 };

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

static void wait_here(void *event) { OK(weft_event_wait(event)); }
static void wait_in_fork(void *work) { OK(weft_event_wait(*(weft_event **)work)); }

/* How many KiB more are resident and locked while that many wait. */
static void hold(bool is_fork, long *resident_kb, long *locked_kb) {
  weft_event may_end = WEFT_EVENT_INIT;
  weft_event *work = &may_end;
  weft_forked *forked[WAITING];
  weft_thread *threads[WAITING];
  const long resident_before = number_in("VmRSS:"), locked_before = number_in("VmLck:");
  for (int i = 0; i < WAITING; ++i) {
    if (is_fork) {
      forked[i] = weft_fork(wait_in_fork, &work, sizeof work);
      weft_yield();
    } else {
      threads[i] = start(wait_here, &may_end);
      wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
    }
  }
  *resident_kb = number_in("VmRSS:") - resident_before;
  *locked_kb = number_in("VmLck:") - locked_before;
  OK(weft_event_set(&may_end));
  for (int i = WAITING; i-- > 0;) {
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
  hold(is_fork, &resident_kb, &locked_kb);
  fprintf(stderr, "%d %s that wait, locked %s weft_init: %ld KiB resident\n", WAITING, phase, is_before ? "before" : "after",
          resident_kb);
  CHECK(resident_kb < WAITING * ALLOWED_KB_EACH);
  CHECK(locked_kb > 0);
  OK(weft_finalize());
  CHECK(munlockall() == 0);
}

/* Memory is given back, and guards fault. */
static void cools(void) {
  phase = "locked stacks give their memory back";
  CHECK(setenv("WEFT_STACK_CACHE", "0", 1) == 0);
  CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  init_with(1);
  long resident_kb = 0, locked_kb = 0;
  for (int round = 0; round < 3; ++round) hold(false, &resident_kb, &locked_kb);
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
  cools();
  return 0;
}
