/* Waits that make progress: wait-syncs, conditions and turns. */
#include <pthread.h>

#include <weft_threads/progress.h>

#include "check.h"

enum { waiters = 3, rounds = IS_SLOW ? 3 : 8 };

/* A network that answers one request after some calls, the youngest first. */
static threads_wait_sync syncs[waiters];
static atomic_int polls, in_poll, most_in_poll, have_come, answered, may_answer, must_meet;

static void note_most(int now) {
  int most = atomic_load(&most_in_poll);
  while (now > most && !atomic_compare_exchange_weak(&most_in_poll, &most, now)) {
  }
}

static int poll_network(void *unused) {
  (void)unused;
  note_most(atomic_fetch_add(&in_poll, 1) + 1);
  while (atomic_load(&must_meet) != 0 && atomic_load(&most_in_poll) < 2) let_others_run();
  int done = 0;
  if (atomic_load(&may_answer) != 0 && atomic_fetch_add(&polls, 1) % 4 == 3) {
    const int next = atomic_fetch_add(&answered, 1);
    if (next < waiters) OK(threads_wait_sync_update(&syncs[waiters - 1 - next], 1, 0));
    done = next < waiters;
  }
  atomic_fetch_sub(&in_poll, 1);
  return done;
}

static void await(void *given) {
  threads_wait_sync *const sync = given;
  int outcome = -1;
  atomic_fetch_add(&have_come, 1);
  OK(threads_wait_sync_wait(sync, &outcome));
  CHECK(outcome == 0);
  CHECK(threads_wait_sync_is_done(sync));
  OK(threads_wait_sync_release(sync));
}

static void *await_outside(void *given) {
  await(given);
  return NULL;
}

static void ask(threads_progress *progress) {
  pthread_t outside[waiters];
  threads_thread *threads[waiters];
  atomic_store(&polls, 0);
  atomic_store(&most_in_poll, 0);
  atomic_store(&answered, 0);
  atomic_store(&may_answer, 0);
  atomic_store(&have_come, 0);
  for (int i = 0; i < waiters; ++i) OK(threads_wait_sync_init(&syncs[i], progress, 1));
  const bool has_threads = threads_is_started();
  for (int i = 0; i < waiters; ++i) {
    if (has_threads && i != 1) {
      threads[i] = start(await, &syncs[i]);
    } else {
      CHECK(pthread_create(&outside[i], NULL, await_outside, &syncs[i]) == 0);
    }
  }
  while (atomic_load(&have_come) != waiters) let_others_run();
  atomic_store(&may_answer, 1);
  for (int i = 0; i < waiters; ++i) {
    if (has_threads && i != 1) {
      OK(threads_join(threads[i]));
    } else {
      pthread_join(outside[i], NULL);
    }
  }
}

static void one_makes_progress_and_the_next_is_promoted(void) {
  static threads_progress network = THREADS_PROGRESS_INIT(poll_network, NULL, 1);
  for (int i = 0; i < rounds; ++i) {
    ask(&network);
    CHECK(atomic_load(&most_in_poll) == 1);
  }
  OK(threads_lock_destroy(&network.lock));
}

static void as_many_as_most_make_progress_and_no_more(void) {
  static threads_progress network = THREADS_PROGRESS_INIT(poll_network, NULL, 2);
  atomic_store(&must_meet, 1);
  for (int i = 0; i < rounds; ++i) {
    ask(&network);
    CHECK(atomic_load(&most_in_poll) == 2);
  }
  atomic_store(&must_meet, 0);
  OK(threads_lock_destroy(&network.lock));
}

/* ---- updates from elsewhere, and errors ---- */

struct message {
  threads_wait_sync sync;
  int updates, outcome;
};

static void *update(void *given) {
  struct message *const message = given;
  for (int i = 0; i < message->updates; ++i) OK(threads_wait_sync_update(&message->sync, 1, message->outcome));
  return NULL;
}

static void waits_end_without_progress_too(void) {
  static threads_progress none = THREADS_PROGRESS_INIT(NULL, NULL, 0);
  for (int i = 0; i < rounds; ++i) {
    pthread_t other;
    struct message message = {.updates = 5};
    int outcome = -1;
    OK(threads_wait_sync_init(&message.sync, &none, 5));
    CHECK(pthread_create(&other, NULL, update, &message) == 0);
    OK(threads_wait_sync_wait(&message.sync, &outcome));
    CHECK(outcome == 0);
    OK(threads_wait_sync_release(&message.sync));
    pthread_join(other, NULL);
  }
  OK(threads_lock_destroy(&none.lock));
}

static void an_update_with_an_error_ends_the_wait(void) {
  static threads_progress none = THREADS_PROGRESS_INIT(NULL, NULL, 0);
  struct message message = {.updates = 1, .outcome = -7};
  int outcome = 0;
  pthread_t other;
  OK(threads_wait_sync_init(&message.sync, &none, 5));
  IS(THREADS_BUSY, threads_wait_sync_release(&message.sync));
  CHECK(!threads_wait_sync_is_done(&message.sync));
  CHECK(pthread_create(&other, NULL, update, &message) == 0);
  OK(threads_wait_sync_wait(&message.sync, &outcome));
  CHECK(outcome == -7);
  pthread_join(other, NULL);
  OK(threads_wait_sync_release(&message.sync));
  OK(threads_wait_sync_init(&message.sync, &none, 0));
  OK(threads_wait_sync_wait(&message.sync, NULL));
  OK(threads_wait_sync_release(&message.sync));
  OK(threads_lock_destroy(&none.lock));
}

static int lose_the_connection(void *progress) {
  OK(threads_progress_wake_all(*(threads_progress **)progress, -9));
  return 1;
}

static void await_loss(void *progress) {
  threads_wait_sync sync;
  int outcome = 0;
  OK(threads_wait_sync_init(&sync, progress, 2));
  OK(threads_wait_sync_wait(&sync, &outcome));
  CHECK(outcome == -9);
  OK(threads_wait_sync_release(&sync));
}

static void a_lost_connection_ends_all_waits(void) {
  static threads_progress *itself;
  static threads_progress network = THREADS_PROGRESS_INIT(lose_the_connection, &itself, 1);
  itself = &network;
  threads_thread *threads[waiters];
  const bool has_threads = threads_is_started();
  for (int i = 0; has_threads && i < waiters; ++i) threads[i] = start(await_loss, &network);
  await_loss(&network);
  for (int i = 0; has_threads && i < waiters; ++i) OK(threads_join(threads[i]));
  OK(threads_lock_destroy(&network.lock));
}

/* ---- conditions and turns ---- */

static threads_lock lock = THREADS_LOCK_INIT;
static threads_progress_cond changed = THREADS_PROGRESS_COND_INIT;
static int level, level_wanted;

static int raise_level(void *unused) {
  (void)unused;
  OK(threads_lock_acquire(&lock));
  const bool is_raised = level < level_wanted;
  level += is_raised;
  OK(level == 2 ? threads_progress_cond_signal(&changed) : threads_progress_cond_broadcast(&changed));
  OK(threads_lock_release(&lock));
  return is_raised;
}

static threads_progress levels = THREADS_PROGRESS_INIT(raise_level, NULL, 1);

static void await_level(void *unused) {
  (void)unused;
  OK(threads_lock_acquire(&lock));
  while (level < level_wanted) OK(threads_progress_cond_wait(&changed, &lock, &levels));
  OK(threads_lock_release(&lock));
}

static void those_that_wait_at_a_condition_make_progress(void) {
  threads_thread *threads[waiters];
  level = 0;
  level_wanted = 5;
  const bool has_threads = threads_is_started();
  for (int i = 0; has_threads && i < waiters; ++i) threads[i] = start(await_level, NULL);
  await_level(NULL);
  for (int i = 0; has_threads && i < waiters; ++i) OK(threads_join(threads[i]));
  CHECK(level == level_wanted);
}

/* Deadlines that pass: one caller makes progress, and the others have parked. */
static void await_nothing(void *unused) {
  (void)unused;
  for (int i = 0; i < rounds; ++i) {
    const uint64_t deadline = threads_now_ns() + (i % 2 == 0 ? 0 : 2000000); /* the first has passed */
    threads_status status = THREADS_OK;
    OK(threads_lock_acquire(&lock));
    while (status == THREADS_OK) status = threads_progress_cond_wait_until(&changed, &lock, &levels, deadline);
    IS(THREADS_TIMEOUT, status);
    CHECK(threads_now_ns() >= deadline);
    OK(threads_lock_release(&lock));
  }
}

static void await_level_or_the_end(void *unused) {
  (void)unused;
  OK(threads_lock_acquire(&lock));
  while (level < level_wanted) OK(threads_progress_cond_wait_until(&changed, &lock, &levels, UINT64_MAX));
  OK(threads_lock_release(&lock));
}

static void with_others(threads_function function) {
  pthread_t outside;
  threads_thread *threads[waiters];
  const bool has_threads = threads_is_started();
  for (int i = 0; has_threads && i < waiters; ++i) threads[i] = start(function, NULL);
  CHECK(pthread_create(&outside, NULL, (void *(*)(void *))(void (*)(void))function, NULL) == 0);
  function(NULL);
  for (int i = 0; has_threads && i < waiters; ++i) OK(threads_join(threads[i]));
  pthread_join(outside, NULL);
}

static void a_wait_that_makes_progress_ends_at_its_deadline(void) {
  level = level_wanted = 0;
  with_others(await_nothing);
  CHECK(changed.first == NULL && levels.first == NULL && levels.making == 0);
  level_wanted = 5;
  with_others(await_level_or_the_end);
  CHECK(level == level_wanted && changed.first == NULL && levels.first == NULL && levels.making == 0);
}

static threads_turn turn = THREADS_TURN_INIT;
static int turns, has_turn;
static int nothing_happens(void *unused) {
  (void)unused;
  return 0;
}
static threads_progress idle = THREADS_PROGRESS_INIT(nothing_happens, NULL, 1);

static void take_turns(void *unused) {
  (void)unused;
  for (int i = 0; i < rounds; ++i) {
    OK(threads_turn_acquire(&turn, &idle));
    CHECK(has_turn++ == 0);
    if (i % 10 == 0) let_others_run();
    ++turns;
    --has_turn;
    OK(threads_turn_release(&turn));
  }
}

static void one_has_the_turn(void) {
  threads_thread *threads[waiters];
  turns = 0;
  const bool has_threads = threads_is_started();
  for (int i = 0; has_threads && i < waiters; ++i) threads[i] = start(take_turns, NULL);
  take_turns(NULL);
  for (int i = 0; has_threads && i < waiters; ++i) OK(threads_join(threads[i]));
  CHECK(turns == rounds * (has_threads ? waiters + 1 : 1));
  IS(THREADS_NOT_OWNER, threads_turn_release(&turn));
}

static int give_the_turn_back(void *unused) {
  (void)unused;
  OK(threads_turn_release(&turn));
  return 1;
}

static void progress_gives_a_turn_back(void) {
  threads_progress network = THREADS_PROGRESS_INIT(give_the_turn_back, NULL, 1);
  OK(threads_turn_acquire(&turn, &network));
  OK(threads_turn_acquire(&turn, &network)); /* which waits, and progress ends the first one's turn */
  OK(threads_turn_release(&turn));
}

void check_progress(void) {
  RUN(one_makes_progress_and_the_next_is_promoted);
  RUN(as_many_as_most_make_progress_and_no_more);
  RUN(waits_end_without_progress_too);
  RUN(an_update_with_an_error_ends_the_wait);
  RUN(a_lost_connection_ends_all_waits);
  RUN(those_that_wait_at_a_condition_make_progress);
  RUN(a_wait_that_makes_progress_ends_at_its_deadline);
  RUN(one_has_the_turn);
  RUN(progress_gives_a_turn_back);
}
