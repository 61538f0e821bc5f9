/* Units that a builder owns: made without being ready, discarded, waited for, revived; pools
 * whose middle is reached into; waits that block the OS thread. */
#include <pthread.h>
#include <stdint.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"

static void count(void *argument) { atomic_fetch_add((atomic_int *)argument, 1); }
static void count_and_yield(void *argument) {
  weft_yield();
  count(argument);
}

static weft_pool *make_pool(void) {
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  return pool;
}

static weft_thread *make(weft_function function, void *argument, const weft_thread_attr *attr) {
  weft_thread *made = NULL;
  OK(weft_ext_thread_make(function, argument, attr, false, &made));
  CHECK(weft_thread_get_state(made) == WEFT_THREAD_READY);
  return made;
}

static void run_in(weft_pool *pool, weft_thread *unit) {
  OK(weft_ext_pool_push(pool, unit, WEFT_PUSH_NEW));
  while (weft_thread_get_state(unit) != WEFT_THREAD_ENDED) {
    weft_thread *popped = weft_ext_pool_pop(pool);
    if (popped != NULL) OK(weft_ext_dispatch(popped));
  }
}

/* ---- made, not ready ---- */

static void does_not_run_until_pushed(void) {
  atomic_int runs = 0;
  weft_thread *one = make(count, &runs, NULL);
  for (int i = 0; i < 10; ++i) breathe();
  CHECK(atomic_load(&runs) == 0);
  OK(weft_ext_dispatch(one));
  CHECK(atomic_load(&runs) == 1);
  OK(weft_thread_join(one));
}

/* ---- into the default queue, and back ---- */

static void *start_outside(void *unit) {
  OK(weft_ext_thread_offer(unit));
  CHECK(!weft_ext_thread_take_back(unit));
  return NULL;
}

static void starts_in_the_default_queue(void) {
  atomic_int runs = 0;
  weft_thread *const one = make(count_and_yield, &runs, NULL), *const other = make(count_and_yield, &runs, NULL);
  OK(weft_ext_thread_start(one));
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, start_outside, other) == 0);
  OK(weft_thread_join(one));
  OK(weft_thread_join(other));
  CHECK(pthread_join(outside, NULL) == 0);
  CHECK(atomic_load(&runs) == 2);
}

static void does_not_start_what_has_a_pool(void) {
  weft_pool *const pool = make_pool();
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *const one = make(count, NULL, &attr);
  IS(WEFT_INVALID, weft_ext_thread_start(one));
  IS(WEFT_INVALID, weft_ext_thread_offer(one));
  CHECK(!weft_ext_thread_take_back(one));
  weft_ext_thread_discard(one);
  OK(weft_pool_destroy(pool));
}

/* Offered units run once, wherever: the caller goes on for a while, as in a loop whose other half it
 * offered, or switches at once. */
static void runs_what_it_offers(void) {
  atomic_int runs = 0;
  for (int i = 0; i < 300; ++i) {
    weft_thread *const one = make(count_and_yield, &runs, NULL), *const other = make(count, &runs, NULL);
    OK(weft_ext_thread_offer(one));
    OK(weft_ext_thread_offer(other));
    for (int round = 0; round < i * 10 && atomic_load(&runs) < 2 * i + 2; ++round) {
    }
    if (i % 3 == 0) weft_yield();
    OK(weft_thread_join(one));
    OK(weft_thread_join(other));
    CHECK(atomic_load(&runs) == 2 * i + 2);
  }
}

/* To a worker that looks for work, as the last unit kept it awake: no thief takes it. */
static void sends_what_it_offers(void) {
  bool is_sent = weft_worker_count() == 1;
  for (int i = 0; i < 20000 && !is_sent; ++i) {
    weft_stats before = WEFT_STATS_INIT, after = WEFT_STATS_INIT;
    atomic_int runs = 0;
    weft_thread *const one = make(count, &runs, NULL);
    OK(weft_stats_read(WEFT_ANY_WORKER, &before));
    OK(weft_ext_thread_offer(one));
    for (int round = 0; round < 100000 && atomic_load(&runs) == 0; ++round) continue;
    OK(weft_stats_read(WEFT_ANY_WORKER, &after));
    is_sent = atomic_load(&runs) == 1 && after.thefts == before.thefts;
    OK(weft_thread_join(one));
  }
  CHECK(is_sent);
}

/* Thieves may be faster. */
static void takes_back_what_has_not_started(void) {
  for (int i = 0; i < 100; ++i) {
    atomic_int runs = 0;
    weft_thread *const one = make(count, &runs, NULL);
    OK(weft_ext_thread_start(one));
    const bool is_mine = weft_ext_thread_take_back(one);
    CHECK(is_mine || weft_worker_count() > 1 || i > 0); /* a look around may be due */
    weft_yield();
    if (is_mine) CHECK(atomic_load(&runs) == 0 && weft_thread_get_state(one) == WEFT_THREAD_READY);
    if (is_mine) {
      weft_ext_thread_discard(one);
    } else {
      OK(weft_thread_join(one));
    }
    CHECK(atomic_load(&runs) == !is_mine);
  }
}

static void takes_back_nothing_that_has_started(void) {
  atomic_int runs = 0;
  weft_thread *const one = make(count_and_yield, &runs, NULL);
  OK(weft_ext_thread_start(one));
  while (weft_thread_get_state(one) != WEFT_THREAD_ENDED) {
    weft_yield();
    CHECK(!weft_ext_thread_take_back(one));
  }
  OK(weft_thread_join(one));
}

/* A caller that runs all itself lets those go on that have waited longer, unless another worker has run them. */
static void takes_back_in_turn(void) {
  atomic_int runs = 0;
  weft_thread *older = make(count, &runs, NULL), *one = NULL;
  OK(weft_ext_thread_start(older));
  bool is_mine = true;
  for (int i = 0; is_mine && atomic_load(&runs) == 0; ++i) {
    CHECK(i < 100000 || weft_worker_count() > 1);
    one = make(count, &runs, NULL);
    OK(weft_ext_thread_start(one));
    is_mine = weft_ext_thread_take_back(one);
    if (is_mine) weft_ext_thread_discard(one);
  }
  if (!is_mine) OK(weft_thread_join(one));
  OK(weft_thread_join(older));
  CHECK(atomic_load(&runs) == (is_mine ? 1 : 2) && (!is_mine || weft_worker_count() > 1));
}

enum { KINDS = 4, OF_A_KIND = 200 };

static atomic_int runs_by_kind[KINDS];

static bool is_tasklet(unsigned kind) { return (kind & WEFT_MAKE_TASKLET) != 0; }
static bool is_detached(unsigned kind) { return (kind & WEFT_MAKE_DETACHED) != 0; }

static void count_itself(void *self) {
  CHECK(self == weft_self());
  if (!weft_thread_is_tasklet(self)) weft_yield();
  atomic_fetch_add(&runs_by_kind[weft_thread_is_tasklet(self)], 1);
}

/* More than a worker keeps at hand, all of them there at once. */
static void make_and_run(weft_pool *pool, unsigned kind) {
  static weft_thread *made[OF_A_KIND];
  const int before = atomic_load(&runs_by_kind[is_tasklet(kind)]);
  for (int i = 0; i < OF_A_KIND; ++i) {
    OK(weft_ext_thread_make_in(pool, count_itself, kind, &made[i]));
    CHECK(weft_thread_is_tasklet(made[i]) == is_tasklet(kind));
    if (i % 2 == 0) {
      OK(weft_ext_pool_push(pool, made[i], WEFT_PUSH_NEW));
    } else {
      OK(weft_ext_dispatch(made[i])); /* a ULT yields, and is requeued in its home */
    }
  }
  for (weft_thread *popped = NULL; (popped = weft_ext_pool_pop(pool)) != NULL;) OK(weft_ext_dispatch(popped));
  CHECK(atomic_load(&runs_by_kind[is_tasklet(kind)]) == before + OF_A_KIND);
  if (is_detached(kind)) return;
  for (int i = 0; i < OF_A_KIND; ++i) CHECK(weft_hot_has_ended(made[i]));
  OK(weft_thread_join_many(made, OF_A_KIND));
}

/* In few instructions: each is called with its own handle. */
static void makes_in_pools(void) {
  weft_pool *pool = make_pool();
  for (unsigned kind = 0; kind < KINDS; ++kind) make_and_run(pool, kind);
  weft_thread *one;
  OK(weft_ext_thread_make_in(NULL, count_itself, 0, &one));
  CHECK(!weft_hot_has_ended(one));
  OK(weft_ext_dispatch(one));
  CHECK(weft_ext_pool_pop(pool) == NULL);
  OK(weft_thread_join(one));
  OK(weft_pool_destroy(pool));
}

/* By the builder's word that no extension bytes were written: in fewer instructions still. */
static void makes_cleaned(void) {
  static weft_thread *made[OF_A_KIND];
  for (unsigned kind = 0; kind < KINDS; ++kind) {
    const int before = atomic_load(&runs_by_kind[is_tasklet(kind)]);
    int started = 0, kept = 0;
    for (int i = 0; i < OF_A_KIND; ++i) {
      weft_thread *one;
      OK(weft_ext_thread_make_in(NULL, count_itself, kind | WEFT_MAKE_CLEANED, &one));
      CHECK(weft_thread_is_tasklet(one) == is_tasklet(kind));
      OK(weft_ext_thread_start(one));
      if (i % 3 == 0 && weft_ext_thread_take_back(one)) {
        weft_ext_thread_discard(one);
        continue;
      }
      ++started;
      if (!is_detached(kind)) made[kept++] = one;
    }
    OK(weft_thread_join_many(made, (size_t)kept));
    while (atomic_load(&runs_by_kind[is_tasklet(kind)]) != before + started) breathe();
  }
}

static atomic_int outside_is_done;

static void *make_outside(void *pool) {
  weft_thread *one;
  for (unsigned kind = 0; kind < KINDS; ++kind) {
    OK(weft_ext_thread_make_in(pool, count_itself, kind, &one));
    OK(weft_ext_pool_push(pool, one, WEFT_PUSH_NEW));
    if (is_detached(kind)) continue;
    OK(weft_thread_join(one));
  }
  atomic_store(&outside_is_done, 1);
  return NULL;
}

static void makes_in_pools_from_outside(void) {
  weft_pool *pool = make_pool();
  OK(weft_pool_attach(pool, 0));
  pthread_t outside;
  atomic_store(&outside_is_done, 0);
  CHECK(pthread_create(&outside, NULL, make_outside, pool) == 0);
  wait_for(&outside_is_done, 1);
  CHECK(pthread_join(outside, NULL) == 0);
  while (weft_pool_total_count(pool) != 0) breathe();
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

static void *discard_outside(void *pool) {
  weft_thread *one;
  OK(weft_ext_thread_make_in(pool, count_itself, 0, &one));
  weft_ext_thread_discard(one);
  return NULL;
}

/* A unit that was discarded has ended, wherever that was. */
static void counts_those_discarded_outside(void) {
  weft_stats before = WEFT_STATS_INIT;
  weft_stats after = WEFT_STATS_INIT;
  weft_pool *pool = make_pool();
  do {
    breathe();
    OK(weft_stats_read(WEFT_ANY_WORKER, &before));
  } while (before.created != before.ended);
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, discard_outside, pool) == 0);
  CHECK(pthread_join(outside, NULL) == 0);
  OK(weft_stats_read(WEFT_ANY_WORKER, &after));
  CHECK(after.created == before.created + 1 && after.ended == before.ended + 1);
  OK(weft_pool_destroy(pool));
}

static void discards(void) {
  atomic_int runs = 0;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  weft_ext_thread_discard(make(count, &runs, NULL));
  attr.stack_bytes = 100000;
  weft_ext_thread_discard(make(count, &runs, &attr));
  attr.name = "never";
  attr.worker = 0;
  weft_ext_thread_discard(make(count, &runs, &attr));
  weft_thread *tasklet;
  OK(weft_ext_thread_make(count, &runs, NULL, true, &tasklet));
  CHECK(weft_thread_is_tasklet(tasklet));
  weft_ext_thread_discard(tasklet);
  weft_ext_thread_discard(NULL);
  CHECK(atomic_load(&runs) == 0); /* and weft_finalize waits for none of them */
}

/* ---- waited for, and revived ---- */

static char users_stack[WEFT_STACK_MIN * 2];

static void revives(const weft_thread_attr *attr, weft_function function) {
  weft_pool *pool = make_pool();
  atomic_int runs = 0;
  weft_thread *one = make(function, &runs, attr);
  const uint64_t id = weft_thread_id(one);
  OK(weft_thread_set_name(one, "again"));
  for (int round = 1; round <= 5; ++round) {
    run_in(pool, one);
    OK(weft_ext_thread_wait(one));
    OK(weft_ext_thread_wait(one));
    CHECK(atomic_load(&runs) == round);
    CHECK(weft_thread_get_state(one) == WEFT_THREAD_ENDED);
    OK(weft_ext_thread_revive(one, function, &runs));
    CHECK(weft_thread_get_state(one) == WEFT_THREAD_READY);
    CHECK(weft_thread_id(one) == id && weft_thread_get_name(one)[0] == 'a');
    IS(WEFT_BUSY, weft_ext_thread_revive(one, function, &runs));
    IS(WEFT_BUSY, weft_thread_try_join(one));
  }
  run_in(pool, one);
  OK(weft_thread_join(one));
  OK(weft_pool_destroy(pool));
}

static void note_run(void *work) { ++**(int **)work; }
static void stay_outside(void *argument) { (void)argument; }

/* A tasklet could not wait for a fork that another worker ran. */
static void fork_in_tasklet(void *argument) {
  int *runs = argument;
  weft_forked *forked = weft_fork(note_run, &runs, sizeof runs);
  OK(weft_ext_call_outside(stay_outside, NULL));
  weft_fork_join(forked, note_run, &runs, sizeof runs);
}

static void fork_and_join(void *argument) {
  int *runs = argument;
  weft_forked *forked = weft_fork(note_run, &runs, sizeof runs);
  weft_fork_join(forked, note_run, &runs, sizeof runs);
}

static void forks_of_a_tasklet_stay(void) {
  for (int round = 0; round < 20; ++round) {
    int runs = 0;
    weft_thread *one = start(fork_and_join, &runs);
    OK(weft_thread_join(one));
    OK(weft_tasklet_create(fork_in_tasklet, &runs, NULL, &one));
    OK(weft_thread_join(one));
    CHECK(runs == 2);
  }
}

static char *where_it_runs;

static void note_where_it_runs(void *argument) {
  char here;
  where_it_runs = &here;
  count_and_yield(argument);
}

/* A thread on memory of the program's own runs there again. */
static void revives_on_the_same_memory(void) {
  weft_pool *pool = make_pool();
  atomic_int runs = 0;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = sizeof users_stack;
  attr.stack = users_stack;
  weft_thread *one = make(note_where_it_runs, &runs, &attr);
  OK(weft_thread_set_name(one, "settled"));
  for (int round = 0; round < 3; ++round) {
    where_it_runs = NULL;
    run_in(pool, one);
    OK(weft_ext_thread_wait(one));
    CHECK(where_it_runs >= users_stack && where_it_runs < users_stack + sizeof users_stack);
    if (round < 2) OK(weft_ext_thread_revive(one, note_where_it_runs, &runs));
  }
  OK(weft_thread_join(one));
  OK(weft_pool_destroy(pool));
}

static void revives_all_kinds(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  revives(NULL, count);
  revives(NULL, count_and_yield);
  attr.stack_bytes = 100000;
  revives(&attr, count_and_yield);
  attr.stack_bytes = sizeof users_stack;
  attr.stack = users_stack;
  revives(&attr, count_and_yield);
  attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
  attr.worker = 0;
  attr.keep_fp = true;
  if (weft_worker_self() == 0) revives(&attr, count_and_yield);
}

static void wait_in_vain(void *argument) {
  IS(WEFT_DEADLOCK, weft_ext_thread_wait(weft_self()));
  IS(WEFT_INVALID, weft_ext_thread_wait(NULL));
  IS(WEFT_BUSY, weft_ext_thread_revive(weft_self(), count, argument));
}

static void waits_while_it_runs(void) {
  atomic_int runs = 0;
  weft_thread *one = start(count_and_yield, &runs);
  OK(weft_ext_thread_wait(one));
  CHECK(atomic_load(&runs) == 1);
  OK(weft_thread_join(one));
  weft_thread *other = start(wait_in_vain, &runs);
  OK(weft_thread_join(other));
}

/* ---- pools ---- */

struct order {
  weft_thread *seen[4];
  int count;
};

static void note(void *state, weft_thread *unit) {
  struct order *order = state;
  CHECK(order->count < 4);
  order->seen[order->count++] = unit;
}

static void reaches_into_pools(void) {
  weft_pool *pool = make_pool();
  atomic_int runs = 0;
  weft_thread *units[3];
  for (int i = 0; i < 3; ++i) {
    units[i] = make(count, &runs, NULL);
    OK(weft_ext_pool_push(pool, units[i], WEFT_PUSH_NEW));
  }
  struct order order = {.count = 0};
  weft_ext_pool_walk(pool, note, &order);
  CHECK(order.count == 3 && order.seen[0] == units[0] && order.seen[2] == units[2]);
  CHECK(weft_ext_pool_remove(pool, units[1]));
  CHECK(!weft_ext_pool_remove(pool, units[1]));
  CHECK(weft_pool_ready_count(pool) == 2);
  OK(weft_ext_dispatch(units[1]));
  CHECK(weft_ext_pool_pop(pool) == units[0] && weft_ext_pool_pop(pool) == units[2]);
  OK(weft_ext_dispatch(units[0]));
  OK(weft_ext_dispatch(units[2]));
  OK(weft_thread_join_many(units, 3));
  OK(weft_pool_destroy(pool));
}

static void yield_once(void *argument) {
  OK(weft_ext_thread_set_pool(weft_self(), argument));
  weft_yield();
}

static void reaches_into_some_pool(void) {
  weft_pool *pools[3] = {make_pool(), make_pool(), make_pool()};
  weft_thread *one;
  OK(weft_ext_thread_make_in(pools[1], count_itself, 0, &one));
  CHECK(!weft_ext_pool_remove_from(pools, 3, one)); /* its home, but it is not there */
  OK(weft_ext_pool_push(pools[1], one, WEFT_PUSH_NEW));
  CHECK(!weft_ext_pool_remove_from(pools, 1, one));
  CHECK(!weft_ext_pool_remove_from(NULL, 0, one));
  CHECK(!weft_ext_pool_remove_from(pools, 3, NULL));
  CHECK(weft_ext_pool_remove_from(pools, 3, one));
  CHECK(!weft_ext_pool_remove_from(pools, 3, one) && weft_pool_ready_count(pools[1]) == 0);
  weft_ext_thread_discard(one);
  for (int i = 0; i < 3; ++i) OK(weft_pool_destroy(pools[i]));
}

/* A unit that sets its own pool comes back through it. */
static void sets_pools(void) {
  weft_pool *pool = make_pool();
  weft_thread *one = make(yield_once, pool, NULL);
  OK(weft_ext_dispatch(one));
  CHECK(weft_ext_pool_pop(pool) == one);
  OK(weft_ext_dispatch(one));
  OK(weft_thread_join(one));
  OK(weft_pool_destroy(pool));
}

struct sleeper {
  weft_pool *pool;
  atomic_int must_stop;
  atomic_int is_there;
};

static bool must_stop(void *argument) { return atomic_load(&((struct sleeper *)argument)->must_stop) != 0; }

static void sleep_in_pool(void *argument) {
  struct sleeper *self = argument;
  atomic_store(&self->is_there, 1);
  while (!must_stop(self)) OK(weft_ext_wait_for_work(&self->pool, 1, WEFT_FOREVER, must_stop, self));
}

static void notifies(void) {
  struct sleeper sleeper = {.pool = make_pool()};
  weft_thread *one = start(sleep_in_pool, &sleeper);
  wait_for(&sleeper.is_there, 1);
  for (int i = 0; i < 3; ++i) weft_ext_pool_notify(sleeper.pool); /* nothing changed: it looks and sleeps again */
  atomic_store(&sleeper.must_stop, 1);
  weft_ext_pool_notify(sleeper.pool);
  OK(weft_thread_join(one));
  OK(weft_pool_destroy(sleeper.pool));
}

/* ---- waits that block the OS thread ---- */

static weft_event go = WEFT_EVENT_INIT;

static void wait_for_go(void *argument) {
  CHECK(weft_self() == NULL);
  OK(weft_event_wait(&go));
  count(argument);
}

static atomic_int was_refused;

/* Where it shares a worker with the thread that sets the event, it starts after the setting. */
static void wait_in_tasklet(void *argument) {
  if (weft_worker_count() > 1) IS(WEFT_CANNOT_BLOCK, weft_event_wait(&go));
  atomic_store(&was_refused, 1);
  OK(weft_ext_call_outside(wait_for_go, argument));
  CHECK(weft_self() != NULL);
}

static void tasklets_may_block_their_worker(void) {
  atomic_int runs = 0;
  atomic_store(&was_refused, 0);
  weft_thread *tasklet;
  IS(WEFT_INVALID, weft_ext_call_outside(NULL, NULL));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  if (weft_worker_count() > 1) attr.worker = 1; /* not on the worker of the thread that sets it */
  OK(weft_tasklet_create(wait_in_tasklet, &runs, &attr, &tasklet));
  if (weft_worker_count() > 1) {
    wait_for(&was_refused, 1);
    CHECK(atomic_load(&runs) == 0);
  }
  OK(weft_event_set(&go));
  OK(weft_thread_join(tasklet));
  CHECK(atomic_load(&runs) == 1);
  OK(weft_event_reset(&go));
}

static void refuses(void) {
  weft_thread *out = (weft_thread *)&out;
  IS(WEFT_INVALID, weft_ext_thread_make(NULL, NULL, NULL, false, &out));
  IS(WEFT_INVALID, weft_ext_thread_make(count, NULL, NULL, false, NULL));
  IS(WEFT_INVALID, weft_ext_thread_make_in(NULL, NULL, 0, &out));
  IS(WEFT_INVALID, weft_ext_thread_make_in(NULL, count, 0, NULL));
  IS(WEFT_INVALID, weft_ext_thread_make_in(NULL, count, WEFT_MAKE_CLEANED + WEFT_MAKE_DETACHED + WEFT_MAKE_TASKLET + 1, &out));
  weft_pool *const pool = make_pool();
  IS(WEFT_INVALID, weft_ext_thread_make_in(pool, count, WEFT_MAKE_CLEANED, &out));
  OK(weft_pool_destroy(pool));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 4000;
  IS(WEFT_INVALID, weft_ext_thread_make(count, NULL, &attr, false, &out));
  CHECK(out == (weft_thread *)&out);
  IS(WEFT_INVALID, weft_ext_thread_start(NULL));
  IS(WEFT_INVALID, weft_ext_thread_offer(NULL));
  CHECK(!weft_ext_thread_take_back(NULL));
  IS(WEFT_INVALID, weft_ext_thread_revive(NULL, count, NULL));
  IS(WEFT_INVALID, weft_ext_thread_set_pool(NULL, NULL));
  weft_ext_pool_notify(NULL);
  weft_ext_pool_walk(NULL, note, NULL);
  CHECK(!weft_ext_pool_remove(NULL, NULL));
}

static void all(void) {
  RUN(does_not_run_until_pushed);
  RUN(starts_in_the_default_queue);
  RUN(does_not_start_what_has_a_pool);
  RUN(runs_what_it_offers);
  RUN(sends_what_it_offers);
  RUN(takes_back_what_has_not_started);
  RUN(takes_back_nothing_that_has_started);
  RUN(takes_back_in_turn);
  RUN(makes_in_pools);
  RUN(makes_in_pools_from_outside);
  RUN(makes_cleaned);
  RUN(discards);
  RUN(counts_those_discarded_outside);
  RUN(revives_all_kinds);
  RUN(revives_on_the_same_memory);
  RUN(forks_of_a_tasklet_stay);
  RUN(waits_while_it_runs);
  RUN(reaches_into_pools);
  RUN(reaches_into_some_pool);
  RUN(sets_pools);
  RUN(notifies);
  RUN(tasklets_may_block_their_worker);
  RUN(refuses);
}

int main(void) {
  weft_thread *out = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_ext_thread_make(count, NULL, NULL, false, &out));
  IS(WEFT_NOT_INITIALIZED, weft_ext_thread_make_in(NULL, count, 0, &out));
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
