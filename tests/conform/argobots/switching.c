/* The caller's identity, and switches to a thread by name. */
#include "trail.h"

/* ---- the caller ---- */

static void ask_task(void *argument);

static void ask_self(void *argument) {
  ABT_thread me = ABT_THREAD_NULL, again = ABT_THREAD_NULL;
  ABT_xstream stream = ABT_XSTREAM_NULL, last = ABT_XSTREAM_NULL;
  ABT_pool pool = ABT_POOL_NULL;
  ABT_unit unit = ABT_UNIT_NULL;
  ABT_unit_id id = 0, other_id = 1;
  ABT_bool is = ABT_FALSE;
  void (*function)(void *) = NULL, (*other_function)(void *) = NULL;
  OK(ABT_self_get_thread(&me));
  OK(ABT_self_get_thread_id(&id));
  OK(ABT_thread_get_id(me, &other_id));
  CHECK(id == other_id);
  OK(ABT_self_get_xstream(&stream));
  OK(ABT_thread_get_last_xstream(me, &last));
  OK(ABT_xstream_equal(stream, last, &is));
  CHECK(is == ABT_TRUE);
  OK(ABT_self_get_last_pool(&pool));
  CHECK(pool == pool_of(stream));
  OK(ABT_self_get_unit(&unit));
  OK(ABT_unit_get_thread(unit, &again));
  CHECK(again == me);
  OK(ABT_self_get_thread_func(&function));
  OK(ABT_thread_get_thread_func(me, &other_function));
  CHECK(function == other_function && (function == ask_self || function == ask_task));
  OK(ABT_self_on_primary_xstream(&is));
  CHECK(is == *(ABT_bool *)argument);
}

static void ask_task(void *argument) {
  ABT_task me = ABT_TASK_NULL;
  uint64_t id = 0, other_id = 1;
  OK(ABT_task_self(&me));
  OK(ABT_task_self_id(&id));
  OK(ABT_task_get_id(me, &other_id));
  CHECK(id == other_id);
  ask_self(argument);
}

static void selves(void) {
  ABT_xstream here, stream = start_stream(), last;
  ABT_bool on_primary = ABT_TRUE, elsewhere = ABT_FALSE;
  ABT_unit_id id = 0, other_id = 1;
  end(start(my_pool(), ask_self, &on_primary));
  end(start(pool_of(stream), ask_self, &elsewhere));
  OK(ABT_thread_self_id(&id));
  OK(ABT_self_get_thread_id(&other_id));
  CHECK(id == other_id);
  OK(ABT_self_get_xstream(&here));
  ABT_task task;
  OK(ABT_task_create_on_xstream(here, ask_task, &on_primary, &task));
  OK(ABT_task_join(task));
  OK(ABT_task_get_xstream(task, &last));
  CHECK(last == here);
  OK(ABT_task_revive(my_pool(), nothing, NULL, &task));
  OK(ABT_task_free(&task));
  end_stream(stream);
}

static void to_another_pool(void) {
  ABT_pool pool, home = my_pool(), now = ABT_POOL_NULL;
  OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  OK(ABT_self_set_associated_pool(pool));
  OK(ABT_self_get_last_pool(&now));
  CHECK(now == pool);
  OK(ABT_self_set_associated_pool(home));
  OK(ABT_pool_free(&pool));
}

/* ---- many at once ---- */

static void many(void) {
  enum { count = 5 };
  atomic_int ran = 0;
  ABT_pool pools[count];
  ABT_thread threads[count];
  void (*functions[count])(void *);
  void *arguments[count];
  for (int i = 0; i < count; ++i) {
    pools[i] = my_pool();
    functions[i] = add_one;
    arguments[i] = &ran;
  }
  OK(ABT_thread_create_many(count, pools, functions, arguments, ABT_THREAD_ATTR_NULL, threads));
  OK(ABT_thread_join_many(count, threads));
  CHECK(ran == count);
  OK(ABT_thread_free_many(count, threads));
  for (int i = 0; i < count; ++i) CHECK(threads[i] == ABT_THREAD_NULL);
}

/* ---- switches ---- */

static void create_to(void) {
  ABT_thread thread;
  mark('a');
  OK(ABT_thread_create_to(my_pool(), mark_and_end, "b", ABT_THREAD_ATTR_NULL, &thread));
  mark('c');
  OK(ABT_thread_join(thread));
  OK(ABT_thread_revive_to(my_pool(), mark_and_end, "d", &thread));
  mark('e');
  end(thread);
  check_trail("abcde");
}

static void suspend_between_marks(void *argument) {
  const char *const letters = argument;
  mark(letters[0]);
  OK(ABT_self_suspend());
  mark(letters[1]);
}

static ABT_thread start_suspended(char *letters) {
  const ABT_thread thread = start(my_pool(), suspend_between_marks, letters);
  ABT_thread_state state = ABT_THREAD_STATE_READY;
  while (state != ABT_THREAD_STATE_BLOCKED) {
    breathe();
    OK(ABT_thread_get_state(thread, &state));
  }
  return thread;
}

static void resume_and_yield(void *argument) {
  mark('x');
  OK(ABT_self_resume_yield_to(*(ABT_thread *)argument));
  mark('y');
}

static void resume_and_suspend(void *argument) {
  mark('x');
  OK(ABT_self_resume_suspend_to(*(ABT_thread *)argument));
  mark('y');
}

static void resume_and_exit(void *argument) {
  mark('x');
  OK(ABT_self_resume_exit_to(*(ABT_thread *)argument));
  mark('!');
}

static void resume_to(void) {
  ABT_thread suspended = start_suspended("ab");
  ABT_thread other = start(my_pool(), resume_and_yield, &suspended);
  end(suspended);
  end(other);
  check_trail("axby");

  suspended = start_suspended("ab");
  other = start(my_pool(), resume_and_suspend, &suspended);
  end(suspended);
  OK(ABT_thread_resume(other));
  end(other);
  check_trail("axby");

  suspended = start_suspended("ab");
  other = start(my_pool(), resume_and_exit, &suspended);
  end(suspended);
  end(other);
  check_trail("axb");
}

void check_switching(void) {
  RUN(selves);
  RUN(to_another_pool);
  RUN(many);
  RUN(create_to);
  RUN(resume_to);
}
