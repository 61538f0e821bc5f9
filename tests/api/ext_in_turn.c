/* weft_ext_dispatch_in_turn: a scheduler's units run one after the other without a switch to the scheduler in between. */
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

/* As schedulers do, until the pool is empty. Returns how often the scheduler had to start anew. */
static int run_all(void) {
  int rounds = 0;
  for (weft_thread *unit; (unit = weft_ext_pool_pop(scene.pool)) != NULL; ++rounds) {
    OK(weft_ext_dispatch_in_turn(unit, next, &scene));
  }
  return rounds;
}

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
  OK(weft_ext_dispatch_in_turn(weft_ext_pool_pop(scene.pool), next, &scene));
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

static void refuses(void) {
  begin();
  weft_thread *one = make(yields_twice, "a", false, 0);
  CHECK(weft_ext_pool_pop(scene.pool) == one);
  IS(WEFT_INVALID, weft_ext_dispatch_in_turn(NULL, next, &scene));
  IS(WEFT_INVALID, weft_ext_dispatch_in_turn(one, NULL, &scene));
  OK(weft_ext_dispatch_in_turn(one, next, &scene));
  run_all();
  end(&one, 1);
}

static void all(void) {
  RUN(takes_turns);
  RUN(yields_to_nobody);
  RUN(stops_where_nobody_is_named);
  RUN(waiting_units_make_room);
  RUN(tasklets_are_among_them);
  RUN(nests);
  RUN(refuses);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
