/* The primary ULT runs on whichever stream takes it out of a pool, as any other ULT, and ends
 * everything from wherever it is. */
#include "check.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if IS_WEFT
#include <weft/weft.h>
#endif

enum { ROUNDS = IS_SLOW ? 20 : 200 };

struct world {
  ABT_pool pool;
  ABT_xstream primary, other;
};

/* Both streams serve one pool, to which the primary ULT belongs. */
static struct world begin(void) {
  struct world it;
  ABT_sched main_sched;
  OK(ABT_init(0, NULL));
  OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &it.pool));
  OK(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &it.pool, ABT_SCHED_CONFIG_NULL, &main_sched));
  OK(ABT_xstream_self(&it.primary));
  OK(ABT_xstream_set_main_sched(it.primary, main_sched));
  OK(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &it.pool, ABT_SCHED_CONFIG_NULL, &it.other));
  return it;
}

static ABT_xstream my_stream(void) {
  ABT_xstream stream = ABT_XSTREAM_NULL;
  OK(ABT_xstream_self(&stream));
  return stream;
}

/* Keeps its stream to itself. */
static atomic_int holds, may_leave;
static void hold_stream(void *argument) {
  *(ABT_xstream *)argument = my_stream();
  atomic_store(&holds, 1);
  while (atomic_load(&may_leave) == 0) sched_yield();
}

/* The stream on which the caller goes on is the one that `holder` does not hold. */
static ABT_thread leave_my_stream(const struct world *it) {
  static ABT_xstream held;
  atomic_store(&holds, 0);
  atomic_store(&may_leave, 0);
  const ABT_thread holder = start(it->pool, hold_stream, &held);
  while (atomic_load(&holds) == 0) OK(ABT_thread_yield());
  for (int i = 0; i < 10; ++i) {
    OK(ABT_thread_yield());
    CHECK(my_stream() != held);
  }
  return holder;
}

static void let_go(ABT_thread holder) {
  atomic_store(&may_leave, 1);
  end(holder);
}

static void goes_where_it_is_taken(void) {
  const struct world it = begin();
  bool has_been_elsewhere = false;
  for (int i = 0; i < ROUNDS || !has_been_elsewhere; ++i) {
    const ABT_thread holder = leave_my_stream(&it);
    ABT_bool is_primary = ABT_FALSE, on_primary = ABT_FALSE;
    OK(ABT_self_is_primary(&is_primary));
    OK(ABT_self_on_primary_xstream(&on_primary));
    CHECK(is_primary == ABT_TRUE && (on_primary == ABT_TRUE) == (my_stream() == it.primary));
    if (my_stream() == it.other) has_been_elsewhere = true;
    let_go(holder);
  }
  OK(ABT_finalize());
}

static void use_pool(void *argument) {
  const struct world *it = argument;
  for (int i = 0; i < 100; ++i) {
    atomic_int count = 0;
    ABT_thread made = start(it->pool, add_one, &count);
    OK(ABT_thread_yield());
    end(made);
  }
}

/* Waiting, joining and waking it from everywhere, while the two streams take each other's units. */
static void works_everywhere(void) {
  struct world it = begin();
  ABT_mutex mutex;
  ABT_key key;
  OK(ABT_mutex_create(&mutex));
  OK(ABT_key_create(NULL, &key));
  OK(ABT_key_set(key, &it));
  ABT_thread others[8];
  for (int i = 0; i < 8; ++i) others[i] = start(it.pool, use_pool, &it);
  for (int i = 0; i < ROUNDS; ++i) {
    OK(ABT_mutex_lock(mutex));
    OK(ABT_thread_yield());
    OK(ABT_mutex_unlock(mutex));
    use_pool(&it);
    void *value = NULL;
    OK(ABT_key_get(key, &value));
    CHECK(value == &it);
  }
  for (int i = 0; i < 8; ++i) end(others[i]);
  OK(ABT_key_free(&key));
  OK(ABT_mutex_free(&mutex));
  OK(ABT_xstream_join(it.other));
  OK(ABT_xstream_free(&it.other));
  OK(ABT_finalize());
}

static void finalizes_from_elsewhere(void) {
  const long mine = syscall(SYS_gettid);
  for (int left = ROUNDS / 10; left != 0;) {
    const struct world it = begin();
    let_go(leave_my_stream(&it));
    if (my_stream() == it.other) --left;
    OK(ABT_finalize());
    CHECK(syscall(SYS_gettid) == mine); /* the OS thread of ABT_init */
  }
}

/* A pool that only a stream serves which ends before the primary one does. */
static void finalizes_in_another_streams_pool(void) {
  OK(ABT_init(0, NULL));
  const ABT_xstream stream = start_stream();
  OK(ABT_self_set_associated_pool(pool_of(stream)));
  for (int i = 0; i < 10; ++i) OK(ABT_thread_yield());
  CHECK(my_stream() == stream);
  OK(ABT_finalize());
}

#if IS_WEFT
static void finalizes_though_pinned(void) {
  const struct world it = begin();
  (void)it;
  while (weft_worker_self() == 0) let_go(leave_my_stream(&it));
  CHECK(weft_pin(weft_worker_self()) == WEFT_OK);
  OK(ABT_thread_yield());
  CHECK(weft_worker_self() != 0);
  OK(ABT_finalize());
}
#else
static void finalizes_though_pinned(void) {}
#endif

void check_primary(void) {
  RUN(goes_where_it_is_taken);
  RUN(works_everywhere);
  RUN(finalizes_from_elsewhere);
  RUN(finalizes_in_another_streams_pool);
  RUN(finalizes_though_pinned);
}
