// ABT_thread_yield, yield_to, resume.

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "unit.hpp"
#include "yield_to.hpp"

using namespace weft::abt;

int ABT_thread_yield() {
  const caller me = who_calls_maybe_early();
  if (me.is_ult()) {
    yield_self(me, ABT_POOL_CONTEXT_OP_THREAD_YIELD);
  } else if (weft_self() != nullptr && me.is_outside()) {
    weft_yield();  // a thread that weft.h made
  }
  return ABT_SUCCESS;
}

int ABT_thread_yield_to(ABT_thread thread) {
  const caller me = who_calls_maybe_early();
  if (!me.is_ult()) return ABT_SUCCESS;
  weft_thread* const target = thread_of(thread);
  if (target == nullptr || target == me.thread) return ABT_ERR_INV_THREAD;
  if (!fields_of(target)->is(is_yieldable) || me.fields->is(is_main_scheduler)) return ABT_ERR_INV_THREAD;
  pool* const home = fields_of(target)->home;
  if (home == nullptr || !can_take(home)) return ABT_ERR_POOL;
  // A unit that is not ready any more needs no turn.
  bool is_taken;
  const int error = take(home, target, &is_taken);
  if (is_taken) yield_self_to(me, target, ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO);
  return error;
}

int ABT_thread_resume(ABT_thread thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  weft_thread* const one = thread_of(thread);
  if (one == nullptr || !fields_of(one)->is(is_yieldable)) return ABT_ERR_INV_THREAD;
  return resume_unit(one);
}
