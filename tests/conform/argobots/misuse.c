/* Error codes: what every function answers to null handles, and to arguments out of range. */
#include "check.h"

#include <time.h>

static union {
  int number;
  size_t size;
  double seconds;
  void *pointer;
  ABT_bool truth;
  uint32_t count;
  ABT_unit_id id;
  ABT_thread_state state;
  ABT_task_state task_state;
  ABT_xstream_state stream_state;
} out;
static void *const untouched = &out;

static void streams(void) {
  ABT_xstream none = ABT_XSTREAM_NULL;
  ABT_sched sched;
  ABT_pool pool = my_pool();
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_free(&none));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_join(none));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_revive(none));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_get_rank(none, &out.number));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_set_main_sched(none, ABT_SCHED_NULL));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_set_main_sched_basic(none, ABT_SCHED_DEFAULT, 1, &pool));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_get_main_sched(none, &sched));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_get_main_pools(none, 1, &pool));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_get_cpubind(none, &out.number));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_set_cpubind(none, 0));
  IS(ABT_ERR_INV_UNIT, ABT_xstream_run_unit(ABT_UNIT_NULL, pool));
  IS(ABT_ERR_INV_SCHED, ABT_xstream_check_events(ABT_SCHED_NULL));
  IS(ABT_ERR_INV_XSTREAM_RANK, ABT_xstream_create_with_rank(ABT_SCHED_NULL, -2, &none));
  ABT_xstream self;
  OK(ABT_xstream_self(&self));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_join(self));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_free(&self));
}

static void schedulers_and_pools(void) {
  ABT_sched sched = ABT_SCHED_NULL, made;
  ABT_pool none = ABT_POOL_NULL, pool;
  ABT_thread thread;
  IS(ABT_ERR_INV_SCHED, ABT_sched_free(&sched));
  IS(ABT_ERR_INV_SCHED, ABT_sched_get_num_pools(sched, &out.number));
  IS(ABT_ERR_INV_SCHED, ABT_sched_get_pools(sched, 1, 0, &pool));
  IS(ABT_ERR_INV_SCHED, ABT_sched_finish(sched));
  IS(ABT_ERR_INV_SCHED, ABT_sched_set_data(sched, NULL));
  IS(ABT_ERR_INV_SCHED, ABT_sched_get_data(sched, &out.pointer));
  IS(ABT_ERR_INV_SCHED, ABT_sched_get_total_size(sched, &out.size));
  IS(ABT_ERR_INV_SCHED, ABT_sched_has_to_stop(sched, &out.truth));
  IS(ABT_ERR_INV_SCHED_PREDEF, ABT_sched_create_basic((ABT_sched_predef)99, 0, NULL, ABT_SCHED_CONFIG_NULL, &made));
  IS(ABT_ERR_INV_POOL, ABT_pool_free(&none));
  IS(ABT_ERR_INV_POOL, ABT_pool_is_empty(none, &out.truth));
  IS(ABT_ERR_INV_POOL, ABT_pool_get_size(none, &out.size));
  IS(ABT_ERR_INV_POOL, ABT_pool_get_total_size(none, &out.size));
  IS(ABT_ERR_INV_POOL, ABT_pool_pop_thread(none, &thread));
  IS(ABT_ERR_INV_POOL, ABT_pool_push_thread(none, ABT_THREAD_NULL));
  IS(ABT_ERR_INV_UNIT, ABT_pool_push(my_pool(), ABT_UNIT_NULL));
  IS(ABT_ERR_INV_POOL, ABT_pool_set_data(none, NULL));
  IS(ABT_ERR_INV_POOL, ABT_pool_get_data(none, &out.pointer));
  IS(ABT_ERR_INV_POOL, ABT_pool_add_sched(none, ABT_SCHED_NULL));
  IS(ABT_ERR_INV_POOL_KIND, ABT_pool_create_basic((ABT_pool_kind)99, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  IS(ABT_ERR_INV_UNIT, ABT_unit_get_thread(ABT_UNIT_NULL, &thread));
}

static void units(void) {
  ABT_thread none = ABT_THREAD_NULL, self;
  ABT_thread_attr no_attr = ABT_THREAD_ATTR_NULL;
  OK(ABT_thread_self(&self));
  IS(ABT_ERR_INV_POOL, ABT_thread_create(ABT_POOL_NULL, nothing, NULL, ABT_THREAD_ATTR_NULL, &none));
  IS(ABT_ERR_INV_XSTREAM, ABT_thread_create_on_xstream(ABT_XSTREAM_NULL, nothing, NULL, ABT_THREAD_ATTR_NULL, &none));
  IS(ABT_ERR_INV_POOL, ABT_task_create(ABT_POOL_NULL, nothing, NULL, &none));
  IS(ABT_ERR_INV_THREAD, ABT_thread_free(&none));
  IS(ABT_ERR_INV_THREAD, ABT_thread_join(none));
  IS(ABT_ERR_INV_THREAD, ABT_thread_revive(my_pool(), nothing, NULL, &none));
  IS(ABT_ERR_INV_THREAD, ABT_thread_get_state(none, &out.state));
  IS(ABT_ERR_INV_THREAD, ABT_thread_get_id(none, &out.id));
  IS(ABT_ERR_INV_THREAD, ABT_thread_get_arg(none, &out.pointer));
  IS(ABT_ERR_INV_THREAD, ABT_thread_set_arg(none, NULL));
  IS(ABT_ERR_INV_THREAD, ABT_thread_get_last_pool_id(none, &out.number));
  IS(ABT_ERR_INV_THREAD, ABT_thread_is_unnamed(none, &out.truth));
  IS(ABT_ERR_INV_THREAD, ABT_thread_is_primary(none, &out.truth));
  IS(ABT_ERR_INV_THREAD, ABT_thread_get_stacksize(none, &out.size));
  IS(ABT_ERR_INV_THREAD, ABT_thread_resume(none));
  IS(ABT_ERR_INV_THREAD, ABT_thread_yield_to(none));
  IS(ABT_ERR_INV_THREAD, ABT_thread_get_specific(none, ABT_KEY_NULL, &out.pointer));
  IS(ABT_ERR_INV_THREAD, ABT_thread_migrate(none));
  IS(ABT_ERR_INV_THREAD, ABT_self_yield_to(none));
  IS(ABT_ERR_INV_THREAD, ABT_self_suspend_to(none));
  IS(ABT_ERR_INV_THREAD, ABT_self_exit_to(none));
  IS(ABT_ERR_INV_THREAD, ABT_self_schedule(none, ABT_POOL_NULL));
  IS(ABT_ERR_INV_THREAD, ABT_thread_join(self));
  IS(ABT_ERR_INV_THREAD, ABT_thread_free(&self));
  IS(ABT_ERR_THREAD, ABT_thread_resume(self));
  IS(ABT_ERR_INV_THREAD, ABT_thread_exit());
  IS(ABT_ERR_INV_THREAD, ABT_self_exit());
  IS(ABT_ERR_INV_TASK, ABT_task_free(&none));
  IS(ABT_ERR_INV_TASK, ABT_task_join(none));
  IS(ABT_ERR_INV_TASK, ABT_task_get_state(none, &out.task_state));
  IS(ABT_ERR_INV_TASK, ABT_task_get_id(none, &out.id));
  IS(ABT_ERR_INV_TASK, ABT_task_get_last_pool_id(none, &out.number));
  IS(ABT_ERR_INV_TASK, ABT_task_self(&none));
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_thread_attr_free(&no_attr));
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_thread_attr_set_stacksize(no_attr, 65536));
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_thread_attr_get_stacksize(no_attr, &out.size));
}

static void locks(void) {
  ABT_mutex mutex = ABT_MUTEX_NULL;
  ABT_mutex_attr attr = ABT_MUTEX_ATTR_NULL;
  int (*const calls[])(ABT_mutex) = {ABT_mutex_lock,     ABT_mutex_lock_low, ABT_mutex_lock_high, ABT_mutex_trylock,
                                     ABT_mutex_spinlock, ABT_mutex_unlock,   ABT_mutex_unlock_se, ABT_mutex_unlock_de};
  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); ++i) IS(ABT_ERR_INV_MUTEX, calls[i](mutex));
  IS(ABT_ERR_INV_MUTEX, ABT_mutex_free(&mutex));
  IS(ABT_ERR_INV_MUTEX, ABT_mutex_get_attr(mutex, &attr));
  IS(ABT_ERR_INV_MUTEX_ATTR, ABT_mutex_attr_free(&attr));
  IS(ABT_ERR_INV_MUTEX_ATTR, ABT_mutex_attr_set_recursive(attr, ABT_TRUE));
  IS(ABT_ERR_INV_MUTEX_ATTR, ABT_mutex_attr_get_recursive(attr, &out.truth));
  OK(ABT_mutex_create_with_attr(attr, &mutex));
  OK(ABT_mutex_free(&mutex));
  ABT_rwlock rwlock = ABT_RWLOCK_NULL;
  IS(ABT_ERR_INV_RWLOCK, ABT_rwlock_free(&rwlock));
  IS(ABT_ERR_INV_RWLOCK, ABT_rwlock_rdlock(rwlock));
  IS(ABT_ERR_INV_RWLOCK, ABT_rwlock_wrlock(rwlock));
  IS(ABT_ERR_INV_RWLOCK, ABT_rwlock_unlock(rwlock));
}

static void conditions(void) {
  const struct timespec past = {0, 0};
  ABT_mutex mutexes[2], no_mutex = ABT_MUTEX_NULL;
  ABT_cond cond, no_cond = ABT_COND_NULL;
  for (int i = 0; i < 2; ++i) OK(ABT_mutex_create(&mutexes[i]));
  OK(ABT_cond_create(&cond));
  OK(ABT_mutex_lock(mutexes[0]));
  OK(ABT_mutex_lock(mutexes[1]));
  IS(ABT_ERR_INV_COND, ABT_cond_free(&no_cond));
  IS(ABT_ERR_INV_COND, ABT_cond_wait(no_cond, mutexes[0]));
  IS(ABT_ERR_INV_COND, ABT_cond_timedwait(no_cond, mutexes[0], &past));
  IS(ABT_ERR_INV_COND, ABT_cond_signal(no_cond));
  IS(ABT_ERR_INV_COND, ABT_cond_broadcast(no_cond));
  IS(ABT_ERR_INV_MUTEX, ABT_cond_wait(cond, no_mutex));
  IS(ABT_ERR_INV_MUTEX, ABT_cond_timedwait(cond, no_mutex, &past));
  IS(ABT_ERR_COND_TIMEDOUT, ABT_cond_timedwait(cond, mutexes[0], &past));
  IS(ABT_ERR_INV_MUTEX, ABT_cond_timedwait(cond, mutexes[1], &past));
  IS(ABT_ERR_INV_MUTEX, ABT_cond_wait(cond, mutexes[1]));
  IS(ABT_ERR_MUTEX_LOCKED, ABT_mutex_trylock(mutexes[1])); /* it is still held */
  OK(ABT_cond_free(&cond));
  for (int i = 0; i < 2; ++i) OK(ABT_mutex_unlock(mutexes[i]));
  for (int i = 0; i < 2; ++i) OK(ABT_mutex_free(&mutexes[i]));
}

static void values_and_barriers(void) {
  const struct timespec past = {0, 0};
  ABT_eventual eventual = ABT_EVENTUAL_NULL;
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_free(&eventual));
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_wait(eventual, NULL));
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_timedwait(eventual, NULL, &past));
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_test(eventual, NULL, &out.truth));
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_set(eventual, NULL, 0));
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_reset(eventual));
  IS(ABT_ERR_INV_ARG, ABT_eventual_create(-1, &eventual));
  OK(ABT_eventual_create(4, &eventual));
  IS(ABT_ERR_INV_ARG, ABT_eventual_set(eventual, &out, -1));
  IS(ABT_ERR_INV_EVENTUAL, ABT_eventual_set(eventual, &out, 5));
  OK(ABT_eventual_free(&eventual));
  ABT_future future = ABT_FUTURE_NULL;
  IS(ABT_ERR_INV_FUTURE, ABT_future_free(&future));
  IS(ABT_ERR_INV_FUTURE, ABT_future_wait(future));
  IS(ABT_ERR_INV_FUTURE, ABT_future_test(future, &out.truth));
  IS(ABT_ERR_INV_FUTURE, ABT_future_set(future, NULL));
  IS(ABT_ERR_INV_FUTURE, ABT_future_reset(future));
  ABT_barrier barrier = ABT_BARRIER_NULL;
  IS(ABT_ERR_INV_BARRIER, ABT_barrier_free(&barrier));
  IS(ABT_ERR_INV_BARRIER, ABT_barrier_reinit(barrier, 2));
  IS(ABT_ERR_INV_BARRIER, ABT_barrier_wait(barrier));
  IS(ABT_ERR_INV_BARRIER, ABT_barrier_get_num_waiters(barrier, &out.count));
  IS(ABT_ERR_INV_ARG, ABT_barrier_create(0, &barrier));
  CHECK(barrier == ABT_BARRIER_NULL);
  OK(ABT_barrier_create(2, &barrier));
  IS(ABT_ERR_INV_ARG, ABT_barrier_reinit(barrier, 0));
  OK(ABT_barrier_free(&barrier));
  ABT_xstream_barrier streams_barrier = ABT_XSTREAM_BARRIER_NULL;
  IS(ABT_ERR_INV_XSTREAM_BARRIER, ABT_xstream_barrier_free(&streams_barrier));
  IS(ABT_ERR_INV_XSTREAM_BARRIER, ABT_xstream_barrier_wait(streams_barrier));
  IS(ABT_ERR_INV_ARG, ABT_xstream_barrier_create(0, &streams_barrier));
}

static void keys_and_others(void) {
  ABT_key key = ABT_KEY_NULL;
  ABT_timer timer = ABT_TIMER_NULL;
  ABT_sched_config sched_config = ABT_SCHED_CONFIG_NULL;
  ABT_pool_config pool_config = ABT_POOL_CONFIG_NULL;
  ABT_pool_user_def user_def = ABT_POOL_USER_DEF_NULL;
  ABT_thread self;
  OK(ABT_thread_self(&self));
  out.pointer = untouched;
  IS(ABT_ERR_INV_KEY, ABT_key_free(&key));
  IS(ABT_ERR_INV_KEY, ABT_key_set(key, NULL));
  IS(ABT_ERR_INV_KEY, ABT_key_get(key, &out.pointer));
  IS(ABT_ERR_INV_KEY, ABT_self_set_specific(key, NULL));
  IS(ABT_ERR_INV_KEY, ABT_self_get_specific(key, &out.pointer));
  IS(ABT_ERR_INV_KEY, ABT_thread_set_specific(self, key, NULL));
  IS(ABT_ERR_INV_KEY, ABT_thread_get_specific(self, key, &out.pointer));
  CHECK(out.pointer == untouched);
  IS(ABT_ERR_INV_TIMER, ABT_timer_free(&timer));
  IS(ABT_ERR_INV_TIMER, ABT_timer_start(timer));
  IS(ABT_ERR_INV_TIMER, ABT_timer_stop(timer));
  IS(ABT_ERR_INV_TIMER, ABT_timer_read(timer, &out.seconds));
  IS(ABT_ERR_INV_SCHED_CONFIG, ABT_sched_config_free(&sched_config));
  IS(ABT_ERR_INV_POOL_CONFIG, ABT_pool_config_free(&pool_config));
  IS(ABT_ERR_INV_POOL_USER_DEF, ABT_pool_user_def_free(&user_def));
  IS(ABT_ERR_INV_QUERY_KIND, ABT_info_query_config((ABT_info_query_kind)999, &out));
  IS(ABT_ERR_OTHER, ABT_error_get_str(-1, NULL, NULL));
  IS(ABT_ERR_OTHER, ABT_error_get_str(58, NULL, NULL));
}

void check_misuse(void) {
  RUN(streams);
  RUN(schedulers_and_pools);
  RUN(units);
  RUN(locks);
  RUN(conditions);
  RUN(values_and_barriers);
  RUN(keys_and_others);
}
