/* Where a thread runs: pins, and migration to a worker. */
#include "check.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { WORKERS = 4 };

/* ---- pins ---- */

struct place {
  int worker;
  atomic_int *stop;
};

static void stay(void *argument) {
  struct place *self = argument;
  for (int i = 0; i < 200; ++i) {
    CHECK(weft_worker_self() == self->worker);
    weft_yield();
  }
  for (int i = 0; i < 5; ++i) {
    OK(weft_sleep_ns(50 * MICROSECOND));
    CHECK(weft_worker_self() == self->worker);
  }
  OK(weft_thread_join(start(nothing, NULL)));
  CHECK(weft_worker_self() == self->worker);
}

static void pinned_ones_stay(void) {
  struct place places[WORKERS * 4];
  weft_thread *threads[WORKERS * 4];
  for (int i = 0; i < WORKERS * 4; ++i) {
    places[i] = (struct place){i % WORKERS, NULL};
    threads[i] = start_pinned(stay, &places[i], i % WORKERS);
  }
  OK(weft_thread_join_many(threads, WORKERS * 4));
}

static void go_around(void *argument) {
  (void)argument;
  for (int round = 0; round < 100; ++round) {
    const int wanted = (round * 7 + 3) % WORKERS;
    OK(weft_pin(wanted));
    CHECK(weft_worker_self() == wanted);
    weft_yield();
    CHECK(weft_worker_self() == wanted);
    if (round % 3 == 0) OK(weft_pin(WEFT_ANY_WORKER));
  }
  IS(WEFT_INVALID, weft_pin(WORKERS));
  IS(WEFT_INVALID, weft_pin(-2));
  IS(WEFT_INVALID, weft_pin(1 << 20));
  OK(weft_pin(WEFT_ANY_WORKER));
}

static void join_one_that_goes_around(void *argument) {
  (void)argument;
  OK(weft_thread_join(start(go_around, NULL))); /* which may run on this stack */
}

static void pins_itself(void) {
  weft_thread *threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start(i % 2 == 0 ? go_around : join_one_that_goes_around, NULL);
  OK(weft_thread_join_many(threads, 10));
}

/* ---- pins of threads in pools ---- */

static weft_thread *start_pinned_in(weft_pool *pool, weft_function function, void *argument, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = worker;
  attr.pool = pool;
  return start_with(&attr, function, argument);
}

/* Worker 0, main's, is not among those that serve the pool, but may be pinned to. */
static weft_pool *served_by_others(void) {
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  for (unsigned worker = 1; worker < WORKERS; ++worker) OK(weft_pool_attach(pool, worker));
  return pool;
}

static void unserve(weft_pool *pool) {
  for (unsigned worker = 1; worker < WORKERS; ++worker) OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

static void pinned_ones_in_a_pool_stay(void) {
  weft_pool *pool = served_by_others();
  struct place places[WORKERS * 4];
  weft_thread *threads[WORKERS * 4];
  for (int i = 0; i < WORKERS * 4; ++i) {
    places[i] = (struct place){i % WORKERS, NULL};
    threads[i] = start_pinned_in(pool, stay, &places[i], i % WORKERS);
  }
  OK(weft_thread_join_many(threads, WORKERS * 4));
  unserve(pool);
}

static void ones_in_a_pool_pin_themselves(void) {
  weft_pool *pool = served_by_others();
  weft_thread *threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start_pinned_in(pool, go_around, NULL, WEFT_ANY_WORKER);
  OK(weft_thread_join_many(threads, 10));
  unserve(pool);
}

static void pin_in_tasklet(void *argument) {
  (void)argument;
  IS(WEFT_CANNOT_BLOCK, weft_pin(0));
}

static void main_stays(void) {
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(weft_self(), 1));
  for (int i = 0; i < 100; ++i) {
    OK(weft_sleep_ns(10 * MICROSECOND));
    CHECK(weft_worker_self() == 0);
  }
  weft_thread *tasklet;
  OK(weft_tasklet_create(pin_in_tasklet, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
}

static void main_goes_around(void) {
  go_around(NULL);
  weft_thread *threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start(go_around, NULL);
  for (int i = 0; i < 100; ++i) OK(weft_sleep_ns(10 * MICROSECOND));
  OK(weft_thread_join_many(threads, 10));
  OK(weft_pin(WORKERS - 1)); /* weft_finalize brings it back */
  CHECK(weft_worker_self() == WORKERS - 1);
}

/* weft_finalize keeps it on worker 0 while it waits for this one. */
static void sleep_elsewhere(void *argument) {
  (void)argument;
  OK(weft_pin(1));
  OK(weft_sleep_ns(1000 * MICROSECOND));
}

static void leave_main_unpinned(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.detached = true;
  for (int i = 0; i < 20; ++i) OK(weft_thread_create(sleep_elsewhere, NULL, &attr, NULL));
  OK(weft_pin(0));
  OK(weft_pin(WEFT_ANY_WORKER));
}

/* Pinned threads that only yield, on every worker, main's included, do not keep other threads from
 * running. */
static void yield_until_stopped(void *argument) {
  struct place *self = argument;
  while (atomic_load(self->stop) == 0) {
    CHECK(weft_worker_self() == self->worker);
    weft_yield();
  }
}

static void pinned_spinners_let_others_run(void) {
  atomic_int stop = 0;
  struct place places[WORKERS];
  weft_thread *threads[WORKERS];
  for (int i = 0; i < WORKERS; ++i) {
    places[i] = (struct place){i, &stop};
    threads[i] = start_pinned(yield_until_stopped, &places[i], i);
  }
  atomic_int count = 0;
  for (int i = 0; i < 200; ++i) OK(weft_thread_create(add_one, &count, NULL, NULL));
  for (int i = 0; i < WORKERS; ++i) OK(weft_thread_join(start_pinned(add_one, &count, i)));
  while (atomic_load(&count) < 200 + WORKERS) weft_yield(); /* main is pinned and yields, too */
  atomic_store(&stop, 1);
  OK(weft_thread_join_many(threads, WORKERS));
}

/* ---- migration ---- */

struct traveller {
  atomic_int worker; /* where it runs */
  atomic_int stop;
  weft_event event;
};

/* Only one worker runs what was sent there; the others may steal, so a pin holds the place. */
static void run_until_stopped(void *argument) {
  struct traveller *self = argument;
  while (atomic_load(&self->stop) == 0) {
    atomic_store(&self->worker, weft_worker_self());
    weft_yield();
  }
}

static void wait_for_event(void *argument) {
  struct traveller *self = argument;
  OK(weft_event_wait(&self->event));
  atomic_store(&self->worker, weft_worker_self());
}

static void note_worker(void *argument) { atomic_store(&((struct traveller *)argument)->worker, weft_worker_self()); }

static void a_ready_one_moves(void) {
  for (int to = 1; to < WORKERS; ++to) {
    struct traveller one = {.worker = -1};
    weft_thread *thread = start_pinned(note_worker, &one, 0); /* main's worker: it has not started */
    OK(weft_thread_migrate_to_worker(thread, (unsigned)to));
    OK(weft_thread_join(thread));
    CHECK(atomic_load(&one.worker) == to);
  }
}

static void a_ready_one_with_a_stack_moves(void) {
  for (int to = 1; to < WORKERS; ++to) {
    struct traveller one = {.worker = -1};
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = 50000;
    attr.worker = 0;
    weft_thread *thread;
    OK(weft_thread_create(note_worker, &one, &attr, &thread));
    OK(weft_thread_migrate_to_worker(thread, (unsigned)to));
    OK(weft_thread_join(thread));
    CHECK(atomic_load(&one.worker) == to);
  }
}

static void a_running_one_moves(void) {
  struct traveller one = {.worker = -1};
  weft_thread *thread = start_pinned(run_until_stopped, &one, 0);
  for (int round = 0; round < 50; ++round) {
    const int to = (round * 3 + 1) % WORKERS;
    OK(weft_thread_migrate_to_worker(thread, (unsigned)to));
    wait_for(&one.worker, to);
  }
  atomic_store(&one.stop, 1);
  OK(weft_thread_join(thread));
}

static void a_blocked_one_moves(void) {
  for (int round = 0; round < 50; ++round) {
    const int to = round % WORKERS;
    struct traveller one = {.worker = -1, .event = WEFT_EVENT_INIT};
    weft_thread *thread = start_pinned(wait_for_event, &one, (round + 1) % WORKERS);
    wait_for_state(thread, WEFT_THREAD_BLOCKED);
    OK(weft_thread_migrate_to_worker(thread, (unsigned)to));
    OK(weft_event_set(&one.event));
    OK(weft_thread_join(thread));
    CHECK(atomic_load(&one.worker) == to);
  }
}

static void unpinned_ones_move(void) {
  for (int round = 0; round < 200; ++round) {
    struct traveller one = {.worker = -1};
    weft_thread *thread = start(note_worker, &one);
    const weft_status result = weft_thread_migrate_to_worker(thread, (unsigned)(round % WORKERS));
    CHECK(result == WEFT_OK || result == WEFT_INVALID /* ended */);
    OK(weft_thread_join(thread));
    CHECK(atomic_load(&one.worker) >= 0);
  }
}

static void migrate_self(void *argument) {
  (void)argument;
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(weft_self(), 1)); /* a started tasklet */
}

static void tasklets_move_before_they_start(void) {
  for (int to = 1; to < WORKERS; ++to) {
    struct traveller one = {.worker = -1};
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.worker = 0;
    weft_thread *tasklet;
    OK(weft_tasklet_create(note_worker, &one, &attr, &tasklet));
    OK(weft_thread_migrate_to_worker(tasklet, (unsigned)to));
    OK(weft_thread_join(tasklet));
    CHECK(atomic_load(&one.worker) == to);
  }
  weft_thread *tasklet;
  OK(weft_tasklet_create(migrate_self, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
}

static void refuses_to_migrate(void) {
  IS(WEFT_INVALID, weft_thread_migrate_to_worker(NULL, 0));
  IS(WEFT_INVALID, weft_thread_migrate_to_pool(NULL, NULL));
  weft_thread *one = start(nothing, NULL);
  wait_for_state(one, WEFT_THREAD_ENDED);
  IS(WEFT_INVALID, weft_thread_migrate_to_worker(one, 0));
  OK(weft_thread_join(one));
  atomic_int may_end = 0;
  struct traveller traveller = {.stop = 0};
  one = start(run_until_stopped, &traveller);
  IS(WEFT_INVALID, weft_thread_migrate_to_worker(one, WORKERS));
  IS(WEFT_INVALID, weft_thread_migrate_to_worker(one, 1u << 31));
  IS(WEFT_INVALID, weft_thread_migrate_to_pool(one, NULL));
  atomic_store(&traveller.stop, 1);
  OK(weft_thread_join(one));
  (void)may_end;
}

static void all(void) {
  RUN(pinned_ones_stay);
  RUN(pins_itself);
  RUN(pinned_ones_in_a_pool_stay);
  RUN(ones_in_a_pool_pin_themselves);
  RUN(main_stays);
  RUN(pinned_spinners_let_others_run);
  RUN(a_ready_one_moves);
  RUN(a_ready_one_with_a_stack_moves);
  RUN(a_running_one_moves);
  RUN(a_blocked_one_moves);
  RUN(unpinned_ones_move);
  RUN(tasklets_move_before_they_start);
  RUN(refuses_to_migrate);
  RUN(main_goes_around); /* the last one */
}

/* Not pthread_self(), which compilers may ask once for all of main. */
static long os_thread_id(void) { return syscall(SYS_gettid); }

int main(void) {
  IS(WEFT_CANNOT_BLOCK, weft_pin(0));
  const long os_thread = os_thread_id();
  with_workers("four workers", WORKERS, all);
  CHECK(os_thread_id() == os_thread);
  for (int i = 0; i < 10; ++i) with_workers("main is left unpinned", WORKERS, leave_main_unpinned);
  CHECK(os_thread_id() == os_thread);
  return 0;
}
