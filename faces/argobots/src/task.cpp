// ABT_task_*: tasklets. What holds for work units of both kinds is asked of ABT_thread_*, whose
// errors get the tasklet's name.

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "unit.hpp"
#include "unit_create.hpp"

using namespace weft::abt;

namespace {

int as_task(int code) { return code == ABT_ERR_INV_THREAD ? ABT_ERR_INV_TASK : code; }

[[gnu::always_inline]] inline int create_tasklet(pool* home, unit_function function, void* argument, ABT_task* out) {
  if (home == nullptr) return ABT_ERR_INV_POOL;
  if (out == nullptr) return create_otherwise(home, function, argument, is_migratable, out);
  return create_named_unit(home, function, argument, is_migratable | is_named, out);
}

int need_tasklet(caller* me) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  *me = who_calls();
  if (me->is_outside()) return ABT_ERR_INV_XSTREAM;
  return me->is_ult() ? ABT_ERR_INV_TASK : ABT_SUCCESS;
}

}  // namespace

int ABT_task_create(ABT_pool pool, void (*task_func)(void*), void* arg, ABT_task* newtask) {
  if (newtask != nullptr) *newtask = ABT_TASK_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  return create_tasklet(pool_of(pool), task_func, arg, newtask);
}

int ABT_task_create_on_xstream(ABT_xstream xstream, void (*task_func)(void*), void* arg, ABT_task* newtask) {
  if (newtask != nullptr) *newtask = ABT_TASK_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  return create_tasklet(main_pool(stream_of(xstream)), task_func, arg, newtask);
}

int ABT_task_revive(ABT_pool pool, void (*task_func)(void*), void* arg, ABT_task* task) {
  return as_task(ABT_thread_revive(pool, task_func, arg, task));
}

int ABT_task_free(ABT_task* task) { return as_task(ABT_thread_free(task)); }
int ABT_task_join(ABT_task task) { return as_task(ABT_thread_join(task)); }
int ABT_task_cancel(ABT_task task) { return as_task(ABT_thread_cancel(task)); }

int ABT_task_self(ABT_task* task) {
  *task = ABT_TASK_NULL;
  caller me;
  if (const int error = need_tasklet(&me); error != ABT_SUCCESS) return error;
  *task = handle_of(me.thread);
  return ABT_SUCCESS;
}

int ABT_task_self_id(uint64_t* id) {
  caller me;
  if (const int error = need_tasklet(&me); error != ABT_SUCCESS) return error;
  *id = weft_thread_id(me.thread);
  return ABT_SUCCESS;
}

int ABT_task_get_xstream(ABT_task task, ABT_xstream* xstream) { return as_task(ABT_thread_get_last_xstream(task, xstream)); }

int ABT_task_get_state(ABT_task task, ABT_task_state* state) {
  ABT_thread_state now;
  if (const int error = as_task(ABT_thread_get_state(task, &now)); error != ABT_SUCCESS) return error;
  switch (now) {
    case ABT_THREAD_STATE_READY: *state = ABT_TASK_STATE_READY; break;
    case ABT_THREAD_STATE_TERMINATED: *state = ABT_TASK_STATE_TERMINATED; break;
    default: *state = ABT_TASK_STATE_RUNNING;
  }
  return ABT_SUCCESS;
}

int ABT_task_get_last_pool(ABT_task task, ABT_pool* pool) { return as_task(ABT_thread_get_last_pool(task, pool)); }
int ABT_task_get_last_pool_id(ABT_task task, int* id) { return as_task(ABT_thread_get_last_pool_id(task, id)); }
int ABT_task_set_migratable(ABT_task task, ABT_bool migratable) { return as_task(ABT_thread_set_migratable(task, migratable)); }
int ABT_task_is_migratable(ABT_task task, ABT_bool* migratable) { return as_task(ABT_thread_is_migratable(task, migratable)); }
int ABT_task_equal(ABT_task task1, ABT_task task2, ABT_bool* result) { return ABT_thread_equal(task1, task2, result); }
int ABT_task_get_id(ABT_task task, uint64_t* task_id) { return as_task(ABT_thread_get_id(task, task_id)); }
int ABT_task_get_arg(ABT_task task, void** arg) { return as_task(ABT_thread_get_arg(task, arg)); }
