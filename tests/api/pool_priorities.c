/* Pools by priority: no priority starves, whatever else happens to their units, and none jumps
 * ahead. */
#include <stdbool.h>

#include "pool_support.h"

enum { MOST_TURNS = 1000 }; /* a millisecond or more each: ten times the promise, whatever else the machine does */
static atomic_int turns, others_run;

static void keep_busy(void *argument) {
  (void)argument;
  while (atomic_load(&others_run) != WEFT_POOL_PRIORITIES - 1 && atomic_load(&turns) < MOST_TURNS) {
    atomic_fetch_add(&turns, 1);
    const uint64_t end = weft_deadline_in(MILLISECOND);
    while (weft_now_ns() < end) continue;
    weft_yield();
  }
}

static void count_other(void *argument) {
  (void)argument;
  atomic_fetch_add(&others_run, 1);
}

/* Two of the highest priority take turns, and no other would ever run behind them. */
static void none_starves(void) {
  weft_pool *pool = make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
  const unsigned worker = weft_worker_count() - 1;
  OK(weft_pool_attach(pool, worker));
  weft_thread *busy[2], *others[WEFT_POOL_PRIORITIES - 1];
  atomic_store(&turns, 0);
  atomic_store(&others_run, 0);
  for (int i = 0; i < 2; ++i) busy[i] = start_in(pool, keep_busy, NULL, 0);
  for (unsigned i = 1; i < WEFT_POOL_PRIORITIES; ++i) others[i - 1] = start_in(pool, count_other, NULL, i);
  OK(weft_thread_join_many(busy, 2));
  CHECK(atomic_load(&turns) < MOST_TURNS);
  OK(weft_thread_join_many(others, WEFT_POOL_PRIORITIES - 1));
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* Nor does one starve behind units of a lower priority that are always ready. */
static void keep_ready(void *argument) {
  (void)argument;
  while (atomic_load(&others_run) == 0 && atomic_load(&turns) < MOST_TURNS) weft_yield();
}

static void keep_busy_for_one(void *argument) {
  (void)argument;
  while (atomic_load(&others_run) == 0 && atomic_load(&turns) < MOST_TURNS) {
    atomic_fetch_add(&turns, 1);
    const uint64_t end = weft_deadline_in(MILLISECOND);
    while (weft_now_ns() < end) continue;
    weft_yield();
  }
}

static void none_starves_in_the_middle(void) {
  weft_pool *pool = make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
  const unsigned worker = weft_worker_count() - 1;
  OK(weft_pool_attach(pool, worker));
  weft_thread *all[4];
  atomic_store(&turns, 0);
  atomic_store(&others_run, 0);
  for (int i = 0; i < 2; ++i) all[i] = start_in(pool, keep_busy_for_one, NULL, 0);
  all[2] = start_in(pool, keep_ready, NULL, WEFT_POOL_PRIORITIES - 1);
  all[3] = start_in(pool, count_other, NULL, WEFT_POOL_PRIORITIES / 2);
  OK(weft_thread_join_many(all, 2));
  CHECK(atomic_load(&turns) < MOST_TURNS);
  OK(weft_thread_join_many(all + 2, 2));
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* A builder that takes the first unit away gives its priority no turn by that. */
struct removals {
  weft_pool *pool;
  weft_thread *low[2];
};

static void remove_the_first(void *argument) {
  struct removals *all = argument;
  for (unsigned first = 0; atomic_load(&others_run) == 0 && atomic_load(&turns) < MOST_TURNS;) {
    const uint64_t end = weft_deadline_in(MILLISECOND);
    while (weft_now_ns() < end) continue;
    if (atomic_fetch_add(&turns, 1) % 40 == 39 && weft_ext_pool_remove(all->pool, all->low[first])) {
      OK(weft_ext_pool_push(all->pool, all->low[first], WEFT_PUSH_WOKEN));
      first = 1 - first;
    }
    weft_yield();
  }
}

static void removal_is_no_turn(void) {
  struct removals all = {make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE), {NULL, NULL}};
  const unsigned worker = weft_worker_count() - 1;
  atomic_store(&turns, 0);
  atomic_store(&others_run, 0);
  for (int i = 0; i < 2; ++i) all.low[i] = start_in(all.pool, count_other, NULL, WEFT_POOL_PRIORITIES - 1);
  weft_thread *busy = start_in(all.pool, remove_the_first, &all, 0);
  OK(weft_pool_attach(all.pool, worker));
  OK(weft_thread_join(busy));
  CHECK(atomic_load(&turns) < MOST_TURNS);
  OK(weft_thread_join_many(all.low, 2));
  OK(weft_pool_detach(all.pool, worker));
  OK(weft_pool_destroy(all.pool));
}

/* One that has waited for its turn gives no turn to those of its priority that came with it: they
 * wait as long. The highest priority runs in between. */
enum { ALIKE = 3 };
static int turns_before[ALIKE];

static void note_turns(void *argument) {
  *(int *)argument = atomic_load(&turns);
  atomic_fetch_add(&others_run, 1);
}

static void keep_busy_for_those_alike(void *argument) {
  (void)argument;
  while (atomic_load(&others_run) != ALIKE && atomic_load(&turns) < MOST_TURNS) {
    atomic_fetch_add(&turns, 1);
    const uint64_t end = weft_deadline_in(MILLISECOND);
    while (weft_now_ns() < end) continue;
    weft_yield();
  }
}

static void each_waits_for_its_turn(void) {
  weft_pool *pool = make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
  const unsigned worker = weft_worker_count() - 1;
  OK(weft_pool_attach(pool, worker));
  weft_thread *busy[2], *alike[ALIKE];
  atomic_store(&turns, 0);
  atomic_store(&others_run, 0);
  for (int i = 0; i < 2; ++i) busy[i] = start_in(pool, keep_busy_for_those_alike, NULL, 0);
  for (int i = 0; i < ALIKE; ++i) alike[i] = start_in(pool, note_turns, &turns_before[i], 3);
  OK(weft_thread_join_many(busy, 2));
  OK(weft_thread_join_many(alike, ALIKE));
  CHECK(turns_before[ALIKE - 1] > turns_before[0]);
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* One whose priority was passed over before, and left, waits anew: it runs behind the urgent one for
 * most of the 100 ms. */
struct latecomer {
  weft_pool *pool;
  weft_thread *low;
  uint64_t pushed_ns, ran_ns;
};

static void note_when_it_ran(void *argument) {
  ((struct latecomer *)argument)->ran_ns = weft_now_ns();
  atomic_store(&others_run, 1);
}

static void remove_and_push_again(void *argument) {
  struct latecomer *all = argument;
  while (atomic_load(&others_run) == 0 && atomic_load(&turns) < MOST_TURNS) {
    const uint64_t end = weft_deadline_in(MILLISECOND);
    while (weft_now_ns() < end) continue;
    const int turn = atomic_fetch_add(&turns, 1) + 1;
    if (turn == 10) CHECK(weft_ext_pool_remove(all->pool, all->low));
    if (turn == 150) {
      all->pushed_ns = weft_now_ns();
      OK(weft_ext_pool_push(all->pool, all->low, WEFT_PUSH_NEW));
    }
    weft_yield();
  }
}

static void leaves_and_waits_anew(void) {
  struct latecomer all = {make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE), NULL, UINT64_MAX, 0};
  const unsigned worker = weft_worker_count() - 1;
  atomic_store(&turns, 0);
  atomic_store(&others_run, 0);
  all.low = start_in(all.pool, note_when_it_ran, &all, WEFT_POOL_PRIORITIES - 1);
  weft_thread *busy = start_in(all.pool, remove_and_push_again, &all, 0);
  OK(weft_pool_attach(all.pool, worker));
  OK(weft_thread_join(busy));
  CHECK(all.ran_ns >= all.pushed_ns + 80 * MILLISECOND); /* 90, of a clock that lags by 10 at most */
  OK(weft_thread_join(all.low));
  OK(weft_pool_detach(all.pool, worker));
  OK(weft_pool_destroy(all.pool));
}

/* A yield goes behind the units of its own priority, and before those of lower ones. */
static int order_of_yield[4];
static atomic_int yields_done;

static void note_order(void *argument) { order_of_yield[atomic_fetch_add(&yields_done, 1)] = *(int *)argument; }

static void yield_among_others(void *argument) {
  static int numbers[] = {0, 1, 2, 3};
  weft_pool *pool = argument;
  weft_thread *others[3];
  const unsigned priorities[] = {0, 5, 7};
  for (int i = 0; i < 3; ++i) others[i] = start_in(pool, note_order, &numbers[i], priorities[i]);
  weft_yield();
  note_order(&numbers[3]);
  OK(weft_thread_join_many(others, 3));
}

static void yields_within_its_priority(void) {
  for (int round = 0; round < 20; ++round) {
    weft_pool *pool = make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
    const unsigned worker = weft_worker_count() - 1;
    atomic_store(&yields_done, 0);
    const uint64_t begin = weft_now_ns();
    weft_thread *one = start_in(pool, yield_among_others, pool, 5);
    OK(weft_pool_attach(pool, worker));
    OK(weft_thread_join(one));
    const bool was_soon = weft_now_ns() - begin < 80 * MILLISECOND;
    const int wanted[] = {0, 1, 3, 2};
    for (int i = 0; was_soon && i < 4; ++i) CHECK(order_of_yield[i] == wanted[i]);
    OK(weft_pool_detach(pool, worker));
    OK(weft_pool_destroy(pool));
  }
}

/* Threads that run in their joins pass others over, too. */
static void join_urgent_ones(void *argument) {
  while (atomic_load(&others_run) == 0 && atomic_load(&turns) < MOST_TURNS) {
    const uint64_t end = weft_deadline_in(MILLISECOND);
    while (weft_now_ns() < end) continue;
    atomic_fetch_add(&turns, 1);
    int number = 0;
    atomic_store(&yields_done, 0);
    OK(weft_thread_join(start_in(argument, note_order, &number, 0)));
  }
}

static void joins_pass_over(void) {
  weft_pool *pool = make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
  const unsigned worker = weft_worker_count() - 1;
  atomic_store(&turns, 0);
  atomic_store(&others_run, 0);
  weft_thread *busy = start_in(pool, join_urgent_ones, pool, 0);
  weft_thread *low = start_in(pool, count_other, NULL, WEFT_POOL_PRIORITIES - 1);
  OK(weft_pool_attach(pool, worker));
  OK(weft_thread_join(busy));
  CHECK(atomic_load(&turns) < MOST_TURNS);
  OK(weft_thread_join(low));
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* A builder that takes units out has the order, however long they wait; and in a pool that no
 * worker has served, none was passed over. */
static void unserved_ones_keep_their_order(void) {
  weft_pool *pool = make_pool(WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
  int place[2];
  struct runner runners[] = {{0, place}, {1, place}};
  weft_thread *units[2];
  for (int i = 1; i >= 0; --i) units[i] = start_in(pool, run_in_order, &runners[i], 4 + (unsigned)i);
  const uint64_t end = weft_deadline_in(120 * MILLISECOND);
  while (weft_now_ns() < end) continue;
  for (int i = 0; i < 2; ++i) CHECK(weft_ext_pool_pop(pool) == units[i]);
  for (int i = 1; i >= 0; --i) OK(weft_ext_pool_push(pool, units[i], WEFT_PUSH_NEW));
  CHECK(weft_ext_pool_pop(pool) == units[0]); /* a builder passes none over */
  const uint64_t long_after = weft_deadline_in(120 * MILLISECOND);
  while (weft_now_ns() < long_after) continue;
  OK(weft_ext_pool_push(pool, units[0], WEFT_PUSH_NEW));
  atomic_store(&places, 0);
  OK(weft_pool_attach(pool, weft_worker_count() - 1));
  OK(weft_thread_join_many(units, 2));
  CHECK(place[0] == 0 && place[1] == 1);
  OK(weft_pool_detach(pool, weft_worker_count() - 1));
  OK(weft_pool_destroy(pool));
}

static void all(void) {
  RUN(none_starves);
  RUN(none_starves_in_the_middle);
  RUN(removal_is_no_turn);
  RUN(leaves_and_waits_anew);
  RUN(yields_within_its_priority);
  RUN(joins_pass_over);
  RUN(each_waits_for_its_turn);
  RUN(unserved_ones_keep_their_order);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, all);
  return 0;
}
