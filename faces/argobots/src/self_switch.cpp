// ABT_self_*: yield, suspend, exit, with and without a ULT that runs instead, and acting as a
// scheduler.

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "unit.hpp"
#include "yield_to.hpp"

using namespace weft::abt;

namespace {

[[gnu::always_inline]] inline int need_calling_ult(caller* me) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  *me = who_calls();
  return need_ult(*me);
}

// The caller leaves its place to target: neither may be what its stream cannot do without.
[[gnu::always_inline]] inline int need_pair(caller* me, ABT_thread target, unsigned refused_of_caller,
                                            unsigned refused_of_target) {
  if (const int error = need_calling_ult(me); error != ABT_SUCCESS) return error;
  weft_thread* const other = thread_of(target);
  if (other == nullptr || other == me->thread || me->fields->is_any(refused_of_caller)) return ABT_ERR_INV_THREAD;
  const unit_fields* const its = fields_of(other);
  return its->is(is_yieldable) && !its->is_any(refused_of_target) ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
}

}  // namespace

int ABT_self_yield() {
  caller me;
  if (const int error = need_calling_ult(&me); error != ABT_SUCCESS) return error;
  yield_self(me, ABT_POOL_CONTEXT_OP_THREAD_YIELD);
  return ABT_SUCCESS;
}

int ABT_self_yield_to(ABT_thread thread) {
  caller me;
  if (const int error = need_pair(&me, thread, is_main_scheduler, is_main_scheduler); error != ABT_SUCCESS) return error;
  yield_self_to(me, thread_of(thread), ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO);
  return ABT_SUCCESS;
}

int ABT_self_resume_yield_to(ABT_thread thread) {
  caller me;
  if (const int error = need_pair(&me, thread, is_main_scheduler, is_main_scheduler); error != ABT_SUCCESS) return error;
  if (const int error = take_suspended(thread_of(thread)); error != ABT_SUCCESS) return error;
  yield_self_to(me, thread_of(thread), ABT_POOL_CONTEXT_OP_THREAD_RESUME_YIELD_TO);
  return ABT_SUCCESS;
}

int ABT_self_suspend() {
  caller me;
  if (const int error = need_calling_ult(&me); error != ABT_SUCCESS) return error;
  suspend_self(me, nullptr);
  return ABT_SUCCESS;
}

int ABT_self_suspend_to(ABT_thread thread) {
  caller me;
  if (const int error = need_pair(&me, thread, is_main_scheduler, is_main_scheduler); error != ABT_SUCCESS) return error;
  suspend_self(me, thread_of(thread));
  return ABT_SUCCESS;
}

int ABT_self_resume_suspend_to(ABT_thread thread) {
  caller me;
  if (const int error = need_pair(&me, thread, is_main_scheduler, is_main_scheduler); error != ABT_SUCCESS) return error;
  if (const int error = take_suspended(thread_of(thread)); error != ABT_SUCCESS) return error;
  suspend_self(me, thread_of(thread));
  return ABT_SUCCESS;
}

int ABT_self_exit() {
  caller me;
  if (const int error = need_calling_ult(&me); error != ABT_SUCCESS) return error;
  if (const int error = need_end(me); error != ABT_SUCCESS) return error;
  exit_unit(me.fields);
}

int ABT_self_exit_to(ABT_thread thread) {
  caller me;
  if (const int error = need_pair(&me, thread, is_main_scheduler, is_main_scheduler | is_primary); error != ABT_SUCCESS) {
    return error;
  }
  if (const int error = need_end(me); error != ABT_SUCCESS) return error;
  me.where->next = thread_of(thread);
  exit_unit(me.fields);
}

int ABT_self_resume_exit_to(ABT_thread thread) {
  caller me;
  if (const int error = need_pair(&me, thread, is_main_scheduler, is_main_scheduler); error != ABT_SUCCESS) return error;
  if (const int error = need_end(me); error != ABT_SUCCESS) return error;
  if (const int error = take_suspended(thread_of(thread)); error != ABT_SUCCESS) return error;
  me.where->next = thread_of(thread);
  exit_unit(me.fields);
}

int ABT_self_schedule(ABT_thread thread, ABT_pool pool) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  caller me;
  if (const int error = need_calling_ult(&me); error != ABT_SUCCESS) return error;
  if (pool != ABT_POOL_NULL) {
    if (const int error = associate(thread_of(thread), pool_of(pool)); error != ABT_SUCCESS) return error;
  }
  run_unit(thread_of(thread));
  return ABT_SUCCESS;
}
