/* ext.h: outside sources in which an idle worker sleeps, here a pipe whose writer knows nothing of
 * Weft and notifies nothing. */
#define _GNU_SOURCE /* pipe2, ppoll */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <weft/ext.h>

#include "said.h"

/* ---- a pipe whose bytes release a semaphore, and what ends a wait early ---- */

struct inlet {
  int ends[2];
  int bell;
  weft_semaphore arrived;
  weft_source *source;
  atomic_int inside, waits, wakes;
  atomic_bool is_hasty; /* its waits return at once */
};

static size_t poll_inlet(void *argument) {
  struct inlet *inlet = argument;
  CHECK(atomic_fetch_add(&inlet->inside, 1) == 0); /* one worker at a time, in poll or wait */
  char bytes[16];
  const ssize_t got = read(inlet->ends[0], bytes, sizeof bytes);
  if (got > 0) OK(weft_semaphore_release(&inlet->arrived, (uint32_t)got));
  atomic_fetch_sub(&inlet->inside, 1);
  return got > 0 ? (size_t)got : 0;
}

static void sleep_at_inlet(const struct inlet *inlet, uint64_t deadline_ns) {
  struct pollfd both[] = {{.fd = inlet->ends[0], .events = POLLIN}, {.fd = inlet->bell, .events = POLLIN}};
  const uint64_t now_ns = weft_now_ns();
  const uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
  const struct timespec left = {.tv_sec = (time_t)(left_ns / SECOND), .tv_nsec = (long)(left_ns % SECOND)};
  ppoll(both, 2, deadline_ns == WEFT_FOREVER ? NULL : &left, NULL);
  uint64_t rings;
  if (read(inlet->bell, &rings, sizeof rings) < 0) return; /* it did not ring */
}

static void wait_at_inlet(void *argument, uint64_t deadline_ns) {
  struct inlet *inlet = argument;
  CHECK(atomic_fetch_add(&inlet->inside, 1) == 0);
  CHECK(weft_self() == NULL);
  atomic_fetch_add(&inlet->waits, 1);
  if (!atomic_load(&inlet->is_hasty)) sleep_at_inlet(inlet, deadline_ns);
  atomic_fetch_sub(&inlet->inside, 1);
}

static void wake_inlet(void *argument) {
  struct inlet *inlet = argument;
  const uint64_t one = 1;
  CHECK(write(inlet->bell, &one, sizeof one) == sizeof one);
  atomic_fetch_add(&inlet->wakes, 1);
}

static const weft_source_ops ops = {.size = sizeof ops, .poll = poll_inlet, .wait = wait_at_inlet, .wake = wake_inlet};

static void open_inlet(struct inlet *inlet) {
  *inlet = (struct inlet){.arrived = WEFT_SEMAPHORE_INIT(0)};
  CHECK(pipe2(inlet->ends, O_NONBLOCK) == 0);
  inlet->bell = eventfd(0, EFD_NONBLOCK);
  CHECK(inlet->bell >= 0);
  OK(weft_ext_source_add_with(&ops, inlet, &inlet->source));
}

/* Workers may still come: after the removal they would find descriptors that are not there. */
static void close_inlet(struct inlet *inlet) {
  OK(weft_ext_source_remove(inlet->source));
  CHECK(atomic_load(&inlet->inside) == 0);
  CHECK(close(inlet->ends[0]) == 0 && close(inlet->ends[1]) == 0 && close(inlet->bell) == 0);
  const int waits = atomic_load(&inlet->waits), wakes = atomic_load(&inlet->wakes);
  for (int i = 0; i < 100; ++i) breathe();
  CHECK(atomic_load(&inlet->waits) == waits && atomic_load(&inlet->wakes) == wakes);
}

static void send_one(struct inlet *inlet) { CHECK(write(inlet->ends[1], "x", 1) == 1); }

/* ---- its news wake the one that sleeps there ---- */

enum { MESSAGES = 60 };

static void receive(void *argument) {
  struct inlet *inlet = argument;
  for (int i = 0; i < MESSAGES; ++i) OK(weft_semaphore_acquire(&inlet->arrived));
}

/* An OS thread that calls Weft never. */
static void *send_to_sleepers(void *argument) {
  for (int i = 0; i < MESSAGES; ++i) {
    if (i % 4 == 0) usleep(2000); /* time to fall asleep */
    send_one(argument);
  }
  return NULL;
}

static void receive_from_outside(struct inlet *inlet) {
  pthread_t sender;
  weft_thread *const receiver = start(receive, inlet);
  CHECK(pthread_create(&sender, NULL, send_to_sleepers, inlet) == 0);
  OK(weft_thread_join(receiver));
  CHECK(pthread_join(sender, NULL) == 0);
}

static void news_wake(void) {
  struct inlet inlet;
  open_inlet(&inlet);
  receive_from_outside(&inlet);
  if (getenv("WEFT_SCHEDULE") == NULL) CHECK(atomic_load(&inlet.waits) != 0);
  close_inlet(&inlet);
}

static void waits_return_early(void) {
  struct inlet inlet;
  open_inlet(&inlet);
  atomic_store(&inlet.is_hasty, true);
  receive_from_outside(&inlet);
  close_inlet(&inlet);
}

/* ---- so does all else that wakes a worker ---- */

static void sleep_often(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; ++i) {
    const uint64_t began_ns = weft_now_ns();
    OK(weft_sleep_ns(2 * MILLISECOND));
    CHECK(weft_now_ns() - began_ns >= 2 * MILLISECOND);
  }
}

static void deadlines_end_the_wait(void) {
  struct inlet inlet;
  open_inlet(&inlet);
  OK(weft_thread_join(start(sleep_often, NULL)));
  close_inlet(&inlet);
}

static void count_up(void *argument) { atomic_fetch_add((atomic_int *)argument, 1); }

static void *create_some(void *argument) {
  for (int i = 0; i < 20; ++i) {
    usleep(500);
    OK(weft_thread_join(start(count_up, argument)));
  }
  return NULL;
}

/* The worker has nothing else to do than to sleep in the source. */
static void threads_from_outside(void) {
  struct inlet inlet;
  atomic_int ran = 0;
  pthread_t creator;
  open_inlet(&inlet);
  CHECK(pthread_create(&creator, NULL, create_some, &ran) == 0);
  while (atomic_load(&ran) != 20) OK(weft_sleep_ns(MILLISECOND));
  CHECK(pthread_join(creator, NULL) == 0);
  close_inlet(&inlet);
}

/* What poll finds and wait does not see. */
static struct inlet hidden;

static void *tell(void *unused) {
  (void)unused;
  for (int i = 0; i < MESSAGES; ++i) {
    if (i % 4 == 0) usleep(2000);
    OK(weft_semaphore_release(&hidden.arrived, 1));
    weft_ext_source_notify(hidden.source);
  }
  return NULL;
}

static void a_notification_ends_the_wait(void) {
  pthread_t teller;
  open_inlet(&hidden);
  weft_thread *const receiver = start(receive, &hidden);
  CHECK(pthread_create(&teller, NULL, tell, NULL) == 0);
  OK(weft_thread_join(receiver));
  CHECK(pthread_join(teller, NULL) == 0);
  close_inlet(&hidden);
}

/* ---- removal ---- */

static void *remove_it(void *argument) {
  usleep(3000); /* time for a worker to sleep there */
  struct inlet *inlet = argument;
  close_inlet(inlet);
  memset(inlet, 0, sizeof *inlet);
  return NULL;
}

static void removed_while_slept_in(void) {
  for (int i = 0; i < 5; ++i) {
    struct inlet inlet;
    pthread_t remover;
    open_inlet(&inlet);
    CHECK(pthread_create(&remover, NULL, remove_it, &inlet) == 0);
    OK(weft_sleep_ns(5 * MILLISECOND));
    CHECK(pthread_join(remover, NULL) == 0);
  }
}

/* ---- more than one ---- */

static void more_than_workers(void) {
  enum { INLETS = 5 };
  struct inlet inlets[INLETS];
  for (int i = 0; i < INLETS; ++i) open_inlet(&inlets[i]);
  for (int i = 0; i < INLETS; ++i) receive_from_outside(&inlets[i]);
  for (int i = 0; i < INLETS; ++i) close_inlet(&inlets[i]);
  const int told = lines_with("sources in which an idle worker sleeps, for");
  CHECK(told == INLETS - (int)weft_worker_count());
}

/* ---- refusals ---- */

static struct inlet own;
static atomic_int tries; /* -1: none may be made yet; 2: it is answered */
static weft_status answer;

static void remove_in_wait(void *argument, uint64_t deadline_ns) {
  int none = 0;
  if (atomic_compare_exchange_strong(&tries, &none, 1)) {
    answer = weft_ext_source_remove(own.source);
    atomic_store(&tries, 2);
  }
  wait_at_inlet(argument, deadline_ns);
}

static void not_by_its_own_wait(void) {
  if (getenv("WEFT_SCHEDULE") != NULL) return; /* sources are polled only */
  atomic_store(&tries, -1);
  own = (struct inlet){.bell = eventfd(0, EFD_NONBLOCK)};
  CHECK(pipe2(own.ends, O_NONBLOCK) == 0);
  weft_source_ops removing = ops;
  removing.wait = remove_in_wait;
  OK(weft_ext_source_add_with(&removing, &own, &own.source));
  atomic_store(&tries, 0);
  while (atomic_load(&tries) != 2) OK(weft_sleep_ns(MILLISECOND));
  IS(WEFT_DEADLOCK, answer);
  close_inlet(&own);
}

static void refuses(void) {
  weft_source *const untouched = (weft_source *)&untouched;
  weft_source *out = untouched;
  struct inlet unused;
  weft_source_ops wrong = ops;
  IS(WEFT_INVALID, weft_ext_source_add_with(NULL, &unused, &out));
  IS(WEFT_INVALID, weft_ext_source_add_with(&ops, &unused, NULL));
  wrong.size = 0;
  IS(WEFT_INVALID, weft_ext_source_add_with(&wrong, &unused, &out));
  wrong = ops, wrong.poll = NULL;
  IS(WEFT_INVALID, weft_ext_source_add_with(&wrong, &unused, &out));
  wrong = ops, wrong.wait = NULL;
  IS(WEFT_INVALID, weft_ext_source_add_with(&wrong, &unused, &out));
  wrong = ops, wrong.wake = NULL;
  IS(WEFT_INVALID, weft_ext_source_add_with(&wrong, &unused, &out));
  weft_ext_source_expect(NULL, 1);
  CHECK(out == untouched);
}

static void all(void) {
  RUN(news_wake);
  RUN(waits_return_early);
  RUN(deadlines_end_the_wait);
  RUN(threads_from_outside);
  RUN(a_notification_ends_the_wait);
  RUN(removed_while_slept_in);
  RUN(more_than_workers);
  RUN(not_by_its_own_wait);
  RUN(refuses);
}

/* Workers that never sleep poll. */
static void is_polled_alone(void) {
  struct inlet inlet;
  open_inlet(&inlet);
  receive_from_outside(&inlet);
  CHECK(atomic_load(&inlet.waits) == 0);
  close_inlet(&inlet);
}

static void without_a_runtime(void) {
  weft_source *out = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_ext_source_add_with(&ops, NULL, &out));
  weft_ext_source_expect((weft_source *)&out, 1);
  CHECK(out == NULL);
}

int main(void) {
  listen_to_library();
  without_a_runtime();
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  phase = "passive, the caller outside";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.wait_policy = WEFT_WAIT_PASSIVE;
  config.caller_outside = true;
  OK(weft_init(&config));
  all();
  OK(weft_finalize());
  phase = "active";
  config.wait_policy = WEFT_WAIT_ACTIVE;
  OK(weft_init(&config));
  RUN(is_polled_alone);
  OK(weft_finalize());
  without_a_runtime();
  return 0;
}
