/* Tools: what a wait is said to be for. */
#include "sync_objects.h"

struct wait {
  ABT_sync_event_type kind;
  const void *object;
};

static _Atomic(ABT_thread) observed;
static struct wait seen;
static ABT_sync_event_type yielded_for;

static void note_wait(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)stream, (void)argument;
  if (thread != observed) return;
  if (event == ABT_TOOL_EVENT_THREAD_YIELD) {
    OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE, &yielded_for));
    return;
  }
  OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE, &seen.kind));
  OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE, &seen.object));
}

static ABT_thread joined;
static ABT_xstream joined_stream;
static atomic_int may_end;

static void get_mutex(void) {
  OK(ABT_mutex_lock(mutex));
  OK(ABT_mutex_unlock(mutex));
}
static void get_signal(void) {
  OK(ABT_mutex_lock(mutex));
  OK(ABT_cond_wait(cond, mutex));
  OK(ABT_mutex_unlock(mutex));
}
static void read_locked(void) {
  OK(ABT_rwlock_rdlock(rwlock));
  OK(ABT_rwlock_unlock(rwlock));
}
static void get_eventual(void) { OK(ABT_eventual_wait(eventual, NULL)); }
static void get_future(void) { OK(ABT_future_wait(future)); }
static void meet(void) { OK(ABT_barrier_wait(barrier)); }
static void suspend(void) { OK(ABT_self_suspend()); }
static void join_unit(void) { OK(ABT_thread_join(joined)); }
static void join_stream(void) { OK(ABT_xstream_join(joined_stream)); }

static void release_mutex(void) { OK(ABT_mutex_unlock(mutex)); }
static void signal_it(void) { OK(ABT_cond_signal(cond)); }
static void release_rwlock(void) { OK(ABT_rwlock_unlock(rwlock)); }
static void set_eventual(void) { OK(ABT_eventual_set(eventual, NULL, 0)); }
static void set_future(void) { OK(ABT_future_set(future, NULL)); }
static void resume_observed(void) { OK(ABT_thread_resume(observed)); }
static void resume_joined(void) { OK(ABT_thread_resume(joined)); }
static void let_stream_end(void) { atomic_store(&may_end, 1); }

/* None of these waits, and none may be taken for what the next wait is for. */
static void do_what_needs_no_wait(void) {
  const struct timespec past = {0, 0};
  ABT_eventual free_eventual;
  ABT_rwlock free_rwlock;
  OK(ABT_eventual_create(0, &free_eventual));
  IS(ABT_ERR_COND_TIMEDOUT, ABT_eventual_timedwait(free_eventual, NULL, &past));
  OK(ABT_rwlock_create(&free_rwlock));
  OK(ABT_rwlock_wrlock(free_rwlock));
  OK(ABT_rwlock_unlock(free_rwlock));
  OK(ABT_self_yield());
  CHECK(yielded_for == ABT_SYNC_EVENT_TYPE_USER);
  OK(ABT_rwlock_rdlock(free_rwlock));
  OK(ABT_rwlock_unlock(free_rwlock));
  OK(ABT_eventual_set(free_eventual, NULL, 0));
  OK(ABT_eventual_timedwait(free_eventual, NULL, &past));
  OK(ABT_rwlock_free(&free_rwlock));
  OK(ABT_eventual_free(&free_eventual));
}

static void wait_once(void *wait) {
  ABT_thread self;
  OK(ABT_self_get_thread(&self));
  atomic_store(&observed, self);
  do_what_needs_no_wait();
  (*(void (*const *)(void))wait)();
}

static void wait_is_for(ABT_sync_event_type kind, const void *object, void (*wait)(void), void (*release)(void)) {
  seen.kind = ABT_SYNC_EVENT_TYPE_UNKNOWN;
  const ABT_thread thread = start(my_pool(), wait_once, (void *)&wait);
  await_blocked(thread);
  CHECK(seen.kind == kind && seen.object == object);
  release();
  end(thread);
}

static void suspend_once(void *argument) {
  (void)argument;
  OK(ABT_self_suspend());
}

static void spin_until_it_may_end(void *argument) {
  while (atomic_load((atomic_int *)argument) == 0) OK(ABT_self_yield());
}

static void kinds_of_waits(void) {
  atomic_store(&may_end, 0);
  make_objects();
  OK(ABT_tool_register_thread_callback(note_wait, ABT_TOOL_EVENT_THREAD_SUSPEND | ABT_TOOL_EVENT_THREAD_YIELD, NULL));
  OK(ABT_mutex_lock(mutex));
  wait_is_for(ABT_SYNC_EVENT_TYPE_MUTEX, mutex, get_mutex, release_mutex);
  wait_is_for(ABT_SYNC_EVENT_TYPE_COND, cond, get_signal, signal_it);
  OK(ABT_rwlock_wrlock(rwlock));
  if (IS_WEFT) wait_is_for(ABT_SYNC_EVENT_TYPE_RWLOCK, rwlock, read_locked, release_rwlock);
  wait_is_for(ABT_SYNC_EVENT_TYPE_EVENTUAL, eventual, get_eventual, set_eventual);
  wait_is_for(ABT_SYNC_EVENT_TYPE_FUTURE, future, get_future, set_future);
  wait_is_for(ABT_SYNC_EVENT_TYPE_BARRIER, barrier, meet, meet);
  wait_is_for(ABT_SYNC_EVENT_TYPE_USER, NULL, suspend, resume_observed);
  joined = start(my_pool(), suspend_once, NULL);
  await_blocked(joined);
  wait_is_for(ABT_SYNC_EVENT_TYPE_THREAD_JOIN, joined, join_unit, resume_joined);
  end(joined);
  joined_stream = start_stream();
  OK(ABT_thread_create_on_xstream(joined_stream, spin_until_it_may_end, &may_end, ABT_THREAD_ATTR_NULL, NULL));
  if (IS_WEFT) wait_is_for(ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN, joined_stream, join_stream, let_stream_end);
  let_stream_end();
  end_stream(joined_stream);
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  free_objects();
}

void check_tool_waits(void) { RUN(kinds_of_waits); }
