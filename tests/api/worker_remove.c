/* A worker that goes: its own units do not keep it, others rob it meanwhile, nothing of it stays
 * in its slot, and neither a pool nor the end of the runtime gets in between. */
#include <pthread.h>
#include <weft/blocking.h>
#include <weft/ext.h>

#include "check.h"

/* TSan makes a fiber for every stack that is started: fewer rounds say as much there. */
#if defined(__SANITIZE_THREAD__)
#define ROUNDS 5
#else
#define ROUNDS 100
#endif

/* Moves the caller to a worker without staying pinned there. */
static void go_to(unsigned worker) {
  OK(weft_pin((int)worker));
  OK(weft_pin(WEFT_ANY_WORKER));
}

static bool is_leaving(unsigned worker) { return weft_ext_worker_set_scheduler(worker, NULL, NULL) == WEFT_INVALID; }

static void *remove_it(void *worker) {
  OK(weft_worker_remove(*(unsigned *)worker));
  return NULL;
}

static pthread_t remove_outside(unsigned *worker) {
  pthread_t remover;
  CHECK(pthread_create(&remover, NULL, remove_it, worker) == 0);
  return remover;
}

/* ---- units that are always ready ---- */

struct crowd {
  int worker;
  weft_function member;
  atomic_int stop;
  atomic_int is_complete;
  atomic_int has_started;
  atomic_int left;
  weft_thread *members[2];
};

static void yield_for_ever(void *argument) {
  struct crowd *crowd = argument;
  atomic_fetch_add(&crowd->has_started, 1);
  while (atomic_load(&crowd->stop) == 0) weft_yield();
  atomic_fetch_sub(&crowd->left, 1);
}

static void yield_to_the_other_for_ever(void *argument) {
  struct crowd *crowd = argument;
  while (atomic_load(&crowd->is_complete) == 0) weft_yield();
  atomic_fetch_add(&crowd->has_started, 1);
  weft_thread *other = crowd->members[weft_self() == crowd->members[0]];
  while (atomic_load(&crowd->stop) == 0) {
    if (weft_worker_self() != crowd->worker) { /* there are others here that want to run */
      weft_yield();
      continue;
    }
    const weft_status status = weft_yield_to(other);
    CHECK(status == WEFT_OK || status == WEFT_AGAIN);
  }
  atomic_fetch_sub(&crowd->left, 1);
  while (atomic_load(&crowd->left) != 0) weft_yield();
}

/* Each makes its successor: the worker always has one that needs nothing but a call. */
static void succeed_for_ever(void *argument) {
  struct crowd *crowd = argument;
  atomic_fetch_add(&crowd->has_started, 1);
  if (atomic_load(&crowd->stop) == 0) {
    OK(weft_thread_create(succeed_for_ever, argument, NULL, NULL));
  } else {
    atomic_fetch_sub(&crowd->left, 1);
  }
}

static void start_crowd(void *argument) {
  struct crowd *crowd = argument;
  for (int i = 0; i < 2; ++i) {
    if (crowd->member == succeed_for_ever) {
      OK(weft_thread_create(crowd->member, crowd, NULL, NULL));
    } else {
      crowd->members[i] = start(crowd->member, crowd);
    }
  }
  atomic_store(&crowd->is_complete, 1);
}

static void goes_although(weft_function member) {
  unsigned index;
  OK(weft_worker_add(&index));
  struct crowd crowd = {.worker = (int)index, .member = member, .left = 2};
  OK(weft_thread_join(start_pinned(start_crowd, &crowd, (int)index)));
  wait_at_least(&crowd.has_started, 2);
  OK(weft_worker_remove(index));
  atomic_store(&crowd.stop, 1);
  wait_for(&crowd.left, 0);
  if (member != succeed_for_ever) OK(weft_thread_join_many(crowd.members, 2));
}

static void ready_units_do_not_keep_it(void) {
  goes_although(yield_for_ever);
  goes_although(yield_to_the_other_for_ever);
  goes_although(succeed_for_ever);
}

/* ---- what lies in its queue meanwhile ---- */

struct family {
  unsigned worker;
  atomic_int has_come;
  atomic_int is_leaving;
  atomic_int children;
};

enum { CHILDREN = 100 };

static void keep_it_until_others_ran_the_children(void *argument) {
  struct family *family = argument;
  go_to(family->worker);
  atomic_store(&family->has_come, 1);
  while (atomic_load(&family->is_leaving) == 0) sched_yield();
  for (int i = 0; i < CHILDREN; ++i) OK(weft_thread_create(add_one, &family->children, NULL, NULL));
  while (atomic_load(&family->children) != CHILDREN) sched_yield();
}

static void is_robbed_while_it_goes(void) {
  unsigned index;
  OK(weft_worker_add(&index));
  struct family family = {.worker = index};
  weft_thread *parent = start(keep_it_until_others_ran_the_children, &family);
  wait_for(&family.has_come, 1);
  pthread_t remover = remove_outside(&index);
  while (!is_leaving(index)) breathe();
  atomic_store(&family.is_leaving, 1);
  OK(weft_thread_join(parent));
  CHECK(pthread_join(remover, NULL) == 0);
}

/* ---- its slot ---- */

static weft_thread *count_calls(void *state, unsigned worker) {
  (void)worker;
  atomic_fetch_add((atomic_int *)state, 1);
  return NULL;
}

static const weft_scheduler_ops counting = {sizeof counting, count_calls};

static void its_scheduler_goes_with_it(void) {
  unsigned index, again;
  atomic_int calls = 0;
  OK(weft_worker_add(&index));
  OK(weft_ext_worker_set_scheduler(index, &counting, &calls));
  wait_at_least(&calls, 1);
  OK(weft_worker_remove(index));
  const int before = atomic_load(&calls);
  OK(weft_worker_add(&again));
  CHECK(again == index);
  OK(weft_thread_join(start_pinned(nothing, NULL, (int)again)));
  OK(weft_worker_remove(again));
  CHECK(atomic_load(&calls) == before);
}

/* ---- a pool that comes at the same time ---- */

struct suitor {
  weft_pool *pool;
  atomic_uint worker;
  atomic_int round;
  atomic_int answered;
  weft_status answer;
};

static void *attach_in_rounds(void *argument) {
  struct suitor *self = argument;
  for (int round = 1; round <= ROUNDS; ++round) {
    while (atomic_load(&self->round) < round) sched_yield();
    self->answer = weft_pool_attach(self->pool, atomic_load(&self->worker));
    atomic_store(&self->answered, round);
  }
  return NULL;
}

static void serves_a_pool_or_goes(void) {
  struct suitor suitor = {0};
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &suitor.pool));
  pthread_t other;
  CHECK(pthread_create(&other, NULL, attach_in_rounds, &suitor) == 0);
  for (int round = 1; round <= ROUNDS; ++round) {
    unsigned index;
    OK(weft_worker_add(&index));
    atomic_store(&suitor.worker, index);
    atomic_store(&suitor.round, round);
    const weft_status removed = weft_worker_remove(index);
    wait_for(&suitor.answered, round);
    CHECK((removed == WEFT_OK && suitor.answer == WEFT_INVALID) || (removed == WEFT_BUSY && suitor.answer == WEFT_OK));
    if (removed == WEFT_OK) continue;
    OK(weft_pool_detach(suitor.pool, index));
    OK(weft_worker_remove(index));
  }
  CHECK(pthread_join(other, NULL) == 0);
  OK(weft_pool_destroy(suitor.pool));
}

/* ---- what was to be made for it, and was refused ---- */

/* A worker that units are pinned to is busy: units that were never made do not keep it. */
static void refused_units_do_not_keep_it(void) {
  unsigned worker;
  OK(weft_worker_add(&worker));
  weft_thread_attr plain = WEFT_THREAD_ATTR_INIT, urgent = WEFT_THREAD_ATTR_INIT, small = WEFT_THREAD_ATTR_INIT;
  weft_thread_attr vast = WEFT_THREAD_ATTR_INIT;
  plain.worker = urgent.worker = small.worker = vast.worker = (int)worker;
  urgent.priority = 1000;
  small.stack_bytes = 1;
  vast.stack_bytes = (size_t)1 << 50;
  weft_thread *made = NULL;
  IS(WEFT_NOMEM, weft_thread_create(nothing, NULL, &vast, &made));
  IS(WEFT_NOMEM, weft_thread_create_copy(nothing, "", 1, &vast, &made));
  IS(WEFT_NOMEM, weft_ext_thread_make(nothing, NULL, &vast, false, &made));
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &urgent, &made));
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &small, &made));
  IS(WEFT_INVALID, weft_tasklet_create(nothing, NULL, &urgent, &made));
  IS(WEFT_INVALID, weft_thread_create_copy(nothing, "", 1, &small, &made));
  IS(WEFT_INVALID, weft_ext_thread_make(nothing, NULL, &small, false, &made));
  OK(weft_ext_thread_make(nothing, NULL, &plain, false, &made));
  IS(WEFT_BUSY, weft_worker_remove(worker));
  weft_ext_thread_discard(made);
  OK(weft_worker_remove(worker));
}

static void all(void) {
  RUN(ready_units_do_not_keep_it);
  RUN(its_scheduler_goes_with_it);
  RUN(serves_a_pool_or_goes);
  RUN(refused_units_do_not_keep_it);
}

/* ---- the end of the runtime ---- */

struct last_unit {
  unsigned worker;
  atomic_int has_come;
  atomic_int may_end;
};

static void hold_worker(void *argument) {
  struct last_unit *self = argument;
  go_to(self->worker);
  atomic_store(&self->has_come, 1);
  while (atomic_load(&self->may_end) == 0) sched_yield();
}

static void ends_while_one_is_removed(void) {
  phase = "finalize and remove";
  for (int round = 0; round < ROUNDS; ++round) {
    init_with(2);
    struct last_unit last = {.worker = 1};
    OK(weft_thread_create(hold_worker, &last, NULL, NULL));
    wait_for(&last.has_come, 1);
    pthread_t remover = remove_outside(&last.worker);
    while (!is_leaving(1)) breathe();
    if (round % 2 == 0) OK(weft_sleep_ns((uint64_t)round * MICROSECOND));
    atomic_store(&last.may_end, 1);
    OK(weft_finalize());
    CHECK(pthread_join(remover, NULL) == 0);
  }
}

/* ---- by a thread in a region on the worker ---- */

struct own_worker {
  weft_status wanted;
  atomic_int is_over;
};

static void remove_own_worker(void *argument) {
  struct own_worker *mine = argument;
  go_to(1);
  OK(weft_blocking_begin());
  IS(mine->wanted, weft_worker_remove(1));
  OK(weft_blocking_end());
  atomic_store(&mine->is_over, 1);
}

static void goes_below_a_region_of_the_remover(const char *os_threads, weft_status wanted) {
  phase = os_threads;
  CHECK(setenv("WEFT_BLOCKING_THREADS", os_threads, 1) == 0);
  for (int round = 0; round < 3; ++round) {
    init_with(2);
    struct own_worker one = {wanted, 0};
    OK(weft_thread_detach(start(remove_own_worker, &one)));
    wait_for(&one.is_over, 1);
    CHECK(weft_worker_count() == (wanted == WEFT_OK ? 1 : 2));
    OK(weft_finalize());
  }
  CHECK(unsetenv("WEFT_BLOCKING_THREADS") == 0);
}

static void strict(void) {
  phase = "strict";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.locality = WEFT_LOCALITY_STRICT;
  OK(weft_init(&config));
  RUN(all);
  OK(weft_finalize());
}

static void robbed(void) { RUN(is_robbed_while_it_goes); }

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  with_workers("robbed", 3, robbed);
  strict();
  RUN(ends_while_one_is_removed);
  goes_below_a_region_of_the_remover("10", WEFT_OK);
  goes_below_a_region_of_the_remover("0", WEFT_BUSY);
  return 0;
}
