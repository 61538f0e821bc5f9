/* Full/empty sync variables. */
#include "check.h"

enum { values = IS_SLOW ? 200 : 2000 };

static void one_thread_sees_what_it_did(void) {
  threads_sync sync = THREADS_SYNC_INIT;
  threads_sync full = THREADS_SYNC_FULL_INIT(7);
  uint64_t got = 0;
  CHECK(!threads_sync_is_full(&sync) && threads_sync_is_full(&full));
  OK(threads_sync_read_fe(&full, &got));
  CHECK(got == 7 && !threads_sync_is_full(&full));
  OK(threads_sync_write_ef(&sync, 1));
  OK(threads_sync_read_ff(&sync, &got));
  CHECK(got == 1 && threads_sync_is_full(&sync));
  OK(threads_sync_write_xf(&sync, 2));
  OK(threads_sync_read_fe(&sync, &got));
  CHECK(got == 2 && !threads_sync_is_full(&sync));
  OK(threads_sync_fill(&sync));
  OK(threads_sync_fill(&sync));
  OK(threads_sync_read_ff(&sync, &got));
  CHECK(got == 2);
  OK(threads_sync_empty(&sync));
  OK(threads_sync_empty(&sync));
  CHECK(!threads_sync_is_full(&sync));
  OK(threads_sync_write_xf(&sync, 3));
  OK(threads_sync_read_ff(&sync, NULL));
  OK(threads_sync_read_fe(&sync, NULL));
  CHECK(!threads_sync_is_full(&sync));
  OK(threads_sync_destroy(&sync));
  OK(threads_sync_destroy(&full));
  CHECK(!threads_sync_is_full(&full));
}

struct channel {
  threads_sync sync;
  uint64_t sum;
};

static void produce(void *given) {
  struct channel *const channel = given;
  for (uint64_t i = 0; i < values; ++i) OK(threads_sync_write_ef(&channel->sync, i));
}

static void consume(void *given) {
  struct channel *const channel = given;
  for (uint64_t i = 0; i < values; ++i) {
    uint64_t got = 0;
    OK(threads_sync_read_fe(&channel->sync, &got));
    CHECK(got == i); /* one producer, one consumer: nothing is lost, doubled or out of turn */
    channel->sum += got;
  }
}

static void a_channel_of_one_value(void) {
  struct channel channel = {THREADS_SYNC_INIT, 0};
  threads_thread *const producer = start(produce, &channel);
  threads_thread *const consumer = start(consume, &channel);
  OK(threads_join(producer));
  OK(threads_join(consumer));
  CHECK(channel.sum == (uint64_t)values * (values - 1) / 2);
  OK(threads_sync_destroy(&channel.sync));
}

static void take_and_give_back(void *given) {
  struct channel *const channel = given;
  for (int i = 0; i < values; ++i) {
    uint64_t got = 0;
    OK(threads_sync_read_fe(&channel->sync, &got));
    ++channel->sum; /* as under a mutex */
    OK(threads_sync_write_ef(&channel->sync, got + 1));
  }
}

static void three_take_one_value_in_turn(void) {
  struct channel channel = {THREADS_SYNC_FULL_INIT(0), 0};
  threads_thread *threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(take_and_give_back, &channel);
  for (int i = 0; i < 3; ++i) OK(threads_join(threads[i]));
  CHECK(channel.sum == 3 * values && channel.sync.value == 3 * values);
}

static atomic_int waiting;

static void read_it(void *sync) {
  uint64_t got = 0;
  atomic_fetch_add(&waiting, 1);
  OK(threads_sync_read_ff(sync, &got));
  CHECK(got == 5);
}

static void write_5(threads_sync *sync) { OK(threads_sync_write_ef(sync, 5)); }
static void write_5_whatever(threads_sync *sync) { OK(threads_sync_write_xf(sync, 5)); }
static void fill_with_5(threads_sync *sync) { OK(threads_sync_fill(sync)); }

/* Whichever call fills it; the variable's memory is the caller's stack, and used for other
 * things at once. */
static void all_readers_are_woken_by(void (*fill)(threads_sync *sync)) {
  threads_sync sync = THREADS_SYNC_INIT;
  OK(threads_sync_write_ef(&sync, 5));
  OK(threads_sync_empty(&sync));
  atomic_store(&waiting, 0);
  threads_thread *threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(read_it, &sync);
  wait_for(&waiting, 3);
  OK(threads_sleep_ns(1000000)); /* so that most of them do wait */
  fill(&sync);
  for (int i = 0; i < 3; ++i) OK(threads_join(threads[i]));
  CHECK(threads_sync_is_full(&sync));
}

static void readers_are_woken(void) {
  all_readers_are_woken_by(write_5);
  all_readers_are_woken_by(write_5_whatever);
  all_readers_are_woken_by(fill_with_5);
}

static void write_6(void *sync) {
  atomic_fetch_add(&waiting, 1);
  OK(threads_sync_write_ef(sync, 6));
}

static void an_empty_wakes_a_writer(void) {
  threads_sync sync = THREADS_SYNC_FULL_INIT(1);
  atomic_store(&waiting, 0);
  threads_thread *const writer = start(write_6, &sync);
  wait_for(&waiting, 1);
  OK(threads_sleep_ns(1000000));
  CHECK(sync.value == 1);
  OK(threads_sync_empty(&sync));
  OK(threads_join(writer));
  uint64_t got = 0;
  OK(threads_sync_read_fe(&sync, &got));
  CHECK(got == 6);
}

static void set_done(void *done) { OK(threads_sync_write_ef(done, 1)); }

/* As a cobegin of old: the parent's frame, and the variable with it, is gone as soon as the
 * value is read. */
static void wait_in_a_frame(void) {
  threads_sync done = THREADS_SYNC_INIT;
  OK(threads_create(set_done, &done, NULL));
  OK(threads_sync_read_ff(&done, NULL));
  memset(&done, 0xaa, sizeof done);
  __asm__ volatile("" : : "r"(&done) : "memory");
}

static void a_variable_may_go_once_its_value_was_read(void) {
  for (int i = 0; i < values / 10; ++i) wait_in_a_frame();
}

static void null_is_refused(void) {
  IS(THREADS_INVALID, threads_sync_read_fe(NULL, NULL));
  IS(THREADS_INVALID, threads_sync_read_ff(NULL, NULL));
  IS(THREADS_INVALID, threads_sync_write_ef(NULL, 1));
  IS(THREADS_INVALID, threads_sync_write_xf(NULL, 1));
  IS(THREADS_INVALID, threads_sync_empty(NULL));
  IS(THREADS_INVALID, threads_sync_fill(NULL));
  IS(THREADS_INVALID, threads_sync_destroy(NULL));
  CHECK(!threads_sync_is_full(NULL));
}

void check_syncs(void) {
  RUN(one_thread_sees_what_it_did);
  RUN(a_channel_of_one_value);
  RUN(three_take_one_value_in_turn);
  RUN(readers_are_woken);
  RUN(an_empty_wakes_a_writer);
  RUN(a_variable_may_go_once_its_value_was_read);
  RUN(null_is_refused);
}
