/* Calls after which a named ULT runs at once: which one runs when, what the pool of the one that
 * leaves is told, and what is refused. */
#include "trail.h"

/* ---- a pool that no stream serves, and that notes with which context it was pushed to ---- */

static ABT_thread last_in[8];
static int count_in;
static ABT_pool_context pushed_with;

static ABT_unit make_unit(ABT_pool pool, ABT_thread thread) {
  (void)pool;
  ABT_thread *const unit = malloc(sizeof *unit);
  CHECK(unit != NULL);
  *unit = thread;
  return (ABT_unit)unit;
}
static void free_unit(ABT_pool pool, ABT_unit unit) {
  (void)pool;
  free(unit);
}
static ABT_bool is_empty(ABT_pool pool) {
  (void)pool;
  return count_in == 0 ? ABT_TRUE : ABT_FALSE;
}
static ABT_thread pop(ABT_pool pool, ABT_pool_context context) {
  (void)pool, (void)context;
  return count_in == 0 ? ABT_THREAD_NULL : last_in[--count_in];
}
static void push(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
  (void)pool;
  CHECK(count_in < 8);
  last_in[count_in++] = *(ABT_thread *)unit;
  pushed_with = context;
}

static ABT_pool aside;

static void make_aside(void) {
  ABT_pool_user_def def;
  OK(ABT_pool_user_def_create(make_unit, free_unit, is_empty, pop, push, &def));
  OK(ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &aside));
  OK(ABT_pool_user_def_free(&def));
}

static ABT_thread pop_aside(void) {
  ABT_thread popped;
  OK(ABT_pool_pop_thread(aside, &popped));
  CHECK(popped != ABT_THREAD_NULL);
  return popped;
}

/* As if it had been popped. */
static ABT_thread owned(void (*function)(void *), void *argument) {
  const ABT_thread made = start(aside, function, argument);
  CHECK(pushed_with == ABT_POOL_CONTEXT_OP_THREAD_CREATE && pop_aside() == made);
  return made;
}

static void run(ABT_thread thread) { OK(ABT_self_schedule(thread, ABT_POOL_NULL)); }

/* It has come back with that context, and is run again. */
static void go_on(ABT_thread thread, ABT_pool_context context) {
  CHECK(pushed_with == context && pop_aside() == thread);
  run(thread);
}

/* ---- to one that was popped ---- */

static void yield_to(void *target) {
  mark('a');
  OK(ABT_self_yield_to(*(ABT_thread *)target));
  mark('c');
}

static void suspend_to(void *target) {
  mark('a');
  OK(ABT_self_suspend_to(*(ABT_thread *)target));
  mark('c');
}

static void exit_to(void *target) {
  mark('a');
  OK(ABT_self_exit_to(*(ABT_thread *)target));
  mark('!');
}

static void to_a_popped_one(void) {
  ABT_thread target = owned(mark_and_end, "b");
  ABT_thread thread = owned(yield_to, &target);
  run(thread); /* both have their turn: the named ULT runs in the place of the one that leaves */
  mark('-');
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO);
  end(target);
  end(thread);
  check_trail("ab-c");

  target = owned(mark_and_end, "b");
  thread = owned(suspend_to, &target);
  run(thread);
  mark('-');
  OK(ABT_thread_resume(thread));
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_RESUME);
  end(target);
  end(thread);
  check_trail("ab-c");

  target = owned(mark_and_end, "b");
  thread = owned(exit_to, &target);
  run(thread);
  end(target);
  end(thread);
  check_trail("ab");
}

/* ---- to one that is suspended ---- */

static void suspend_between_marks(void *letters) {
  mark(((const char *)letters)[0]);
  OK(ABT_self_suspend());
  mark(((const char *)letters)[1]);
}

static void resume_yield_to(void *target) {
  mark('x');
  OK(ABT_self_resume_yield_to(*(ABT_thread *)target));
  mark('y');
}

static void resume_suspend_to(void *target) {
  mark('x');
  OK(ABT_self_resume_suspend_to(*(ABT_thread *)target));
  mark('y');
}

static void resume_exit_to(void *target) {
  mark('x');
  OK(ABT_self_resume_exit_to(*(ABT_thread *)target));
  mark('!');
}

static void to_a_suspended_one(void) {
  ABT_thread target = owned(suspend_between_marks, "ab"), thread = owned(resume_yield_to, &target);
  run(target);
  run(thread);
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_RESUME_YIELD_TO);
  end(target);
  end(thread);
  check_trail("axby");

  target = owned(suspend_between_marks, "ab"), thread = owned(resume_suspend_to, &target);
  run(target);
  run(thread);
  OK(ABT_thread_resume(thread));
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_RESUME);
  end(target);
  end(thread);
  check_trail("axby");

  target = owned(suspend_between_marks, "ab"), thread = owned(resume_exit_to, &target);
  run(target);
  run(thread);
  end(target);
  end(thread);
  check_trail("axb");
}

/* ---- to one that is made or revived for that ---- */

static void make_and_revive(void *unused) {
  (void)unused;
  ABT_thread child = ABT_THREAD_NULL;
  mark('a');
  OK(ABT_thread_create_to(aside, mark_and_end, "b", ABT_THREAD_ATTR_NULL, &child));
  mark('c');
  OK(ABT_thread_join(child));
  OK(ABT_thread_revive_to(aside, mark_and_end, "d", &child));
  mark('e');
  OK(ABT_thread_create_to(aside, mark_and_end, "f", ABT_THREAD_ATTR_NULL, NULL));
  mark('g');
  end(child);
}

static void to_a_new_one(void) {
  const ABT_thread thread = owned(make_and_revive, NULL);
  run(thread);
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO);
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO);
  go_on(thread, ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO);
  end(thread);
  check_trail("abcdefg");
}

/* ---- by one that was cancelled: it ends, and leaves its place nevertheless ---- */

static void cancelled_yield_to(void *target) {
  be_cancelled();
  yield_to(target);
}

static void cancelled_resume_yield_to(void *target) {
  be_cancelled();
  resume_yield_to(target);
}

static void cancelled_yield_to_ready(void *target) {
  be_cancelled();
  mark('a');
  OK(ABT_thread_yield_to(*(ABT_thread *)target));
  mark('!');
}

static void cancelled_create_to(void *made) {
  be_cancelled();
  mark('a');
  OK(ABT_thread_create_to(aside, mark_and_end, "b", ABT_THREAD_ATTR_NULL, made));
  mark('!');
}

static void cancelled_revive_to(void *ended) {
  be_cancelled();
  mark('a');
  OK(ABT_thread_revive_to(aside, mark_and_end, "b", ended));
  mark('!');
}

static ABT_pool unserved;
static ABT_thread ready_one(void) { return start(unserved, mark_and_end, "b"); }
static ABT_thread popped_one(void) { return owned(mark_and_end, "b"); }
static ABT_thread none_yet(void) { return ABT_THREAD_NULL; }
static ABT_thread suspended_one(void) {
  const ABT_thread target = owned(suspend_between_marks, "?b");
  run(target);
  check_trail("?");
  return target;
}
static ABT_thread ended_one(void) {
  const ABT_thread target = owned(nothing, NULL);
  run(target);
  return target;
}

/* What dispatches the caller has to find the ULT that it names: a ULT that acts as a scheduler, one
 * that joins it, a main scheduler. */
static void run_by_hand(void (*function)(void *), ABT_thread *target) {
  const ABT_thread caller = owned(function, target);
  run(caller);
  end(caller);
}
static void run_by_joining(void (*function)(void *), ABT_thread *target) { end(start(my_pool(), function, target)); }
static void run_by_main_scheduler(void (*function)(void *), ABT_thread *target) {
  const ABT_thread caller = start(my_pool(), function, target);
  OK(ABT_thread_yield());
  end(caller);
}

static void by_a_cancelled_one(void) {
  void (*const run_by[])(void (*)(void *), ABT_thread *) = {run_by_hand, run_by_joining, run_by_main_scheduler};
  static const struct way {
    void (*caller)(void *);
    ABT_thread (*make_target)(void);
    const char *trail;
  } ways[] = {{cancelled_yield_to, popped_one, "ab"},
              {cancelled_resume_yield_to, suspended_one, "xb"},
              {cancelled_yield_to_ready, ready_one, "ab"},
              {cancelled_create_to, none_yet, "ab"},
              {cancelled_revive_to, ended_one, "ab"}};
  unserved = new_pool(ABT_POOL_FIFO);
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    for (int parent = 0; parent < 3; ++parent) {
      ABT_thread target = ways[i].make_target();
      run_by[parent](ways[i].caller, &target);
      check_trail(ways[i].trail);
      end(target);
    }
  }
  OK(ABT_pool_free(&unserved));
}

/* ---- ABT_thread_yield_to takes it out of its pool itself ---- */

static void yield_to_ready(void) {
  ABT_thread threads[3];
  char *const letters[] = {"b", "c", "d"};
  for (int i = 0; i < 3; ++i) threads[i] = start(my_pool(), mark_and_end, letters[i]);
  mark('a');
  OK(ABT_thread_yield_to(threads[2]));
  for (int i = 0; i < 3; ++i) end(threads[i]);
  check_trail("adbc");
  const ABT_thread ended = start(my_pool(), nothing, NULL);
  OK(ABT_thread_join(ended));
  OK(ABT_thread_yield_to(ended)); /* nothing to do */
  end(ended);
}

/* ---- what is refused, before anything is done ---- */

static void refused_everywhere(ABT_thread target, int wanted) {
  ABT_thread self = ABT_THREAD_NULL;
  IS(wanted, ABT_self_yield_to(target));
  IS(wanted, ABT_self_suspend_to(target));
  IS(wanted, ABT_self_exit_to(target));
  if (!IS_WEFT && ABT_self_get_thread(&self) == ABT_SUCCESS && self == target) return; /* it would resume itself */
  IS(wanted, ABT_self_resume_yield_to(target));
  IS(wanted, ABT_self_resume_suspend_to(target));
  IS(wanted, ABT_self_resume_exit_to(target));
}

static void refused_to_itself(void *unused) {
  (void)unused;
  ABT_thread self;
  OK(ABT_self_get_thread(&self));
  refused_everywhere(self, ABT_ERR_INV_THREAD);
  IS(ABT_ERR_INV_THREAD, ABT_thread_yield_to(self));
  mark('a');
}

static ABT_thread other;

static void refused_here(void *wanted) {
  refused_everywhere(other, *(int *)wanted);
  IS(*(int *)wanted, ABT_thread_create_to(my_pool(), nothing, NULL, ABT_THREAD_ATTR_NULL, NULL));
  OK(ABT_thread_yield_to(other)); /* without effect */
  IS(*(int *)wanted, ABT_self_exit());
  IS(*(int *)wanted, ABT_thread_exit());
  mark('b');
}

static ABT_pool primary_pool;
static void refused_outside(void *wanted) {
  refused_everywhere(other, *(int *)wanted);
  IS(*(int *)wanted, ABT_thread_create_to(primary_pool, nothing, NULL, ABT_THREAD_ATTR_NULL, NULL));
  OK(ABT_thread_yield_to(other));
  IS(*(int *)wanted, ABT_thread_exit());
  mark('c');
}

static void refusals(void) {
  static int to_tasklets = ABT_ERR_INV_THREAD, outside = ABT_ERR_INV_XSTREAM;
  end(start(my_pool(), refused_to_itself, NULL));
  ABT_task task;
  OK(ABT_task_create(my_pool(), nothing, NULL, &task));
  refused_everywhere(task, ABT_ERR_INV_THREAD);
  OK(ABT_task_join(task));
  IS(ABT_ERR_INV_THREAD, ABT_thread_revive_to(my_pool(), nothing, NULL, &task));
  OK(ABT_task_free(&task));
  OK(ABT_task_create(my_pool(), refused_here, &to_tasklets, &task));
  other = start(my_pool(), nothing, NULL);
  OK(ABT_task_free(&task));
  primary_pool = my_pool();
  run_outside(refused_outside, &outside);
  end(other);
  check_trail("abc");
  ABT_thread ready = start(my_pool(), nothing, NULL);
  IS(ABT_ERR_INV_THREAD, ABT_self_exit_to(ready));                  /* the primary ULT does not end */
  if (IS_WEFT) IS(ABT_ERR_THREAD, ABT_self_resume_yield_to(ready)); /* Argobots does not look */
  if (IS_WEFT) IS(ABT_ERR_THREAD, ABT_self_resume_suspend_to(ready));
  IS(ABT_ERR_INV_THREAD, ABT_thread_revive_to(my_pool(), nothing, NULL, &ready));
  IS(ABT_ERR_INV_POOL, ABT_thread_create_to(ABT_POOL_NULL, nothing, NULL, ABT_THREAD_ATTR_NULL, NULL));
  end(ready);
}

void check_handing_over(void) {
  RUN(make_aside);
  RUN(to_a_popped_one);
  RUN(to_a_suspended_one);
  RUN(to_a_new_one);
  RUN(by_a_cancelled_one);
  RUN(yield_to_ready);
  RUN(refusals);
  OK(ABT_pool_free(&aside));
}
