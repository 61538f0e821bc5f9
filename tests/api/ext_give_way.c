/* weft_ext_yield_to_owned and weft_ext_yield_in_pool: the unit that leaves names the one that runs
 * instead. */
#include "row_scene.h"

/* ---- weft_ext_yield_to_owned ---- */

static void gives_way(void *argument) {
  note('<');
  OK(weft_ext_yield_to_owned(argument, false));
  note('>');
}

/* The owned unit takes the place of the one that gives way, which goes behind those that wait in
 * the pool. */
static void gives_way_in_a_row(void) {
  begin();
  weft_thread *owned = make_owned(yields_twice, "o", false, WEFT_ANY_WORKER);
  weft_thread *threads[] = {make(gives_way, owned, false, 0), make(yields_twice, "a", false, 0), owned};
  CHECK(run_all() == 1);
  CHECK(strcmp(scene.log, "<oa>oaoa") == 0);
  end(threads, 3);
}

/* Back and forth between two that have both started. */
struct pair {
  weft_thread *threads[2];
};

static void passes_the_ball(void *argument) {
  const struct pair *both = argument;
  const int mine = weft_self() == both->threads[1];
  for (int i = 0; i < 3; ++i) {
    note(mine ? 'B' : 'A');
    if (weft_ext_pool_remove(scene.pool, both->threads[1 - mine])) OK(weft_ext_yield_to_owned(both->threads[1 - mine], false));
  }
}

static void passes_back_and_forth(void) {
  begin();
  struct pair both;
  both.threads[0] = make(passes_the_ball, &both, false, 0);
  both.threads[1] = make(passes_the_ball, &both, false, 100000);
  weft_thread *third = make(yields_twice, "c", false, 0);
  run_all();
  CHECK(strcmp(scene.log, "ABABABccc") == 0);
  OK(weft_thread_join(third));
  end(both.threads, 2);
}

/* A unit that no scheduler dispatched goes behind the ready units of its worker. */
static void gives_way_without_scheduler(void) {
  begin();
  weft_thread *owned = make_owned(yields_twice, "o", false, WEFT_ANY_WORKER);
  gives_way(owned);
  CHECK(strcmp(scene.log, "<o>") == 0);
  run_all();
  CHECK(strcmp(scene.log, "<o>oo") == 0);
  end(&owned, 1);
}

static void gives_way_to_many_new_ones(void *argument) {
  (void)argument;
  for (int i = 0; i < 1000; ++i) {
    weft_thread *owned = NULL;
    OK(weft_ext_thread_make(nothing, NULL, NULL, false, &owned));
    OK(weft_ext_yield_to_owned(owned, false));
    OK(weft_thread_join(owned));
  }
}

/* Each gives its stack back, however the worker came to it. */
static void gives_way_from_what_keeps_fp(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.keep_fp = true;
  weft_thread *thread = NULL;
  weft_stats before = WEFT_STATS_INIT, after = WEFT_STATS_INIT;
  OK(weft_stats_read(WEFT_ANY_WORKER, &before));
  OK(weft_thread_create(gives_way_to_many_new_ones, NULL, &attr, &thread));
  OK(weft_thread_join(thread));
  OK(weft_stats_read(WEFT_ANY_WORKER, &after));
  CHECK(after.stacks_made - before.stacks_made < 200);
}

static void tasklet_runs_at_once(void) {
  begin();
  weft_thread *owned = make_owned(tasklet, "t", true, WEFT_ANY_WORKER);
  weft_thread *threads[] = {make(gives_way, owned, false, 0), make(yields_twice, "a", false, 0), owned};
  run_all();
  CHECK(strcmp(scene.log, "<ta>aa") == 0);
  end(threads, 3);
}

/* A named unit that was asked to move goes there instead, and the caller goes on. */
static void sends_on_who_moves(void) {
  if (weft_worker_count() < 2) return;
  weft_stats before = WEFT_STATS_INIT;
  weft_stats after = WEFT_STATS_INIT;
  begin();
  OK(weft_stats_read(WEFT_ANY_WORKER, &before));
  weft_thread *moves = NULL;
  OK(weft_ext_thread_make(yields_twice, "m", NULL, false, &moves));
  OK(weft_thread_migrate_to_worker(moves, 1));
  gives_way(moves);
  OK(weft_ext_thread_wait(moves));
  OK(weft_stats_read(WEFT_ANY_WORKER, &after));
  CHECK(after.migrations == before.migrations + 1);
  end(&moves, 1);
}

/* ---- weft_ext_yield_in_pool ---- */

static int accepted;

static bool accepts_all_but(void *refused_one, weft_thread *unit) {
  CHECK(unit != weft_self());
  if (unit == refused_one) return false;
  ++accepted;
  return true;
}

/* Another worker may hold this worker's lock, or have asked it to look around. */
static bool is_hindered_by_others(weft_status given) { return given == WEFT_BUSY && weft_worker_count() > 1; }

/* Gives way in one short step, or in two where other workers hinder it. */
static void gives_way_within(void) {
  const weft_status given = weft_ext_yield_in_pool(accepts_all_but, NULL);
  if (is_hindered_by_others(given)) {
    ++accepted;
    weft_thread *const first = weft_ext_pool_pop(scene.pool);
    OK(weft_ext_yield_to_owned(first, false));
  } else {
    OK(given);
  }
}

static void yields_within(void *argument) {
  weft_yield(); /* the others start */
  for (int i = 0; i < 3; ++i) {
    note(*(const char *)argument);
    gives_way_within();
  }
}

static void yields_on(void *argument) {
  weft_yield();
  for (int i = 0; i < 3; ++i) {
    note(*(const char *)argument);
    weft_yield();
  }
}

static void yields_within_its_pool(void) {
  begin();
  accepted = 0;
  weft_thread *threads[] = {make(yields_within, "a", false, 0), make(yields_on, "b", false, 0),
                            make(yields_on, "c", false, 100000)};
  CHECK(run_all() == 1);
  CHECK(strcmp(scene.log, "abcabcabc") == 0 && accepted == 3);
  CHECK(weft_pool_ready_count(scene.pool) == 0 && weft_pool_total_count(scene.pool) == 0);
  end(threads, 3);
}

static void finds_nobody(void *argument) {
  weft_thread *const *other = argument;
  IS(WEFT_BUSY, weft_ext_yield_in_pool(accepts_all_but, NULL)); /* the other one is new */
  weft_yield();
  IS(WEFT_BUSY, weft_ext_yield_in_pool(accepts_all_but, *other));
  CHECK(weft_ext_pool_pop(scene.pool) == *other);
  const weft_status alone = weft_ext_yield_in_pool(accepts_all_but, NULL);
  if (!is_hindered_by_others(alone)) IS(WEFT_AGAIN, alone);
  OK(weft_ext_pool_push(scene.pool, *other, WEFT_PUSH_NEW));
}

static void says_why_not(void) {
  begin();
  accepted = 0;
  weft_thread *threads[2];
  threads[0] = make(finds_nobody, &threads[1], false, 0);
  threads[1] = make(yields_twice, "b", false, 0);
  run_all();
  CHECK(accepted == 0);
  IS(WEFT_INVALID, weft_ext_yield_in_pool(NULL, NULL));
  IS(WEFT_BUSY, weft_ext_yield_in_pool(accepts_all_but, NULL)); /* the caller has no pool */
  end(threads, 2);
}

static void may_not_yield_there(void *argument) {
  (void)argument;
  IS(WEFT_CANNOT_BLOCK, weft_ext_yield_in_pool(accepts_all_but, NULL));
}

static void tasklets_do_not_yield(void) {
  begin();
  weft_thread *threads[] = {make(may_not_yield_there, NULL, true, 0)};
  run_all();
  OK(weft_ext_call_outside(may_not_yield_there, NULL));
  end(threads, 1);
}

static void may_not_give_way(void *argument) { IS(WEFT_CANNOT_BLOCK, weft_ext_yield_to_owned(argument, false)); }

static void refuses_to_give_way(void) {
  begin();
  IS(WEFT_INVALID, weft_ext_yield_to_owned(NULL, false));
  weft_thread *owned = make_owned(tasklet, "x", true, WEFT_ANY_WORKER);
  weft_thread *tasklet_caller = make(may_not_give_way, owned, true, 0);
  run_all();
  OK(weft_ext_call_outside(may_not_give_way, owned));
  weft_ext_thread_discard(owned);
  if (weft_worker_count() > 1) {
    weft_thread *elsewhere = make_owned(yields_twice, "e", false, 1);
    IS(WEFT_INVALID, weft_ext_yield_to_owned(elsewhere, false));
    weft_ext_thread_discard(elsewhere);
  }
  end(&tasklet_caller, 1);
  CHECK(scene.log[0] == 0);
}

/* ---- while others reach in ---- */

static bool accepts_all(void *unused, weft_thread *unit) {
  (void)unused;
  return unit != NULL;
}

static atomic_int is_over;
static atomic_int started;

static void gives_way_to_the_first(void) {
  weft_thread *const other = weft_ext_pool_pop(scene.pool);
  if (other == NULL) return weft_yield();
  OK(weft_ext_yield_to_owned(other, false));
}

static void yields_in_the_pool(void) {
  const weft_status result = weft_ext_yield_in_pool(accepts_all, NULL);
  if (result == WEFT_BUSY) gives_way_to_the_first();
  if (result == WEFT_AGAIN) breathe();
}

static void repeat_until_over(void (*how)(void)) {
  atomic_fetch_add(&started, 1);
  while (atomic_load(&is_over) == 0) how();
}
static void yields_for_ever(void *unused) {
  (void)unused;
  repeat_until_over(yields_in_the_pool);
}

static void gives_way_for_ever(void *unused) {
  (void)unused;
  repeat_until_over(gives_way_to_the_first);
}

enum { THEY = 4 };

static void start_all(weft_thread **threads, weft_function function) {
  begin();
  atomic_store(&is_over, 0);
  atomic_store(&started, 0);
  for (int i = 0; i < THEY; ++i) threads[i] = make(function, NULL, false, 0);
}

/* Units that each give way to another of them do not keep their worker from ending. */
static void worker_ends(weft_function function) {
  unsigned worker = 0;
  OK(weft_worker_add(&worker));
  weft_thread *threads[THEY];
  start_all(threads, function);
  OK(weft_pool_attach(scene.pool, worker));
  wait_for(&started, THEY);
  OK(weft_pool_detach(scene.pool, worker));
  OK(weft_worker_remove(worker));
  atomic_store(&is_over, 1);
  run_all();
  end(threads, THEY);
}
/* A pool with priorities chooses by them alone. */
static void tries_among_priorities(void *argument) {
  (void)argument;
  for (int i = 0; i < 3; ++i) {
    weft_yield();
    IS(WEFT_BUSY, weft_ext_yield_in_pool(accepts_all, NULL));
  }
}

static void keeps_to_priorities(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  OK(weft_pool_create(WEFT_POOL_PRIORITY, WEFT_POOL_SHARED, &attr.pool));
  weft_thread *threads[2];
  for (int i = 0; i < 2; ++i) threads[i] = start_with(&attr, tries_among_priorities, NULL);
  const unsigned worker = weft_worker_count() - 1;
  OK(weft_pool_attach(attr.pool, worker));
  OK(weft_thread_join_many(threads, 2));
  OK(weft_pool_detach(attr.pool, worker));
  OK(weft_pool_destroy(attr.pool));
}

static void worker_ends_among_those_who_give_way(void) {
  worker_ends(gives_way_for_ever);
  worker_ends(yields_for_ever);
}

/* Two workers switch within one pool, while a third takes units out of its middle, and pushes
 * them again. */
static void pool_is_shared(void) {
  if (weft_worker_count() < 3) return;
  weft_thread *threads[THEY];
  start_all(threads, yields_for_ever);
  OK(weft_pool_attach(scene.pool, 1));
  OK(weft_pool_attach(scene.pool, 2));
  wait_for(&started, THEY);
  for (int taken = 0; taken < 50; breathe()) {
    weft_thread *const one = threads[taken % THEY];
    if (!weft_ext_pool_remove(scene.pool, one)) continue;
    OK(weft_ext_pool_push(scene.pool, one, WEFT_PUSH_YIELDED));
    ++taken;
  }
  atomic_store(&is_over, 1);
  for (int i = 0; i < THEY; ++i) OK(weft_ext_thread_wait(threads[i]));
  OK(weft_pool_detach(scene.pool, 1));
  OK(weft_pool_detach(scene.pool, 2));
  end(threads, THEY);
}

static void all(void) {
  RUN(gives_way_in_a_row);
  RUN(passes_back_and_forth);
  RUN(gives_way_without_scheduler);
  RUN(gives_way_from_what_keeps_fp);
  RUN(tasklet_runs_at_once);
  RUN(sends_on_who_moves);
  RUN(refuses_to_give_way);
  RUN(yields_within_its_pool);
  RUN(says_why_not);
  RUN(keeps_to_priorities);
  RUN(tasklets_do_not_yield);
  RUN(worker_ends_among_those_who_give_way);
  RUN(pool_is_shared);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
