/* What may be called in a signal handler, wherever it interrupts a worker: the calls that say so,
 * of which weft_semaphore_release_from_handler and weft_ext_source_notify wake threads. A call that
 * took a lock would find it held by the code that it interrupted, sooner or later, and hang. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <weft/ext.h>

#include "check.h"

enum { STORM = IS_SLOW ? 200 : 4000 };

static weft_source *wakes_by_handler;
static weft_semaphore woken_by_handler = WEFT_SEMAPHORE_INIT(0);
static atomic_int handled, to_release, workers_known;
static pthread_t os_threads[2];
static atomic_bool is_stormy;
static _Atomic(weft_thread *) last_interrupted;

static size_t release_for_handlers(void *unused) {
  (void)unused;
  const int count = atomic_exchange(&to_release, 0);
  if (count != 0) OK(weft_semaphore_release(&woken_by_handler, (uint32_t)count));
  return (size_t)count;
}

/* All calls that say "signal handlers included". */
static void wake_in_handler(int signal) {
  (void)signal;
  if (!weft_is_initialized() || weft_worker_self() < 0 || weft_worker_count() != 2) _exit(3);
  if (weft_status_name(WEFT_OK)[0] != 'W' || weft_status_text(WEFT_OK)[0] != 's') _exit(4);
  atomic_store(&last_interrupted, weft_self()); /* null where a worker looks for work */
  atomic_fetch_add(&to_release, 1);
  weft_ext_source_notify(wakes_by_handler);
  atomic_fetch_add(&handled, 1);
}

static void release_in_handler(int signal) {
  (void)signal;
  const int errno_before = errno; /* of a call that the signal may have interrupted */
  errno = EDOM;
  if (weft_semaphore_release_from_handler(&woken_by_handler, 1) != WEFT_OK || errno != EDOM) _exit(5);
  errno = errno_before;
  atomic_fetch_add(&handled, 1);
}

static void pass_on(void *argument) {
  weft_semaphore *const baton = argument;
  OK(weft_semaphore_acquire(baton));
  OK(weft_semaphore_release(baton, 1));
}

/* Locks of every kind are taken and left on the way, so that a handler finds them held. */
static void work_in_storm(void *argument) {
  os_threads[weft_worker_self()] = pthread_self();
  atomic_fetch_add(&workers_known, 1);
  while (atomic_load(&is_stormy)) {
    weft_thread *const made = start(pass_on, argument);
    weft_yield();
    OK(weft_thread_join(made));
    OK(weft_semaphore_release(&woken_by_handler, 1));
    OK(weft_semaphore_acquire(&woken_by_handler));
    const weft_status soon = weft_semaphore_acquire_until(&woken_by_handler, weft_deadline_in(MICROSECOND));
    CHECK(soon == WEFT_OK || soon == WEFT_TIMEOUT);
    if (soon == WEFT_OK) OK(weft_semaphore_release(&woken_by_handler, 1));
  }
}

static void *send_storm(void *unused) {
  wait_for(&workers_known, 2);
  for (int i = 0; i < STORM; ++i) {
    CHECK(pthread_kill(os_threads[i % 2], SIGUSR2) == 0);
    wait_for(&handled, i + 1);
  }
  return unused;
}

static void take_what_was_sent(void *unused) {
  (void)unused;
  for (int i = 0; i < STORM; ++i) OK(weft_semaphore_acquire(&woken_by_handler));
}

static void handle_by(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
}

static void storm(void) {
  weft_semaphore baton = WEFT_SEMAPHORE_INIT(1);
  atomic_store(&handled, 0);
  atomic_store(&workers_known, 0);
  atomic_store(&is_stormy, true);
  weft_thread *busy[2];
  for (int i = 0; i < 2; ++i) busy[i] = start_pinned(work_in_storm, &baton, i);
  weft_thread *const taker = start(take_what_was_sent, NULL);
  pthread_t sender;
  CHECK(pthread_create(&sender, NULL, send_storm, NULL) == 0);
  OK(weft_thread_join(taker));
  atomic_store(&is_stormy, false);
  OK(weft_thread_join_many(busy, 2));
  CHECK(pthread_join(sender, NULL) == 0);
}

/* By a source's poll. */
static void notified(void) {
  handle_by(wake_in_handler);
  OK(weft_ext_source_add(release_for_handlers, NULL, &wakes_by_handler));
  storm();
  OK(weft_ext_source_remove(wakes_by_handler));
}

static void released(void) {
  handle_by(release_in_handler);
  storm();
}

/* Nothing else runs: the handler wakes a worker as well. */
struct sleeper {
  weft_thread *thread;
  pthread_t os_thread;
};

static void *signal_sleeper(void *argument) {
  const struct sleeper *const sleeper = argument;
  for (int i = 0; i < STORM / 20; ++i) {
    while (weft_thread_get_state(sleeper->thread) != WEFT_THREAD_BLOCKED || atomic_load(&handled) != i) sched_yield();
    CHECK(pthread_kill(sleeper->os_thread, SIGUSR2) == 0);
  }
  return NULL;
}

static void asleep(void) {
  handle_by(release_in_handler);
  atomic_store(&handled, 0);
  struct sleeper sleeper = {weft_self(), pthread_self()};
  pthread_t sender;
  CHECK(pthread_create(&sender, NULL, signal_sleeper, &sleeper) == 0);
  for (int i = 0; i < STORM / 20; ++i) {
    OK(i % 2 == 0 ? weft_semaphore_acquire(&woken_by_handler)
                  : weft_semaphore_acquire_until(&woken_by_handler, weft_deadline_in(3600 * SECOND)));
  }
  CHECK(pthread_join(sender, NULL) == 0);
}

/* A handler interrupts a thread in a blocking region, where its OS thread is no worker. */
static int line[2];
static atomic_bool is_in_region;

static void release_in_region(int signal) {
  if (weft_worker_self() != -1 || weft_self() != NULL || weft_worker_count() == 0) _exit(6);
  weft_ext_source_notify(wakes_by_handler);
  release_in_handler(signal);
}

static void write_when_released(void *unused) {
  (void)unused;
  OK(weft_semaphore_acquire(&woken_by_handler));
  CHECK(write(line[1], "x", 1) == 1);
}

static void read_interrupted(void *byte) {
  atomic_store(&is_in_region, true);
  CHECK(read(line[0], byte, 1) == 1);
}

static void *signal_region(void *os_thread) {
  while (!atomic_load(&is_in_region)) sched_yield();
  CHECK(pthread_kill(*(pthread_t *)os_thread, SIGUSR2) == 0);
  return NULL;
}

static void in_a_region(void) {
  handle_by(release_in_region);
  OK(weft_ext_source_add(release_for_handlers, NULL, &wakes_by_handler));
  CHECK(pipe(line) == 0);
  for (int round = 0; round < 20; ++round) {
    atomic_store(&is_in_region, false);
    weft_thread *const writer = start(write_when_released, NULL);
    pthread_t self = pthread_self(), sender;
    CHECK(pthread_create(&sender, NULL, signal_region, &self) == 0);
    char byte;
    OK(weft_blocking(read_interrupted, &byte));
    OK(weft_thread_join(writer));
    CHECK(pthread_join(sender, NULL) == 0);
  }
  CHECK(close(line[0]) == 0 && close(line[1]) == 0);
  OK(weft_ext_source_remove(wakes_by_handler));
}

/* OS threads outside are woken by the handler itself, also where no runtime runs. */
static void *wait_outside(void *argument) {
  OK(weft_semaphore_acquire(&woken_by_handler));
  OK(weft_semaphore_acquire_until(&woken_by_handler, weft_deadline_in(3600 * SECOND)));
  return argument;
}

static void outside(void) {
  handle_by(release_in_handler);
  pthread_t waiter;
  CHECK(pthread_create(&waiter, NULL, wait_outside, NULL) == 0);
  for (int i = 0; i < 2; ++i) CHECK(raise(SIGUSR2) == 0);
  CHECK(pthread_join(waiter, NULL) == 0);
}

static void refused(void) {
  weft_semaphore full = WEFT_SEMAPHORE_INIT_FOR_HANDLERS(UINT32_MAX);
  IS(WEFT_INVALID, weft_semaphore_release_from_handler(NULL, 1));
  IS(WEFT_INVALID, weft_semaphore_release_from_handler(&full, 1));
  OK(weft_semaphore_try_acquire(&full));
  OK(weft_semaphore_release_from_handler(&full, 1));
  IS(WEFT_INVALID, weft_semaphore_release(&full, 1));
}

int main(void) {
  phase = "no runtime";
  RUN(outside);
  phase = "two workers";
  init_with(2);
  RUN(notified);
  RUN(released);
  RUN(asleep);
  RUN(in_a_region);
  RUN(outside);
  RUN(refused);
  OK(weft_finalize());
  phase = "one worker";
  init_with(1);
  RUN(asleep);
  RUN(in_a_region);
  OK(weft_finalize());
  return 0;
}
