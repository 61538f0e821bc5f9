/* ext.h: what builders of schedulers and pools rely on beyond the calls themselves. */
#include <weft/ext.h>

#include "check.h"

/* argument: null, or set to 1 once the caller may be unparked. */
static bool stay_parked(weft_thread *self, void *argument) {
  (void)self;
  if (argument != NULL) atomic_store((atomic_int *)argument, 1);
  return true;
}

/* ---- a thread that parked on a worker's stack and is dispatched later ---- */

struct traveller {
  weft_pool *pool;
  atomic_int has_parked;
  atomic_int has_ended;
};

static void travel(void *argument) {
  struct traveller *self = argument;
  OK(weft_ext_park(stay_parked, &self->has_parked, "a ride"));
  atomic_store(&self->has_ended, 1);
}

static void dispatch_traveller(void *argument) {
  struct traveller *traveller = argument;
  weft_thread *unit;
  while ((unit = weft_ext_pool_pop(traveller->pool)) == NULL) weft_yield();
  OK(weft_ext_dispatch(unit));
  CHECK(atomic_load(&traveller->has_ended) == 1); /* it ran to its end, and here we go on */
}

static void send_to_pool(weft_thread *unit, struct traveller *traveller) {
  wait_for(&traveller->has_parked, 1);
  OK(weft_thread_migrate_to_pool(unit, traveller->pool));
  weft_ext_unpark(unit);
}

static void a_dispatched_thread_that_ends_gives_back(void) {
  struct traveller traveller = {.pool = NULL};
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &traveller.pool));
  weft_thread *unit, *scheduler;
  OK(weft_thread_create(travel, &traveller, NULL, &unit));
  send_to_pool(unit, &traveller);
  OK(weft_thread_create(dispatch_traveller, &traveller, NULL, &scheduler));
  OK(weft_thread_join(scheduler));
  OK(weft_thread_join(unit));
  OK(weft_pool_destroy(traveller.pool));
}

/* The same for one that runs on its joiner's stack: the joiner goes on in its place, until it
 * waits. */
struct host {
  struct traveller guest;
  weft_thread *guest_thread;
  atomic_int has_joined;
  atomic_int may_end;
};

static void join_guest(void *argument) {
  struct host *self = argument;
  OK(weft_thread_create(travel, &self->guest, NULL, &self->guest_thread));
  OK(weft_thread_join(self->guest_thread));
  atomic_store(&self->has_joined, 1);
  while (atomic_load(&self->may_end) == 0) weft_yield();
}

static void dispatch_guest(void *argument) {
  struct host *host = argument;
  dispatch_traveller(&host->guest);
  atomic_store(&host->may_end, 1);
}

static void a_dispatched_guest_gives_back(void) {
  struct host host = {.guest_thread = NULL};
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &host.guest.pool));
  weft_thread *thread, *scheduler;
  OK(weft_thread_create(join_guest, &host, NULL, &thread));
  wait_for(&host.guest.has_parked, 1);
  send_to_pool(host.guest_thread, &host.guest);
  OK(weft_thread_create(dispatch_guest, &host, NULL, &scheduler));
  OK(weft_thread_join(scheduler));
  OK(weft_thread_join(thread));
  CHECK(atomic_load(&host.has_joined) == 1);
  OK(weft_pool_destroy(host.guest.pool));
}

/* ---- counts ---- */

static void pushes_count_once(void) {
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *thread;
  OK(weft_thread_create(nothing, NULL, &attr, &thread));
  for (int reason = WEFT_PUSH_NEW; reason <= WEFT_PUSH_MIGRATED; ++reason) {
    weft_thread *unit = weft_ext_pool_pop(pool);
    CHECK(unit == thread && weft_pool_total_count(pool) == 0);
    OK(weft_ext_pool_push(pool, unit, (weft_push_reason)reason));
    CHECK(weft_pool_total_count(pool) == 1);
  }
  IS(WEFT_INVALID, weft_ext_pool_push(pool, thread, (weft_push_reason)(WEFT_PUSH_MIGRATED + 1)));
  CHECK(weft_ext_pool_pop(pool) == thread);
  OK(weft_ext_dispatch(thread));
  OK(weft_thread_join(thread));
  OK(weft_pool_destroy(pool));
}

/* ---- stacks ---- */

static void an_ended_thread_has_no_stack(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  for (int round = 0; round < 2; ++round) {
    attr.stack_bytes = round == 0 ? 0 : 1 << 20;
    weft_thread *thread;
    struct traveller traveller = {.pool = NULL};
    OK(weft_thread_create(travel, &traveller, &attr, &thread));
    wait_for(&traveller.has_parked, 1);
    void *base = NULL;
    size_t bytes = 0;
    weft_ext_thread_stack(thread, &base, &bytes);
    CHECK(base != NULL && bytes >= attr.stack_bytes / 2 && bytes > 0);
    weft_ext_unpark(thread);
    wait_for_state(thread, WEFT_THREAD_ENDED);
    weft_ext_thread_stack(thread, &base, &bytes);
    CHECK(base == NULL && bytes == 0);
    OK(weft_thread_join(thread));
  }
}

/* ---- callbacks ---- */

enum callback { PUSH = 1, POP = 2, COUNT = 4, NEXT = 8, POLL = 16 };
static struct {
  weft_thread *units[64];
  int count;
  unsigned called, with_identity;
} seen;

static void note_call(enum callback which) {
  seen.called |= which;
  if (weft_self() != NULL) seen.with_identity |= which;
}
static void push(void *state, weft_thread *unit, weft_push_reason reason) {
  (void)state;
  (void)reason;
  note_call(PUSH);
  seen.units[seen.count++] = unit;
}
static weft_thread *pop(void *state) {
  (void)state;
  note_call(POP);
  return seen.count != 0 ? seen.units[--seen.count] : NULL;
}
static size_t count(void *state) {
  (void)state;
  note_call(COUNT);
  return (size_t)seen.count;
}
static weft_thread *next(void *state, unsigned worker) {
  (void)state;
  (void)worker;
  note_call(NEXT);
  return NULL;
}
static size_t poll(void *state) {
  (void)state;
  note_call(POLL);
  weft_mutex mutex = WEFT_MUTEX_INIT;
  OK(weft_mutex_lock(&mutex));
  IS(WEFT_CANNOT_BLOCK, weft_ext_park(stay_parked, NULL, "never"));
  OK(weft_mutex_unlock(&mutex));
  return 0;
}

static void yield_often(void *argument) {
  (void)argument;
  for (int i = 0; i < 300; ++i) weft_yield();
}

static void callbacks_have_no_identity(void) {
  const weft_pool_ops ops = {sizeof ops, push, pop, count, NULL, NULL};
  const weft_scheduler_ops scheduler = {sizeof scheduler, next};
  weft_pool *pool;
  weft_source *source;
  OK(weft_ext_pool_create(&ops, NULL, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_attach(pool, 0));
  OK(weft_ext_source_add(poll, NULL, &source));
  OK(weft_ext_worker_set_scheduler(0, &scheduler, NULL));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *threads[2];
  OK(weft_thread_create(yield_often, NULL, &attr, &threads[0]));
  OK(weft_thread_create(yield_often, NULL, NULL, &threads[1]));
  OK(weft_thread_join_many(threads, 2));
  CHECK(weft_pool_total_count(pool) == 0);
  CHECK(seen.called == (PUSH | POP | COUNT | NEXT | POLL));
  CHECK(seen.with_identity == 0);
  OK(weft_ext_worker_set_scheduler(0, NULL, NULL));
  OK(weft_ext_source_remove(source));
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

static void anywhere(void) {
  RUN(a_dispatched_thread_that_ends_gives_back);
  RUN(a_dispatched_guest_gives_back);
  RUN(pushes_count_once);
  RUN(an_ended_thread_has_no_stack);
}

static void alone(void) { RUN(callbacks_have_no_identity); }

int main(void) {
  with_workers("one worker", 1, anywhere);
  with_workers("three workers", 3, anywhere);
  with_workers("one worker", 1, alone);
  return 0;
}
