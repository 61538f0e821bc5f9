/* Execution streams: ends of other kinds than join, ranks, states. */
#include "check.h"

static ABT_xstream_state state_of(ABT_xstream stream) {
  ABT_xstream_state state;
  OK(ABT_xstream_get_state(stream, &state));
  return state;
}

static ABT_xstream stream_on(ABT_pool pool) {
  ABT_xstream stream = ABT_XSTREAM_NULL;
  OK(ABT_xstream_create_basic(ABT_SCHED_DEFAULT, 1, &pool, ABT_SCHED_CONFIG_NULL, &stream));
  return stream;
}

static void await_end(ABT_xstream stream) {
  while (state_of(stream) != ABT_XSTREAM_STATE_TERMINATED) breathe();
}

/* ---- what ends a stream ---- */

static void yield_until(void *argument) {
  while (atomic_load((atomic_int *)argument) == 0) OK(ABT_self_yield());
}

/* A cancelled stream leaves what is in its pool to others. */
static void cancel(void) {
  atomic_int may_end = 0;
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  ABT_xstream stream = stream_on(pool);
  CHECK(state_of(stream) == ABT_XSTREAM_STATE_RUNNING);
  ABT_thread thread = start(pool, yield_until, &may_end);
  OK(ABT_xstream_cancel(stream));
  await_end(stream);
  OK(ABT_xstream_join(stream));
  OK(ABT_xstream_free(&stream));
  stream = stream_on(pool);
  atomic_store(&may_end, 1);
  end(thread);
  end_stream(stream);
  OK(ABT_pool_free(&pool));
}

static void exit_stream(void *argument) {
  add_one(argument);
  const int code = ABT_xstream_exit();
  fprintf(stderr, "ABT_xstream_exit returned %s\n", code_name(code));
  abort();
}

static void exit_and_revive(void) {
  atomic_int exits = 0, ran = 0;
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  ABT_xstream stream = stream_on(pool);
  ABT_thread thread = start(pool, exit_stream, &exits);
  end(thread);
  await_end(stream);
  OK(ABT_xstream_join(stream));
  thread = start(pool, add_one, &ran);
  OK(ABT_xstream_revive(stream));
  end(thread);
  CHECK(atomic_load(&exits) == 1 && atomic_load(&ran) == 1);
  CHECK(state_of(stream) == ABT_XSTREAM_STATE_RUNNING);
  OK(ABT_xstream_join(stream));
  CHECK(state_of(stream) == ABT_XSTREAM_STATE_TERMINATED);
  OK(ABT_xstream_free(&stream));
  OK(ABT_pool_free(&pool));
}

/* A caller that sees that it has ended may revive it at once. */
static void revive_at_once(void) {
  atomic_int ran = 0;
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  ABT_xstream stream = stream_on(pool);
  const int rounds = IS_SLOW ? 20 : 200;
  for (int round = 0; round < rounds; ++round) {
    end(start(pool, add_one, &ran));
    OK(ABT_xstream_cancel(stream));
    while (state_of(stream) != ABT_XSTREAM_STATE_TERMINATED) sched_yield();
    OK(ABT_xstream_revive(stream));
  }
  CHECK(atomic_load(&ran) == rounds);
  end_stream(stream);
  OK(ABT_pool_free(&pool));
}

static size_t total_size(ABT_pool pool) {
  size_t size = 99;
  OK(ABT_pool_get_total_size(pool, &size));
  return size;
}

struct leaving {
  ABT_sched sched;
  atomic_int asked, may_end;
};

static void ask_to_exit(void *argument) {
  struct leaving *leaving = argument;
  OK(ABT_sched_exit(leaving->sched));
  add_one(&leaving->asked);
  yield_until(&leaving->may_end);
}

/* A scheduler in a pool goes, and leaves what is in its own pool. */
static void scheduler_exits(void) {
  struct leaving leaving = {.asked = 0};
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  OK(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &leaving.sched));
  ABT_thread thread = start(pool, ask_to_exit, &leaving), popped;
  OK(ABT_pool_add_sched(my_pool(), leaving.sched));
  while (total_size(my_pool()) != 0) breathe();
  CHECK(atomic_load(&leaving.asked) == 1 && total_size(pool) == 1);
  atomic_store(&leaving.may_end, 1);
  OK(ABT_pool_pop_thread(pool, &popped));
  CHECK(popped == thread);
  OK(ABT_self_schedule(popped, ABT_POOL_NULL));
  end(thread);
  OK(ABT_pool_free(&pool));
}

/* ---- a scheduler that steals ---- */

/* It looks into each of the pools behind its first, from whichever it begins with. */
static void many_to_steal_from(void) {
  enum { count = 4, rounds = 40 };
  atomic_int ran = 0;
  ABT_pool pools[count];
  ABT_xstream stream;
  for (int i = 0; i < count; ++i) pools[i] = new_pool(ABT_POOL_FIFO);
  OK(ABT_xstream_create_basic(ABT_SCHED_RANDWS, count, pools, ABT_SCHED_CONFIG_NULL, &stream));
  for (int round = 0; round < rounds; ++round) end(start(pools[round % count], add_one, &ran));
  CHECK(atomic_load(&ran) == rounds);
  end_stream(stream);
  for (int i = 0; i < count; ++i) OK(ABT_pool_free(&pools[i]));
}

/* ---- ranks ---- */

static void ranks(void) {
  ABT_xstream primary, streams[2], taken;
  OK(ABT_xstream_self(&primary));
  for (int i = 0; i < 2; ++i) streams[i] = start_stream();
  int rank = -1;
  OK(ABT_xstream_get_rank(streams[1], &rank));
  CHECK(rank == 2);
  OK(ABT_xstream_set_rank(streams[0], 17));
  OK(ABT_xstream_get_rank(streams[0], &rank));
  CHECK(rank == 17);
  OK(ABT_xstream_set_rank(streams[1], 1));
  IS(ABT_ERR_INV_XSTREAM_RANK, ABT_xstream_set_rank(streams[1], 17));
  IS(ABT_ERR_INV_XSTREAM_RANK, ABT_xstream_set_rank(streams[1], 0));
  IS(ABT_ERR_INV_XSTREAM_RANK, ABT_xstream_set_rank(streams[1], -1));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_set_rank(primary, 5));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_set_rank(ABT_XSTREAM_NULL, 5));
  IS(ABT_ERR_INV_XSTREAM_RANK, ABT_xstream_create_with_rank(ABT_SCHED_NULL, 17, &taken));
  OK(ABT_xstream_create_with_rank(ABT_SCHED_NULL, 2, &taken));
  OK(ABT_xstream_get_rank(taken, &rank));
  CHECK(rank == 2);
  end_stream(taken);
  for (int i = 0; i < 2; ++i) end_stream(streams[i]);
}

/* ---- the primary ---- */

static void try_exit(void *unused) {
  (void)unused;
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_exit());
}

static void the_primary(void) {
  ABT_xstream primary, other = start_stream();
  ABT_bool is_primary = ABT_FALSE;
  OK(ABT_xstream_self(&primary));
  OK(ABT_xstream_is_primary(primary, &is_primary));
  CHECK(is_primary == ABT_TRUE);
  OK(ABT_xstream_is_primary(other, &is_primary));
  CHECK(is_primary == ABT_FALSE);
  CHECK(state_of(primary) == ABT_XSTREAM_STATE_RUNNING);
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_cancel(primary));
  end(start(my_pool(), try_exit, NULL));
  run_outside(try_exit, NULL);
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_cancel(ABT_XSTREAM_NULL));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_is_primary(ABT_XSTREAM_NULL, &is_primary));
  ABT_xstream_state state;
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_get_state(ABT_XSTREAM_NULL, &state));
  end_stream(other);
}

void check_streams(void) {
  RUN(cancel);
  RUN(exit_and_revive);
  RUN(revive_at_once);
  RUN(scheduler_exits);
  RUN(many_to_steal_from);
  RUN(ranks);
  RUN(the_primary);
}
