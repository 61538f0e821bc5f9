/* WEFT_MIGRATE=on, and no other setting: whenever a thread goes on, it is on another OS thread than
 * before, by whatever it had left and whatever woke it. Beside OS threads that keep all CPUs busy,
 * too, and without a hang where a thread keeps its worker until another one has gone on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 10, TIMES = 100 };

static _Thread_local int mark_of_os_thread;
/* Not inlined: the address is taken anew after each switch. */
__attribute__((noinline)) static const void *os_thread(void) {
  const void *volatile here = &mark_of_os_thread;
  return here;
}

static atomic_int moves;

/* The body is what leaves: the thread must go on elsewhere. */
#define MOVES(leave)                        \
  do {                                      \
    const void *const before = os_thread(); \
    leave;                                  \
    CHECK(os_thread() != before);           \
    atomic_fetch_add(&moves, 1);            \
  } while (0)

static void run_all(weft_function body, void *argument, int count) {
  weft_thread *threads[THREADS];
  for (int i = 0; i < count; ++i) threads[i] = start(body, argument);
  for (int i = 0; i < count; ++i) OK(weft_thread_join(threads[i]));
}

static void yields(void *argument) {
  (void)argument;
  for (int i = 0; i < TIMES; ++i) MOVES(weft_yield());
}

static void each_yield_moves(void) {
  for (int count = 1; count <= THREADS; count += THREADS - 1) {
    atomic_store(&moves, 0);
    run_all(yields, NULL, count);
    CHECK(atomic_load(&moves) == count * TIMES);
  }
}

static void sleeps(void *argument) {
  (void)argument;
  for (int i = 0; i < 20; ++i) MOVES(OK(weft_sleep_ns(20 * MICROSECOND)));
}

static void each_sleep_moves(void) { run_all(sleeps, NULL, THREADS); }

/* ---- waits that a thread, or an OS thread outside, ends ---- */

struct sleeper {
  weft_thread *thread;
  weft_event woken;
  atomic_int rounds;
  bool ends_by_resume;
};

static void waits(void *argument) {
  struct sleeper *self = argument;
  for (int i = 0; i < TIMES; ++i) {
    if (self->ends_by_resume) {
      MOVES(OK(weft_suspend()));
    } else {
      MOVES(OK(weft_event_wait(&self->woken)));
      weft_event_reset(&self->woken);
    }
    atomic_fetch_add(&self->rounds, 1);
  }
}

/* Each time after the sleeper has left its worker. */
static void wake_all_rounds(void *argument) {
  struct sleeper *sleeper = argument;
  const weft_thread_state wanted = sleeper->ends_by_resume ? WEFT_THREAD_SUSPENDED : WEFT_THREAD_BLOCKED;
  for (int i = 0; i < TIMES; ++i) {
    wait_for(&sleeper->rounds, i);
    wait_for_state(sleeper->thread, wanted);
    OK(sleeper->ends_by_resume ? weft_resume(sleeper->thread) : weft_event_set(&sleeper->woken));
  }
}

static void *wake_from_outside(void *argument) {
  wake_all_rounds(argument);
  return NULL;
}

static void each_wake_moves(void) {
  for (int kind = 0; kind < 4; ++kind) {
    struct sleeper one = {.woken = WEFT_EVENT_INIT, .ends_by_resume = kind % 2 != 0};
    one.thread = start(waits, &one);
    if (kind < 2) {
      run_all(wake_all_rounds, &one, 1);
    } else {
      pthread_t outside;
      CHECK(pthread_create(&outside, NULL, wake_from_outside, &one) == 0);
      while (atomic_load(&one.rounds) != TIMES) weft_yield();
      CHECK(pthread_join(outside, NULL) == 0);
    }
    OK(weft_thread_join(one.thread));
  }
}

static void wait_for_joiner(void *argument) { wait_for_state(argument, WEFT_THREAD_BLOCKED); }

static void joins(void *argument) {
  (void)argument;
  for (int i = 0; i < TIMES; ++i) {
    weft_thread *const child = start(wait_for_joiner, weft_self());
    MOVES(OK(weft_thread_join(child)));
  }
}

static void each_join_moves(void) {
  weft_thread *const one = start(joins, NULL);
  OK(weft_thread_join(one));
}

enum { CALLERS = 3 };
static atomic_int callers_done;

static void yields_while_it_is_named(void *argument) {
  (void)argument;
  while (atomic_load(&callers_done) != CALLERS) MOVES(weft_yield());
}

/* A named thread is where it is; the caller moves, whether that one runs next or not. */
static void yields_to_partner(void *argument) {
  weft_thread *const partner = argument;
  for (int i = 0; i < TIMES; ++i) MOVES((void)!weft_yield_to(partner));
  atomic_fetch_add(&callers_done, 1);
}

static void each_yield_to_moves(void) {
  atomic_store(&callers_done, 0);
  weft_thread *const partner = start(yields_while_it_is_named, NULL);
  run_all(yields_to_partner, partner, CALLERS);
  OK(weft_thread_join(partner));
}

/* ---- no hang ---- */

static atomic_int has_gone_on;

static void goes_on(void *argument) {
  (void)argument;
  for (int i = 0; i < 3; ++i) weft_yield();
  atomic_store(&has_gone_on, 1);
}

/* Keeps its worker, the only one to which the other thread may go from the second one. */
static void keeps_its_worker(void) {
  atomic_store(&has_gone_on, 0);
  weft_thread *const one = start(goes_on, NULL);
  while (atomic_load(&has_gone_on) == 0) sched_yield(); /* of OS threads */
  OK(weft_thread_join(one));
}

static int ends[2];

static void writes(void *argument) {
  (void)argument;
  for (int i = 0; i < 3; ++i) weft_yield();
  CHECK(write(ends[1], "!", 1) == 1);
}

/* Keeps its worker in the kernel. */
static void sleeps_in_its_worker(void) {
  char got;
  CHECK(pipe(ends) == 0);
  weft_thread *const one = start(writes, NULL);
  CHECK(read(ends[0], &got, 1) == 1);
  OK(weft_thread_join(one));
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void all(void) {
  RUN(each_yield_moves);
  RUN(each_sleep_moves);
  RUN(each_wake_moves);
  RUN(each_join_moves);
  RUN(each_yield_to_moves);
  RUN(keeps_its_worker);
  RUN(sleeps_in_its_worker);
}

/* ---- a busy neighbour ---- */

static atomic_int is_over;

static void *compute(void *argument) {
  while (atomic_load_explicit(&is_over, memory_order_relaxed) == 0) continue;
  return argument;
}

static void beside_busy_os_threads(void) {
  pthread_t busy[8];
  for (int i = 0; i < 8; ++i) CHECK(pthread_create(&busy[i], NULL, compute, NULL) == 0);
  RUN(each_yield_moves);
  RUN(each_sleep_moves);
  atomic_store(&is_over, 1);
  for (int i = 0; i < 8; ++i) CHECK(pthread_join(busy[i], NULL) == 0);
}

int main(void) {
  CHECK(setenv("WEFT_MIGRATE", "on", 1) == 0);
  with_workers("two workers", 2, all);
  with_workers("four workers", 4, all);
  with_workers("a busy neighbour", 2, beside_busy_os_threads);
  return 0;
}
