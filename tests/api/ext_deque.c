/* WEFT_POOL_DEQUE, and the far end of every pool: which units come as new, which come last, what
 * thieves take. */
#include <pthread.h>

#include "row_scene.h"

/* ---- both ends ---- */

static void takes_from_both_ends(void) {
  begin_in(WEFT_POOL_DEQUE);
  CHECK(weft_ext_pool_pop_last(scene.pool) == NULL);
  weft_thread *threads[5];
  for (int i = 0; i < 5; ++i) threads[i] = make_owned(tasklet, "t", true, WEFT_ANY_WORKER);
  for (int i = 0; i < 3; ++i) OK(weft_ext_pool_push(scene.pool, threads[i], WEFT_PUSH_NEW));
  OK(weft_ext_pool_push(scene.pool, threads[3], WEFT_PUSH_MIGRATED));
  OK(weft_ext_pool_push(scene.pool, threads[4], WEFT_PUSH_WOKEN));
  CHECK(weft_ext_pool_pop(scene.pool) == threads[2]);
  CHECK(weft_ext_pool_pop_last(scene.pool) == threads[4] && weft_ext_pool_pop_last(scene.pool) == threads[3]);
  CHECK(weft_pool_ready_count(scene.pool) == 2);
  CHECK(weft_ext_pool_pop_last(scene.pool) == threads[0] && weft_ext_pool_pop_last(scene.pool) == threads[1]);
  CHECK(weft_ext_pool_pop_last(scene.pool) == NULL && weft_ext_pool_pop(scene.pool) == NULL);
  for (int i = 0; i < 5; ++i) OK(weft_ext_dispatch(threads[i]));
  end(threads, 5);
}

static weft_thread *make_with_priority(unsigned priority) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = scene.pool;
  attr.priority = priority;
  weft_thread *made = NULL;
  OK(weft_thread_create(tasklet, "t", &attr, &made));
  return made;
}

/* Of each kind the one that would run last. */
static void takes_the_last(void) {
  const weft_pool_kind kinds[] = {WEFT_POOL_FIFO, WEFT_POOL_LIFO, WEFT_POOL_PRIORITY, WEFT_POOL_DEQUE};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
    begin_in(kinds[kind]);
    weft_thread *threads[4], *order[4];
    for (unsigned i = 0; i < 4; ++i) threads[i] = make_with_priority(i % 2);
    for (int i = 3; i >= 0; --i) order[i] = weft_ext_pool_pop_last(scene.pool);
    for (int i = 0; i < 4; ++i) {
      CHECK(order[i] != NULL);
      OK(weft_ext_pool_push(scene.pool, threads[i], WEFT_PUSH_NEW));
    }
    for (int i = 0; i < 4; ++i) CHECK(weft_ext_pool_pop(scene.pool) == order[i]);
    for (int i = 0; i < 4; ++i) OK(weft_ext_dispatch(threads[i]));
    end(threads, 4);
  }
}

static void push_nothing(void *state, weft_thread *unit, weft_push_reason reason) { (void)state, (void)unit, (void)reason; }
static weft_thread *pop_nothing(void *state) { return state; }
static size_t count_nothing(void *state) { return state != NULL; }

static void has_no_last(void) {
  const weft_pool_ops ops = {sizeof ops, push_nothing, pop_nothing, count_nothing, NULL, NULL};
  weft_pool *pool = NULL;
  OK(weft_ext_pool_create(&ops, NULL, WEFT_POOL_SHARED, &pool));
  CHECK(weft_ext_pool_pop_last(pool) == NULL && weft_ext_pool_pop_last(NULL) == NULL);
  OK(weft_pool_destroy(pool));
}

/* ---- units that leave ---- */

static bool accepts_all(void *state, weft_thread *unit) {
  (void)state;
  return unit != NULL;
}

/* Rows that ask, and rows that take the first one themselves. */
static void run_in_rows(bool by_itself) {
  unsigned left = 1000;
  const weft_row takes = {sizeof(weft_row), next, &scene, scene.pool, accepts_all, &left};
  run_row(by_itself ? &takes : &asks);
}

static void who_yields_comes_last(bool by_itself) {
  begin_in(WEFT_POOL_DEQUE);
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0)};
  run_in_rows(by_itself);
  CHECK(strcmp(scene.log, "bababa") == 0);
  end(threads, 2);
}

static void yields_as_new(void *unused) {
  (void)unused;
  note('(');
  weft_ext_yield_as_new();
  note(')');
}

static void who_yields_as_new_is_next(bool by_itself) {
  begin_in(WEFT_POOL_DEQUE);
  weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(yields_twice, "b", false, 0),
                            make(yields_as_new, NULL, false, 0)};
  run_in_rows(by_itself);
  CHECK(strcmp(scene.log, "(b)ababa") == 0);
  end(threads, 3);
}

static void gives_way(void *argument) {
  note('<');
  OK(weft_ext_yield_to_owned(argument, false));
  note('>');
}
static void gives_way_as_new(void *argument) {
  note('<');
  OK(weft_ext_yield_to_owned(argument, true));
  note('>');
}

static void who_gives_way_is_next(weft_pool_kind kind, bool as_new, const char *wanted) {
  for (int by_itself = 0; by_itself < 2; ++by_itself) {
    begin_in(kind);
    weft_thread *owned = make_owned(yields_twice, "o", false, WEFT_ANY_WORKER);
    weft_thread *threads[] = {make(yields_twice, "a", false, 0), make(as_new ? gives_way_as_new : gives_way, owned, false, 0),
                              owned};
    run_in_rows(by_itself == 1);
    CHECK(strcmp(scene.log, wanted) == 0);
    end(threads, 3);
  }
}

static void who_leaves(void) {
  for (int by_itself = 0; by_itself < 2; ++by_itself) {
    who_yields_comes_last(by_itself == 1);
    who_yields_as_new_is_next(by_itself == 1);
  }
  who_gives_way_is_next(WEFT_POOL_DEQUE, false, "<oa>oaoa");
  who_gives_way_is_next(WEFT_POOL_DEQUE, true, "<o>aoaoa");
  who_gives_way_is_next(WEFT_POOL_LIFO, false, "<oa>oaoa");
  who_gives_way_is_next(WEFT_POOL_LIFO, true, "<o>aoaoa");
  who_gives_way_is_next(WEFT_POOL_FIFO, false, "a<oa>oao");
  who_gives_way_is_next(WEFT_POOL_FIFO, true, "a<oa>oao");
}

static void *yield_outside(void *unused) {
  weft_ext_yield_as_new();
  return unused;
}

/* A caller that is in no pool just yields. */
static void has_no_pool(void) {
  atomic_int count = 0;
  weft_thread *thread = start(add_one, &count);
  while (atomic_load(&count) == 0) weft_ext_yield_as_new();
  OK(weft_thread_join(thread));
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, yield_outside, NULL) == 0 && pthread_join(outside, NULL) == 0);
}

static void all(void) {
  RUN(takes_from_both_ends);
  RUN(takes_the_last);
  RUN(has_no_last);
  RUN(who_leaves);
  RUN(has_no_pool);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
