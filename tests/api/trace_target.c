/* What trace_test.py traces: each word does a known number of things. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/weft.h>

#include "check.h"

enum { threads = 40, rounds = 3 };

static weft_thread *start_named(weft_function function, void *argument, const char *name) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  weft_thread *made = NULL;
  OK(weft_thread_create(function, argument, &attr, &made));
  return made;
}

static void yields(void *unused) {
  (void)unused;
  for (int round = 0; round < rounds; ++round) weft_yield();
}

static void many_threads(void) {
  weft_thread *made[threads];
  char name[16];
  for (int index = 0; index < threads; ++index) {
    snprintf(name, sizeof name, "number %d", index);
    made[index] = start_named(yields, NULL, name);
  }
  for (int index = 0; index < threads; ++index) OK(weft_thread_join(made[index]));
}

static long fib(long n);
static void fib_run(void *work) { *(long *)work = fib(*(long *)work); }
static long fib(long n) {
  if (n < 2) return n;
  long left = n - 1;
  weft_forked *forked = weft_fork(fib_run, &left, sizeof left);
  const long right = fib(n - 2);
  weft_fork_join(forked, fib_run, &left, sizeof left);
  return left + right;
}
static void forks(void) { CHECK(fib(12) == 144); }

static void notes_in_thread(void *unused) {
  (void)unused;
  for (uint64_t value = 1; value <= 3; ++value) weft_ext_trace_note("told (bytes)", value);
}
static void *note_outside(void *unused) {
  (void)unused;
  weft_ext_trace_note("told outside", UINT64_C(1) << 52);
  return NULL;
}
static void notes(void) {
  weft_ext_trace_note(NULL, 1); /* nothing */
  OK(weft_thread_join(start_named(notes_in_thread, NULL, "teller")));
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, note_outside, NULL) == 0);
  pthread_join(outside, NULL);
}

static weft_event told = WEFT_EVENT_INIT;
static void waits(void *unused) {
  (void)unused;
  OK(weft_event_wait(&told));
}
static void waiting(void) {
  weft_thread *waiter = start_named(waits, NULL, "a \"waiter\" \\ \xc3\xbc \xff");
  wait_for_state(waiter, WEFT_THREAD_BLOCKED);
  weft_event_set(&told);
  OK(weft_thread_join(waiter));
}

/* A child that parks in its forker's join, or elsewhere, with older forks of the forker waiting. */
static void parks(void *work) {
  long number = *(long *)work;
  OK(weft_sleep_ns(1000 * (uint64_t)number));
  *(long *)work = number * number;
}
static void parking_forks(void) {
  weft_forked *forked[20];
  long number[20], sum = 0;
  for (long index = 0; index < 20; ++index) {
    number[index] = index;
    forked[index] = weft_fork(parks, &number[index], sizeof number[index]);
  }
  for (int index = 20; index-- > 0;) {
    weft_fork_join(forked[index], parks, &number[index], sizeof number[index]);
    sum += number[index];
  }
  CHECK(sum == 2470);
}

/* The forker's own worker takes the fork while the forker waits. */
static void tells(void *unused) {
  (void)unused;
  weft_event_set(&told);
}
static void taking(void) {
  char nothing_to_say = 0;
  weft_forked *forked = weft_fork(tells, &nothing_to_say, 1);
  OK(weft_event_wait(&told));
  weft_fork_join(forked, tells, &nothing_to_say, 1);
}

/* Forks of a tasklet and of an OS thread outside, which run in their joins. */
static void forks_outside(void *unused) {
  (void)unused;
  forks();
}
static void *forks_of_os_thread(void *unused) {
  forks_outside(unused);
  return NULL;
}
static void unrecorded(void) {
  weft_thread *tasklet = NULL;
  OK(weft_tasklet_create(forks_outside, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, forks_of_os_thread, NULL) == 0);
  CHECK(pthread_join(outside, NULL) == 0);
}

static atomic_int is_taken;
static void taken(void *unused) {
  (void)unused;
  atomic_store(&is_taken, 1);
}
static void stealing(void) {
  char nothing_to_say = 0;
  weft_forked *forked = weft_fork(taken, &nothing_to_say, 1);
  while (atomic_load(&is_taken) == 0) continue;
  weft_fork_join(forked, taken, &nothing_to_say, 1);
}

static void many_turns(void) {
  for (int round = 0; round < 50; ++round) many_threads();
}

static void migrating(void) {
  weft_thread *made = start_pinned(nothing, NULL, 0);
  OK(weft_thread_migrate_to_worker(made, 1));
  OK(weft_thread_join(made));
}

static void for_ever(void *unused) {
  (void)unused;
  OK(weft_suspend());
}
static void leave_waiting(void) { wait_for_state(start_named(for_ever, NULL, "patient"), WEFT_THREAD_SUSPENDED); }

/* The test that sees the end knows by this that it was meant. */
static void says_farewell(void) { fputs("dies now\n", stderr); }
static void aborting(void) {
  leave_waiting();
  says_farewell();
  abort();
}
/* Their turns end while the waiting threads are written down. */
static void takes_turns(void *unused) {
  (void)unused;
  for (;;) weft_yield();
}
static void aborting_beside_others(void) {
  for (int index = 0; index < 2000; ++index) start_named(for_ever, NULL, "patient");
  for (int worker = 1; worker < 4; ++worker) {
    start_pinned(takes_turns, NULL, worker);
    start_pinned(takes_turns, NULL, worker);
  }
  OK(weft_sleep_ns(2 * 1000 * 1000));
  abort();
}
/* With a handler of its own, from before the runtime's begin or after it. */
static void leaves_by_handler(int signal) {
  (void)signal;
  _exit(4);
}
static void handling(void) {
  signal(SIGABRT, leaves_by_handler);
  aborting();
}
static void handling_before(void) {
  OK(weft_finalize());
  signal(SIGABRT, leaves_by_handler);
  init_with(1);
  aborting();
}
static void leaving(void) {
  leave_waiting();
  exit(3);
}
static void fault(void) {
  volatile int *volatile nowhere = NULL;
  says_farewell();
  *nowhere = 1;
}
static void faulting(void) {
  leave_waiting();
  fault();
}
/* Two OS threads die at once; the trace is long enough to be caught in writing. */
static atomic_int have_met;
static void faults_with_another(void *unused) {
  (void)unused;
  atomic_fetch_add(&have_met, 1);
  while (atomic_load(&have_met) != 2) sched_yield();
  fault();
}
static void faulting_together(void) {
  many_turns();
  weft_thread *other = start_pinned(faults_with_another, NULL, 1);
  faults_with_another(NULL);
  OK(weft_thread_join(other));
}
static void deadlocked(void) {
  weft_thread *made = start_named(for_ever, NULL, "patient");
  OK(weft_thread_join(made));
}
/* A child that ends by exit: the file is empty until the parent writes it. */
static void parting(void) {
  const pid_t child = fork();
  if (child == 0) exit(0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  struct stat about;
  CHECK(stat(getenv("WEFT_TRACE"), &about) == 0 && about.st_size == 0);
}
/* Another program that uses Weft, with the same variables: its trace stands in the file until
 * this one ends. */
static const char *own_path;
static void starting(void) {
  const char *words[] = {own_path, "turns", NULL};
  const pid_t child = fork();
  if (child == 0) _exit(execv(own_path, (char **)words));
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  struct stat about;
  CHECK(stat(getenv("WEFT_TRACE"), &about) == 0 && about.st_size > 0);
  forks();
}
static void again(void) {
  many_threads();
  OK(weft_finalize());
  init_with(1);
  forks();
}
static volatile int bottom = -1;
static int deepen(volatile int *depth) {
  volatile int more = *depth + 1;
  return more == bottom ? 0 : deepen(&more) + more;
}
static void overflows(void *unused) {
  (void)unused;
  volatile int depth = 0;
  says_farewell();
  deepen(&depth);
}
static void overflowing(void) {
  weft_thread *made = start_named(overflows, NULL, "spelunker");
  OK(weft_thread_join(made));
}

static const struct {
  const char *word;
  unsigned workers;
  void (*body)(void);
} scenes[] = {{"threads", 2, many_threads},
              {"forks", 1, forks},
              {"forks2", 2, forks},
              {"waiting", 1, waiting},
              {"notes", 1, notes},
              {"taking", 1, taking},
              {"unrecorded", 1, unrecorded},
              {"stealing", 2, stealing},
              {"migrating", 2, migrating},
              {"aborting", 1, aborting},
              {"aborting beside others", 4, aborting_beside_others},
              {"handling", 1, handling},
              {"handling before", 1, handling_before},
              {"leaving", 1, leaving},
              {"overflowing", 1, overflowing},
              {"parking", 2, parking_forks},
              {"turns", 2, many_turns},
              {"faulting", 1, faulting},
              {"faulting together", 2, faulting_together},
              {"deadlocked", 1, deadlocked},
              {"parting", 1, parting},
              {"starting", 1, starting},
              {"again", 1, again}};

int main(int count, char **words) {
  own_path = words[0];
  weft_ext_trace_note("before there is a runtime", 1);
  for (size_t index = 0; count == 2 && index < sizeof scenes / sizeof *scenes; ++index) {
    if (strcmp(scenes[index].word, words[1]) != 0) continue;
    with_workers(words[1], scenes[index].workers, scenes[index].body);
    return 0;
  }
  return 2;
}
