/* Work units: cancellation, arguments, identity. */
#include "check.h"

static ABT_thread_state state_of(ABT_thread thread) {
  ABT_thread_state state;
  OK(ABT_thread_get_state(thread, &state));
  return state;
}

/* ---- cancellation ---- */

static void cancelled_before_start(void) {
  atomic_int ran = 0;
  ABT_thread thread = start(my_pool(), add_one, &ran);
  OK(ABT_thread_cancel(thread));
  OK(ABT_thread_join(thread));
  CHECK(state_of(thread) == ABT_THREAD_STATE_TERMINATED && atomic_load(&ran) == 0);
  OK(ABT_thread_revive(my_pool(), add_one, &ran, &thread));
  OK(ABT_thread_join(thread));
  CHECK(atomic_load(&ran) == 1); /* the request does not outlive the unit */
  end(thread);

  ABT_task task;
  OK(ABT_task_create(my_pool(), add_one, &ran, &task));
  OK(ABT_task_cancel(task));
  OK(ABT_task_join(task));
  ABT_task_state state;
  OK(ABT_task_get_state(task, &state));
  CHECK(state == ABT_TASK_STATE_TERMINATED && atomic_load(&ran) == 1);
  OK(ABT_task_free(&task));
}

static void cancelled_while_it_runs(void) {
  ABT_xstream stream = start_stream();
  ABT_pool pools[2] = {my_pool(), pool_of(stream)};
  for (int i = 0; i < 2; ++i) {
    atomic_int started = 0;
    ABT_thread yields = start(pools[i], yield_for_ever, &started);
    ABT_thread suspends = start(pools[i], suspend_for_ever, &started);
    wait_for(&started, 2);
    OK(ABT_thread_cancel(yields));
    end(yields);
    await_blocked(suspends);
    OK(ABT_thread_cancel(suspends));
    breathe();
    CHECK(state_of(suspends) == ABT_THREAD_STATE_BLOCKED);
    OK(ABT_thread_resume(suspends));
    end(suspends);
  }
  end_stream(stream);
}

/* ---- cancelled at what it waits for: it has not got it ---- */

static ABT_mutex mutex;
static ABT_rwlock rwlock;
static ABT_eventual eventual;
static ABT_future future;
static ABT_barrier barrier;

static void at_mutex(void) { OK(ABT_mutex_lock(mutex)); }
static void free_mutex(void) { OK(ABT_mutex_unlock(mutex)); }
static void to_read(void) { OK(ABT_rwlock_rdlock(rwlock)); }
static void to_write(void) { OK(ABT_rwlock_wrlock(rwlock)); }
static void free_rwlock(void) { OK(ABT_rwlock_unlock(rwlock)); }
static void at_eventual(void) { OK(ABT_eventual_wait(eventual, NULL)); }
static void set_eventual(void) { OK(ABT_eventual_set(eventual, NULL, 0)); }
static void at_future(void) { OK(ABT_future_wait(future)); }
static void set_future(void) { OK(ABT_future_set(future, NULL)); }
static void at_barrier(void) { OK(ABT_barrier_wait(barrier)); }

static void get_and_go_on(void *wait) {
  (*(void (*const *)(void))wait)();
  fprintf(stderr, "a cancelled thread went on\n");
  abort();
}

static void cancelled_at(void (*const *wait)(void), void (*release)(void)) {
  ABT_thread thread = start(my_pool(), get_and_go_on, (void *)wait);
  await_blocked(thread);
  OK(ABT_thread_cancel(thread));
  release();
  end(thread);
}

static void cancelled_while_it_waits(void) {
  static void (*const waits[])(void) = {at_mutex, to_read, to_write, at_eventual, at_future, at_barrier};
  static void (*const releases[])(void) = {free_mutex, free_rwlock, free_rwlock, set_eventual, set_future, at_barrier};
  OK(ABT_mutex_create(&mutex));
  OK(ABT_rwlock_create(&rwlock));
  OK(ABT_eventual_create(0, &eventual));
  OK(ABT_future_create(1, NULL, &future));
  OK(ABT_barrier_create(2, &barrier));
  for (int i = 0; i < 6; ++i) {
    if (i == 0) OK(ABT_mutex_lock(mutex));
    if (i == 1 || i == 2) OK(ABT_rwlock_wrlock(rwlock));
    cancelled_at(&waits[i], releases[i]);
  }
  OK(ABT_mutex_trylock(mutex));
  OK(ABT_mutex_unlock(mutex));
  OK(ABT_rwlock_wrlock(rwlock));
  OK(ABT_barrier_free(&barrier));
  OK(ABT_future_free(&future));
  OK(ABT_eventual_free(&eventual));
  OK(ABT_rwlock_free(&rwlock));
  OK(ABT_mutex_free(&mutex));
}

static ABT_key key;
static atomic_int destroyed;
static void destroy(void *value) {
  (void)value;
  atomic_fetch_add(&destroyed, 1);
}
static void keep_and_yield(void *argument) {
  OK(ABT_key_set(key, argument));
  yield_for_ever(argument);
}

/* What a cancelled unit had goes as if it had returned. */
static void cancelled_with_values(void) {
  atomic_int started = 0;
  atomic_store(&destroyed, 0);
  OK(ABT_key_create(destroy, &key));
  ABT_thread thread = start(my_pool(), keep_and_yield, &started);
  wait_for(&started, 1);
  OK(ABT_thread_cancel(thread));
  end(thread);
  CHECK(atomic_load(&destroyed) == 1);
  OK(ABT_key_free(&key));
}

static void not_cancelled(void) {
  ABT_thread self;
  OK(ABT_thread_self(&self));
  IS(ABT_ERR_INV_THREAD, ABT_thread_cancel(self)); /* the primary ULT */
  IS(ABT_ERR_INV_TASK, ABT_task_cancel(self));
  IS(ABT_ERR_INV_THREAD, ABT_thread_cancel(ABT_THREAD_NULL));
  IS(ABT_ERR_INV_TASK, ABT_task_cancel(ABT_TASK_NULL));
}

/* ---- arguments ---- */

static void change_own(void *argument) {
  atomic_int *count = argument;
  void *mine = NULL;
  OK(ABT_self_get_arg(&mine));
  CHECK(mine == count);
  OK(ABT_self_set_arg(count + 1));
  OK(ABT_self_get_arg(&mine));
  CHECK(mine == count + 1);
  add_one(count);
}

static void arguments(void) {
  atomic_int counts[3] = {0, 0, 0};
  ABT_thread thread = start(my_pool(), change_own, &counts[2]);
  OK(ABT_thread_set_arg(thread, &counts[0]));
  void *argument = NULL;
  OK(ABT_thread_get_arg(thread, &argument));
  CHECK(argument == &counts[0]);
  OK(ABT_thread_join(thread));
  OK(ABT_thread_get_arg(thread, &argument));
  CHECK(argument == &counts[1]);
  CHECK(atomic_load(&counts[0]) == 1 && atomic_load(&counts[2]) == 0);
  end(thread);
  ABT_task task;
  OK(ABT_task_create(my_pool(), add_one, &counts[2], &task));
  OK(ABT_thread_set_arg(task, &counts[1]));
  OK(ABT_task_get_arg(task, &argument));
  CHECK(argument == &counts[1]);
  OK(ABT_task_free(&task));
  CHECK(atomic_load(&counts[1]) == 1 && atomic_load(&counts[2]) == 0);
}

/* ---- identity ---- */

struct identity {
  bool is_unnamed, is_task;
  int pool_id;
  atomic_int done;
};

static void look_at_self(void *argument) {
  struct identity *wanted = argument;
  ABT_bool truth;
  int id = -1;
  ABT_unit_type type;
  OK(ABT_self_is_unnamed(&truth));
  CHECK(truth == (wanted->is_unnamed ? ABT_TRUE : ABT_FALSE));
  OK(ABT_self_get_last_pool_id(&id));
  CHECK(id == wanted->pool_id);
  OK(ABT_self_get_type(&type));
  CHECK(type == (wanted->is_task ? ABT_UNIT_TYPE_TASK : ABT_UNIT_TYPE_THREAD));
  IS(wanted->is_task ? ABT_ERR_INV_THREAD : ABT_SUCCESS, ABT_self_is_primary(&truth));
  CHECK(truth == ABT_FALSE);
  add_one(&wanted->done);
}

static void identities(void) {
  ABT_pool pool = my_pool(), last;
  int pool_id = -1, id = -2;
  OK(ABT_pool_get_id(pool, &pool_id));
  for (int kind = 0; kind < 4; ++kind) {
    struct identity wanted = {kind % 2 == 1, kind / 2 == 1, pool_id, 0};
    ABT_thread made = ABT_THREAD_NULL;
    ABT_thread *out = wanted.is_unnamed ? NULL : &made;
    if (wanted.is_task) {
      OK(ABT_task_create(pool, look_at_self, &wanted, out));
    } else {
      OK(ABT_thread_create(pool, look_at_self, &wanted, ABT_THREAD_ATTR_NULL, out));
    }
    if (out != NULL) {
      OK(wanted.is_task ? ABT_task_get_last_pool(made, &last) : ABT_thread_get_last_pool(made, &last));
      CHECK(last == pool);
      OK(wanted.is_task ? ABT_task_get_last_pool_id(made, &id) : ABT_thread_get_last_pool_id(made, &id));
      CHECK(id == pool_id);
      end(made);
    }
    wait_for(&wanted.done, 1);
  }
}

static void equality(void) {
  ABT_bool is_same;
  ABT_thread threads[2] = {start(my_pool(), nothing, NULL), start(my_pool(), nothing, NULL)};
  OK(ABT_task_equal(threads[0], threads[0], &is_same));
  CHECK(is_same == ABT_TRUE);
  OK(ABT_thread_equal(threads[0], threads[1], &is_same));
  CHECK(is_same == ABT_FALSE);
  OK(ABT_task_equal(ABT_TASK_NULL, ABT_TASK_NULL, &is_same));
  CHECK(is_same == ABT_TRUE);
  for (int i = 0; i < 2; ++i) end(threads[i]);
}

static void no_identity_outside(void *unused) {
  (void)unused;
  void *argument;
  int id = 5;
  ABT_bool truth;
  ABT_unit_type type = ABT_UNIT_TYPE_THREAD;
  IS(ABT_ERR_INV_XSTREAM, ABT_self_get_arg(&argument));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_set_arg(NULL));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_get_last_pool_id(&id));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_is_unnamed(&truth));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_get_type(&type));
  CHECK(type == ABT_UNIT_TYPE_EXT && id == -1);
}
static void outside(void) { run_outside(no_identity_outside, NULL); }

/* ---- a stack of the program's own that is smaller than Weft's smallest ---- */

struct placed {
  char *low, *high;
  bool is_inside;
};

static void note_place(void *argument) {
  struct placed *const mine = argument;
  char here = 0;
  mine->is_inside = &here >= mine->low && &here < mine->high;
}

static void small_stack(void) {
  enum { bytes = 8192 };
  struct placed placed = {.low = aligned_alloc(64, bytes), .is_inside = true};
  ABT_thread_attr attr;
  ABT_thread thread;
  placed.high = placed.low + bytes;
  OK(ABT_thread_attr_create(&attr));
  OK(ABT_thread_attr_set_stack(attr, placed.low, bytes));
  OK(ABT_thread_create(my_pool(), note_place, &placed, attr, &thread));
  end(thread);
  CHECK(!placed.is_inside);
  OK(ABT_thread_attr_free(&attr));
  free(placed.low);
}

void check_threads(void) {
  if (IS_WEFT) RUN(small_stack);
  RUN(cancelled_before_start);
  RUN(cancelled_while_it_runs);
  RUN(cancelled_while_it_waits);
  RUN(cancelled_with_values);
  RUN(not_cancelled);
  RUN(arguments);
  RUN(identities);
  RUN(equality);
  RUN(outside);
}
