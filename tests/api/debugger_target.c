/* What debugger_test.py looks into: threads in every state, each in a function of its own name.
 * Stops in stops_here. */
#include <weft/hot.h>
#include <weft/weft.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define NOINLINE __attribute__((noinline))
/* Keeps a call from becoming a jump, which would take the function off the stack. */
#define STAY __asm__ volatile("" ::: "memory")

weft_event nobody_sets_it = WEFT_EVENT_INIT; /* before stops_here */
weft_mutex left = WEFT_MUTEX_RECURSIVE_INIT, right = WEFT_MUTEX_RECURSIVE_INIT;
uint64_t empty_word;

static bool dies_there;
static int *volatile nowhere;

NOINLINE void stops_here(void) {
  if (dies_there) *nowhere = 1;
  STAY;
}

NOINLINE void waits_for_event(void *unused) {
  (void)unused;
  OK(weft_event_wait(&nobody_sets_it));
  STAY;
}

/* Two that wait for each other's mutex. */
static atomic_int first_locks;

NOINLINE void locks_both(weft_mutex *first, weft_mutex *second) {
  OK(weft_mutex_lock(first));
  atomic_fetch_add(&first_locks, 1);
  while (atomic_load(&first_locks) < 2) weft_yield();
  OK(weft_mutex_lock(second));
  STAY;
}
NOINLINE void left_then_right(void *unused) {
  (void)unused;
  locks_both(&left, &right);
  STAY;
}
NOINLINE void right_then_left(void *unused) {
  (void)unused;
  locks_both(&right, &left);
  STAY;
}

NOINLINE void waits_for_end(void *thread) {
  OK(weft_thread_join(thread));
  STAY;
}

NOINLINE void sleeps_long(void *unused) {
  (void)unused;
  OK(weft_sleep_ns(10000 * SECOND));
  STAY;
}

NOINLINE void reads_when_full(void *unused) {
  (void)unused;
  uint64_t value;
  OK(weft_feb_read_fe(&empty_word, &value));
  STAY;
}

NOINLINE void suspends_itself(void *unused) {
  (void)unused;
  OK(weft_suspend());
  STAY;
}

static atomic_bool is_spinning;

NOINLINE void computes(void *unused) {
  (void)unused;
  for (;;) atomic_store(&is_spinning, true);
}

NOINLINE void never_starts(void *unused) {
  (void)unused;
  STAY;
}

/* A fork that another worker takes. */
static atomic_bool is_taken;

NOINLINE void child_of_forker(void *work) {
  atomic_store(&is_taken, true);
  waits_for_event(work);
  STAY;
}
NOINLINE void forks_and_joins(void *unused) {
  void *work = unused;
  weft_forked *forked = weft_fork(child_of_forker, &work, sizeof work);
  while (!atomic_load(&is_taken)) {
  }
  weft_fork_join(forked, child_of_forker, &work, sizeof work);
  STAY;
}

/* A thread that runs on its joiner's stack: the other workers are kept from stealing it before. */
static atomic_int occupied;
static atomic_bool may_end;

NOINLINE void occupies_its_worker(void *unused) {
  (void)unused;
  atomic_fetch_add(&occupied, 1);
  while (!atomic_load(&may_end)) {
  }
}

static atomic_bool is_lent;
static _Atomic(weft_thread *) borrower;

NOINLINE void borrows_a_stack(void *joiners_frame) {
  char here;
  const uintptr_t distance = (uintptr_t)joiners_frame - (uintptr_t)&here;
  if (distance < 4096) {
    atomic_store(&is_lent, true);
    waits_for_event(NULL);
  }
  STAY;
}
NOINLINE void lends_its_stack(void *unused) {
  (void)unused;
  char here;
  OK(weft_sleep_ns(1000)); /* its saved context is out of date from now on */
  for (;;) {
    weft_thread *made;
    OK(weft_thread_create(borrows_a_stack, &here, NULL, &made));
    atomic_store(&borrower, made);
    OK(weft_thread_join(made));
  }
}

/* Under a schedule: each call is a point at which another worker may go on. */
static void pass_points(void) {
  weft_mutex own = WEFT_MUTEX_INIT;
  OK(weft_mutex_lock(&own));
  OK(weft_mutex_unlock(&own));
}

NOINLINE void takes_turns(void *has_begun) {
  for (;;) {
    pass_points();
    atomic_store((atomic_bool *)has_begun, true);
  }
}

static weft_thread *start_named(weft_function function, void *argument, const char *name, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  attr.worker = worker;
  weft_thread *made;
  OK(weft_thread_create(function, argument, name != NULL || worker >= 0 ? &attr : NULL, &made));
  return made;
}

static weft_thread *start_and_await(weft_function function, void *argument, const char *name, weft_thread_state wanted) {
  weft_thread *made = start_named(function, argument, name, WEFT_ANY_WORKER);
  while (weft_thread_get_state(made) != wanted) weft_yield();
  return made;
}

static void start_lender(void) {
  weft_thread *occupiers[] = {start_named(occupies_its_worker, NULL, NULL, 1), start_named(occupies_its_worker, NULL, NULL, 2)};
  while (atomic_load(&occupied) < 2) weft_yield();
  start_named(lends_its_stack, NULL, NULL, WEFT_ANY_WORKER);
  while (!atomic_load(&is_lent) || weft_thread_get_state(atomic_load(&borrower)) != WEFT_THREAD_BLOCKED) weft_yield();
  atomic_store(&may_end, true);
  for (int i = 0; i < 2; ++i) OK(weft_thread_join(occupiers[i]));
}

/* Two threads on virtual workers, while main has the turn. */
static int stop_while_others_await_turns(void) {
  static atomic_bool have_begun[2];
  start_and_await(sleeps_long, NULL, "sleeper", WEFT_THREAD_BLOCKED);
  start_named(takes_turns, &have_begun[0], "second", 1);
  start_named(takes_turns, &have_begun[1], "third", 2);
  while (!atomic_load(&have_begun[0]) || !atomic_load(&have_begun[1])) pass_points();
  stops_here();
  return 0;
}

/* An OS thread that became a worker, and what it locked before. */
static weft_mutex guests = WEFT_MUTEX_RECURSIVE_INIT;

NOINLINE void waits_for_guest(void *unused) {
  (void)unused;
  OK(weft_mutex_lock(&guests));
  STAY;
}
NOINLINE void *is_adopted(void *self) {
  OK(weft_mutex_lock(&guests));
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.name = "guest";
  OK(weft_worker_adopt(&config));
  atomic_store((_Atomic(weft_thread *) *)self, weft_self());
  waits_for_event(NULL);
  STAY;
  return NULL;
}

static int stop_while_one_is_adopted(void) {
  static _Atomic(weft_thread *) guest;
  pthread_t os_thread;
  CHECK(pthread_create(&os_thread, NULL, is_adopted, &guest) == 0);
  while (atomic_load(&guest) == NULL) weft_yield();
  while (weft_thread_get_state(atomic_load(&guest)) != WEFT_THREAD_BLOCKED) weft_yield();
  start_and_await(waits_for_guest, NULL, "host", WEFT_THREAD_BLOCKED);
  stops_here();
  return 0;
}

static void run_into_deadlock(void) {
  weft_thread *kant = start_named(left_then_right, NULL, "Kant", WEFT_ANY_WORKER);
  weft_thread *plato = start_named(right_then_left, NULL, "Plato", WEFT_ANY_WORKER);
  OK(weft_thread_join(kant));
  OK(weft_thread_join(plato));
}

int main(int count, char **arguments) {
  alarm(40); /* a debugger stops there and shows what hangs */
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 3;
  config.caller_outside = count > 1 && strcmp(arguments[1], "outside") == 0;
  OK(weft_init(&config));
  if (count > 1 && strcmp(arguments[1], "finalize") == 0) {
    OK(weft_finalize());
    stops_here();
    return 0;
  }
  if (count > 1 && strcmp(arguments[1], "adopted") == 0) return stop_while_one_is_adopted();
  if (count > 1 && strcmp(arguments[1], "turns") == 0) return stop_while_others_await_turns();
  if (count > 1 && strcmp(arguments[1], "deadlock") == 0) run_into_deadlock();
  dies_there = count > 1 && strcmp(arguments[1], "dies") == 0;
  start_and_await(forks_and_joins, NULL, "forker", WEFT_THREAD_BLOCKED);
  if (count < 2 || strcmp(arguments[1], "measured") != 0) start_lender(); /* no stack is lent while stacks are measured */
  weft_thread *patient = start_and_await(waits_for_event, NULL, "patient", WEFT_THREAD_BLOCKED);
  weft_thread *heir = start_and_await(waits_for_end, patient, "heir", WEFT_THREAD_BLOCKED);
  start_and_await(sleeps_long, NULL, "sleeper", WEFT_THREAD_BLOCKED);
  OK(weft_feb_empty(&empty_word));
  start_and_await(reads_when_full, NULL, "reader", WEFT_THREAD_BLOCKED);
  start_and_await(suspends_itself, NULL, "hermit", WEFT_THREAD_SUSPENDED);
  weft_thread *kant = start_named(left_then_right, NULL, "Kant", WEFT_ANY_WORKER);
  weft_thread *plato = start_named(right_then_left, NULL, "Plato", WEFT_ANY_WORKER);
  while (atomic_load(&first_locks) < 2) weft_yield();
  while (weft_thread_get_state(kant) != WEFT_THREAD_BLOCKED || weft_thread_get_state(plato) != WEFT_THREAD_BLOCKED) weft_yield();
  weft_thread *woken = start_named(suspends_itself, NULL, "woken", 2);
  while (weft_thread_get_state(woken) != WEFT_THREAD_SUSPENDED) weft_yield();
  start_named(computes, NULL, "busy", 2);
  while (!atomic_load(&is_spinning)) weft_yield();
  OK(weft_resume(woken));
  start_named(never_starts, NULL, "late", 2);
  alarm(0);
  stops_here();
  OK(weft_event_set(&nobody_sets_it));
  OK(weft_thread_join(heir));
  puts("went on");
  fflush(stdout);
  _exit(0);
}
