// ABT_thread_join, free, exit, cancel and their kin.

#include <abt.h>

#include "handle.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"

using namespace weft::abt;

namespace {

int need_joinable(weft_thread* thread) {
  if (thread == nullptr || thread == weft_self()) return ABT_ERR_INV_THREAD;
  const unit_fields* const what = fields_of(thread);
  return what->is_any(is_primary | is_main_scheduler) || !what->is(is_named) ? ABT_ERR_INV_THREAD : ABT_SUCCESS;
}

// Of the main scheduler of a stream: the pool cannot go while a unit of the stream looks at it.
bool serves(const scheduler* main, const weft_pool* looked_for) {
  for (std::size_t index = 0; index < main->pool_count; ++index) {
    if (main->queues[index] == looked_for) return true;
  }
  return false;
}

// A unit that lies in a pool of the caller's own stream need not wait for its turn, nor the caller for the scheduler: it runs at once.
void run_if_it_lies_here(weft_thread* thread) {
  const caller me = who_calls();
  weft_pool* const home = weft_ext_thread_pool(thread);
  if (home == nullptr || !me.is_ult() || weft_thread_get_state(thread) != WEFT_THREAD_READY) return;
  if (!serves(me.where->main_scheduler.load(std::memory_order_relaxed), home)) return;
  if (weft_ext_pool_remove(home, thread)) run_unit(thread);
}

// A unit that was cancelled while it waited ends.
void join(weft_thread* thread) {
  run_if_it_lies_here(thread);
  {
    const named_wait as(ABT_SYNC_EVENT_TYPE_THREAD_JOIN, thread);
    wait_for_unit(thread);
  }
  const caller me = who_calls();
  if (me.is_ult() && is_requested(me.fields, is_cancelled)) exit_unit(me.fields);
}

}  // namespace

int ABT_thread_free(ABT_thread* thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  weft_thread* const one = thread_of(*thread);
  if (const int error = need_joinable(one); error != ABT_SUCCESS) return error;
  join(one);
  free_unit(one);
  *thread = ABT_THREAD_NULL;
  return ABT_SUCCESS;
}

int ABT_thread_free_many(int num_threads, ABT_thread* thread_list) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  for (int index = 0; index < num_threads; ++index) {
    weft_thread* const one = thread_of(thread_list[index]);
    thread_list[index] = ABT_THREAD_NULL;
    if (need_joinable(one) != ABT_SUCCESS) continue;
    join(one);
    free_unit(one);
  }
  return ABT_SUCCESS;
}

int ABT_thread_join(ABT_thread thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  weft_thread* const one = thread_of(thread);
  if (const int error = need_joinable(one); error != ABT_SUCCESS) return error;
  join(one);
  return ABT_SUCCESS;
}

int ABT_thread_join_many(int num_threads, ABT_thread* thread_list) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  for (int index = 0; index < num_threads; ++index) {
    weft_thread* const one = thread_of(thread_list[index]);
    if (need_joinable(one) == ABT_SUCCESS) join(one);
  }
  return ABT_SUCCESS;
}

int ABT_thread_exit() {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  if (me.fields->is(is_primary)) return ABT_ERR_INV_THREAD;
  exit_unit(me.fields);
}

int ABT_thread_cancel(ABT_thread thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL || fields_of(thread_of(thread))->is(is_primary)) return ABT_ERR_INV_THREAD;
  request(fields_of(thread_of(thread)), wants_cancel);
  return ABT_SUCCESS;
}
