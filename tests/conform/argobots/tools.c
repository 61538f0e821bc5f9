/* Tools: which events a work unit may have in which state. */
#include "sync_objects.h"

/* ---- a record for each unit that was created while the tool listened ---- */

enum unit_state { unknown, is_ready, is_running, is_blocked, has_finished, was_joined };

struct record {
  ABT_thread thread;
  ABT_xstream last; /* where it ran last */
  enum unit_state state;
  uint64_t last_event;
};

enum { most_records = 1024 };
static pthread_mutex_t records_lock = PTHREAD_MUTEX_INITIALIZER;
static struct record records[most_records];
static int record_count;
static int event_counts[10];

static struct record *find_record(ABT_thread thread) {
  for (int i = 0; i < record_count; ++i) {
    if (records[i].thread == thread) return &records[i];
  }
  return NULL;
}

static struct record *add_record(ABT_thread thread, enum unit_state state) {
  CHECK(record_count < most_records);
  records[record_count] = (struct record){thread, ABT_XSTREAM_NULL, state, 0};
  return &records[record_count++];
}

static int number_of(uint64_t event) {
  int number = 0;
  while ((event >> number) != 1) ++number;
  CHECK(number < 10);
  return number;
}

/* ---- the state machine ---- */

static bool is_unnamed(ABT_thread thread) {
  ABT_bool truth = ABT_FALSE;
  OK(ABT_thread_is_unnamed(thread, &truth));
  return truth == ABT_TRUE;
}

/* In which states an event may come: a set of 1 << unit_state. */
static int states_before(uint64_t event, bool is_nameless) {
  switch (event) {
    case ABT_TOOL_EVENT_THREAD_CREATE: return 1 << unknown;
    case ABT_TOOL_EVENT_THREAD_RUN: return 1 << is_ready;
    case ABT_TOOL_EVENT_THREAD_CANCEL: return 1 << is_ready;
    case ABT_TOOL_EVENT_THREAD_YIELD:
    case ABT_TOOL_EVENT_THREAD_SUSPEND:
    case ABT_TOOL_EVENT_THREAD_FINISH: return 1 << is_running;
    case ABT_TOOL_EVENT_THREAD_RESUME: return 1 << is_blocked;
    case ABT_TOOL_EVENT_THREAD_JOIN: return is_nameless ? 0 : 1 << has_finished | 1 << was_joined;
    case ABT_TOOL_EVENT_THREAD_REVIVE: return is_nameless ? 0 : 1 << was_joined;
    case ABT_TOOL_EVENT_THREAD_FREE: return is_nameless ? 1 << has_finished : 1 << was_joined;
    default: return 0;
  }
}

static enum unit_state state_after(uint64_t event) {
  switch (event) {
    case ABT_TOOL_EVENT_THREAD_RUN: return is_running;
    case ABT_TOOL_EVENT_THREAD_SUSPEND: return is_blocked;
    case ABT_TOOL_EVENT_THREAD_FINISH:
    case ABT_TOOL_EVENT_THREAD_CANCEL: return has_finished;
    case ABT_TOOL_EVENT_THREAD_JOIN: return was_joined;
    case ABT_TOOL_EVENT_THREAD_FREE: return unknown;
    default: return is_ready;
  }
}

static bool leaves_stream(uint64_t event) {
  return event == ABT_TOOL_EVENT_THREAD_YIELD || event == ABT_TOOL_EVENT_THREAD_SUSPEND || event == ABT_TOOL_EVENT_THREAD_FINISH;
}

static void follow(struct record *one, ABT_xstream stream, uint64_t event) {
  const bool is_allowed = (states_before(event, is_unnamed(one->thread)) >> one->state & 1) != 0;
  if (!is_allowed) {
    fprintf(stderr, "unit %p: event 0x%x in state %d, after event 0x%x\n", (void *)one->thread, (unsigned)event, (int)one->state,
            (unsigned)one->last_event);
  }
  CHECK(is_allowed);
  if (leaves_stream(event)) CHECK(stream == one->last);
  one->state = state_after(event);
  one->last_event = event;
  if (event == ABT_TOOL_EVENT_THREAD_RUN) one->last = stream;
  if (one->state == unknown) *one = records[--record_count];
}

static void follow_unit(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)context, (void)argument;
  CHECK(pthread_mutex_lock(&records_lock) == 0);
  event_counts[number_of(event)] += 1;
  struct record *one = find_record(thread);
  if (one == NULL && event == ABT_TOOL_EVENT_THREAD_CREATE) one = add_record(thread, unknown);
  if (IS_WEFT) CHECK(one != NULL); /* Argobots tells of main schedulers of before */
  if (one != NULL) follow(one, stream, event);
  CHECK(pthread_mutex_unlock(&records_lock) == 0);
}

/* ---- the program that is followed ---- */

static ABT_pool pools[3];
static int turn;

static void yield_some(void *argument) {
  (void)argument;
  for (int i = 0; i < 5; ++i) OK(ABT_self_yield());
}

static void suspend_twice(void *argument) {
  (void)argument;
  for (int i = 0; i < 2; ++i) OK(ABT_self_suspend());
}

static void exit_early(void *argument) {
  yield_some(argument);
  ABT_self_exit();
}

static void join_children(void *argument) {
  (void)argument;
  for (int i = 0; i < 3; ++i) {
    ABT_thread child = start(pools[i], i == 1 ? exit_early : yield_some, NULL);
    OK(ABT_thread_join(child));
    OK(ABT_thread_revive(pools[(i + 1) % 3], yield_some, NULL, &child));
    end(child);
  }
}

static void use_locks(void *argument) {
  (void)argument;
  for (int i = 0; i < 20; ++i) {
    OK(ABT_mutex_lock(mutex));
    OK(ABT_self_yield());
    OK(ABT_mutex_unlock(mutex));
    OK(i % 3 == 0 ? ABT_rwlock_wrlock(rwlock) : ABT_rwlock_rdlock(rwlock));
    OK(ABT_self_yield());
    OK(ABT_rwlock_unlock(rwlock));
  }
}

static void take_turns(void *argument) {
  const int mine = *(int *)argument;
  for (int i = 0; i < 10; ++i) {
    OK(ABT_mutex_lock(mutex));
    while (turn != mine) OK(ABT_cond_wait(cond, mutex));
    turn = 1 - mine;
    OK(ABT_cond_broadcast(cond));
    OK(ABT_mutex_unlock(mutex));
    OK(ABT_barrier_wait(barrier));
  }
}

static void await_all(void *argument) {
  (void)argument;
  OK(ABT_eventual_wait(eventual, NULL));
  OK(ABT_future_wait(future));
}

static void switch_by_name(void *argument) {
  (void)argument;
  const ABT_pool pool = my_pool();
  ABT_thread child = ABT_THREAD_NULL;
  OK(ABT_thread_create_to(pool, yield_some, NULL, ABT_THREAD_ATTR_NULL, &child));
  OK(ABT_thread_join(child));
  OK(ABT_thread_revive_to(pool, nothing, NULL, &child));
  end(child);
}

static void run_in_pairs(void (*function)(void *), void *first, void *second) {
  for (int i = 0; i < 3; ++i) {
    const ABT_thread threads[2] = {start(pools[i], function, first), start(pools[(i + 1) % 3], function, second)};
    for (int k = 0; k < 2; ++k) end(threads[k]);
  }
}

static void wait_in_all_ways(void) {
  static int numbers[2] = {0, 1};
  run_in_pairs(use_locks, NULL, NULL);
  run_in_pairs(take_turns, &numbers[0], &numbers[1]);
  ABT_thread threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(pools[i], await_all, NULL);
  for (int i = 0; i < 3; ++i) await_blocked(threads[i]);
  OK(ABT_eventual_set(eventual, NULL, 0));
  OK(ABT_future_set(future, NULL));
  for (int i = 0; i < 3; ++i) end(threads[i]);
}

static void suspend_and_resume(void) {
  ABT_thread thread;
  for (int i = 0; i < 3; ++i) {
    thread = start(pools[i], suspend_twice, NULL);
    for (int k = 0; k < 2; ++k) {
      await_blocked(thread);
      OK(k == 0 ? ABT_thread_resume(thread) : ABT_self_resume_yield_to(thread));
    }
    end(thread);
  }
}

static void migrate_and_cancel(void) {
  for (int i = 0; i < 3; ++i) {
    atomic_int started = 0;
    ABT_thread yields = start(pools[i], yield_for_ever, &started), suspends = start(pools[i], suspend_for_ever, &started);
    ABT_thread never_runs = start(pools[0], nothing, NULL);
    OK(ABT_thread_cancel(never_runs));
    wait_for(&started, 2);
    OK(ABT_thread_migrate_to_pool(yields, pools[(i + 1) % 3]));
    breathe();
    OK(ABT_thread_cancel(yields));
    await_blocked(suspends);
    OK(ABT_thread_cancel(suspends));
    OK(ABT_thread_resume(suspends));
    end(never_runs);
    end(yields);
    end(suspends);
  }
}

static void tasklets_and_unnamed(void) {
  atomic_int ran = 0;
  for (int i = 0; i < 3; ++i) {
    ABT_task task = ABT_TASK_NULL;
    OK(ABT_task_create(pools[i], add_one, &ran, &task));
    OK(ABT_task_join(task));
    OK(ABT_task_revive(pools[i], add_one, &ran, &task));
    OK(ABT_task_free(&task));
    OK(ABT_task_create(pools[i], add_one, &ran, NULL));
    OK(ABT_thread_create(pools[i], add_one, &ran, ABT_THREAD_ATTR_NULL, NULL));
  }
  wait_for(&ran, 12);
}

static void schedulers_and_streams(void) {
  ABT_xstream stream = start_stream();
  ABT_sched sched;
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &sched));
  OK(ABT_sched_get_pools(sched, 1, 0, &pool));
  const ABT_thread thread = start(pool, yield_some, NULL);
  OK(ABT_pool_add_sched(pool_of(stream), sched));
  end(thread);
  OK(ABT_xstream_join(stream));
  OK(ABT_xstream_revive(stream));
  end(start(pool_of(stream), yield_some, NULL));
  end_stream(stream);
}

static void run_program(void) {
  make_objects();
  run_in_pairs(yield_some, NULL, NULL);
  run_in_pairs(join_children, NULL, NULL);
  run_in_pairs(switch_by_name, NULL, NULL);
  wait_in_all_ways();
  suspend_and_resume();
  migrate_and_cancel();
  tasklets_and_unnamed();
  schedulers_and_streams();
  free_objects();
}

/* The stream that frees an unnamed unit may tell so after what the unit did was seen. */
static void await_frees(void) {
  for (int left = -1; left != 1; breathe()) {
    CHECK(pthread_mutex_lock(&records_lock) == 0);
    left = record_count;
    CHECK(pthread_mutex_unlock(&records_lock) == 0);
  }
}

static void every_event_in_its_state(void) {
  ABT_thread self;
  ABT_xstream streams[2], here;
  OK(ABT_thread_self(&self));
  OK(ABT_xstream_self(&here));
  pools[0] = my_pool();
  for (int i = 0; i < 2; ++i) {
    pools[i + 1] = pool_of(streams[i] = start_stream());
    end(start(pools[i + 1], nothing, NULL)); /* its main scheduler runs */
  }
  record_count = 0;
  memset(event_counts, 0, sizeof event_counts);
  add_record(self, is_running)->last = here;
  OK(ABT_tool_register_thread_callback(follow_unit, ABT_TOOL_EVENT_THREAD_ALL, NULL));
  run_program();
  await_frees();
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  CHECK(record_count == 1 && records[0].thread == self && records[0].state == is_running);
  for (int i = 0; i < 10; ++i) CHECK(event_counts[i] > 0);
  for (int i = 0; i < 2; ++i) end_stream(streams[i]);
}

/* ---- the resumer that the tool is told of: the main scheduler ---- */

static ABT_thread told_resumer;

static void note_resumer(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *unused) {
  (void)thread, (void)stream, (void)unused;
  OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_CALLER_HANDLE, &told_resumer));
}

static void main_scheduler_resumes(void) {
  atomic_int began = 0;
  ABT_thread self;
  OK(ABT_thread_self(&self));
  OK(ABT_tool_register_thread_callback(note_resumer, ABT_TOOL_EVENT_THREAD_RESUME, NULL));
  ABT_thread waits = start(my_pool(), suspend_for_ever, &began);
  await_blocked(waits);
  OK(ABT_thread_cancel(waits));
  OK(ABT_thread_resume(waits));
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  CHECK(told_resumer != ABT_THREAD_NULL && told_resumer != self);
  end(waits);
}

void check_tools(void) {
  RUN(every_event_in_its_state);
  if (IS_WEFT) RUN(main_scheduler_resumes);
}
