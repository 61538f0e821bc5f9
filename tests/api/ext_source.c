/* ext.h: outside sources of work, here a pipe whose writer knows nothing of Weft. */
#define _GNU_SOURCE /* pipe2 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <weft/ext.h>

#include "check.h"

/* ---- a pipe whose bytes release a semaphore ---- */

struct channel {
  int ends[2];
  weft_semaphore arrived;
  weft_source *source;
  atomic_int polls, inside;
};

static size_t poll_pipe(void *argument) {
  struct channel *channel = argument;
  CHECK(atomic_fetch_add(&channel->inside, 1) == 0); /* one at a time */
  CHECK(weft_self() == NULL);
  IS(WEFT_CANNOT_BLOCK, weft_sleep_ns(MILLISECOND));
  atomic_fetch_add(&channel->polls, 1);
  char bytes[16];
  const ssize_t got = read(channel->ends[0], bytes, sizeof bytes);
  if (got > 0) OK(weft_semaphore_release(&channel->arrived, (uint32_t)got));
  atomic_fetch_sub(&channel->inside, 1);
  return got > 0 ? (size_t)got : 0;
}

static void open_channel(struct channel *channel) {
  *channel = (struct channel){.arrived = WEFT_SEMAPHORE_INIT(0)};
  CHECK(pipe2(channel->ends, O_NONBLOCK) == 0);
  OK(weft_ext_source_add(poll_pipe, channel, &channel->source));
}

static void close_channel(struct channel *channel) {
  OK(weft_ext_source_remove(channel->source));
  const int polls = atomic_load(&channel->polls);
  for (int i = 0; i < 300; ++i) breathe();
  CHECK(atomic_load(&channel->polls) == polls); /* not any more */
  CHECK(close(channel->ends[0]) == 0 && close(channel->ends[1]) == 0);
}

static void send_one(struct channel *channel) { CHECK(write(channel->ends[1], "x", 1) == 1); }

/* ---- busy workers look by themselves ---- */

static void yield_until_taken(void *argument) {
  struct channel *channel = argument;
  while (weft_semaphore_try_acquire(&channel->arrived) == WEFT_BUSY) weft_yield();
}

static void polled_while_busy(void) {
  struct channel channel;
  open_channel(&channel);
  enum { BUSY = 8 };
  weft_thread *threads[BUSY];
  for (int i = 0; i < BUSY; ++i) threads[i] = start(yield_until_taken, &channel);
  for (int i = 0; i < BUSY; ++i) send_one(&channel);
  OK(weft_thread_join_many(threads, BUSY));
  close_channel(&channel);
}

/* ---- sleeping ones are woken ---- */

enum { MESSAGES = 50 };

static void receive(void *argument) {
  struct channel *channel = argument;
  for (int i = 0; i < MESSAGES; ++i) OK(weft_semaphore_acquire(&channel->arrived));
}

static void *send_to_sleepers(void *argument) {
  struct channel *channel = argument;
  for (int i = 0; i < MESSAGES; ++i) {
    if (i % 10 == 0) usleep(2000); /* time to fall asleep */
    send_one(channel);
    weft_ext_source_notify(channel->source);
  }
  return NULL;
}

static void wakes_sleepers(void) {
  struct channel channel;
  open_channel(&channel);
  weft_thread *receiver = start(receive, &channel);
  pthread_t sender;
  CHECK(pthread_create(&sender, NULL, send_to_sleepers, &channel) == 0);
  OK(weft_thread_join(receiver));
  CHECK(pthread_join(sender, NULL) == 0);
  close_channel(&channel);
}

/* ---- from a signal handler ---- */

static struct channel signalled;

static void notify_in_handler(int signal) {
  (void)signal;
  if (write(signalled.ends[1], "s", 1) == 1) weft_ext_source_notify(signalled.source);
}

static void *signal_the_process(void *argument) {
  (void)argument;
  usleep(2000);
  for (int i = 0; i < MESSAGES; ++i) CHECK(raise(SIGUSR1) == 0);
  return NULL;
}

static void notified_by_a_handler(void) {
  open_channel(&signalled);
  struct sigaction action = {.sa_handler = notify_in_handler};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  weft_thread *receiver = start(receive, &signalled);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, signal_the_process, NULL) == 0);
  OK(weft_thread_join(receiver));
  CHECK(pthread_join(other, NULL) == 0);
  close_channel(&signalled);
}

/* ---- a poll that takes one at a time ---- */

struct store {
  weft_source *source;
  weft_semaphore taken;
  atomic_int left;
};

static size_t take_one(void *argument) {
  struct store *store = argument;
  if (atomic_load(&store->left) == 0) return 0;
  atomic_fetch_sub(&store->left, 1);
  OK(weft_semaphore_release(&store->taken, 1));
  usleep(500); /* another worker runs the taker, cannot poll, and sleeps */
  return 1;
}

static void take_all(void *argument) {
  struct store *store = argument;
  for (int i = 0; i < MESSAGES; ++i) OK(weft_semaphore_acquire(&store->taken));
}

static void *notify_once(void *argument) {
  struct store *store = argument;
  usleep(2000); /* time to fall asleep */
  atomic_store(&store->left, MESSAGES);
  weft_ext_source_notify(store->source);
  return NULL;
}

static void polled_until_it_finds_nothing(void) {
  struct store store = {.taken = WEFT_SEMAPHORE_INIT(0)};
  OK(weft_ext_source_add(take_one, &store, &store.source));
  weft_thread *taker = start(take_all, &store);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, notify_once, &store) == 0);
  OK(weft_thread_join(taker));
  CHECK(pthread_join(other, NULL) == 0);
  OK(weft_ext_source_remove(store.source));
}

/* ---- removal waits for a poll that runs ---- */

struct slow {
  weft_source *source;
  atomic_int may_end, is_inside, is_removed, returned;
};

static size_t poll_slowly(void *argument) {
  struct slow *slow = argument;
  if (atomic_exchange(&slow->is_inside, 1) != 0) return 0;
  while (atomic_load(&slow->may_end) == 0) sched_yield();
  for (int i = 0; i < 50; ++i) sched_yield(); /* time to do the wrong thing */
  CHECK(atomic_load(&slow->is_removed) == 0);
  atomic_store(&slow->returned, 1);
  return 0;
}

static void *remove_slow(void *argument) {
  struct slow *slow = argument;
  while (atomic_load(&slow->is_inside) == 0) sched_yield();
  atomic_store(&slow->may_end, 1);
  OK(weft_ext_source_remove(slow->source));
  atomic_store(&slow->is_removed, 1);
  CHECK(atomic_load(&slow->returned) == 1);
  return NULL;
}

static void removal_waits(void) {
  struct slow slow = {NULL, 0, 0, 0, 0};
  OK(weft_ext_source_add(poll_slowly, &slow, &slow.source));
  pthread_t other;
  CHECK(pthread_create(&other, NULL, remove_slow, &slow) == 0);
  weft_ext_source_notify(slow.source);
  wait_for(&slow.is_removed, 1);
  CHECK(pthread_join(other, NULL) == 0);
}

/* ---- refusals ---- */

static size_t poll_nothing(void *argument) {
  (void)argument;
  return 0;
}

static void refuses(void) {
  weft_source *const untouched = (weft_source *)&untouched;
  weft_source *out = untouched;
  IS(WEFT_INVALID, weft_ext_source_add(NULL, NULL, &out));
  IS(WEFT_INVALID, weft_ext_source_add(poll_nothing, NULL, NULL));
  IS(WEFT_INVALID, weft_ext_source_remove(NULL));
  IS(WEFT_INVALID, weft_ext_source_remove(untouched)); /* foreign */
  weft_ext_source_notify(NULL);
  CHECK(out == untouched);

  enum { MOST = 64 };
  weft_source *all[MOST];
  for (int i = 0; i < MOST; ++i) OK(weft_ext_source_add(poll_nothing, NULL, &all[i]));
  IS(WEFT_AGAIN, weft_ext_source_add(poll_nothing, NULL, &out));
  CHECK(out == untouched);
  OK(weft_ext_source_remove(all[17]));
  IS(WEFT_INVALID, weft_ext_source_remove(all[17]));
  OK(weft_ext_source_add(poll_nothing, NULL, &out));
  all[17] = out;
  for (int i = 1; i < MOST; ++i) OK(weft_ext_source_remove(all[i]));
  /* all[0] goes with the runtime */
}

static void all(void) {
  RUN(polled_while_busy);
  RUN(wakes_sleepers);
  RUN(notified_by_a_handler);
  RUN(polled_until_it_finds_nothing);
  RUN(removal_waits);
  RUN(refuses);
}

static void without_a_runtime(void) {
  weft_source *out = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_ext_source_add(poll_nothing, NULL, &out));
  IS(WEFT_NOT_INITIALIZED, weft_ext_source_remove((weft_source *)&out));
  weft_ext_source_notify((weft_source *)&out);
  CHECK(out == NULL);
}

int main(void) {
  without_a_runtime();
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  phase = "passive, the caller outside";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.wait_policy = WEFT_WAIT_PASSIVE;
  config.caller_outside = true;
  OK(weft_init(&config));
  RUN(wakes_sleepers);
  RUN(notified_by_a_handler);
  RUN(polled_until_it_finds_nothing);
  RUN(removal_waits);
  OK(weft_finalize());
  without_a_runtime();
  return 0;
}
