/* Waits with a deadline, idle streams that sleep, and objects that go while woken waiters are on
 * their way. */
#include "check.h"

#include <sys/resource.h>
#include <time.h>

enum { WAITERS = 12 };

static struct timespec in_ms(long milliseconds) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static bool has_passed(const struct timespec *time) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec > time->tv_sec || (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec - 1000);
}

static double cpu_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static ABT_mutex mutex;
static ABT_cond cond;
static ABT_eventual eventual;
static atomic_int gone_on;

/* ---- nothing happens ---- */

static void wait_in_vain(void *argument) {
  const struct timespec *until = argument;
  OK(ABT_mutex_lock(mutex));
  IS(ABT_ERR_COND_TIMEDOUT, ABT_cond_timedwait(cond, mutex, until));
  CHECK(has_passed(until));
  IS(ABT_ERR_MUTEX_LOCKED, ABT_mutex_trylock(mutex));
  OK(ABT_mutex_unlock(mutex));
}

static void await_in_vain(void *argument) {
  const struct timespec *until = argument;
  void *value = &value;
  IS(ABT_ERR_COND_TIMEDOUT, ABT_eventual_timedwait(eventual, &value, until));
  CHECK(value == &value && has_passed(until));
}

/* ULTs of two streams, the primary ULT, a tasklet and an OS thread: they all sleep, and so do
 * the streams. */
static void nobody_polls(void) {
  OK(ABT_mutex_create(&mutex));
  OK(ABT_cond_create(&cond));
  OK(ABT_eventual_create(4, &eventual));
  ABT_xstream streams[2] = {start_stream(), start_stream()};
  struct timespec until = in_ms(400);
  const double before = cpu_seconds();
  ABT_thread threads[WAITERS];
  for (int i = 0; i < WAITERS; ++i) {
    threads[i] = start(i % 2 == 0 ? my_pool() : pool_of(streams[0]), i % 3 == 0 ? wait_in_vain : await_in_vain, &until);
  }
  ABT_task task;
  OK(ABT_task_create(pool_of(streams[1]), wait_in_vain, &until, &task));
  await_in_vain(&until);
  wait_in_vain(&until);
  for (int i = 0; i < WAITERS; ++i) end(threads[i]);
  OK(ABT_task_free(&task));
  /* Argobots polls: two seconds and more of CPU time on a machine that has them. */
  if (IS_WEFT) CHECK(cpu_seconds() - before < 0.3);
  for (int i = 0; i < 2; ++i) end_stream(streams[i]);
  OK(ABT_eventual_free(&eventual));
  OK(ABT_cond_free(&cond));
  OK(ABT_mutex_free(&mutex));
}

/* ---- deadlines that have passed, or never will ---- */

static void signal_it(void *unused) {
  (void)unused;
  OK(ABT_mutex_lock(mutex));
  OK(ABT_cond_signal(cond));
  OK(ABT_mutex_unlock(mutex));
  OK(ABT_eventual_set(eventual, NULL, 0));
}

static void ends_of_time(void) {
  OK(ABT_mutex_create(&mutex));
  OK(ABT_cond_create(&cond));
  OK(ABT_eventual_create(0, &eventual));
  const struct timespec past[] = {{0, 0}, {1, 999999999}, in_ms(0)};
  OK(ABT_mutex_lock(mutex));
  for (int i = 0; i < 3; ++i) {
    IS(ABT_ERR_COND_TIMEDOUT, ABT_cond_timedwait(cond, mutex, &past[i]));
    IS(ABT_ERR_COND_TIMEDOUT, ABT_eventual_timedwait(eventual, NULL, &past[i]));
  }
  const struct timespec never = {sizeof(time_t) == 8 ? INT64_MAX : INT32_MAX, 999999999};
  ABT_thread signaller = start(my_pool(), signal_it, NULL);
  OK(ABT_cond_timedwait(cond, mutex, &never));
  OK(ABT_mutex_unlock(mutex));
  OK(ABT_eventual_timedwait(eventual, NULL, &never));
  OK(ABT_eventual_timedwait(eventual, NULL, &past[0]));
  end(signaller);
  OK(ABT_eventual_free(&eventual));
  OK(ABT_cond_free(&cond));
  OK(ABT_mutex_free(&mutex));
}

/* ---- one signal, one waiter ---- */

static void wait_long(void *with_deadline) {
  const struct timespec late = in_ms(60000);
  OK(ABT_mutex_lock(mutex));
  OK(with_deadline ? ABT_cond_timedwait(cond, mutex, &late) : ABT_cond_wait(cond, mutex));
  add_one(&gone_on);
  OK(ABT_mutex_unlock(mutex));
}

static void let_them_wait(void) {
  for (int i = 0; i < 3; ++i) breathe(); /* they are on this stream */
}

static void one_at_a_time(void) {
  OK(ABT_mutex_create(&mutex));
  OK(ABT_cond_create(&cond));
  atomic_store(&gone_on, 0);
  ABT_thread threads[WAITERS];
  for (int i = 0; i < WAITERS; ++i) threads[i] = start(my_pool(), wait_long, i % 2 == 0 ? &cond : NULL);
  let_them_wait();
  IS(ABT_ERR_COND, ABT_cond_free(&cond));
  for (int i = 1; i <= WAITERS / 2; ++i) {
    OK(ABT_cond_signal(cond));
    wait_for(&gone_on, i);
    let_them_wait();
    CHECK(atomic_load(&gone_on) == i);
  }
  OK(ABT_cond_broadcast(cond));
  for (int i = 0; i < WAITERS; ++i) end(threads[i]);
  OK(ABT_cond_free(&cond));
  OK(ABT_mutex_free(&mutex));
}

/* ---- woken waiters do not need the object any more ---- */

static void gone_after_broadcast(void) {
  OK(ABT_mutex_create(&mutex));
  for (int round = 0; round < 20; ++round) {
    OK(ABT_cond_create(&cond));
    ABT_thread threads[4];
    for (int i = 0; i < 4; ++i) threads[i] = start(my_pool(), wait_long, i % 2 == 0 ? &cond : NULL);
    let_them_wait();
    OK(ABT_mutex_lock(mutex));
    OK(ABT_cond_broadcast(cond));
    OK(ABT_cond_free(&cond));
    OK(ABT_mutex_unlock(mutex));
    for (int i = 0; i < 4; ++i) end(threads[i]);
  }
  OK(ABT_mutex_free(&mutex));
}

static void await_long(void *with_deadline) {
  const struct timespec late = in_ms(60000);
  void *value = &gone_on;
  OK(with_deadline ? ABT_eventual_timedwait(eventual, &value, &late) : ABT_eventual_wait(eventual, &value));
  CHECK(value != &gone_on);
  add_one(&gone_on);
}

/* Set and reset, or set and freed, before those that wait have gone on: they have waited long
 * enough. */
static void reset_or_gone_after_set(void) {
  for (int round = 0; round < 20; ++round) {
    OK(ABT_eventual_create(round % 3, &eventual));
    ABT_thread threads[4];
    atomic_store(&gone_on, 0);
    for (int i = 0; i < 4; ++i) threads[i] = start(my_pool(), await_long, i % 2 == 0 ? &cond : NULL);
    let_them_wait();
    OK(ABT_eventual_set(eventual, "ab", round % 3));
    if (round % 2 == 0) OK(ABT_eventual_reset(eventual));
    if (round % 4 >= 2) OK(ABT_eventual_free(&eventual));
    for (int i = 0; i < 4; ++i) end(threads[i]);
    CHECK(atomic_load(&gone_on) == 4);
    if (eventual != ABT_EVENTUAL_NULL) OK(ABT_eventual_free(&eventual));
  }
}

/* Deadlines and setters meet. */
static atomic_int in_time;
static void await_shortly(void *argument) {
  const struct timespec soon = in_ms((long)(uintptr_t)argument);
  const int got = ABT_eventual_timedwait(eventual, NULL, &soon);
  CHECK(got == ABT_SUCCESS || got == ABT_ERR_COND_TIMEDOUT);
  if (got == ABT_SUCCESS) add_one(&in_time);
  add_one(&gone_on);
}

static void set_it(void *unused) {
  (void)unused;
  OK(ABT_eventual_set(eventual, NULL, 0));
}

static void deadlines_and_setters(void) {
  OK(ABT_eventual_create(0, &eventual));
  ABT_xstream stream = start_stream();
  for (uintptr_t round = 0; round < 40; ++round) {
    ABT_thread threads[4];
    for (int i = 0; i < 3; ++i) threads[i] = start(i == 0 ? my_pool() : pool_of(stream), await_shortly, (void *)(round % 3));
    threads[3] = start(pool_of(stream), set_it, NULL);
    for (int i = 0; i < 4; ++i) end(threads[i]);
    OK(ABT_eventual_timedwait(eventual, NULL, &(struct timespec){0, 0}));
    OK(ABT_eventual_reset(eventual));
  }
  end_stream(stream);
  OK(ABT_eventual_free(&eventual));
}

/* ---- values ---- */

struct value {
  int numbers[5];
};

static void eventual_values(void) {
  struct value first = {{1, 2, 3, 4, 5}};
  void *seen = NULL;
  ABT_bool is_ready = ABT_TRUE;
  OK(ABT_eventual_create((int)sizeof first, &eventual));
  OK(ABT_eventual_test(eventual, &seen, &is_ready));
  CHECK(is_ready == ABT_FALSE && seen == NULL);
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_set(eventual, &first, (int)sizeof first + 1));
  OK(ABT_eventual_set(eventual, &first, (int)sizeof first));
  IS(ABT_ERR_EVENTUAL, ABT_eventual_set(eventual, &first, (int)sizeof first));
  first.numbers[0] = 7;
  OK(ABT_eventual_wait(eventual, &seen));
  CHECK(((struct value *)seen)->numbers[0] == 1 && ((struct value *)seen)->numbers[4] == 5);
  OK(ABT_eventual_reset(eventual));
  OK(ABT_eventual_set(eventual, &first, (int)sizeof first.numbers[0]));
  OK(ABT_eventual_test(eventual, &seen, &is_ready));
  CHECK(is_ready == ABT_TRUE && ((struct value *)seen)->numbers[0] == 7);
  OK(ABT_eventual_free(&eventual));
}

/* ---- what tools are told ---- */

struct told {
  ABT_sync_event_type kind;
  void *object;
};
static struct told told; /* of its last suspension */
static ABT_thread watched;

static void watch(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)stream, (void)argument;
  if (thread != watched) return;
  OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE, &told.kind));
  OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE, &told.object));
}

static void was_told(ABT_sync_event_type kind, void *object) { CHECK(told.kind == kind && told.object == object); }

static void lock_and_wait(void *unused) {
  (void)unused;
  OK(ABT_mutex_lock(mutex));
  was_told(ABT_SYNC_EVENT_TYPE_MUTEX, mutex);
  OK(ABT_cond_wait(cond, mutex));
  was_told(ABT_SYNC_EVENT_TYPE_COND, cond);
  OK(ABT_mutex_unlock(mutex));
  OK(ABT_eventual_wait(eventual, NULL));
  was_told(ABT_SYNC_EVENT_TYPE_EVENTUAL, eventual);
}

static void objects_of_waits(void) {
  ABT_bool has_tools = ABT_FALSE;
  OK(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_TOOL, &has_tools));
  if (!IS_WEFT && has_tools == ABT_FALSE) return; /* Weft's are there, whatever it answers */
  OK(ABT_tool_register_thread_callback(watch, ABT_TOOL_EVENT_THREAD_SUSPEND, NULL));
  OK(ABT_mutex_create(&mutex));
  OK(ABT_cond_create(&cond));
  OK(ABT_eventual_create(0, &eventual));
  OK(ABT_mutex_lock(mutex));
  watched = start(my_pool(), lock_and_wait, NULL);
  await_blocked(watched);
  OK(ABT_mutex_unlock(mutex));
  await_blocked(watched);
  OK(ABT_cond_signal(cond));
  await_blocked(watched);
  OK(ABT_eventual_set(eventual, NULL, 0));
  end(watched);
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  OK(ABT_eventual_free(&eventual));
  OK(ABT_cond_free(&cond));
  OK(ABT_mutex_free(&mutex));
}

void check_waits(void) {
  RUN(nobody_polls);
  RUN(ends_of_time);
  RUN(one_at_a_time);
  RUN(gone_after_broadcast);
  RUN(reset_or_gone_after_set);
  RUN(deadlines_and_setters);
  RUN(eventual_values);
  RUN(objects_of_waits);
}
