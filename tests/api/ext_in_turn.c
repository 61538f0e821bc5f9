/* weft_ext_dispatch_in_turn: a scheduler's units run one after the other without a switch to the
 * scheduler in between. */
#include "row_scene.h"

static void takes_turns(void) {
  begin();
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0),
                            make(yields_twice, "c", false, 100000)};
  CHECK(run_all() == 1);
  CHECK(strcmp(scene.log, "abcabcabc") == 0);
  CHECK(scene.asked == 9 && scene.asked_for_yields == 6);
  end(threads, 3);
}

/* A unit that is alone comes back to its scheduler with each yield, since it is not in its pool
 * when the next one is chosen. */
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

static void waiting_units_make_room(void) {
  begin();
  weft_thread *sleeper = make(suspends, NULL, false, 0);
  weft_thread *threads[] = {sleeper, make(resumes, sleeper, false, 0)};
  weft_thread *joined = make(yields_twice, "y", false, 0);
  weft_thread *joiner = make(joins, joined, false, 0);
  CHECK(run_all() == 2); /* y is alone at one of its yields */
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

/* A unit that waits leaves its place to the pool's first one, as a unit that ends does. */
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

static void all(void) {
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
