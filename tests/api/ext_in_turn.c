/* weft_ext_dispatch_in_turn: a scheduler's units run one after the other without a switch to the scheduler in between;
 * weft_ext_yield_to_owned, weft_ext_yield_in_pool. */
#include <stdbool.h>
#include <string.h>
#include <weft/ext.h>

#include "check.h"

struct scene {
  weft_pool *pool;
  char log[64];
  atomic_int length;
  int asked;
  int asked_for_yields;
  int most; /* names so many at most */
};

static struct scene scene;

static void note(char what) { scene.log[atomic_fetch_add(&scene.length, 1)] = what; }

static void begin(void) {
  memset(&scene, 0, sizeof scene);
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &scene.pool));
  scene.most = 1000;
}

static weft_thread *next(void *state, weft_thread *yielding) {
  struct scene *mine = state;
  CHECK(weft_self() == NULL);
  ++mine->asked;
  if (yielding != NULL) ++mine->asked_for_yields;
  return mine->most-- > 0 ? weft_ext_pool_pop(mine->pool) : NULL;
}

static weft_thread *make(weft_function function, void *argument, bool tasklet, size_t stack_bytes) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = scene.pool;
  attr.stack_bytes = stack_bytes;
  weft_thread *made = NULL;
  OK(weft_ext_thread_make(function, argument, &attr, tasklet, &made));
  OK(weft_ext_pool_push(scene.pool, made, WEFT_PUSH_NEW));
  return made;
}

static const weft_row asks = {sizeof(weft_row), next, &scene, NULL, NULL, NULL};

/* As schedulers do, until the pool is empty. Returns how often the scheduler had to start anew. */
static int run_row(const weft_row *row) {
  int rounds = 0;
  for (weft_thread *unit; (unit = weft_ext_pool_pop(scene.pool)) != NULL; ++rounds) {
    OK(weft_ext_dispatch_in_turn(unit, row));
  }
  return rounds;
}

static int run_all(void) { return run_row(&asks); }

static void end(weft_thread **threads, size_t count) {
  OK(weft_thread_join_many(threads, count));
  OK(weft_pool_destroy(scene.pool));
}

static void yields_twice(void *argument) {
  const char name = *(const char *)argument;
  for (int i = 0; i < 3; ++i) {
    note(name);
    if (i < 2) weft_yield();
  }
}

static void takes_turns(void) {
  begin();
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0),
                            make(yields_twice, "c", false, 100000)};
  CHECK(run_all() == 1);
  CHECK(strcmp(scene.log, "abcabcabc") == 0);
  CHECK(scene.asked == 9 && scene.asked_for_yields == 6);
  end(threads, 3);
}

/* Who is alone comes back to its scheduler with each yield, since it is not in its pool when the next one is chosen. */
static void yields_to_nobody(void) {
  begin();
  weft_thread *one = make(yields_twice, "a", false, 0);
  CHECK(run_all() == 3);
  CHECK(strcmp(scene.log, "aaa") == 0 && scene.asked == 3);
  end(&one, 1);
}

static void stops_where_nobody_is_named(void) {
  begin();
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0)};
  scene.most = 1;
  OK(weft_ext_dispatch_in_turn(weft_ext_pool_pop(scene.pool), &asks));
  CHECK(strcmp(scene.log, "ab") == 0);
  CHECK(weft_pool_ready_count(scene.pool) == 2);
  scene.most = 1000;
  run_all();
  CHECK(strcmp(scene.log, "ababab") == 0);
  end(threads, 2);
}

static void suspends(void *argument) {
  (void)argument;
  note('<');
  OK(weft_suspend());
  note('>');
}

static void resumes(void *argument) {
  note('r');
  OK(weft_resume(argument));
}

static void joins(void *argument) {
  note('(');
  OK(weft_thread_join(argument));
  note(')');
}

static void tasklet(void *argument) { note(*(const char *)argument); }

static void waiting_units_make_room(void) {
  begin();
  weft_thread *sleeper = make(suspends, NULL, false, 0);
  weft_thread *threads[] = {sleeper, make(resumes, sleeper, false, 0)};
  weft_thread *joined = make(yields_twice, "y", false, 0);
  weft_thread *joiner = make(joins, joined, false, 0);
  CHECK(run_all() == 2); /* y yields once to nobody */
  CHECK(strcmp(scene.log, "<ry(>yy)") == 0);
  OK(weft_thread_join(joiner));
  end(threads, 2);
}

static void tasklets_are_among_them(void) {
  begin();
  weft_thread *threads[] = {make(tasklet, "1", true, 0), make(yields_twice, "a", false, 0), make(tasklet, "2", true, 0),
                            make(tasklet, "3", true, 0)};
  CHECK(run_all() <= 3);
  CHECK(strcmp(scene.log, "1a23aa") == 0);
  end(threads, 4);
}

/* A unit of the row is a scheduler itself: its own units come back to it. */
static void dispatches_one(void *argument) {
  note('[');
  OK(weft_ext_dispatch(argument));
  note(']');
}

static void nests(void) {
  begin();
  weft_thread *inner = NULL;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = scene.pool;
  OK(weft_ext_thread_make(yields_twice, "i", &attr, false, &inner));
  weft_thread *threads[] = {make(dispatches_one, inner, false, 0), inner};
  run_all();
  CHECK(strcmp(scene.log, "[i]ii") == 0);
  end(threads, 2);
}

static weft_thread *make_owned(weft_function function, void *argument, bool tasklet, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = scene.pool;
  attr.worker = worker;
  weft_thread *made = NULL;
  OK(weft_ext_thread_make(function, argument, &attr, tasklet, &made));
  return made;
}

/* ---- rows over a pool ---- */

static weft_thread *refused;
static int accepted;

static bool accepts_all_but_one(void *state, weft_thread *unit) {
  CHECK(state == &scene);
  if (unit == refused) return false;
  ++accepted;
  return true;
}

static unsigned run_over_pool(unsigned left) {
  accepted = 0;
  const weft_row over_pool = {sizeof over_pool, next, &scene, scene.pool, accepts_all_but_one, &left};
  CHECK(run_row(&over_pool) == 1);
  return left;
}

static void takes_from_its_pool(void) {
  begin();
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0),
                            make(yields_twice, "c", false, 100000)};
  CHECK(run_over_pool(100) == 92 && accepted == 8);
  CHECK(strcmp(scene.log, "abcabcabc") == 0);
  CHECK(scene.asked == 1); /* in the end */
  end(threads, 3);
}

static void takes_so_many(void) {
  begin();
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0)};
  CHECK(run_over_pool(2) == 0 && accepted == 2);
  CHECK(strcmp(scene.log, "ababab") == 0);
  CHECK(scene.asked == 4);
  end(threads, 2);
}

/* One that is not accepted, and tasklets, stay in the pool: next is asked. */
static void asks_for_others(void) {
  begin();
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0), make(tasklet, "t", true, 0)};
  refused = threads[1];
  run_over_pool(100);
  refused = NULL;
  CHECK(strcmp(scene.log, "abtabab") == 0);
  CHECK(accepted == 1 && scene.asked == 6);
  end(threads, 3);
}

/* Who waits leaves its place to the pool's first one, as who ends. */
static void waits_for_the_others(void *first) {
  OK(weft_ext_thread_wait(first));
  note('w');
}

static void goes_on_after_waits(void) {
  begin();
  weft_thread *threads[3];
  threads[1] = make_owned(yields_twice, "a", false, WEFT_ANY_WORKER);
  threads[0] = make(waits_for_the_others, threads[1], false, 0);
  OK(weft_ext_pool_push(scene.pool, threads[1], WEFT_PUSH_NEW));
  threads[2] = make(yields_twice, "b", false, 0);
  run_over_pool(100);
  CHECK(strcmp(scene.log, "abababw") == 0);
  end(threads, 3);
}

static void refuses(void) {
  begin();
  weft_thread *one = make(yields_twice, "a", false, 0);
  CHECK(weft_ext_pool_pop(scene.pool) == one);
  IS(WEFT_INVALID, weft_ext_dispatch_in_turn(NULL, &asks));
  IS(WEFT_INVALID, weft_ext_dispatch_in_turn(one, NULL));
  unsigned left = 1;
  const weft_row wrong[] = {{1, next, &scene, NULL, NULL, NULL},
                            {sizeof(weft_row), NULL, &scene, NULL, NULL, NULL},
                            {sizeof(weft_row), next, &scene, scene.pool, NULL, &left},
                            {sizeof(weft_row), next, &scene, scene.pool, accepts_all_but_one, NULL}};
  for (int i = 0; i < 4; ++i) IS(WEFT_INVALID, weft_ext_dispatch_in_turn(one, &wrong[i]));
  OK(weft_ext_dispatch_in_turn(one, &asks));
  run_all();
  end(&one, 1);
}

/* ---- weft_ext_yield_to_owned ---- */

static void gives_way(void *argument) {
  note('<');
  OK(weft_ext_yield_to_owned(argument));
  note('>');
}

/* The owned unit takes the place of the one that gives way, which goes behind those that wait in the pool. */
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
    if (weft_ext_pool_remove(scene.pool, both->threads[1 - mine])) OK(weft_ext_yield_to_owned(both->threads[1 - mine]));
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

/* Whom no scheduler dispatched goes behind the ready units of its worker. */
static void gives_way_without_scheduler(void) {
  begin();
  weft_thread *owned = make_owned(yields_twice, "o", false, WEFT_ANY_WORKER);
  gives_way(owned);
  CHECK(strcmp(scene.log, "<o>") == 0);
  run_all();
  CHECK(strcmp(scene.log, "<o>oo") == 0);
  end(&owned, 1);
}

static void tasklet_runs_at_once(void) {
  begin();
  weft_thread *owned = make_owned(tasklet, "t", true, WEFT_ANY_WORKER);
  weft_thread *threads[] = {make(gives_way, owned, false, 0), make(yields_twice, "a", false, 0), owned};
  run_all();
  CHECK(strcmp(scene.log, "<ta>aa") == 0);
  end(threads, 3);
}

/* ---- weft_ext_yield_in_pool ---- */

static bool accepts_all_but(void *refused_one, weft_thread *unit) {
  CHECK(unit != weft_self());
  if (unit == refused_one) return false;
  ++accepted;
  return true;
}

static void yields_within(void *argument) {
  weft_yield(); /* the others start */
  for (int i = 0; i < 3; ++i) {
    note(*(const char *)argument);
    OK(weft_ext_yield_in_pool(accepts_all_but, NULL));
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
  IS(WEFT_AGAIN, weft_ext_yield_in_pool(accepts_all_but, NULL));
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

static void may_not_give_way(void *argument) { IS(WEFT_CANNOT_BLOCK, weft_ext_yield_to_owned(argument)); }

static void refuses_to_give_way(void) {
  begin();
  IS(WEFT_INVALID, weft_ext_yield_to_owned(NULL));
  weft_thread *owned = make_owned(tasklet, "x", true, WEFT_ANY_WORKER);
  weft_thread *tasklet_caller = make(may_not_give_way, owned, true, 0);
  run_all();
  OK(weft_ext_call_outside(may_not_give_way, owned));
  weft_ext_thread_discard(owned);
  if (weft_worker_count() > 1) {
    weft_thread *elsewhere = make_owned(yields_twice, "e", false, 1);
    IS(WEFT_INVALID, weft_ext_yield_to_owned(elsewhere));
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
  OK(weft_ext_yield_to_owned(other));
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

/* Those of whom each gives way to another of them do not keep their worker from ending. */
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
static void worker_ends_among_those_who_give_way(void) {
  worker_ends(gives_way_for_ever);
  worker_ends(yields_for_ever);
}

/* Two workers switch within one pool, while a third takes units out of its middle, and pushes them again. */
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
  RUN(worker_ends_among_those_who_give_way);
  RUN(pool_is_shared);
  RUN(gives_way_in_a_row);
  RUN(passes_back_and_forth);
  RUN(gives_way_without_scheduler);
  RUN(tasklet_runs_at_once);
  RUN(refuses_to_give_way);
  RUN(yields_within_its_pool);
  RUN(says_why_not);
  RUN(tasklets_do_not_yield);
  RUN(takes_turns);
  RUN(yields_to_nobody);
  RUN(stops_where_nobody_is_named);
  RUN(waiting_units_make_room);
  RUN(tasklets_are_among_them);
  RUN(takes_from_its_pool);
  RUN(takes_so_many);
  RUN(asks_for_others);
  RUN(goes_on_after_waits);
  RUN(nests);
  RUN(refuses);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
