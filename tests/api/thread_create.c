/* Creation, join and detach: what they give, what they refuse. */
#include <string.h>

#include "check.h"

enum { MANY = 1000 };

/* ---- one thread ---- */

static void square(void *argument) {
  long *number = argument;
  *number *= *number;
}

static void makes_and_joins(void) {
  long number = 7;
  OK(weft_thread_join(start(square, &number)));
  CHECK(number == 49);

  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start(add_one, &count);
  for (int i = 0; i < MANY; ++i) OK(weft_thread_join(threads[i])); /* the oldest first */
  CHECK(atomic_load(&count) == MANY);
  for (int i = 0; i < MANY; ++i) threads[i] = start(add_one, &count);
  for (int i = MANY; i-- > 0;) OK(weft_thread_join(threads[i])); /* the newest first: they may run right here */
  CHECK(atomic_load(&count) == 2 * MANY);
}

struct node {
  int depth;
  long result;
};

static void fib(void *argument) {
  struct node *self = argument;
  if (self->depth < 2) {
    self->result = self->depth;
    return;
  }
  struct node left = {self->depth - 1, 0}, right = {self->depth - 2, 0};
  weft_thread *child = start(fib, &left);
  fib(&right);
  OK(weft_thread_join(child));
  self->result = left.result + right.result;
}

static void makes_nested(void) {
  struct node root = {15, 0};
  OK(weft_thread_join(start(fib, &root)));
  CHECK(root.result == 610);
}

/* ---- refusals ---- */

static void refuses_bad_arguments(void) {
  weft_thread *untouched = (weft_thread *)&untouched;
  weft_thread *out = untouched;
  IS(WEFT_INVALID, weft_thread_create(NULL, NULL, NULL, &out));
  IS(WEFT_INVALID, weft_tasklet_create(NULL, NULL, NULL, &out));
  IS(WEFT_INVALID, weft_thread_create_many(NULL, NULL, 0, 1, NULL, &out));

  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.size = 1;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));
  IS(WEFT_INVALID, weft_tasklet_create(nothing, NULL, &attr, &out));
  IS(WEFT_INVALID, weft_thread_create_many(nothing, NULL, 0, 1, &attr, &out));

  attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = WEFT_STACK_MIN - 1;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));
  static char small[1024];
  attr.stack_bytes = sizeof small;
  attr.stack = small;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));
  attr.stack_bytes = 0;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));

  const int no_workers[] = {-3, 1000, 1 << 20, -1000000};
  for (size_t i = 0; i < sizeof no_workers / sizeof *no_workers; ++i) {
    attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
    attr.worker = no_workers[i];
    IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));
    IS(WEFT_INVALID, weft_tasklet_create(nothing, NULL, &attr, &out));
  }
  attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
  attr.priority = WEFT_POOL_PRIORITIES;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));
  CHECK(out == untouched);
}

static void refuses_what_no_memory_can_hold(void) {
  weft_thread *untouched = (weft_thread *)&untouched;
  weft_thread *out[2] = {untouched, untouched};
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX - 4096, SIZE_MAX / 2, (size_t)1 << 60};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    attr.stack_bytes = sizes[i];
    IS(WEFT_NOMEM, weft_thread_create(nothing, NULL, &attr, &out[0]));
    IS(WEFT_NOMEM, weft_thread_create_many(nothing, NULL, 0, 2, &attr, out));
  }
  CHECK(out[0] == untouched && out[1] == untouched);
}

static void join_self(void *argument) {
  (void)argument;
  IS(WEFT_DEADLOCK, weft_thread_join(weft_self()));
  IS(WEFT_DEADLOCK, weft_thread_join_until(weft_self(), weft_now_ns()));
  IS(WEFT_BUSY, weft_thread_try_join(weft_self()));
}

static void refuses_bad_joins(void) {
  IS(WEFT_INVALID, weft_thread_join(NULL));
  IS(WEFT_INVALID, weft_thread_try_join(NULL));
  IS(WEFT_INVALID, weft_thread_join_until(NULL, 0));
  IS(WEFT_INVALID, weft_thread_detach(NULL));
  IS(WEFT_INVALID, weft_thread_join_many(NULL, 1));
  OK(weft_thread_join_many(NULL, 0));
  OK(weft_thread_join(start(join_self, NULL)));
  if (weft_self() != NULL) join_self(NULL);
}

/* A thread that lasts until it is told, with 1; it answers with 2. */
static void wait_until_set(void *argument) {
  wait_for(argument, 1);
  atomic_store((atomic_int *)argument, 2);
}

static void end_detached(atomic_int *may_end) {
  atomic_store(may_end, 1);
  wait_for(may_end, 2);
}

static void refuses_joins_of_detached(void) {
  atomic_int may_end = 0;
  weft_thread *one = start(wait_until_set, &may_end);
  OK(weft_thread_detach(one));
  IS(WEFT_INVALID, weft_thread_join(one));
  IS(WEFT_INVALID, weft_thread_try_join(one));
  IS(WEFT_INVALID, weft_thread_join_until(one, weft_now_ns()));
  IS(WEFT_INVALID, weft_thread_detach(one));
  end_detached(&may_end);
}

struct joiner {
  weft_thread *target;
  atomic_int has_joined;
};

static void join_target(void *argument) {
  struct joiner *self = argument;
  OK(weft_thread_join(self->target));
  atomic_store(&self->has_joined, 1);
}

static void refuses_a_second_joiner(void) {
  atomic_int may_end = 0;
  struct joiner first = {start(wait_until_set, &may_end), 0};
  weft_thread *joiner = start(join_target, &first);
  wait_for_state(joiner, WEFT_THREAD_BLOCKED);
  while (weft_thread_join_until(first.target, weft_now_ns()) != WEFT_BUSY) breathe();
  IS(WEFT_BUSY, weft_thread_join(first.target));
  IS(WEFT_BUSY, weft_thread_try_join(first.target));
  IS(WEFT_BUSY, weft_thread_detach(first.target));
  CHECK(atomic_load(&first.has_joined) == 0);
  atomic_store(&may_end, 1);
  OK(weft_thread_join(joiner));
  CHECK(atomic_load(&first.has_joined) == 1);
}

/* ---- other ways to join ---- */

static void tries_to_join(void) {
  atomic_int may_end = 0;
  weft_thread *one = start(wait_until_set, &may_end);
  IS(WEFT_BUSY, weft_thread_try_join(one));
  atomic_store(&may_end, 1);
  weft_status result;
  while ((result = weft_thread_try_join(one)) == WEFT_BUSY) breathe();
  OK(result);
}

static void gives_up_joining(void) {
  atomic_int may_end = 0;
  weft_thread *one = start(wait_until_set, &may_end);
  IS(WEFT_TIMEOUT, weft_thread_join_until(one, 0));
  IS(WEFT_TIMEOUT, weft_thread_join_until(one, weft_now_ns()));
  const uint64_t deadline = weft_deadline_in(2 * MILLISECOND);
  IS(WEFT_TIMEOUT, weft_thread_join_until(one, deadline));
  CHECK(weft_now_ns() >= deadline);
  atomic_store(&may_end, 1);
  OK(weft_thread_join_until(one, WEFT_FOREVER));
}

static void work_a_little(void *argument) {
  for (volatile int i = 0, rounds = *(int *)argument; i < rounds; ++i) {
  }
}

/* The deadline comes about when the thread ends: either answer is right, and a joined thread is
 * joined once. */
static void races_deadline_with_end(void) {
  int joined = 0;
  for (int round = 0; round < 2000; ++round) {
    int work = round % 50 * 20;
    weft_thread *one = start(work_a_little, &work);
    const weft_status result = weft_thread_join_until(one, weft_deadline_in((uint64_t)(round % 37) * MICROSECOND / 4));
    CHECK(result == WEFT_OK || result == WEFT_TIMEOUT);
    if (result == WEFT_OK) ++joined;
    if (result == WEFT_TIMEOUT) OK(weft_thread_join(one));
  }
  CHECK(joined > 0);
}

/* ---- many at once ---- */

struct item {
  int index;
  atomic_int seen;
};

static void see(void *argument) { atomic_fetch_add(&((struct item *)argument)->seen, 1); }

static void makes_many(void) {
  static struct item items[MANY];
  memset(items, 0, sizeof items);
  weft_thread *threads[MANY];
  OK(weft_thread_create_many(see, items, sizeof *items, MANY, NULL, threads));
  OK(weft_thread_join(threads[17]));
  threads[17] = NULL;
  OK(weft_thread_join_many(threads, MANY));
  for (int i = 0; i < MANY; ++i) CHECK(atomic_load(&items[i].seen) == 1);

  atomic_int count = 0;
  OK(weft_thread_create_many(add_one, &count, 0, MANY, NULL, NULL)); /* detached */
  wait_for(&count, MANY);

  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = 100000;
  attr.name = "one of many";
  OK(weft_thread_create_many(add_one, &count, 0, 10, &attr, threads));
  for (int i = 0; i < 10; ++i) CHECK(strcmp(weft_thread_get_name(threads[i]), "one of many") == 0);
  OK(weft_thread_join_many(threads, 10));
  CHECK(atomic_load(&count) == MANY + 10);

  weft_thread *untouched = (weft_thread *)&untouched;
  threads[0] = untouched;
  OK(weft_thread_create_many(nothing, NULL, 0, 0, NULL, threads));
  CHECK(threads[0] == untouched);
}

/* The second and the third time in memory that the threads before gave back. */
static void makes_many_in_used_memory(void) {
  static struct item items[MANY];
  const size_t numbers[] = {1, 2, 63, 64, 65, MANY};
  for (size_t round = 0; round < 3 * sizeof numbers / sizeof *numbers; ++round) {
    const size_t number = numbers[round / 3];
    memset(items, 0, sizeof items);
    weft_thread *threads[MANY + 1];
    weft_thread *const untouched = (weft_thread *)&threads;
    threads[number] = untouched;
    OK(weft_thread_create_many(see, items, sizeof *items, number, NULL, threads));
    CHECK(threads[number] == untouched);
    OK(weft_thread_join_many(threads, number));
    for (size_t i = 0; i < MANY; ++i) CHECK(atomic_load(&items[i].seen) == (i < number));

    atomic_int count = 0;
    OK(weft_thread_create_many(add_one, &count, 0, number, NULL, NULL)); /* detached */
    wait_for(&count, (int)number);
  }
}

static void join_many_reports(void) {
  atomic_int may_end = 0;
  weft_thread *threads[3] = {start(nothing, NULL), start(wait_until_set, &may_end), start(nothing, NULL)};
  OK(weft_thread_detach(threads[1]));
  IS(WEFT_INVALID, weft_thread_join_many(threads, 3));
  end_detached(&may_end);
}

/* ---- detach ---- */

static void detaches(void) {
  atomic_int count = 0;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.detached = true;
  for (int i = 0; i < MANY; ++i) {
    OK(weft_thread_create(add_one, &count, NULL, NULL));
    OK(weft_thread_create(add_one, &count, &attr, NULL));
    OK(weft_thread_detach(start(add_one, &count))); /* before, while or after it runs */
  }
  wait_for(&count, 3 * MANY);
}

static void detaches_an_ended_one(void) {
  atomic_int count = 0;
  weft_thread *one = start(add_one, &count);
  wait_for_state(one, WEFT_THREAD_ENDED);
  OK(weft_thread_detach(one));
}

static void all(void) {
  RUN(makes_and_joins);
  RUN(makes_nested);
  RUN(refuses_bad_arguments);
  RUN(refuses_what_no_memory_can_hold);
  RUN(refuses_bad_joins);
  RUN(refuses_joins_of_detached);
  RUN(refuses_a_second_joiner);
  RUN(tries_to_join);
  RUN(gives_up_joining);
  RUN(races_deadline_with_end);
  RUN(makes_many);
  RUN(makes_many_in_used_memory);
  RUN(join_many_reports);
  RUN(detaches);
  RUN(detaches_an_ended_one);
}

static void all_in_a_thread(void *argument) {
  (void)argument;
  all();
}

static void all_on_a_thread(void) { OK(weft_thread_join(start(all_in_a_thread, NULL))); }

static void without_a_runtime(void) {
  phase = "without a runtime";
  weft_thread *out = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_thread_create(nothing, NULL, NULL, &out));
  IS(WEFT_NOT_INITIALIZED, weft_tasklet_create(nothing, NULL, NULL, &out));
  IS(WEFT_NOT_INITIALIZED, weft_thread_create_many(nothing, NULL, 0, 1, NULL, &out));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  IS(WEFT_NOT_INITIALIZED, weft_thread_create(nothing, NULL, &attr, &out));
  CHECK(out == NULL);
}

int main(void) {
  without_a_runtime();
  with_workers("main, one worker", 1, all);
  with_workers("main, four workers", 4, all);
  with_workers("a thread, one worker", 1, all_on_a_thread);
  with_workers("a thread, four workers", 4, all_on_a_thread);
  without_a_runtime();
  return 0;
}
